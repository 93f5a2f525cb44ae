"""Limits of a bootstrap stretched where what is drawn from is a small sample."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING

from karat.intervals.quantiles import two_sided_normal, two_sided_student

if TYPE_CHECKING:
    from karat.intervals.interval import Interval

__all__ = ["stretched"]


def stretched(made: Interval, value: float, count: int, what: str) -> Interval:
    """The limits as far from the value as a sample of so many rows or groups asks for.

    Draws from G of them spread by the square root of (G - 1) / G of what they should, and know
    as little of the spread as G - 1 numbers do: the limits are stretched by Student's t over
    the normal quantile, and by that root.

    Examples
    --------
    >>> from karat.intervals.interval import Interval
    >>> made = stretched(Interval(0.7, 0.9, 0.95, "bootstrap"), 0.8, 5, "groups")
    >>> made.low, made.high, made.method
    (0.6416, 0.9584, 'bootstrap, stretched for 5 groups')
    """
    if made.is_absent or count < 2:
        return made
    student = two_sided_student(made.level, count - 1) / two_sided_normal(made.level)
    stretch = student * sqrt(count / (count - 1))
    low, high = value - (value - made.low) * stretch, value + (made.high - value) * stretch
    method = f"{made.method}, stretched for {count:,} {what}" if stretch > 1.01 else made.method
    return replace(made, low=min(low, made.low), high=max(high, made.high), method=method)
