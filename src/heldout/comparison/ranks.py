"""Ranks of models over many data sets, and the tests of Friedman and Iman and Davenport."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.evidence import Evidence
from heldout.core.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["average_ranks", "friedman", "iman_davenport", "ranks", "without_noise"]


def without_noise(values: NDArray[Any]) -> NDArray[np.float64]:
    """The values rounded so that 0.1 + 0.2 and 0.3 tie, at ten digits of the largest.

    Examples
    --------
    >>> rounded = without_noise(np.array([0.1 + 0.2, 0.3]))
    >>> bool(rounded[0] == rounded[1])
    True
    """
    table = np.asarray(values, float)
    largest = float(np.nanmax(np.abs(table), initial=0.0))
    if largest == 0 or not np.isfinite(largest):
        return table
    digits = 10 - int(np.ceil(np.log10(largest)))
    return np.round(table, digits)


def ranks(values: NDArray[Any], *, higher_is_better: bool = True) -> NDArray[np.float64]:
    """The rank of each model (column) on each data set (row): 1 is best, ties share.

    Examples
    --------
    >>> ranks(np.array([[0.9, 0.8, 0.9], [0.5, 0.6, 0.7]]))
    array([[1.5, 3. , 1.5],
           [3. , 2. , 1. ]])
    """
    from scipy.stats import rankdata

    table = _checked(values)
    return rankdata(-table if higher_is_better else table, axis=1)


def average_ranks(values: NDArray[Any], *, higher_is_better: bool = True) -> NDArray[np.float64]:
    """The mean rank of each model over the data sets."""
    return ranks(values, higher_is_better=higher_is_better).mean(axis=0)


def friedman(values: NDArray[Any], *, ties: bool = True) -> Evidence:
    """Whether all models (columns) rank alike over the data sets (rows).

    Parameters
    ----------
    ties
        Whether the statistic is corrected for ties within data sets, as R and SciPy do.
        Demšar (2006) and his followers do not; without ties both are the same.

    Notes
    -----
    Friedman (1937), J. Am. Stat. Assoc. 32:675; Demšar (2006), J. Mach. Learn. Res. 7:1.

    Examples
    --------
    >>> friedman(np.array([[1, 2, 3], [1, 3, 2], [1, 2, 3], [1, 2, 3]])).statistic
    6.5
    """
    from scipy.stats import chi2

    table = ranks(values)
    statistic = _chi_squared(table, ties=ties)
    degrees = table.shape[1] - 1
    method = "Friedman test" + (" (corrected for ties)" if ties else " (without tie correction)")
    return Evidence(method, statistic, float(chi2.sf(statistic, degrees)), degrees=(degrees,))


def iman_davenport(values: NDArray[Any], *, ties: bool = False) -> Evidence:
    """Friedman's question by an F statistic, which is less conservative.

    Iman and Davenport (1980), Commun. Stat. A9:571.

    Examples
    --------
    >>> iman_davenport(np.array([[1, 2, 3], [1, 3, 2], [1, 2, 3], [1, 2, 3]])).statistic
    13.0
    """
    from scipy.stats import f

    table = ranks(values)
    sets, models = table.shape
    chi = _chi_squared(table, ties=ties)
    degrees = (models - 1.0, (models - 1.0) * (sets - 1.0))
    method = "Iman-Davenport test" + (" (corrected for ties)" if ties else "")
    room = sets * (models - 1) - chi
    if room <= 1e-12 * sets * models:
        note = "every data set ranks the models alike"
        return Evidence(method, float("inf"), 0.0, degrees=degrees, note=note)
    statistic = (sets - 1) * chi / room
    return Evidence(method, statistic, float(f.sf(statistic, *degrees)), degrees=degrees)


def _chi_squared(table: NDArray[np.float64], *, ties: bool) -> float:
    sets, models = table.shape
    centred = table.mean(axis=0) - (models + 1) / 2
    statistic = 12 * sets / (models * (models + 1)) * float((centred**2).sum())
    if not ties or statistic == 0:
        return statistic
    # the sum of squared ranks falls short of that without ties by just the ties' share
    whole = sets * models * (models + 1) * (2 * models + 1) / 6
    short = 12 * (whole - float((table**2).sum())) / (sets * models * (models**2 - 1))
    return statistic / (1 - short)


def _checked(values: NDArray[Any]) -> NDArray[np.float64]:
    table = np.asarray(values, float)
    if table.ndim != 2 or table.shape[1] < 2 or len(table) < 2:
        raise InputError("ranks need at least two models (columns) and two data sets (rows)")
    if np.isnan(table).any():
        row, column = (int(i) + 1 for i in np.argwhere(np.isnan(table))[0])
        raise InputError(
            f"data set {row} has no value for model {column}: leave out the data set, or judge "
            "the model on it"
        )
    return without_noise(table)
