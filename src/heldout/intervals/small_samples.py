"""Limits of a bootstrap stretched where what is drawn from is a small sample."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING

from heldout.intervals.quantiles import two_sided_normal, two_sided_student

if TYPE_CHECKING:
    from heldout.intervals.interval import Interval

__all__ = ["stretched"]

#: a group with all rows but a thousandth leaves nothing to compare it with
LEAST_REST = 1e-3


#: groups of very unequal size spread as if they were few, but their spread is known no worse
#: than by so many degrees of freedom: rows within the largest tell of it too
LEAST_FREEDOM = 5.0


def stretched(
    made: Interval, value: float, count: int, what: str, *, worth: float | None = None
) -> Interval:
    """The limits as far from the value as a sample of so many rows or groups asks for.

    Draws from G of them spread by the square root of (G - 1) / G of what they should, and know
    as little of the spread as G - 1 numbers do: the limits are stretched by Student's t over
    the normal quantile, and by that root.

    Parameters
    ----------
    worth
        How many of one size they are worth (``GroupSizes``), where they are of unequal size:
        the root is that of as many, and so are the degrees of freedom, down to five. By
        simulation (docs/coverage.md) fewer would make limits too wide.

    Examples
    --------
    >>> from heldout.intervals.interval import Interval
    >>> made = stretched(Interval(0.7, 0.9, 0.95, "bootstrap"), 0.8, 5, "groups")
    >>> made.low, made.high, made.method
    (0.6416, 0.9584, 'bootstrap, stretched for 5 groups')
    """
    if made.is_absent or count < 2:
        return made
    like = count if worth is None else worth
    freedom = min(count - 1, max(like - 1, LEAST_FREEDOM))
    student = two_sided_student(made.level, freedom) / two_sided_normal(made.level)
    stretch = student * sqrt(like / max(like - 1, LEAST_REST))
    low, high = value - (value - made.low) * stretch, value + (made.high - value) * stretch
    words = f"{count:,} {what}" if like == count else f"{count:,} {what} worth {like:.3g}"
    method = f"{made.method}, stretched for {words}" if stretch > 1.01 else made.method
    return replace(made, low=min(low, made.low), high=max(high, made.high), method=method)
