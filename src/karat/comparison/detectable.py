"""The least difference that the design of a comparison could have shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.comparison.power import POWER, normal_points
from karat.comparison.split_power import split_points
from karat.intervals.quantiles import two_sided_normal, two_sided_student

if TYPE_CHECKING:
    from karat.comparison.difference import Difference

__all__ = ["detectable_difference"]


def detectable_difference(difference: Difference, *, power: float = POWER) -> float | None:
    """The true difference that this design would find with the given power.

    From the width of the interval: a difference is found with probability 0.8 where it is
    so many standard errors from none as stand for the level and for the power. None where
    there is no interval.

    Examples
    --------
    A half width of 1.96 standard errors stands for 2.80 of them at a power of 0.8:

    >>> from karat.comparison.difference import Difference
    >>> from karat.comparison.evidence import Evidence
    >>> from karat.intervals.interval import Interval
    >>> detectable_difference(
    ...     Difference(
    ...         "auc", "a", "b", 1, 1, Interval(-1.96, 1.96, 0.95, ""), Evidence("", 0, 1), 9
    ...     )
    ... )
    2.80
    """
    interval = difference.interval
    if interval.is_absent or not interval.width > 0:
        return None
    if difference.unit == "splits":
        error = interval.width / (2 * two_sided_student(interval.level, difference.n - 1))
        points = split_points(difference.n, interval.level, power)
    else:
        error = interval.width / (2 * two_sided_normal(interval.level))
        points = normal_points(interval.level, power, one_sided=False)
    return error * sum(points)
