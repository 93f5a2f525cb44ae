"""Bands that hold their whole curve, also where it climbs straight up or bends between limits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.curves.curve import Band

__all__ = ["holding"]

#: how often the worst point between two limits has limits of its own made
ROUNDS = 3


def holding(band: Band, x: NDArray[np.float64], y: NDArray[np.float64]) -> Band:
    """The band, wide enough for all points of its curve, which are in the order of x.

    Limits are made for the height that a curve has reached at each x of a grid. Where it
    climbs straight up (at a false positive rate of 1, say) its lower points would lie below
    them, and where it bends between two x of the grid it may lie above.

    Examples
    --------
    >>> from heldout.curves.curve import Band
    >>> ends = np.array([0.0, 1.0])
    >>> band = Band(ends, np.array([0.0, 1.0]), np.ones(2), 0.95, "pointwise", "")
    >>> holding(band, np.array([0.0, 1.0, 1.0]), np.array([0.5, 0.9, 1.0])).low
    array([0. , 0.9])
    """
    if band.is_absent:
        return band
    for _ in range(ROUNDS):
        beyond = _beyond(band, x, y)
        out = np.flatnonzero(beyond > 0)
        if not len(out):
            return band
        # of each stretch of the grid, and of each x on it, the point that is farthest out
        stretch = np.searchsorted(band.x, x[out], "left") + np.searchsorted(band.x, x[out], "right")
        order = np.lexsort((-beyond[out], stretch))
        worst = out[order[np.append(True, np.diff(stretch[order]) > 0)]]
        grid = np.union1d(band.x, x[worst])
        low, high = band.at(grid)
        place = np.searchsorted(grid, x[worst])
        np.minimum.at(low, place, y[worst])
        np.maximum.at(high, place, y[worst])
        band = replace(band, x=grid, low=low, high=high)
    return _levelled(band, x, y)


def _levelled(band: Band, x: NDArray[np.float64], y: NDArray[np.float64]) -> Band:
    """The limits on either side of points that are still out, moved to the height of these."""
    out = np.flatnonzero(_beyond(band, x, y) > 0)
    low, high = band.low.copy(), band.high.copy()
    for place in (
        np.searchsorted(band.x, x[out], "left"),
        np.searchsorted(band.x, x[out], "right") - 1,
    ):
        np.minimum.at(low, place, y[out])
        np.maximum.at(high, place, y[out])
    return replace(band, low=low, high=high)


def _beyond(band: Band, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far points lie out of the band; NaN where it has no limits."""
    low, high = band.at(x)
    return np.maximum(low - y, y - high)
