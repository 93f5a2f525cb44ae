"""The difference of two estimates of a measure over the same draws of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from heldout.assess.values import overall
from heldout.core.random import stream
from heldout.engines.memory import Tallies

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.measures.spec import Request

__all__ = ["Drawn", "Judged", "drawn_gaps"]

DRAWS = 1000
LEAST = 100
#: values are computed one by one: so many in all, and of so many rows in all
VALUES = 6_000
ROWS = 40_000_000
#: more draws than this without a value, and folds are too small to be drawn from one by one
MOST_LOST = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Predictions of some rows of the data, split by split."""

    tallies: Tallies
    #: the splits' predictions, and the data's row of each of them
    outcome: Any

    def part_of(self, *, is_pooled: bool) -> NDArray[Any]:
        """Of each prediction, whose value it is part of: its split's, or its repeat's."""
        if not is_pooled:
            return np.asarray(self.outcome.split_of)
        repeat = self.tallies.predictions.design.repeat
        return np.zeros(len(self.outcome.rows), int) if repeat is None else repeat.codes

    def parts(self, *, is_pooled: bool) -> list[NDArray[np.int64]]:
        """The predictions of each split, or of each repeat."""
        part = self.part_of(is_pooled=is_pooled)
        return [np.flatnonzero(part == one) for one in np.unique(part)]

    def value(
        self, request: Request, counts: NDArray[np.int64], parts: list[NDArray[np.int64]]
    ) -> float:
        """The mean of the parts' values with each prediction taken so often."""
        predictions = self.tallies.predictions
        found = []
        for part in parts:
            rows = np.repeat(part, counts[part])
            if not len(rows):
                return float("nan")
            found.append(overall(request, Tallies(predictions.take(rows))).value)
        return float(np.mean(found))


class Drawn(NamedTuple):
    """Differences over draws, how they were made in words, and whether folds were pooled."""

    gaps: NDArray[np.float64]
    words: str
    is_pooled: bool


def drawn_gaps(
    request: Request,
    both: tuple[Judged, Judged],
    units: NDArray[np.int64],
    *,
    is_pooled: bool,
    seed: int,
) -> Drawn:
    """First minus second in each draw of units with repetition.

    ``units`` is the unit (a row, or a group of rows) of each row of the data. A split's value is
    that of its own rows; where that is undefined too often, all splits are taken together.
    """
    made = _gaps(request, both, units, is_pooled=is_pooled, seed=seed)
    if not is_pooled and np.mean(np.isnan(made)) > MOST_LOST:
        is_pooled = True
        made = _gaps(request, both, units, is_pooled=True, seed=seed)
    words = f"{len(made):,} draws" + (", folds pooled" if is_pooled else "")
    if lost := int(np.count_nonzero(np.isnan(made))):
        words += f", undefined in {lost:,}"
    return Drawn(made[~np.isnan(made)], words, is_pooled)


def _gaps(
    request: Request,
    both: tuple[Judged, Judged],
    units: NDArray[np.int64],
    *,
    is_pooled: bool,
    seed: int,
) -> NDArray[np.float64]:
    parts = [one.parts(is_pooled=is_pooled) for one in both]
    values = sum(map(len, parts))
    rows = sum(len(one.outcome.rows) for one in both)
    draws = max(LEAST, min(DRAWS, VALUES // values, ROWS // max(rows, 1)))
    draw = _drawer(units, seed)
    made = []
    for _ in range(draws):
        times = draw()
        first, second = (
            one.value(request, times[one.outcome.rows], own)
            for one, own in zip(both, parts, strict=True)
        )
        with np.errstate(invalid="ignore"):
            made.append(np.subtract(first, second))
    return np.array(made, np.float64)


def _drawer(units: NDArray[np.int64], seed: int) -> Callable[[], NDArray[np.int64]]:
    """How often each row of the data is drawn, anew at each call."""
    generator = stream(seed, "optimism")
    _, codes = np.unique(units, return_inverse=True)
    count = int(codes.max(initial=-1)) + 1

    def draw() -> NDArray[np.int64]:
        times = np.bincount(generator.integers(count, size=count), minlength=count)
        return np.asarray(times[codes])

    return draw
