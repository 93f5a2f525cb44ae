"""Two proportions seen on different rows: their difference, its interval, its test."""

from __future__ import annotations

from math import inf, sqrt

from heldout.comparison.evidence import Evidence, checked_alternative, tail
from heldout.core.errors import InputError
from heldout.intervals.interval import Interval, checked_level
from heldout.intervals.proportions import proportion_interval

__all__ = ["independent_difference", "independent_test"]


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
    one, two = _share(first, first_rows), _share(second, second_rows)
    mine = proportion_interval(first, first_rows, level=level)
    other = proportion_interval(second, second_rows, level=level)
    difference = one - two
    low = difference - sqrt((one - mine.low) ** 2 + (other.high - two) ** 2)
    high = difference + sqrt((mine.high - one) ** 2 + (two - other.low) ** 2)
    return Interval(low, high, level, "Newcombe (independent, method 10)").within((-1, 1))


def independent_test(
    first: float,
    first_rows: float,
    second: float,
    second_rows: float,
    *,
    pooled: bool = True,
    alternative: str = "two-sided",
) -> Evidence:
    """Whether two proportions of different rows differ, by the normal approximation.

    ``pooled``: the standard error is that under no difference (the usual test); else that
    of the two proportions as they are.

    Examples
    --------
    >>> independent_test(84, 100, 92, 100, pooled=False, alternative="less").p_value
    0.0397
    """
    from scipy.special import ndtr

    side = checked_alternative(alternative)
    one, two = _share(first, first_rows), _share(second, second_rows)
    if pooled:
        share = (first + second) / (first_rows + second_rows)
        variance = share * (1 - share) * (1 / first_rows + 1 / second_rows)
    else:
        variance = one * (1 - one) / first_rows + two * (1 - two) / second_rows
    method = "z test of two independent proportions" + ("" if pooled else " (not pooled)")
    if variance <= 0:
        if one == two:
            return Evidence(method, 0.0, 1.0, side, note="both proportions are 0 or 1")
        statistic = inf if one > two else -inf
        return Evidence(method, statistic, tail(statistic, side, lambda x: ndtr(-x)), side)
    error = sqrt(variance)
    statistic = (one - two) / error
    p_value = tail(statistic, side, lambda x: ndtr(-x))
    return Evidence(method, statistic, p_value, side, error=error)


def _share(count: float, rows: float) -> float:
    if not rows > 0 or not 0 <= count <= rows:
        raise InputError(f"{count!r} of {rows!r} is no proportion")
    return count / rows
