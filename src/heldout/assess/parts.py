"""The parts of the rows that are judged: all, each fold, repeat and slice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.results import Of, Result
from heldout.engines.memory import Tallies
from heldout.predictions.split_design import places_of
from heldout.predictions.table import Prior

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from heldout.assess.values import Value
    from heldout.intervals.interval import Interval
    from heldout.predictions.table import Predictions

__all__ = [
    "Part",
    "fold_parts",
    "incomplete_repeats",
    "parts_of",
    "repeat_parts",
    "slice_parts",
    "weights_of_repeats",
    "with_common_prior",
]

#: repeats that are named
NAMED = 3


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some of a model's rows, and how results name them."""

    tallies: Tallies
    of: Of = Of.POOLED
    repeat: str = ""
    fold: str = ""
    slice: str = ""

    def result(
        self, measure: str, value: Value, *, class_: str = "", interval: Interval | None = None
    ) -> Result:
        """A result of this part."""
        p = self.tallies.predictions
        made = Result(
            measure,
            value.value,
            self.tallies.rows,
            value.notes,
            p.model,
            p.design.procedure,
            self.repeat,
            self.of,
            self.fold,
            self.slice,
            class_,
        )
        return made.bounded(interval)


def parts_of(tallies: Tallies, *, per_fold: bool) -> Iterator[Part]:
    """All rows, then (on request) each fold, then each slice."""
    yield Part(tallies)
    if per_fold:
        yield from fold_parts(tallies)
    yield from slice_parts(tallies)


def fold_parts(tallies: Tallies) -> Iterator[Part]:
    """Each fold of each repeat; none where every fold is a single row, which says nothing."""
    if tallies.predictions.design.fold is None:
        return
    p = with_common_prior(tallies)
    fold, repeat = p.design.fold, p.design.repeat
    assert fold is not None
    width, places = len(fold.levels), places_of(p)
    # not counted by place: many repeats of many folds have more places than rows
    if len(p) > 1 and len(np.unique(places)) == len(p):
        return
    for code, rows in _groups(places):
        yield Part(
            Tallies(p.take(rows)),
            Of.FOLD,
            repeat="" if repeat is None else str(repeat.levels[code // width]),
            fold=str(fold.levels[code % width]),
        )


def repeat_parts(tallies: Tallies) -> Iterator[Part]:
    """Each repeat, its folds pooled."""
    p = with_common_prior(tallies)
    repeat = p.design.repeat
    if repeat is not None:
        for code, rows in _groups(repeat.codes):
            yield Part(Tallies(p.take(rows)), Of.REPEAT, repeat=str(repeat.levels[code]))


def slice_parts(tallies: Tallies) -> Iterator[Part]:
    """Each slice."""
    p = tallies.predictions
    for column in p.slices:
        for code, rows in _groups(column.codes):
            yield Part(Tallies(p.take(rows)), slice=f"{column.name}={column.levels[code]}")


def _groups(codes: NDArray[Any]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Each code with the positions of its rows, from one sort."""
    order = np.argsort(codes, kind="stable")
    present, start = np.unique(codes[order], return_index=True)
    for code, rows in zip(present, np.split(order, start[1:]), strict=True):
        yield int(code), rows


def with_common_prior(tallies: Tallies) -> Predictions:
    """The predictions, whose folds and repeats are judged against one and the same prior.

    Skills and information scores are against what was known before. Where nobody says what
    that was, it is the class shares (the mean) of all rows, for a fold too: the shares of its
    own few rows are no prior, and differ from fold to fold by chance.
    """
    p = tallies.predictions
    if not len(p):
        return p
    if p.task == "regression":
        if p.train_mean is not None:
            return p
        return replace(p, train_mean=np.full(len(p), np.average(p.truth, weights=p.weight)))
    if p.prior is not None:
        return p
    table = np.bincount(p.truth, p.weight, minlength=len(p.classes)).astype(np.float64)[None, :]
    return replace(p, prior=Prior("these rows", table / max(table.sum(), 1e-300)))


def incomplete_repeats(tallies: Tallies) -> str:
    """Which repeats of folds have fewer rows than the fullest, as a clause; empty if none.

    A repeat without folds is a split of its own, and may well differ in size from others.
    """
    design = tallies.predictions.design
    if design.repeat is None or design.fold is None:
        return ""
    present, codes = np.unique(design.repeat.codes, return_inverse=True)
    sizes = np.bincount(codes)
    if len(present) < 2 or sizes.min() == sizes.max():
        return ""
    width = len(design.fold.levels)
    pairs = np.unique(codes * width + design.fold.codes)
    folds = np.bincount(pairs // width, minlength=len(present))
    if folds.max() == 1:
        return ""
    # a fold may be missing in every repeat, unless each repeat names its own
    is_shared = bool((np.bincount(pairs % width, minlength=width) > 1).any())
    wanted = width if is_shared else int(folds.max())
    is_short = (sizes < sizes.max()) | (folds < wanted)
    texts = []
    for index in np.flatnonzero(is_short)[:NAMED].tolist():
        name = design.repeat.levels[int(present[index])]
        lost = f"{folds[index]} of {wanted} folds, " if folds[index] < wanted else ""
        whole = f" of {sizes.max():,}" if folds[sizes.argmax()] == wanted else ""
        texts.append(f"repeat {name} has {lost}{sizes[index]:,}{whole} rows")
    more = " ..." if np.count_nonzero(is_short) > NAMED else ""
    return f"{', '.join(texts)}{more}"


def weights_of_repeats(predictions: Predictions) -> dict[str, float]:
    """What the rows of each repeat weigh together, by its name."""
    repeat = predictions.design.repeat
    assert repeat is not None
    sums = np.bincount(repeat.codes, predictions.weight, minlength=len(repeat.levels))
    return {str(level): float(weight) for level, weight in zip(repeat.levels, sums, strict=True)}
