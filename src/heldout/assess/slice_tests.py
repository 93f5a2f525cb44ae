"""Tests of whether some rows differ from the others in a measure, one a kind of tally."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.notes import Lack, Noted, Reason, as_notes
from heldout.tally.roc import area
from heldout.uncertainty.areas import auc_variance
from heldout.uncertainty.means import SAME_LOSS, mean_lack
from heldout.uncertainty.proportions import effective_sample_size
from heldout.uncertainty.quantiles import normal_cumulative

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.core.notes import Note
    from heldout.tally.moments import Moments
    from heldout.tally.scores import ScoreCounts

__all__ = [
    "Jackknifed",
    "Test",
    "UNTESTED",
    "area_test",
    "draw_test",
    "jackknife_test",
    "mean_test",
    "no_test",
    "share_test",
]

#: with a smaller expected count in a cell the exact test takes the place of the score test
EXPECTED = 10
#: with fewer rows out of order DeLong's variance of an area is not to be trusted
OUT_OF_ORDER = 3.0


@dataclass(frozen=True, slots=True)
class Test(Noted):
    """Whether some rows are like the rest.

    Parameters
    ----------
    p_value, corrected
        Of no difference (two-sided), and after Holm's correction for all slices; NaN without a
        test, and ``notes`` say why.
    difference
        The value of these rows less that of all others, whatever the test makes of them: exact,
        or (millions of rows times slices) to the decimals given, and the notes say so; NaN
        where it was not tested.
    is_exact
        The difference is that of all rows though the measure is one of scores, which are many.
    verdict
        ``worse``, ``better`` or ``differs`` after correction, ``no clear difference`` where the
        test shows none, empty where it was not tested.
    """

    p_value: float
    difference: float
    method: str
    notes: tuple[Note, ...] = ()
    is_exact: bool = False
    corrected: float = nan
    verdict: str = ""

    # a class of this name is not for pytest to collect
    __test__ = False

    @property
    def is_judged(self) -> bool:
        """Whether there is a test."""
        return not isnan(self.p_value)


def no_test(reason: str | Note | Lack, difference: float = nan) -> Test:
    """No test, and why."""
    return Test(nan, difference, "", as_notes(str(reason) if isinstance(reason, Lack) else reason))


UNTESTED = no_test("")


def share_test(successes: int, n: int, other_successes: int, other_n: int) -> Test:
    """Whether two shares differ: Fisher's exact test where counts are small, else score.

    Examples
    --------
    >>> test = share_test(3, 10, 90, 100)
    >>> test.method, test.p_value
    ("Fisher's exact test", 0.000056)
    """
    if not n or not other_n:
        return no_test("no rows on one side")
    difference = successes / n - other_successes / other_n
    total, hits = n + other_n, successes + other_successes
    if not hits or hits == total:
        return Test(1.0, difference, "Fisher's exact test")
    smallest = min(hits, total - hits) * min(n, other_n) / total
    if smallest < EXPECTED:
        p_value = _fisher(successes, n, hits, total)
        return Test(p_value, difference, "Fisher's exact test")
    pooled = hits / total
    error = sqrt(pooled * (1 - pooled) * (1 / n + 1 / other_n))
    return Test(_two_sided(difference / error), difference, "score test")


def mean_test(some: Moments, rest: Moments) -> Test:
    """Whether two means of losses differ: Welch's t.

    The spread of either side is taken to be no less than that of both together, so that a
    few rows that happen to agree do not count as certain.

    Examples
    --------
    >>> from heldout.tally.moments import Moments
    >>> some = Moments.of(np.array([5.0, 6.0, 7.0]))
    >>> test = mean_test(some, Moments.of(np.array([1.0, 2.0, 3.0, 2.0])))
    >>> test.difference, round(test.p_value, 2)
    (4.0, 0.01)
    """
    for side in (some, rest):
        lack = mean_lack(side)
        if lack is not None and lack.reason is not Reason.SAME_LOSS:
            return no_test(lack)
    pooled = (some.deviations + rest.deviations) / (some.weight + rest.weight)
    squares, sizes = [], []
    for side in (some, rest):
        size = effective_sample_size(side.weight, side.weight_squares)
        spread = max(side.deviations / side.weight, pooled)
        squares.append(spread / (size - 1))
        sizes.append(size)
    difference = some.mean - rest.mean
    if not sum(squares):
        return no_test(SAME_LOSS, difference)
    freedom = sum(squares) ** 2 / sum(
        s * s / (size - 1) for s, size in zip(squares, sizes, strict=True)
    )
    p_value = _student(difference / sqrt(sum(squares)), freedom)
    return Test(p_value, difference, "Welch's t, no spread below the pooled")


def area_test(some: ScoreCounts, rest: ScoreCounts, whole: ScoreCounts) -> Test:
    """Whether two areas under the ROC curve differ: DeLong's variances of separate rows.

    Where an area rests on a few pairs out of order, as an area of 1 in a few rows does, its
    variance is not taken to be less than that of all rows would be for so many, as for means,
    and the method says so: else areas of 0.95 in 100 rows would differ by chance in one test
    of ten at p < 0.05.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth = np.arange(40) % 2 == 0
    >>> good = ScoreCounts.of(truth, np.where(truth, 2.0, 1.0) + np.arange(40) % 7)
    >>> same = area_test(good, good, good + good)
    >>> same.p_value, same.difference
    (1.0, 0.0)
    """
    difference = area(some) - area(rest)
    together = auc_variance(whole)
    variance, method = 0.0, "DeLong's test"
    for side in (some, rest):
        own = auc_variance(side)
        if isnan(own) or isnan(together):
            return no_test("at least two rows of each class are needed", difference)
        fewer = max(
            whole.total_positives / side.total_positives,
            whole.total_negatives / side.total_negatives,
        )
        if _rows_out_of_order(side) < OUT_OF_ORDER and together * fewer > own:
            own, method = together * fewer, "DeLong's test, no variance below the pooled"
        variance += own
    if not variance:
        return no_test("every area is 1 or 0: nothing varies", difference)
    return Test(_two_sided(difference / sqrt(variance)), difference, method)


def _rows_out_of_order(side: ScoreCounts) -> float:
    """Rows of the smaller class times the share of pairs out of order (or in it, if fewer)."""
    found = area(side)
    return float(min(side.total_positives, side.total_negatives)) * min(found, 1 - found)


@dataclass(frozen=True, slots=True)
class Jackknifed:
    """A value, its variance by leaving out parts of the rows, and of how many parts and rows."""

    value: float
    variance: float
    parts: int
    rows: int

    @classmethod
    def of(cls, value: float, without: NDArray[Any], sizes: NDArray[Any]) -> Jackknifed:
        """From the value without each part and the number of rows of each (may be 0).

        Parts may have different numbers of rows: Busing, Meijer and van der Leeden (1999),
        Stat. Comput. 9:3.

        Examples
        --------
        >>> Jackknifed.of(2.0, np.array([2.5, 2.0, 1.5]), np.array([1, 1, 1])).variance
        0.3333
        """
        kept = sizes > 0
        rows = int(sizes.sum())
        if kept.sum() < 2:
            return cls(value, nan, int(kept.sum()), rows)
        share = rows / sizes[kept]
        with np.errstate(invalid="ignore"):  # an infinite value has no variance
            pseudo = share * value - (share - 1) * without[kept]
            variance = float(np.mean((pseudo - np.mean(pseudo)) ** 2 / (share - 1)))
        return cls(value, variance, int(kept.sum()), rows)


def jackknife_test(
    some: Jackknifed, rest: Jackknifed, whole: Jackknifed, *, parts: str = "random parts"
) -> Test:
    """Whether any measure differs: its variance by a jackknife over parts of the rows.

    As for means, neither variance is taken to be less than that of all rows would be for so
    many.
    """
    difference = some.value - rest.value
    method = f"jackknife t over {some.parts} {parts}"
    variance = 0.0
    for side in (some, rest):
        if isnan(side.variance):
            return no_test("undefined without some of the rows", difference)
        pooled = 0.0 if isnan(whole.variance) else whole.variance * whole.rows / side.rows
        variance += max(side.variance, pooled)
    if not variance:
        return no_test("the value does not vary", difference)
    freedom = min(some.parts, rest.parts) - 1
    return Test(_student(difference / sqrt(variance), freedom), difference, method)


def draw_test(value: float, rest: float, *, mean: float, spread: float, draws: int) -> Test:
    """Whether a value is unlike that of as many rows drawn at random from all.

    ``mean`` and ``spread`` (standard deviation) are those of the values of random draws.
    Student's t of one more draw stands for the tails, which few draws do not reach. It
    allows for a measure whose value depends on the number of rows.

    Examples
    --------
    >>> draw_test(0.5, 0.4, mean=0.4, spread=0.05, draws=100).p_value
    0.0493
    """
    if isnan(value) or isnan(spread):
        return no_test("undefined in some random draws of as many rows", value - rest)
    if not spread:
        return no_test("the value does not vary", value - rest)
    deviation = (value - mean) / (spread * sqrt(1 + 1 / draws))
    method = f"t against {draws} random draws of as many rows"
    return Test(_student(deviation, draws - 1), value - rest, method)


def _fisher(successes: int, n: int, hits: int, total: int) -> float:
    """The probability of all tables with these margins that are no likelier than this one."""
    from heldout.core.special import gammaln

    some = np.arange(max(0, n + hits - total), min(n, hits) + 1)
    rest = total - n
    other = hits - some
    log = -(gammaln(some + 1) + gammaln(n - some + 1) + gammaln(other + 1))
    log -= gammaln(rest - other + 1)
    weight = np.exp(log - log.max())
    here = weight[successes - some[0]]
    return min(float(weight[weight <= here * (1 + 1e-7)].sum() / weight.sum()), 1.0)


def _two_sided(deviation: float) -> float:
    return 2 * normal_cumulative(-abs(deviation))


def _student(deviation: float, freedom: float) -> float:
    from heldout.core.special import stdtr

    return float(2 * stdtr(freedom, -abs(deviation)))
