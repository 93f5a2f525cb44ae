"""Quade's test and Friedman's aligned ranks: tests over data sets that use the margins too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.comparison.evidence import Evidence
from karat.comparison.ranks import ranks, without_noise

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["aligned_ranks", "quade"]


def quade(values: NDArray[Any]) -> Evidence:
    """Friedman's question, where a data set counts by how far apart its models are.

    Quade (1979), J. Am. Stat. Assoc. 74:680.

    Examples
    --------
    >>> quade(np.array([[1, 2, 3], [1, 4, 9], [2, 5, 3], [1, 2, 4.0]])).degrees
    (2.0, 6.0)
    """
    from scipy.stats import f, rankdata

    table = ranks(values, higher_is_better=False)
    sets, models = table.shape
    given = without_noise(values)
    weights = rankdata(without_noise(given.max(axis=1) - given.min(axis=1)))
    scores = weights[:, None] * (table - (models + 1) / 2)
    total = float((scores**2).sum())
    between = float((scores.sum(axis=0) ** 2).sum()) / sets
    degrees = (models - 1.0, (models - 1.0) * (sets - 1.0))
    if total == between:
        note = "every data set ranks the models alike"
        return Evidence("Quade test", float("inf") if total else 0.0, float(not total), note=note)
    statistic = (sets - 1) * between / (total - between)
    return Evidence("Quade test", statistic, float(f.sf(statistic, *degrees)), degrees=degrees)


def aligned_ranks(values: NDArray[Any]) -> Evidence:
    """Friedman's question by one ranking of all values, each less its data set's mean.

    Hodges and Lehmann (1962), Ann. Math. Stat. 33:482; García, Fernández, Luengo and Herrera
    (2010), Inf. Sci. 180:2044.
    """
    from scipy.stats import chi2, rankdata

    ranks(values)  # refuses what cannot be ranked
    table = np.asarray(values, float)
    aligned = without_noise(table - table.mean(axis=1, keepdims=True))
    ranked = rankdata(-aligned).reshape(aligned.shape)
    sets, models = aligned.shape
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
