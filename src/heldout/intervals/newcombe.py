"""The interval of the area under the ROC curve after Newcombe, from the area alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.intervals.delong import lack_of_rows
from heldout.intervals.interval import Interval, absent, checked_level
from heldout.intervals.quantiles import two_sided_normal

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["newcombe_interval"]


def newcombe_interval(
    area: float, positives: float, negatives: float, *, level: float = 0.95
) -> Interval:
    """Areas from which the one found is not too far, by their own standard error.

    The standard error is Hanley and McNeil's, which follows from the area and the numbers
    of rows alone. So the limits exist at an area of 1 too, and cover well in small samples
    where DeLong's variance is itself uncertain; in large ones DeLong's is the right one.

    Parameters
    ----------
    positives, negatives
        Rows of each class (of weighted rows: effective sample sizes).

    Notes
    -----
    Newcombe (2006), Stat. Med. 25:559, method 5.

    Examples
    --------
    >>> interval = newcombe_interval(1.0, 10, 10)
    >>> interval.low, interval.high
    (0.8002, 1.0)
    """
    level = checked_level(level)
    reason = lack_of_rows(positives, negatives)
    if reason:
        return absent(reason, level=level, method="Newcombe")
    square = two_sided_normal(level) ** 2
    extra = (positives + negatives) / 2 - 1

    def excess(truth: float) -> float:
        """How much further the area found is from this one than it may be, squared."""
        spread = 1 + extra * ((1 - truth) / (2 - truth) + truth / (1 + truth))
        variance = truth * (1 - truth) * spread / (positives * negatives)
        return (area - truth) ** 2 - square * variance

    return Interval(_edge(excess, 0.0, area), _edge(excess, 1.0, area), level, "Newcombe")


def _edge(excess: Callable[[float], float], outside: float, inside: float) -> float:
    """Where the excess vanishes between a bound and the area itself."""
    if outside == inside:
        return outside
    while True:
        middle = (outside + inside) / 2
        if middle in (outside, inside):
            return inside
        if excess(middle) > 0:
            outside = middle
        else:
            inside = middle
