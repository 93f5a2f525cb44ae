"""Estimates of how good a choice is, and the draws of rows that they are made of."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan
from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.values import overall
from heldout.engines.memory import Tallies

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.measures.spec import Request

__all__ = ["Estimate", "Units", "percentiles", "value_of_rows"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value to expect on new rows, of a kind: bias-corrected, nested, or of a test part."""

    kind: str
    value: float
    low: float = nan
    high: float = nan
    level: float = 0.95
    method: str = ""
    note: str = ""
    #: ``folds``: the mean over splits; ``pooled``: all rows together; empty where neither
    of: str = ""
    #: the two values that it is the difference of, where it is one
    between: tuple[float, ...] = ()

    @classmethod
    def absent(cls, reason: str, level: float = 0.95) -> Estimate:
        """No estimate, with the reason."""
        return cls("", nan, level=level, note=reason)

    @property
    def is_absent(self) -> bool:
        """Whether there is no value."""
        return isnan(self.value)

    @property
    def has_interval(self) -> bool:
        """Whether there are limits."""
        return not isnan(self.low)


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
        group = dataset.group
        of = np.unique(
            rows if group is None else np.asarray(group.codes)[rows], return_inverse=True
        )
        return cls(len(of[0]), of[1], "row" if group is None else "group")

    def draw(self, generator: Generator) -> NDArray[np.int64]:
        """As many units as there are, each as often as it is drawn."""
        return generator.integers(self.count, size=self.count)

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
    half = (1 - level) / 2
    ordered = np.sort(values)
    places = np.array([half, 1 - half]) * (len(ordered) - 1)
    below, share = np.floor(places).astype(np.int64), places - np.floor(places)
    above = np.minimum(below + (share > 0), len(ordered) - 1)
    first, second = ordered[below], ordered[above]
    # the way from one infinite value on is no number
    is_level = np.isinf(first) | (share == 0)
    with np.errstate(invalid="ignore"):
        limits = np.where(is_level, first, first + share * (second - first))
    return float(limits[0]), float(limits[1])
