"""Intervals that follow a one-sided test: one limit, and the end of the range."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from heldout.core.errors import InputError
from heldout.core.notes import Kind

if TYPE_CHECKING:
    from heldout.comparison.evidence import Alternative
    from heldout.intervals.interval import Interval

__all__ = ["OPEN", "one_sided", "two_sided_level"]

OPEN = "one-sided: the other limit is the end of the range"


def two_sided_level(level: float, alternative: str) -> float:
    """The level of a two-sided interval, either limit of which holds alone at the level.

    Examples
    --------
    >>> round(two_sided_level(0.95, "greater"), 10), two_sided_level(0.95, "two-sided")
    (0.9, 0.95)
    """
    if alternative == "two-sided":
        return level
    if level <= 0.5:
        raise InputError(f"the level of a one-sided test is above 0.5, not {level!r}")
    return 2 * level - 1


def one_sided(
    interval: Interval, alternative: Alternative, level: float, bounds: tuple[float, float]
) -> Interval:
    """The limit that the alternative asks about, at the level; the other is the range's end.

    Parameters
    ----------
    interval
        Two-sided, at ``two_sided_level``. It comes back as it is where the alternative is.
    alternative
        ``greater``: the difference is at least the lower limit. ``less``: at most the upper.
    bounds
        The range of the difference.

    Examples
    --------
    >>> from heldout.intervals.interval import Interval
    >>> made = one_sided(Interval(0.01, 0.05, 0.9, "Wald"), "greater", 0.95, (-1, 1))
    >>> made.low, made.high, made.level
    (0.01, 1.0, 0.95)
    """
    if alternative == "two-sided":
        return interval
    if interval.is_absent:
        return replace(interval, level=level)
    gone = Kind.HIGH_CUT if alternative == "greater" else Kind.LOW_CUT
    low, high = interval.low, interval.high
    low, high = (low, float(bounds[1])) if alternative == "greater" else (float(bounds[0]), high)
    method = f"{interval.method}, {OPEN}"
    return replace(interval.without(gone), low=low, high=high, level=level, method=method)
