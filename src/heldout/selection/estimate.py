"""What estimates of a choice are made of: draws of rows or groups, and percentiles over draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.uncertainty.limits import sorted_quantile
from heldout.uncertainty.sample import RowSampler

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset

#: fewer rows (groups) than these are not drawn from
LEAST_UNITS = 10


class Units(RowSampler):
    """Draws rows of the data, or whole groups, with all predictions of theirs.

    Parameters
    ----------
    rows
        The row of the data of each prediction; None: each row has one.
    """

    def __init__(self, dataset: Dataset, rows: NDArray[np.int64] | None = None) -> None:
        rows = np.arange(len(dataset)) if rows is None else rows
        group = dataset.group
        super().__init__(len(rows), groups=rows if group is None else group.codes[rows])
        self.word = "row" if group is None else "group"

    @property
    def of(self) -> NDArray[np.int64]:
        """The unit of each prediction."""
        assert self.group_codes is not None
        return self.group_codes

    @property
    def lack(self) -> str:
        """Why nothing can be drawn; empty where it can."""
        few = self.units < LEAST_UNITS
        return f"{self.units} {self.word}s are too few to draw from" if few else ""

    def counts(self, generator: Generator, draws: int) -> NDArray[np.float64]:
        """How often each unit is drawn, a line a draw."""
        drawn = generator.integers(self.units, size=(draws, self.units), dtype=np.int32)
        flat = drawn + np.arange(draws, dtype=np.int64)[:, np.newaxis] * self.units
        counts = np.bincount(flat.ravel(), minlength=draws * self.units)
        return counts.reshape(draws, self.units).astype(np.float64)


def percentiles(values: NDArray[np.float64], level: float) -> tuple[float, float]:
    """The limits that hold the middle share of some values; infinite next to infinite ones.

    Examples
    --------
    >>> percentiles(np.array([1.0, 2.0, 3.0, np.inf]), 0.5)
    (1.75, inf)
    """
    half, ordered = (1 - level) / 2, np.sort(values)
    return sorted_quantile(ordered, half), sorted_quantile(ordered, 1 - half)
