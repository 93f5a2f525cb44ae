"""Shares of rows that are right: of two models on the same or on other rows, of several at once."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.comparison.limits_and_test import student_test, tail
from heldout.core.errors import InputError
from heldout.core.significance import Test
from heldout.uncertainty.interval import Interval, absent, checked_level
from heldout.uncertainty.proportions import crossing, proportion_interval
from heldout.uncertainty.quantiles import two_sided_normal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.core.significance import Alternative

Kind = Literal["exact", "mid-p", "normal", "corrected"]
METHODS = {
    "exact": "exact McNemar test",
    "mid-p": "mid-p McNemar test",
    "normal": "McNemar test (normal approximation)",
    "corrected": "McNemar test (normal approximation, continuity corrected)",
}


def mcnemar(
    only_first: int,
    only_second: int,
    *,
    kind: Kind = "exact",
    alternative: Alternative = "two-sided",
) -> Test:
    """Whether one model is right more often where just one of them is right.

    Parameters
    ----------
    only_first, only_second
        Rows on which only that model is right. Rows on which both are right, or both
        wrong, say nothing of a difference.
    kind
        ``exact``: the binomial distribution of the rows that differ. ``mid-p``: the same
        with half the probability of the outcome itself, closer to the level. ``normal``
        and ``corrected``: the textbook's chi squared, without and with the correction.

    Notes
    -----
    McNemar (1947), Psychometrika 12:153; Fagerland, Lydersen and Laake (2013), BMC Med. Res.
    Methodol. 13:91. The statistic of the normal kinds is the signed root of chi squared.

    Examples
    --------
    >>> mcnemar(2, 10).p_value
    0.03857421875
    >>> mcnemar(2, 10, kind="normal").statistic ** 2
    5.3333
    """
    if kind not in METHODS:
        raise InputError(f"a McNemar test is {', '.join(METHODS)}, not {kind!r}")
    total = only_first + only_second
    if total == 0:
        alike = Test(METHODS[kind], 0.0, 1.0, alternative)
        return alike.noted("the models are right on the same rows")
    if kind in {"normal", "corrected"}:
        from heldout.core.special import ndtr

        difference = float(only_first - only_second)
        if kind == "corrected":
            # from R and textbooks: one unit nearer to no difference, and never past it
            nearer = max(abs(difference) - 1, 0.0)
            difference = nearer if difference > 0 else -nearer
            if only_first == only_second:
                # the textbooks' (|b - c| - 1)^2 is 1 here; no difference is no evidence
                difference = 0.0
        statistic = difference / total**0.5
        p_value = tail(statistic, alternative, lambda x: ndtr(-x))
        return Test(METHODS[kind], statistic, p_value, alternative)
    half = 0.5 if kind == "mid-p" else 1.0
    at_least = _binomial_tail(max(only_first, only_second), total, half)
    if alternative == "two-sided":
        p_value = min(1.0, 2 * at_least)
    else:
        count = only_first if alternative == "greater" else only_second
        p_value = _binomial_tail(count, total, half)
    return Test(METHODS[kind], float(only_first - only_second), p_value, alternative)


def _binomial_tail(count: int, total: int, share_of_point: float) -> float:
    """The probability of more than ``count`` heads in ``total`` tosses, plus a share of that."""
    from scipy.stats import binom

    above = float(binom.sf(count, total, 0.5))
    return above + share_of_point * float(binom.pmf(count, total, 0.5))


def newcombe_difference(
    both: int, only_first: int, only_second: int, neither: int, *, level: float = 0.95
) -> Interval:
    """First minus second proportion: Wilson's limits squared and added, with correlation.

    Newcombe (1998), Stat. Med. 17:2635, method 10.

    Examples
    --------
    >>> interval = newcombe_difference(36, 12, 2, 0)
    >>> interval.low, interval.high
    (0.0569, 0.3404)
    """
    level = checked_level(level)
    rows = both + only_first + only_second + neither
    method = "Newcombe (paired, method 10)"
    if rows == 0:
        return absent("there are no rows", level=level, method=method)
    shares = (both + only_first, rows), (both + only_second, rows)
    difference = (only_first - only_second) / rows
    phi = _phi(both, only_first, only_second, neither)
    low, high = _newcombe(*shares, difference, phi, level)
    return Interval(low, high, level, method).within((-1, 1))


def _newcombe(
    first: tuple[float, float],
    second: tuple[float, float],
    difference: float,
    phi: float,
    level: float,
) -> tuple[float, float]:
    """Limits of a difference of shares whose outcomes have a correlation."""
    (low, high), (under, over) = (
        (count / rows - limits.low, limits.high - count / rows)
        for count, rows in (first, second)
        for limits in (proportion_interval(count, rows, level=level),)
    )

    def reach(mine: float, other: float) -> float:
        return sqrt(max(mine * mine - 2 * phi * mine * other + other * other, 0.0))

    return difference - reach(low, over), difference + reach(high, under)


def _phi(both: int, only_first: int, only_second: int, neither: int) -> float:
    """The correlation of the two outcomes, nearer to 0 where it is positive (Newcombe)."""
    margins = (
        (both + only_first)
        * (only_second + neither)
        * (both + only_second)
        * (only_first + neither)
    )
    if margins == 0:
        return 0.0
    rows = both + only_first + only_second + neither
    product = float(both * neither - only_first * only_second)
    if product > rows / 2:
        product -= rows / 2
    elif product >= 0:
        product = 0.0
    return product / sqrt(margins)


def tango_difference(
    both: int, only_first: int, only_second: int, neither: int, *, level: float = 0.95
) -> Interval:
    """First minus second proportion: the differences that a score test does not reject.

    Tango (1998), Stat. Med. 17:891. It agrees with McNemar's test without correction: 0 is
    outside exactly where that test rejects.

    Examples
    --------
    >>> interval = tango_difference(0, 9, 1, 40)
    >>> interval.low > 0
    True
    """
    level = checked_level(level)
    rows = both + only_first + only_second + neither
    method = "Tango (score)"
    if rows == 0:
        return absent("there are no rows", level=level, method=method)
    bound = two_sided_normal(level)
    estimate = (only_first - only_second) / rows

    def score(delta: float) -> float:
        """The score statistic at a difference; falls as the difference grows."""
        first = -only_first - only_second + (2 * rows - only_first + only_second) * delta
        last = -only_second * delta * (1 - delta)
        root = sqrt(max(first * first - 8 * rows * last, 0.0))
        share = (root - first) / (4 * rows)
        variance = rows * (2 * share + delta * (1 - delta))
        gap = only_first - only_second - rows * delta
        if variance <= 0:
            return 0.0 if abs(gap) < 1e-12 * rows else (1e300 if gap > 0 else -1e300)
        return gap / sqrt(variance)

    low = crossing(lambda delta: bound - score(delta), -1.0, estimate)
    high = crossing(lambda delta: -bound - score(delta), estimate, 1.0)
    return Interval(low, high, level, method)


def independent_difference(
    first: float, first_rows: float, second: float, second_rows: float, *, level: float = 0.95
) -> Interval:
    """First minus second proportion: Wilson's limits of each, squared and added.

    Newcombe (1998), Stat. Med. 17:873, method 10.

    Examples
    --------
    >>> interval = independent_difference(56, 70, 48, 80)
    >>> interval.low, interval.high
    (0.0524, 0.3339)
    """
    level = checked_level(level)
    difference = _share(first, first_rows) - _share(second, second_rows)
    low, high = _newcombe((first, first_rows), (second, second_rows), difference, 0.0, level)
    return Interval(low, high, level, "Newcombe (independent, method 10)").within((-1, 1))


def independent_test(
    first: float,
    first_rows: float,
    second: float,
    second_rows: float,
    *,
    alternative: Alternative = "two-sided",
) -> Test:
    """Whether two proportions of different rows differ, by the normal approximation.

    The standard error is that under no difference.

    Examples
    --------
    >>> independent_test(84, 100, 92, 100, alternative="less").p_value
    0.0409
    """
    gap = _share(first, first_rows) - _share(second, second_rows)
    share = (first + second) / (first_rows + second_rows)
    variance = share * (1 - share) * (1 / first_rows + 1 / second_rows)
    method = "z test of two independent proportions"
    if variance <= 0:
        # every row of both is a success, or none of either
        return Test(method, 0.0, 1.0, alternative).noted("both proportions are 0 or 1")
    return student_test(method, gap, sqrt(variance), alternative=alternative)[1]


def _share(count: float, rows: float) -> float:
    if not rows > 0 or not 0 <= count <= rows:
        raise InputError(f"{count!r} of {rows!r} is no proportion")
    return count / rows


def cochran_q(right: NDArray[Any]) -> Test:
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
        evidence = Test("Cochran's Q", 0.0, 1.0, degrees=(degrees,), is_signed=False)
        return evidence.noted("the models are right on the same rows")
    centred = by_model - by_model.mean()
    statistic = float(degrees * models * (centred**2).sum() / spread)
    p_value = float(chi2.sf(statistic, degrees))
    return Test("Cochran's Q", statistic, p_value, degrees=(degrees,), is_signed=False)
