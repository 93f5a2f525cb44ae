"""How much of a number a single column tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.auditing.finding import Severity
    from karat.datasets.dataset import Feature

__all__ = ["told_of_values"]

#: with fewer rows a correlation may be high by chance
FEW_ROWS = 30
#: correlations that measured quantities do not reach, or hardly
TOLD, NEARLY_TOLD = 0.9999, 0.999


def told_of_values(feature: Feature, truth: NDArray[np.float64]) -> tuple[str, Severity | None]:
    """What is seen where a column alone gives the target away, and how grave that is."""
    known = feature.values >= 0 if feature.is_nominal else ~np.isnan(feature.values)
    x, y = feature.values[known], truth[known]
    if len(x) < FEW_ROWS or y.std() == 0:
        return "", None
    if feature.is_nominal:
        found, what = _by_level(x, y), "the means of its levels explain the target: correlation"
    elif x.std() == 0:
        return "", None
    else:
        found, what = float(np.corrcoef(x, y)[0, 1]), "its correlation with the target is"
        if abs(found) < TOLD:
            ranked = float(np.corrcoef(_ranks(x), _ranks(y))[0, 1])
            if abs(ranked) > abs(found):
                found, what = ranked, "its rank correlation with the target is"
    if abs(found) < NEARLY_TOLD:
        return "", None
    severity: Severity = "warning" if abs(found) >= TOLD else "note"
    return f"{what} {found:.6f} over {len(x):,} rows", severity


def _by_level(codes: NDArray[Any], y: NDArray[np.float64]) -> float:
    """The correlation of the target with its mean by level; levels of a row each say nothing."""
    counts = np.bincount(codes)
    if np.count_nonzero(counts) > len(y) / 5:
        return 0.0
    means = np.bincount(codes, y) / np.maximum(counts, 1)
    told = means[codes]
    return float(np.corrcoef(told, y)[0, 1]) if told.std() > 0 else 0.0


def _ranks(values: NDArray[Any]) -> NDArray[np.float64]:
    """Ranks, with the mean rank for equal values."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]
