"""The middle of differences over data sets, with the interval that Wilcoxon's test gives it."""

from __future__ import annotations

from math import floor, inf, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.comparison.one_sided import one_sided, two_sided_level
from karat.comparison.signed_ranks import EXACT
from karat.intervals.interval import Interval, absent, checked_level
from karat.intervals.quantiles import two_sided_normal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.comparison.evidence import Alternative

__all__ = ["pseudomedian", "walsh_averages", "walsh_interval"]

METHOD = "signed ranks (Hodges and Lehmann)"


def walsh_averages(differences: NDArray[Any]) -> NDArray[np.float64]:
    """The means of all pairs of differences, each with itself too, in rising order."""
    values = np.asarray(differences, float)
    rows, columns = np.triu_indices(len(values))
    return np.sort((values[rows] + values[columns]) / 2)


def pseudomedian(differences: NDArray[Any]) -> float:
    """The median of the means of all pairs; Hodges and Lehmann (1963), Ann. Math. Stat. 34:598.

    Examples
    --------
    >>> pseudomedian(np.array([1.0, 2.0, 6.0]))
    2.75
    """
    return float(np.median(walsh_averages(differences)))


def walsh_interval(
    differences: NDArray[Any], *, level: float = 0.95, alternative: Alternative = "two-sided"
) -> Interval:
    """The middles of differences that Wilcoxon's signed-rank test does not reject.

    Exact up to 60 data sets (ties make it a little wider), by the normal approximation
    beyond; none where the level is out of reach. One-sided, one of the limits is infinite.

    Examples
    --------
    >>> interval = walsh_interval(np.arange(1.0, 11.0))
    >>> interval.low, interval.high
    (3.0, 8.0)
    """
    inner = two_sided_level(checked_level(level), alternative)
    averages = walsh_averages(differences)
    count = len(np.asarray(differences))
    share = (1 - inner) / 2
    if count <= EXACT:
        sums = _rank_sums(count)
        # how many of the smallest averages may be left out on each side
        out = int(np.searchsorted(np.cumsum(sums), share * (1 + 1e-12), side="right"))
    else:
        mean, variance = count * (count + 1) / 4, count * (count + 1) * (2 * count + 1) / 24
        out = floor(mean - two_sided_normal(inner) * sqrt(variance))
    if out < 1:
        reason = f"{count} data sets are too few for a level of {level:g}"
        return absent(reason, level=level, method=METHOD)
    made = Interval(float(averages[out - 1]), float(averages[-out]), level, METHOD)
    return one_sided(made, alternative, level, (-inf, inf))


def _rank_sums(count: int) -> NDArray[np.float64]:
    """The probability of each sum of ranks where every sign is a coin's."""
    ways = np.ones(1)
    for rank in range(1, count + 1):
        longer = np.zeros(len(ways) + rank)
        longer[: len(ways)] += ways / 2
        longer[rank:] += ways / 2
        ways = longer
    return ways
