"""The rows of each slice, sorted once, random parts of them, and sums over these."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import count_statistic
from heldout.assess.slice_tests import Jackknifed
from heldout.assess.values import losses_of
from heldout.core.memo import once
from heldout.core.random import stream
from heldout.core.threads import in_threads
from heldout.decisions.joined import ends_of, joined_at
from heldout.engines.memory import Tallies
from heldout.engines.protocol import slice_by
from heldout.measures.kinds import Maximum
from heldout.tally.confusion import Binary, Confusion
from heldout.tally.errors import Errors
from heldout.tally.moments import Moments
from heldout.tally.scores import ScoreCounts, TopLabel
from heldout.uncertainty.sample import RowSampler, row_order

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from heldout.engines.parts import Partition
    from heldout.measures.spec import Request
    from heldout.predictions.table import Column, Predictions

__all__ = ["PARTS", "SliceRows", "jackknifed", "sums_for"]

#: random parts of each slice, of which a jackknife leaves out one at a time
PARTS = 20


@dataclass(frozen=True, eq=False)
class SliceRows:
    """The rows in order of slice, within a slice in the order they came in, in random parts.

    Parameters
    ----------
    slices
        The rows by slice.
    parts
        The random part that each row belongs to, in the order of the slices.
    levels
        The values of the column that have rows, each a slice.
    """

    slices: Partition
    parts: NDArray[Any]
    name: str
    levels: tuple[str, ...]

    @classmethod
    def of(cls, whole: Tallies, column: Column, *, seed: int = 1) -> SliceRows:
        """The slices of a column; groups stay whole within the parts."""
        slices = whole.parts(slice_by(column.name))
        parts = _parts(whole.predictions, column.codes, stream(seed, "slices", column.name))
        levels = tuple(level for (level,) in slices.keys)
        return cls(slices, parts[slices.order], column.name, levels)

    def __len__(self) -> int:
        return len(self.slices)

    @property
    def predictions(self) -> Predictions:
        """All rows, in the order of the slices."""
        return self.slices.ordered

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many rows each part of each slice has."""
        both = np.repeat(np.arange(len(self)), self.slices.rows) * PARTS + self.parts
        return np.bincount(both, minlength=len(self) * PARTS).reshape(-1, PARTS)

    def stretch(self, index: int) -> slice:
        """Where the rows of a slice stand."""
        return self.slices.stretch(index)

    def of_slice(self, index: int) -> Tallies:
        """The tallies of one slice."""
        return self.slices.at(index)

    def of_parts(self, index: int) -> list[Tallies]:
        """The tallies of each part of one slice."""
        own = self.stretch(index)
        order = own.start + np.argsort(self.parts[own], kind="stable")
        each = np.split(order, np.cumsum(self.sizes[index])[:-1])
        return [Tallies(self.predictions.take(rows)) for rows in each]


