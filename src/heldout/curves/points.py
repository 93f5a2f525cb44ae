"""The points that every curve over thresholds starts from: counts at and above each score."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.tally.roc import corners

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.tally.scores import ScoreCounts

__all__ = ["NO_POSITIVE", "NO_ROWS", "ONE_CLASS", "Points", "origin", "points", "prevalence_of"]

ONE_CLASS = "there is no positive row, or no negative row"
NO_POSITIVE = "there is no positive row"
NO_ROWS = "there are no rows"


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Rows called positive at each threshold, from none (``above_all``) to all."""

    tp: NDArray[Any]
    fp: NDArray[Any]
    threshold: NDArray[np.float64]


def points(counts: ScoreCounts, *, only_corners: bool = False) -> Points:
    """A point for no row called positive, then one for each distinct score in falling order.

    ``only_corners`` leaves out, exactly, what lies in the midst of a straight line of the ROC
    curve.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.array([True, True, False]), np.array([0.9, 0.8, 0.5])
    >>> points(ScoreCounts.of(truth, score)).threshold
    array([inf, 0.9, 0.8, 0.5])
    >>> points(ScoreCounts.of(truth, score), only_corners=True).tp
    array([0, 2, 2])
    """
    where: Any = corners(counts) if only_corners else slice(None)
    return Points(
        origin(counts.tp[where]),
        origin(counts.fp[where]),
        origin(counts.score[where], counts.above_all),
    )


def origin(values: NDArray[Any], first: float = 0) -> NDArray[Any]:
    """The values with that of a threshold above all, at which no row is positive, before."""
    return np.concatenate([np.array([first], values.dtype), values])


def prevalence_of(counts: ScoreCounts) -> float:
    """The share of positives; NaN where there are no rows."""
    return float(counts.total_positives / counts.total) if counts.total else nan
