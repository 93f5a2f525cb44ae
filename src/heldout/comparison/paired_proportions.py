"""Intervals of the difference of two proportions that were seen on the same rows."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

from heldout.intervals.interval import Interval, absent, checked_level
from heldout.intervals.proportions import proportion_interval
from heldout.intervals.quantiles import two_sided_normal

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["newcombe_difference", "tango_difference"]


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
    first, second = both + only_first, both + only_second
    difference = (only_first - only_second) / rows
    phi = _phi(both, only_first, only_second, neither)
    one, two = (proportion_interval(count, rows, level=level) for count in (first, second))
    below_one, above_one = first / rows - one.low, one.high - first / rows
    below_two, above_two = second / rows - two.low, two.high - second / rows

    def reach(mine: float, other: float) -> float:
        return sqrt(max(mine * mine - 2 * phi * mine * other + other * other, 0.0))

    low, high = difference - reach(below_one, above_two), difference + reach(above_one, below_two)
    return Interval(low, high, level, method).within((-1, 1))


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

    low = _cross(score, bound, -1.0, estimate)
    high = _cross(score, bound, 1.0, estimate)
    return Interval(low, high, level, method)


def _cross(score: Callable[[float], float], bound: float, outside: float, inside: float) -> float:
    """Where the score statistic passes a bound, between a limit of the range and the estimate."""
    while True:
        middle = (outside + inside) / 2
        if middle in {outside, inside}:
            return inside
        if abs(score(middle)) > bound:
            outside = middle
        else:
            inside = middle