def _parts(predictions: Predictions, codes: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """A part for each row at random, the same for all rows of a group."""
    group = predictions.design.group
    if group is None:
        drawn = rng.integers(0, PARTS, len(predictions), np.uint8)
        order = partial(row_order, predictions, by=codes)
        return RowSampler(len(drawn), order=order).of_rows(drawn)
    # groups in turn, so that as few parts as possible stay empty
    of_group = rng.permutation(len(group.levels)) % PARTS
    return of_group[group.codes]


#: numbers that the parts of all slices may take up
MOST_NUMBERS = 20_000_000
#: scores that are kept apart in the parts of a slice
MOST_SCORES = 500


@dataclass(frozen=True, slots=True, eq=False)
class SliceSums:
    """What adds over rows, for each slice and part of it, and the value of such sums.

    Parameters
    ----------
    table
        Slices, parts, sums.
    value
        The measure of sums: a number for each element of the leading axes.
    """

    table: NDArray[Any]
    value: Callable[[NDArray[Any]], NDArray[Any]]


def sums_for(request: Request, rows: SliceRows, whole: Tallies) -> SliceSums | str:
    """The sums a measure can be made of, or why it cannot be made of sums."""
    measure = request.measure
    kinds = set(measure.needs)
    if request.counts_rows and whole.predictions.weight is not None:
        return "it counts rows, and sums have weights"
    if kinds <= {Binary, Confusion}:
        return _cells(request, rows, whole)
    single = not request.average and request.label is None
    if kinds == {TopLabel} or (kinds == {ScoreCounts} and single and measure.tasks):
        return _scores(request, rows, whole)
    if kinds == {Errors}:
        return _errors(request, rows, whole)
    if measure.needs == (Moments,):
        return _means(request, rows, whole)
    return "it is not made of sums over rows"


def jackknifed(
    sums: SliceSums, sizes: NDArray[Any]
) -> tuple[list[Jackknifed], list[Jackknifed], Jackknifed]:
    """The value of each slice, of the rest of it, and of all rows, with their variances."""
    table = sums.table
    each, part = table.sum(axis=1), table.sum(axis=0)
    whole = part.sum(axis=0)
    each_without, whole_without = each[:, None] - table, whole - part
    rest, rest_without = whole - each, whole_without - each_without
    if table.dtype.kind == "f":  # what rounding leaves of counts that are none
        slack = 1e-12 * np.abs(table).sum(axis=(0, 1))
        each_without, rest_without, rest, whole_without = (
            np.where(np.abs(a) <= slack, 0.0, a)
            for a in (each_without, rest_without, rest, whole_without)
        )
    value = sums.value
    all_sizes = sizes.sum(axis=0)
    some = zip(value(each), value(each_without), sizes, strict=True)
    others = zip(value(rest), value(rest_without), all_sizes - sizes, strict=True)
    return (
        [Jackknifed.of(float(v), without, size) for v, without, size in some],
        [Jackknifed.of(float(v), without, size) for v, without, size in others],
        Jackknifed.of(float(value(whole[None])[0]), value(whole_without), all_sizes),
    )


def _stacked(rows: SliceRows, sums: Callable[[Tallies], NDArray[Any]]) -> NDArray[Any]:
    """The sums of each part of each slice."""
    made = in_threads(lambda s: np.stack([sums(t) for t in rows.of_parts(s)]), range(len(rows)))
    return np.stack(made)


def _cells(request: Request, rows: SliceRows, whole: Tallies) -> SliceSums | str:
    counts = whole.confusion
    if len(counts.cells) * rows.sizes.size > MOST_NUMBERS:
        return "too many classes and slices"
    statistic = count_statistic(request, whole)
    return SliceSums(
        once(rows, "cells", lambda rows: _cells_of_parts(rows, counts)),
        lambda table: np.broadcast_to(
            np.asarray(statistic(replace(counts, counts=table)), float), table.shape[:-1]
        ),
    )


def _cells_of_parts(rows: SliceRows, counts: Confusion) -> NDArray[Any]:
    """The confusion counts of each part of each slice, in the cells that occur at all."""
    p, width = rows.predictions, len(counts.cells)
    place = np.full(counts.classes**2, -1, np.int64) if counts.classes <= 1000 else None

    def of(index: int) -> NDArray[Any]:
        own = rows.stretch(index)
        flat = p.truth[own].astype(np.int64) * counts.classes + _predicted(p)[own]
        cell = np.searchsorted(counts.cells, flat) if place is None else place[flat]
        cell += rows.parts[own].astype(np.int64) * width
        weight = None if p.weight is None else p.weight[own]
        return np.bincount(cell, weight, minlength=PARTS * width).reshape(PARTS, width)

    if place is not None:
        place[counts.cells] = np.arange(width)
    return np.stack(in_threads(of, range(len(rows))))


def _predicted(predictions: Predictions) -> NDArray[Any]:
    assert predictions.predicted is not None
    return predictions.predicted


def _scores(request: Request, rows: SliceRows, whole: Tallies) -> SliceSums | str:
    is_top = request.measure.needs == (TopLabel,)
    kind = TopLabel if is_top else ScoreCounts
    counts: ScoreCounts = whole.top_label if is_top else whole.scores
    most = min(MOST_SCORES, MOST_NUMBERS // (2 * rows.sizes.size))
    if most < 50:
        return "too many slices"
    thresholds = counts.score[ends_of(counts, most)]

    def sums(part: Tallies) -> NDArray[Any]:
        grid = joined_at(part.top_label if is_top else part.scores, thresholds)
        return np.stack([grid.positives, grid.negatives])

    def one(pair: NDArray[Any]) -> float:
        kept = pair.sum(axis=0) > 0
        made = kind(thresholds[kept], pair[0][kept], pair[1][kept], round(float(pair.sum())))
        return float(request.measure(made, **request.values))

    made = once(rows, kind.__name__, lambda rows: _stacked(rows, sums))
    return SliceSums(made, lambda table: _each(one, table, 2))


def _errors(request: Request, rows: SliceRows, whole: Tallies) -> SliceSums | str:
    if request.measure.kind == Maximum("errors"):
        return "a maximum is not made of sums over rows"
    about = whole.errors

    def sums(part: Tallies) -> NDArray[Any]:
        e, w = part.errors, part.errors.weight
        t, p = e.truth_mean - about.truth_mean, e.predicted_mean - about.predicted_mean
        d = e.error_mean - about.error_mean
        squares = [
            e.truth_deviations + w * t * t,
            e.predicted_deviations + w * p * p,
            e.error_deviations + w * d * d,
            e.co_deviations + w * t * p,
        ]
        return np.array([e.rows, w, w * t, w * p, w * d, *squares])

    def one(s: NDArray[Any]) -> float:
        count, w = round(float(s[0])), float(s[1])
        if w <= 0:
            return float("nan")
        t, p, d = s[2] / w, s[3] / w, s[4] / w
        made = Errors(
            count,
            w,
            about.truth_mean + t,
            about.predicted_mean + p,
            about.error_mean + d,
            max(float(s[5] - w * t * t), 0.0),
            max(float(s[6] - w * p * p), 0.0),
            max(float(s[7] - w * d * d), 0.0),
            float(s[8] - w * t * p),
            about.largest,
        )
        return float(request.measure(made, **request.values))

    made = once(rows, "errors", lambda rows: _stacked(rows, sums))
    return SliceSums(made, lambda table: _each(one, table, 1))


def _means(request: Request, rows: SliceRows, whole: Tallies) -> SliceSums | str:
    (loss,) = losses_of(request)
    about = whole.moments(*loss)
    if about.infinite or about.negative_infinite or about.undefined:
        return "the loss of some row is infinite or undefined"

    def sums(part: Tallies) -> NDArray[Any]:
        m = part.moments(*loss)
        return np.array([m.rows, m.weight, m.weight * (m.finite_mean - about.finite_mean)])

    def one(s: NDArray[Any]) -> float:
        w = float(s[1])
        if w <= 0:
            return float("nan")
        made = replace(
            about,
            rows=round(float(s[0])),
            weight=w,
            finite_weight=w,
            finite_mean=about.finite_mean + float(s[2]) / w,
        )
        return float(request.measure(made, **request.values))

    return SliceSums(_stacked(rows, sums), lambda table: _each(one, table, 1))


def _each(one: Callable[[NDArray[Any]], float], table: NDArray[Any], inner: int) -> NDArray[Any]:
    """A function of the last ``inner`` axes for each element of the leading ones."""
    lead: Sequence[int] = table.shape[: table.ndim - inner]
    flat = table.reshape(-1, *table.shape[table.ndim - inner :])
    return np.array([one(line) for line in flat], float).reshape(lead)
