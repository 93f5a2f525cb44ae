"""The parts of the rows that are judged: all, each fold, each slice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.common_prior import with_common_prior
from heldout.assess.results import Result
from heldout.engines.memory import Tallies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from heldout.intervals.interval import Interval
    from heldout.predictions.table import Predictions

__all__ = ["Part", "fold_parts", "parts_of", "places_of", "repeat_parts", "slice_parts"]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some of a model's rows, and how results name them."""

    tallies: Tallies
    repeat: str = ""
    fold: str = ""
    slice: str = ""

    @property
    def is_fold(self) -> bool:
        """Whether this is one fold, not all of them."""
        return bool(self.fold)

    def result(
        self,
        measure: str,
        value: float,
        note: str,
        *,
        class_: str = "",
        interval: Interval | None = None,
    ) -> Result:
        """A result of this part."""
        p = self.tallies.predictions
        made = Result(
            measure,
            value,
            self.tallies.rows,
            note,
            p.model,
            p.design.procedure,
            self.repeat,
            self.fold,
            self.slice,
            class_,
        )
        if interval is None:
            return made
        if interval.is_absent:
            # an undefined value has said why already
            reason = "" if isnan(value) else f"no interval: {interval.note}"
            return replace(made, note="; ".join(filter(None, (note, reason))))
        return replace(
            made,
            note="; ".join(filter(None, (note, interval.note))),
            low=interval.low,
            high=interval.high,
            level=interval.level,
            method=interval.method,
        )


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
            repeat="" if repeat is None else str(repeat.levels[code // width]),
            fold=str(fold.levels[code % width]),
        )


def places_of(p: Predictions) -> NDArray[np.int64]:
    """One code for the repeat and the fold of each row."""
    fold, repeat = p.design.fold, p.design.repeat
    folds = np.zeros(len(p), np.int64) if fold is None else fold.codes.astype(np.int64)
    if repeat is None:
        return folds
    return repeat.codes.astype(np.int64) * (1 if fold is None else len(fold.levels)) + folds


def repeat_parts(tallies: Tallies) -> Iterator[Part]:
    """Each repeat, its folds pooled."""
    p = with_common_prior(tallies)
    repeat = p.design.repeat
    if repeat is not None:
        for code, rows in _groups(repeat.codes):
            yield Part(Tallies(p.take(rows)), repeat=str(repeat.levels[code]), fold="all")


def slice_parts(tallies: Tallies) -> Iterator[Part]:
    """Each slice."""
    p = tallies.predictions
    for column in p.slices:
        for code, rows in _groups(column.codes):
            yield Part(Tallies(p.take(rows)), slice=f"{column.name}={column.levels[code]}")


def _groups(codes: NDArray[Any]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Each code with the positions of its rows, from one sort."""
    order = np.argsort(codes, kind="stable")
    found, start = np.unique(codes[order], return_index=True)
    for code, rows in zip(found, np.split(order, start[1:]), strict=True):
        yield int(code), rows
