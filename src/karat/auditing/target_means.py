"""Columns of names that were replaced by means of the target, those of test rows included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["are_target_means"]

#: distinct values that must all be means, and rows a value on average
FEW_VALUES, FEW_ROWS = 4, 3
#: how exactly means must be met, in spreads of the target
EXACT = 1e-6
#: rows by which columns that are no such means are told at once
SAMPLE = 1000


def are_target_means(values: NDArray[Any], target: NDArray[np.float64]) -> bool:
    """Whether each value of a column is the mean of the target over the rows that have it.

    Examples
    --------
    >>> target = np.array([0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1.0])
    >>> are_target_means(np.repeat([1 / 3, 0, 2 / 3, 0.8], [3, 3, 3, 5]), target)
    True
    >>> are_target_means(np.repeat([1 / 3, 0, 2 / 3, 0.7], [3, 3, 3, 5]), target)
    False
    """
    if len(np.unique(values[:SAMPLE])) * FEW_ROWS > min(len(values), SAMPLE):
        return False
    known = ~np.isnan(values)
    distinct, place, counts = np.unique(values[known], return_inverse=True, return_counts=True)
    spread = float(target.std())
    if len(distinct) < FEW_VALUES or len(distinct) * FEW_ROWS > known.sum() or not spread:
        return False
    means = np.bincount(place, target[known]) / counts
    # a copy of the target is its own mean
    if np.isin(distinct, (target.min(), target.max())).all():
        return False
    # of two classes either may have been counted
    turned = target.min() + target.max() - means if len(np.unique(target)) == 2 else means
    return any(bool((np.abs(m - distinct) <= EXACT * spread).all()) for m in (means, turned))
