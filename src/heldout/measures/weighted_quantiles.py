"""Medians and quartiles of weighted numbers: a whole weight is a repetition of the row."""

from __future__ import annotations

from math import floor, nan
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["weighted_median", "weighted_quantile"]

#: sums of weights that differ by less than this share of the whole are the same
ROUNDING = 1e-12


def weighted_median(values: NDArray[Any], weight: NDArray[np.float64] | None) -> float:
    """The value with half of the weight on either side; the mean of two where the cut is between.

    Examples
    --------
    >>> weighted_median(np.array([3.0, 1.0, 2.0]), np.array([2.0, 1.0, 1.0]))
    2.5
    """
    if weight is None:
        return float(np.median(values)) if len(values) else nan
    values, reached = _sorted(values, weight)
    if not len(values):
        return nan
    half, slack = reached[-1] / 2, reached[-1] * ROUNDING
    first = int(np.searchsorted(reached, half - slack))
    last = int(np.searchsorted(reached, half + slack, side="right"))
    return float((values[first] + values[last]) / 2)


def weighted_quantile(
    values: NDArray[Any], weight: NDArray[np.float64] | None, share: float
) -> float:
    """A quantile of the rows, each repeated by its weight, with linear interpolation between two.

    Without weights it is NumPy's (and R's) default, definition 7 of Hyndman and Fan (1996).

    Examples
    --------
    >>> weighted_quantile(np.array([1.0, 3.0]), np.array([3.0, 2.0]), 0.75)
    3.0
    """
    if weight is None:
        return float(np.quantile(values, share)) if len(values) else nan
    values, reached = _sorted(values, weight)
    if not len(values):
        return nan
    position = max(reached[-1] - 1, 0.0) * share
    step = floor(position + reached[-1] * ROUNDING)
    slack = reached[-1] * ROUNDING
    low, high = (
        values[min(int(np.searchsorted(reached, place + slack, side="right")), len(values) - 1)]
        for place in (step, step + 1)
    )
    return float(low + (high - low) * max(position - step, 0.0))


def _sorted(values: NDArray[Any], weight: NDArray[np.float64]) -> tuple[Any, Any]:
    """Rising values of the rows that have weight, and the weight up to each of them."""
    order = np.argsort(values, kind="stable")
    order = order[weight[order] > 0]
    return values[order], np.cumsum(weight[order])
