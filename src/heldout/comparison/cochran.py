"""Cochran's Q: several models on the same rows, whether all are right equally often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.evidence import Evidence

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["cochran_q"]


def cochran_q(right: NDArray[Any]) -> Evidence:
    """Whether the models (columns) are right on equally many rows.

    With two models it is McNemar's chi squared without correction. Cochran (1950),
    Biometrika 37:256.

    Examples
    --------
    >>> cochran_q(np.array([[1, 1], [1, 0], [0, 1], [1, 0], [1, 0]])).statistic
    1.0
    """
    from scipy.stats import chi2

    table = np.asarray(right, bool)
    models = table.shape[1]
    by_model, by_row = (table.sum(axis=axis, dtype=float) for axis in (0, 1))
    spread = float(models * by_row.sum() - (by_row**2).sum())
    degrees = models - 1
    if spread == 0:
        return Evidence(
            "Cochran's Q",
            0.0,
            1.0,
            degrees=(degrees,),
            note="the models are right on the same rows",
            is_signed=False,
        )
    centred = by_model - by_model.mean()
    statistic = float(degrees * models * (centred**2).sum() / spread)
    p_value = float(chi2.sf(statistic, degrees))
    return Evidence("Cochran's Q", statistic, p_value, degrees=(degrees,), is_signed=False)
