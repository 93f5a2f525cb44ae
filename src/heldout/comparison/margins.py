"""Equivalence and non-inferiority: what an interval shows about differences that do not matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from heldout.comparison.difference import SAME

if TYPE_CHECKING:
    from heldout.comparison.difference import Difference

__all__ = ["MarginVerdict", "margin_verdict"]


@dataclass(frozen=True, slots=True)
class MarginVerdict:
    """Which statements about a margin the interval of a difference supports.

    A level of 0.90 is two one-sided tests (TOST) at 5% each, a level of 0.95 at 2.5%.
    """

    first: str
    second: str
    is_equivalent: bool
    first_not_worse: bool
    second_not_worse: bool
    #: why nothing can be said, else empty
    reason: str = ""
    #: what makes them equivalent where no interval does
    same: str = ""

    def words(self, margin: str) -> str:
        """The strongest statement, in words; ``margin`` is its size with its unit."""
        if self.reason:
            return f"nothing is known of a margin of {margin}: {self.reason}"
        if self.is_equivalent:
            return f"equivalent within {margin}" + (f" ({self.same})" if self.same else "")
        if self.first_not_worse:
            return f"{self.first} is not worse by {margin} or more"
        if self.second_not_worse:
            return f"{self.second} is not worse by {margin} or more"
        return f"neither equivalence nor non-inferiority within {margin} is shown"


def margin_verdict(difference: Difference, margin: float) -> MarginVerdict:
    """What the interval of a difference shows: equivalence where it lies within the margin.

    A model is not inferior where the interval rules out that it is worse by the margin; for
    that the measure needs a direction.

    Examples
    --------
    >>> from heldout.comparison.difference import Difference
    >>> from heldout.comparison.evidence import Evidence
    >>> from heldout.intervals.interval import Interval
    >>> found = Difference(
    ...     "auc", "a", "b", 0.82, 0.80, Interval(-0.005, 0.045, 0.9, ""), Evidence("", 1, 0.2), 9
    ... )
    >>> margin_verdict(found, 0.03).words("3 points")
    'a is not worse by 3 points or more'
    """
    d = difference
    if d.is_identical and d.value == 0:
        return MarginVerdict(d.first, d.second, True, True, True, same=SAME)
    if d.interval.is_absent:
        reason = d.interval.note or "there is no interval"
        return MarginVerdict(d.first, d.second, False, False, False, reason)
    low, high = d.interval.low, d.interval.high
    if d.direction == "down":
        low, high = -high, -low
    has_side = d.direction in {"up", "down"}
    return MarginVerdict(
        d.first,
        d.second,
        -margin < low and high < margin,
        has_side and low > -margin,
        has_side and high < margin,
    )
