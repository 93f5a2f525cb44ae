"""The middle of differences over data sets, with the interval that Wilcoxon's test gives it."""

from __future__ import annotations

from math import floor, inf, sqrt
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.comparison.one_sided import one_sided, two_sided_level
from heldout.comparison.signed_ranks import EXACT
from heldout.intervals.interval import Interval, absent, checked_level
from heldout.intervals.quantiles import two_sided_normal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.comparison.evidence import Alternative

__all__ = ["pseudomedian", "walsh_average", "walsh_interval"]

#: means a difference that are sorted at once
WHOLE = 8

METHOD = "signed ranks (Hodges and Lehmann)"


def walsh_average(differences: NDArray[Any], place: int) -> float:
    """The mean at a place, from 0, among those of all pairs (each with itself too) in rising order.

    Found by halving, since there are as many pairs as the square of the differences: how many
    means lie below a limit is counted row by row in the triangle of sorted differences.

    Examples
    --------
    >>> [walsh_average(np.array([6.0, 1.0, 2.0]), place) for place in range(6)]
    [1.0, 1.5, 2.0, 3.5, 4.0, 6.0]
    """
    values = np.sort(np.asarray(differences, float))
    first = np.arange(len(values))
    low, high = float(values[0]), float(values[-1])
    # a limit is widened by what rounding may move a mean
    margin = 4 * float(np.spacing(np.abs(values).max()))

    def end(limit: float, side: Literal["left", "right"]) -> NDArray[np.int64]:
        """Where the means with each difference pass the limit."""
        return np.maximum(np.searchsorted(values, 2 * limit - values, side), first)

    while True:
        starts, ends = end(low - margin, "left"), end(high + margin, "right")
        counts = ends - starts
        middle = (low + high) / 2
        if counts.sum() <= WHOLE * len(values) or not low < middle < high:
            break
        if (end(middle, "right") - first).sum() > place:
            high = middle
        else:
            low = middle
    if counts.sum() > WHOLE * len(values):  # equal but for rounding: one of them, not the limit
        some = first[counts > 0]
        return float(np.sort((values[some] + values[starts[some]]) / 2)[len(some) // 2])
    rows = np.repeat(first, counts)
    columns = np.arange(len(rows)) + np.repeat(starts - np.cumsum(counts) + counts, counts)
    means = (values[rows] + values[columns]) / 2
    return float(np.sort(means)[place - (starts - first).sum()])


def pseudomedian(differences: NDArray[Any]) -> float:
    """The median of the means of all pairs; Hodges and Lehmann (1963), Ann. Math. Stat. 34:598.

    Examples
    --------
    >>> pseudomedian(np.array([1.0, 2.0, 6.0]))
    2.75
    """
    pairs = len(differences) * (len(differences) + 1) // 2
    lower, upper = (walsh_average(differences, at) for at in ((pairs - 1) // 2, pairs // 2))
    return (lower + upper) / 2


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
    count = len(differences)
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
    low, high = out - 1, count * (count + 1) // 2 - out
    limits = walsh_average(differences, low), walsh_average(differences, high)
    made = Interval(*limits, level, METHOD)
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
