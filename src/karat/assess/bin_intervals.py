"""Intervals of calibration errors, from the bins that the value is made of."""

from __future__ import annotations

import inspect
from functools import partial
from typing import TYPE_CHECKING, Any

from karat.intervals.gap_intervals import Gaps, gap_interval, largest_gap_interval
from karat.intervals.interval import Interval, absent
from karat.measures.calibration import thin_bins
from karat.measures.calibration_bins import value_of_bins

if TYPE_CHECKING:
    from karat.assess.options import IntervalOptions
    from karat.measures.calibration_bins import Bins
    from karat.measures.spec import Request
    from karat.tally.scores import ScoreCounts

__all__ = ["NO_AVERAGE", "THIN", "UNEVEN", "bin_interval"]

UNEVEN = "weights or groups: how much noise the bins have is not known"
NO_AVERAGE = "no interval of an average of calibration errors is known to cover"
THIN = "bins of so few rows are mostly noise"
INSTEAD = "no bootstrap of it covers"


def bin_interval(request: Request, counts: ScoreCounts, options: IntervalOptions) -> Interval:
    """The interval of a measure of calibration bins of rows that all weigh the same."""
    measure, values, level = request.measure, request.values, options.level
    if thin_bins(counts, bins=values["bins"]):
        return absent(THIN, level=level)
    gaps = _gaps(counts, values)
    if measure.interval == "simultaneous":
        made = largest_gap_interval(gaps, level=level)
    else:
        assert measure.of_gaps is not None
        named = inspect.signature(measure.of_gaps).parameters
        given = {name: value for name, value in values.items() if name in named}
        made = gap_interval(
            gaps,
            partial(measure.of_gaps, **given),
            level=level,
            replicates=options.of_rows,
            seed=options.seed,
        )
    return made.noted(INSTEAD) if options.method and not options.uses_t else made


def _gaps(counts: ScoreCounts, values: dict[str, Any]) -> Gaps:
    """The bins themselves: the very ones that the value is made of."""
    found: list[Bins] = []

    def keep(part: Bins) -> float:
        found.append(part)
        return 0.0

    asked = {name: values[name] for name in ("bins", "strategy", "midpoint") if name in values}
    if asked["bins"] == 0:  # distinct scores, few enough: not in blocks, whose order may vary
        weight = counts.positives + counts.negatives
        kept = weight > 0
        return Gaps(weight[kept], counts.positives[kept], counts.score[kept])
    value_of_bins(counts, keep, **asked)
    (only,) = found
    return Gaps(only.weight, only.positives, only.forecast)
