"""The values of measures on each part of the rows, all parts in the same passes."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.values import (
    Value,
    by_class,
    defaults_of,
    losses_of,
    overall,
    pooled,
    tables_of_classes,
    undefined,
)
from heldout.core.notes import Kind, as_notes
from heldout.measures.parts import values_of_parts
from heldout.tally.confusion import Binary, Confusion
from heldout.tally.moments import Moments
from heldout.tally.scores import ScoreCounts, TopLabel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.core.notes import Note
    from heldout.engines.memory import Tallies
    from heldout.engines.parts import Partition
    from heldout.measures.spec import Request

#: a request, and whether its value of each class is wanted instead of the one overall
Wanted = tuple["Request", bool]
#: a value, of which request, and of which class by its code (None: of all)
ValueOf = tuple["Request", int | None, Value]


def values_of_rows(tallies: Tallies, wanted: Iterable[Wanted]) -> Iterator[ValueOf]:
    """Each value of some rows."""
    for request, is_by_class in wanted:
        if is_by_class:
            yield from ((request, *numbered) for numbered in enumerate(by_class(request, tallies)))
        else:
            yield request, None, overall(request, tallies)


@dataclass(frozen=True, slots=True, eq=False)
class PartValues:
    """The value of one measure on each part.

    Parameters
    ----------
    values
        NaN where it is undefined.
    code
        The class that the values are of, by its code; None: of all classes.
    """

    parts: Partition
    request: Request
    values: NDArray[np.float64]
    code: int | None = None

    @property
    def class_(self) -> str:
        """The class that the values are of; empty: of all."""
        if self.code is None:
            return self.request.label or ""
        return str(self.parts.ordered.classes[self.code])

    @property
    def defined(self) -> int:
        """How many parts have a value."""
        return int(np.count_nonzero(~np.isnan(self.values)))

    def value(self, part: int, rows: Tallies | None = None) -> Value:
        """The value of one part with its notes; ``rows``: its tallies, where they are kept."""
        request, number = self.request, float(self.values[part])
        is_plain = request.measure.note is None and not request.average
        if is_plain and not isnan(number):
            return Value(number, as_notes(defaults_of(request)))
        if is_plain and not self._may_be_refused:
            return undefined(request.measure.undefined or "no rows")
        rows = self.parts.at(part) if rows is None else rows
        return overall(request, rows) if self.code is None else by_class(request, rows)[self.code]

    def classes_left_out(self) -> list[Note]:
        """What parts say of classes that have no row there, and so no say in their value."""
        request, p = self.request, self.parts.ordered
        is_asked = request.average or (request.measure.note is not None and p.classes)
        if not is_asked or self.code is not None:
            return []
        lacking = (self.parts.class_rows == 0).any(axis=1) & ~np.isnan(self.values)
        notes = (n for part in np.flatnonzero(lacking).tolist() for n in self._notes(part))
        return [note for note in notes if note.kind is Kind.CLASSES_LEFT_OUT and note.count]

    def _notes(self, part: int) -> tuple[Note, ...]:
        request, measure = self.request, self.request.measure
        is_counted = not request.average and measure.needs == (Confusion,)
        counts = self.parts.confusion if is_counted else None
        if counts is None:
            return self.value(part).notes
        assert measure.note is not None
        own = counts.at(part, int(self.parts.rows[part]))
        return as_notes(measure.note(own, **request.values))

    @property
    def _may_be_refused(self) -> bool:
        """Whether a value may be undefined for a reason that is not the measure's own."""
        p = self.parts.ordered
        return self.request.counts_rows or p.task == "regression"


