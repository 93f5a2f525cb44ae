"""What estimates of a choice are made of: draws of rows, and values of rows that were drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.values import overall
from heldout.engines.memory import Tallies
from heldout.uncertainty.limits import sorted_quantile

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.measures.spec import Request

__all__ = ["LEAST_UNITS", "Units", "percentiles", "value_of_rows"]

#: fewer rows (groups) than these are not drawn from
LEAST_UNITS = 10


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What is drawn: rows of the data, or groups of them, with repetition."""

    count: int
    #: the unit of each of some rows
    of: NDArray[np.int64]
    word: str

    @classmethod
    def of_rows(cls, dataset: Dataset, rows: NDArray[np.int64] | None = None) -> Units:
        """The units of these rows of the data; None: of all."""
        rows = np.arange(len(dataset)) if rows is None else rows
        codes = rows if dataset.group is None else np.asarray(dataset.group.codes)[rows]
        units, of = np.unique(codes, return_inverse=True)
        return cls(len(units), of, "row" if dataset.group is None else "group")

    @property
    def lack(self) -> str:
        """Why nothing can be drawn; empty where it can."""
        few = self.count < LEAST_UNITS
        return f"{self.count} {self.word}s are too few to draw from" if few else ""

    def draw(self, generator: Generator) -> NDArray[np.int64]:
        """How often each of the rows is drawn, as often as its unit."""
        drawn = generator.integers(self.count, size=self.count)
        return np.bincount(drawn, minlength=self.count)[self.of]

    def draw_counts(self, generator: Generator, draws: int) -> NDArray[np.float64]:
        """How often each unit is drawn, a line a draw."""
        drawn = generator.integers(self.count, size=(draws, self.count), dtype=np.int32)
        flat = drawn + np.arange(draws, dtype=np.int64)[:, np.newaxis] * self.count
        counts = np.bincount(flat.ravel(), minlength=draws * self.count)
        return counts.reshape(draws, self.count).astype(np.float64)


def value_of_rows(request: Request, tallies: Tallies, rows: NDArray[np.int64]) -> float:
    """The value of a measure on some of the predictions, each as often as it is named."""
    return overall(request, Tallies(tallies.predictions.take(rows))).value


def percentiles(values: NDArray[np.float64], level: float) -> tuple[float, float]:
    """The limits that hold the middle share of some values; infinite next to infinite ones.

    Examples
    --------
    >>> percentiles(np.array([1.0, 2.0, 3.0, np.inf]), 0.5)
    (1.75, inf)
    """
    half, ordered = (1 - level) / 2, np.sort(values)
    return sorted_quantile(ordered, half), sorted_quantile(ordered, 1 - half)
