"""Cochran's Q: several models on the same rows, whether all are right equally often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.comparison.evidence import Evidence

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["cochran_q", "looney_f"]


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

    by_model, by_row, models = _sums(right)
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


def looney_f(right: NDArray[Any]) -> Evidence:
    """Cochran's question by an F statistic; Looney (1988), Pattern Recognit. Lett. 8:5."""
    from scipy.stats import f

    by_model, by_row, models = _sums(right)
    rows = len(by_row)
    whole = float(by_model.sum()) ** 2 / (rows * models)
    between = float((by_model**2).sum()) / rows - whole
    by_case = float((by_row**2).sum()) / models - whole
    total = float(by_model.sum()) - whole
    degrees = (models - 1.0, (models - 1.0) * (rows - 1.0))
    rest = total - between - by_case
    if rest <= 0 or between == 0:
        note = "the models do not differ"
        return Evidence("Looney's F", 0.0, 1.0, degrees=degrees, note=note, is_signed=False)
    statistic = (between / degrees[0]) / (rest / degrees[1])
    p_value = float(f.sf(statistic, *degrees))
    return Evidence("Looney's F", statistic, p_value, degrees=degrees, is_signed=False)


def _sums(right: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], int]:
    table = np.asarray(right, bool)
    return table.sum(axis=0, dtype=float), table.sum(axis=1, dtype=float), table.shape[1]
