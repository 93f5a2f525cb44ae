"""The interval of the mean over slices, from those of the slices, which are separate rows."""

from __future__ import annotations

from math import isfinite, isnan, sqrt
from typing import TYPE_CHECKING

import numpy as np

from heldout.intervals.interval import Interval, absent
from heldout.predictions.split_design import OFTEN, REPEATED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.assess.slice_results import SliceResult
    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request
    from heldout.predictions.table import Column

__all__ = ["dependence_of", "mean_interval", "mean_limits"]

ACROSS = "groups lie across slices, which are then not separate rows"
BIASED = "its values lean to one side the more the fewer rows there are, in every slice alike"


def dependence_of(tallies: Tallies, column: Column) -> str:
    """Why the slices of a column are not separate rows; empty where they are."""
    if tallies.design.repeats > 1:
        return str(REPEATED)
    if tallies.design.is_often:
        return str(OFTEN)
    group = tallies.predictions.design.group
    if group is None:
        return ""
    # every row of a group has to have the slice of one of them
    of_group = np.zeros(len(group.levels), column.codes.dtype)
    of_group[group.codes] = column.codes
    return ACROSS if (of_group[group.codes] != column.codes).any() else ""


def mean_limits(
    request: Request, results: Sequence[SliceResult], reason: str = ""
) -> Interval | None:
    """The interval of the mean of the slices that have a value, or why there is none.

    None where no intervals were asked for.
    """
    counted = [r for r in results if not isnan(r.value)]
    made = [r.interval for r in counted if r.interval is not None]
    if not made or len(made) < len(counted):
        return None
    if request.measure.of_gaps is not None or request.measure.interval == "basic":
        reason = reason or BIASED
    for result, interval in zip(counted, made, strict=True):
        if interval.is_absent:
            reason = reason or f"{result.slice} has none: {interval.note}"
        elif not interval.contains(result.value):
            reason = reason or f"the value of {result.slice} lies outside its own"
    if reason:
        return absent(reason, level=made[0].level)
    mean = mean_interval([r.value for r in counted], made)
    return mean.within(request.measure.bounds)


def mean_interval(values: Sequence[float], intervals: Sequence[Interval]) -> Interval:
    """The interval of the mean of independent values from the interval of each.

    Halves of widths are added as standard errors are. How far an interval lies askew of its
    value counts by one over their number once more: means are less skewed than what they are
    made of. (Zou and Donner's MOVER adds each side by itself, which keeps the skewness of the
    parts: of 20 shares near 1 the mean lay above its upper limit 16 times in 100.)

    Examples
    --------
    >>> both = [Interval(0.5, 0.9, 0.95, "Wilson"), Interval(0.6, 1.0, 0.95, "Wilson")]
    >>> made = mean_interval([0.8, 1.0], both)
    >>> made.low, made.high
    (0.6836, 0.9664)
    """
    count, level = len(values), intervals[0].level
    if not all(isfinite(v) and isfinite(i.width) for v, i in zip(values, intervals, strict=True)):
        return absent("a value or a limit is infinite", level=level)
    askew = sum((own.low + own.high) / 2 - v for v, own in zip(values, intervals, strict=True))
    middle = sum(values) / count + askew / count**2
    reach = sqrt(sum((own.width / 2) ** 2 for own in intervals)) / count
    method = (
        f"widths of the intervals of {count:,} slice{'s' if count > 1 else ''}, added in squares"
    )
    return Interval(middle - reach, middle + reach, level, method)