def values_by_part(parts: Partition, wanted: Sequence[Wanted]) -> list[list[PartValues]]:
    """The values of each request on each part: one line, or a line for each class.

    Examples
    --------
    >>> import heldout
    >>> from heldout.measures.spec import parse_request
    >>> rows = heldout.score([1, 0, 1, 0], [1, 1, 1, 0], folds=["a", "a", "b", "b"], pos_label=1)
    >>> parts = rows.tallies[0].parts("fold")
    >>> ((line,),) = values_by_part(parts, [(parse_request("accuracy"), False)])
    >>> line.values
    array([0.5, 1. ])
    """
    parts.prepare([loss for request, _ in wanted for loss in losses_of(request)])
    lines: list[list[PartValues] | None] = [_together(parts, *asked) for asked in wanted]
    alone = [i for i, line in enumerate(lines) if line is None]
    if alone:
        tables: list[list[Any]] = [[] for _ in alone]
        for rows in parts:
            for table, i in zip(tables, alone, strict=True):
                request, is_by_class = wanted[i]
                values = by_class(request, rows) if is_by_class else [overall(request, rows)]
                table.append(values)
        for table, i in zip(tables, alone, strict=True):
            lines[i] = _lines(parts, *wanted[i], table)
    return [line for line in lines if line is not None]


def _lines(
    parts: Partition, request: Request, is_by_class: bool, table: list[list[Value]]
) -> list[PartValues]:
    columns = range(len(table[0]))
    lines = []
    for k in columns:
        values = np.array([row[k].value for row in table])
        lines.append(PartValues(parts, request, values, k if is_by_class else None))
    return lines


def _together(parts: Partition, request: Request, is_by_class: bool) -> list[PartValues] | None:
    """The values in grouped passes; None where the measure has none for these rows."""
    measure, p = request.measure, parts.ordered
    if request.counts_rows and (p.weight is not None or p.design.group is not None):
        return None
    is_single = request.label is None and not request.average and not is_by_class
    if not is_single:
        return _of_classes(parts, request, is_by_class)
    if set(measure.needs) <= {Binary, Confusion, Moments}:
        tallies = _stacked(parts, request)
        if tallies is None:
            return None
        with np.errstate(all="ignore"):
            values = np.asarray(measure(*tallies, **request.values), float)
        return [PartValues(parts, request, np.broadcast_to(values, (len(parts),)))]
    if measure.needs in ((ScoreCounts,), (TopLabel,)) and parts.is_small:
        scores = parts.scores if measure.needs == (ScoreCounts,) else parts.top_label
        return [PartValues(parts, request, values_of_parts(measure, scores, **request.values))]
    return None


def _stacked(parts: Partition, request: Request) -> list[Any] | None:
    losses = iter(losses_of(request))
    tallies: list[Any] = []
    for kind in request.measure.needs:
        if kind is Moments:
            tallies.append(parts.moments(next(losses)))
        elif parts.confusion is None:
            return None
        else:
            tallies.append(parts.confusion.binary if kind is Binary else parts.confusion)
    return tallies


def _of_classes(parts: Partition, request: Request, is_by_class: bool) -> list[PartValues] | None:
    """The values of each class, of one of them, or an average, of a measure of counts."""
    measure, p = request.measure, parts.ordered
    if measure.needs not in ((Binary,), (Confusion,)) or parts.confusion is None:
        return None
    counts = parts.confusion
    if request.average == "micro":
        values = np.asarray(measure(pooled(counts.one_vs_rest), **request.values), float)
        return [PartValues(parts, request, np.broadcast_to(values, (len(parts),)))]
    each = np.asarray(measure(tables_of_classes(request, counts), **request.values), float)
    table = np.broadcast_to(each, (len(parts), len(p.classes)))
    if is_by_class:
        return [PartValues(parts, request, table[:, k], k) for k in range(len(p.classes))]
    if request.label is not None:
        return [PartValues(parts, request, table[:, p.place_of(request.label)])]
    return [_averages(parts, request, table, counts.actual)]


def _averages(
    parts: Partition, request: Request, table: NDArray[Any], support: NDArray[Any]
) -> PartValues:
    """The macro or weighted mean over classes of each part, as ``average_of`` has it for one."""
    known = ~np.isnan(table)
    is_barred = (~known & (support > 0)).any(axis=1)
    weight = known if request.average == "macro" else np.where(known, support, 0)
    total = weight.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(known, table, 0.0)
        means = (mean * weight).sum(axis=1) / total
    return PartValues(parts, request, np.where(is_barred | (total == 0), np.nan, means))
