"""Two models on many data sets: signed ranks, the sign test, and the middle difference."""

from __future__ import annotations

from math import floor, inf, sqrt
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.comparison.limits_and_test import (
    one_sided,
    student_test,
    two_sided_level,
)
from heldout.comparison.over_sets.ranks import without_noise
from heldout.core.errors import InputError
from heldout.core.significance import Test
from heldout.core.wording import plural
from heldout.uncertainty.interval import Interval, absent, checked_level
from heldout.uncertainty.quantiles import two_sided_normal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from heldout.core.significance import Alternative

#: up to so many data sets that differ every assignment of signs is counted
EXACT = 60
NONE_DIFFERS = "no data set differs"


def wilcoxon(
    first: NDArray[Any], second: NDArray[Any], *, alternative: Alternative = "two-sided"
) -> Test:
    """Whether one model is better on more data sets, and by more.

    The statistic is the sum of the ranks of differences in favour of the first model; data sets
    without a difference are split between the models (Demšar). Up to 60 data sets that differ,
    every assignment of signs to the ranks that were seen is counted, ties, zeros and all: with
    these the normal approximation goes below the smallest p-value that there can be. Float noise
    does not break ties. Wilcoxon (1945), Biometrics Bull. 1:80; Demšar (2006) for models.

    Examples
    --------
    >>> wilcoxon(np.array([5.0, 6, 7, 9, 3]), np.array([4.0, 4, 4, 5, 8])).statistic
    10.0
    >>> wilcoxon(np.array([2, 2, 2, 2, 2, 2]), np.ones(6)).p_value
    0.03125
    """
    from scipy import stats

    gaps = _differences(first, second)
    if not gaps.any():
        return Test("Wilcoxon signed-rank test", 0.0, 1.0, alternative).noted(NONE_DIFFERS)
    ranks = stats.rankdata(np.abs(gaps))
    statistic = float(ranks[gaps > 0].sum()) + float(ranks[gaps == 0].sum()) / 2
    many, zeros = int((gaps != 0).sum()), ", zeros split"
    if many <= EXACT:
        how = "exact" + (zeros if many < len(gaps) else "")
        p_value = _exact_p(ranks, gaps, alternative)
    else:
        how = f"normal approximation{zeros}"
        p_value = stats.wilcoxon(
            gaps,
            zero_method="zsplit",
            alternative=alternative,
            correction=False,
            method="asymptotic",
        ).pvalue
    method = f"Wilcoxon signed-rank test ({how})"
    return Test(method, statistic, float(p_value), alternative, total=float(ranks.sum()))


def _exact_p(ranks: NDArray[Any], gaps: NDArray[Any], side: Alternative) -> float:
    """The p-value where every sign of a difference is a coin's; the ranks stay as they are.

    What zeros add to both sums is the same whatever the signs, so it takes no part.
    """
    # twice the ranks are whole numbers even where differences tie
    doubled = np.rint(2 * ranks).astype(int)
    seen = int(doubled[gaps > 0].sum())
    shares = _chance_of_sums(doubled[gaps != 0])
    above, below = float(shares[seen:].sum()), float(shares[: seen + 1].sum())
    if side == "two-sided":
        return min(1.0, 2 * min(above, below))
    return min(1.0, above if side == "greater" else below)


def sign_test(
    first: NDArray[Any], second: NDArray[Any], *, alternative: Alternative = "two-sided"
) -> Test:
    """Whether one model wins on more data sets; draws are split, an odd one is left out.

    Examples
    --------
    >>> sign_test(np.array([1, 1, 1, 1, 1, 1]), np.zeros(6)).p_value
    0.03125
    """
    from scipy.stats import binomtest

    differences = _differences(first, second)
    draws = int((differences == 0).sum())
    wins = int((differences > 0).sum()) + draws // 2
    trials = len(differences) - draws % 2
    if trials == 0:
        return Test("sign test", 0.0, 1.0, alternative).noted(NONE_DIFFERS)
    p_value = float(binomtest(wins, trials, 0.5, alternative=alternative).pvalue)
    note = f"{plural(draws, 'draw')}, split between the models" if draws else ""
    return Test("sign test", float(2 * wins - trials), p_value, alternative).noted(note)


def t_over_sets(
    first: NDArray[Any], second: NDArray[Any], *, alternative: Alternative = "two-sided"
) -> Test:
    """The paired t test over data sets, which only force can ask for."""
    gaps = without_noise(first - second)
    error = float(gaps.std(ddof=1)) / sqrt(len(gaps))
    method = "paired t test over data sets (not valid)"
    return student_test(method, float(gaps.mean()), error, len(gaps) - 1, alternative=alternative)[
        1
    ]


def _differences(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.float64]:
    own, others = np.asarray(first, float), np.asarray(second, float)
    if own.shape != others.shape or own.ndim != 1 or not len(own):
        raise InputError("each model needs one value per data set, and there must be some")
    gone = np.isnan(own) | np.isnan(others)
    if gone.any():
        raise InputError(
            f"data set {int(np.argmax(gone)) + 1} has no value for one of the models: "
            "leave it out, or evaluate both on it"
        )
    both = without_noise(np.stack([own, others]))
    return without_noise(both[0] - both[1])


#: means a difference that are sorted at once
WHOLE = 8

METHOD = "signed ranks (Hodges and Lehmann)"


def walsh_average(differences: NDArray[Any], rank: int) -> float:
    """The mean at a place, from 0, among those of all pairs (each with itself too) in rising order.

    Finding by halving, since there are as many pairs as the square of the differences: how many
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
        if (end(middle, "right") - first).sum() > rank:
            high = middle
        else:
            low = middle
    if counts.sum() > WHOLE * len(values):  # equal but for rounding: one of them, not the limit
        some = first[counts > 0]
        return float(np.sort((values[some] + values[starts[some]]) / 2)[len(some) // 2])
    rows = np.repeat(first, counts)
    columns = np.arange(len(rows)) + np.repeat(starts - np.cumsum(counts) + counts, counts)
    means = (values[rows] + values[columns]) / 2
    return float(np.sort(means)[rank - (starts - first).sum()])


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
        chances = _chance_of_sums(range(1, count + 1))
        # how many of the smallest averages may be left out on each side
        out = int(np.searchsorted(np.cumsum(chances), share * (1 + 1e-12), side="right"))
    else:
        mean, variance = count * (count + 1) / 4, count * (count + 1) * (2 * count + 1) / 24
        out = floor(mean - two_sided_normal(inner) * sqrt(variance))
    if out < 1:
        reason = f"{count} data sets are too few for a level of {level:g}"
        return absent(reason, level=level, method=METHOD)
    low, high = out - 1, count * (count + 1) // 2 - out
    limits = walsh_average(differences, low), walsh_average(differences, high)
    interval = Interval(*limits, level, METHOD)
    return one_sided(interval, alternative, level, (-inf, inf))


def _chance_of_sums(ranks: Iterable[int]) -> NDArray[np.float64]:
    """The probability of each sum of ranks where every sign is a coin's."""
    chances = np.ones(1)
    for rank in ranks:
        longer = np.zeros(len(chances) + rank)
        longer[: len(chances)] += chances / 2
        longer[rank:] += chances / 2
        chances = longer
    return chances
