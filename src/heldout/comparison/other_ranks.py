"""Quade's test and Friedman's aligned ranks: tests over data sets that use the margins too."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.evidence import Evidence
from heldout.comparison.ranks import ranks, without_noise

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["aligned_ranks", "aligned_table", "exchange_error", "quade", "quade_table"]


def quade(values: NDArray[Any]) -> Evidence:
    """Friedman's question, where a data set counts by how far apart its models are.

    Quade (1979), J. Am. Stat. Assoc. 74:680.

    Examples
    --------
    >>> quade(np.array([[1, 2, 3], [1, 4, 9], [2, 5, 3], [1, 2, 4.0]])).degrees
    (2.0, 6.0)
    """
    from scipy.stats import f

    sets, models = np.shape(values)
    scores = _weights(values)[:, None] * (ranks(values) - (models + 1) / 2)
    total = float((scores**2).sum())
    between = float((scores.sum(axis=0) ** 2).sum()) / sets
    degrees = (models - 1.0, (models - 1.0) * (sets - 1.0))
    if total == between:
        note = "every data set ranks the models alike"
        return Evidence("Quade test", float("inf") if total else 0.0, float(not total), note=note)
    statistic = (sets - 1) * between / (total - between)
    return Evidence("Quade test", statistic, float(f.sf(statistic, *degrees)), degrees=degrees)


def quade_table(values: NDArray[Any]) -> NDArray[np.float64]:
    """Ranks within data sets, weighted so that their means are mean ranks (1 is best)."""
    weights = _weights(values)
    return np.asarray(ranks(values) * (weights / weights.mean())[:, None], float)


def aligned_ranks(values: NDArray[Any]) -> Evidence:
    """Friedman's question by one ranking of all values, each less its data set's mean.

    Hodges and Lehmann (1962), Ann. Math. Stat. 33:482; García, Fernández, Luengo and Herrera
    (2010), Inf. Sci. 180:2044.
    """
    from scipy.stats import chi2

    ranked = _aligned(values)
    sets, models = ranked.shape
    by_model, by_set = ranked.sum(axis=0), ranked.sum(axis=1)
    cells = sets * models
    above = (models - 1) * (float((by_model**2).sum()) - models * sets**2 / 4 * (cells + 1) ** 2)
    below = cells * (cells + 1) * (2 * cells + 1) / 6 - float((by_set**2).sum()) / models
    degrees = models - 1.0
    if below <= 0:
        return Evidence("Friedman aligned ranks test", 0.0, 1.0, degrees=(degrees,))
    statistic = above / below
    return Evidence(
        "Friedman aligned ranks test",
        statistic,
        float(chi2.sf(statistic, degrees)),
        degrees=(degrees,),
    )


def aligned_table(values: NDArray[Any]) -> NDArray[np.float64]:
    """Aligned ranks brought from 1 to the number of cells to 1 to the number of models."""
    ranked = _aligned(values)
    return 1 + (ranked - 1) * (ranked.shape[1] - 1) / (ranked.size - 1)


def exchange_error(table: NDArray[Any]) -> float:
    """The standard error of a difference of two models' means, were values exchanged at random.

    Under no difference every order of a data set's values is as likely. For plain ranks this
    is the error of Friedman's test; for others it is exact where published ones are not.

    Examples
    --------
    >>> exchange_error(np.array([[1, 2, 3], [3, 1, 2], [2, 1, 3], [1, 3, 2.0]])) ** 2
    0.5
    """
    sets, models = table.shape
    within = float(((table - table.mean(axis=1, keepdims=True)) ** 2).sum())
    return sqrt(2 * within / (models - 1)) / sets


def _weights(values: NDArray[Any]) -> NDArray[np.float64]:
    """The rank of each data set by how far apart its models are."""
    from scipy.stats import rankdata

    given = without_noise(values)
    return np.asarray(rankdata(without_noise(given.max(axis=1) - given.min(axis=1))), float)


def _aligned(values: NDArray[Any]) -> NDArray[np.float64]:
    from scipy.stats import rankdata

    ranks(values)  # refuses what cannot be ranked
    table = np.asarray(values, float)
    aligned = without_noise(table - table.mean(axis=1, keepdims=True))
    return np.asarray(rankdata(-aligned).reshape(aligned.shape), float)
