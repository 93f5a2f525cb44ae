"""Calibration bins of a measure: its gaps, and whether some rows differ from all others in it."""

from __future__ import annotations

import inspect
from functools import partial
from math import isnan, nan
from typing import TYPE_CHECKING, Any

from heldout.core.significance import Test, no_test
from heldout.measures.calibration import thin_bins, value_of_bins
from heldout.measures.kinds import BinGaps
from heldout.uncertainty.gap_differences import DRAWS, gap_difference_p_value
from heldout.uncertainty.gap_intervals import Gaps, too_many_bins

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.measures.calibration import Bins
    from heldout.measures.spec import Request
    from heldout.tally.scores import ScoreCounts

UNEVEN = "weights or groups: how much noise the bins have is not known"
NO_AVERAGE = "no interval of an average of calibration errors is known to cover"
THIN = "bins of so few rows are mostly noise"


def bin_test(request: Request, some: ScoreCounts, rest: ScoreCounts, seed: int) -> Test:
    """Whether some rows and all others differ in a measure of calibration bins."""
    values = request.values
    value, other = (float(request.measure(counts, **values)) for counts in (some, rest))
    if any(thin_bins(counts, bins=values["bins"]) for counts in (some, rest)):
        return no_test(THIN, estimate=value - other)
    own, others = gaps_of(some, values), gaps_of(rest, values)
    if reason := too_many_bins(len(own.rows), len(others.rows)):
        return no_test(reason, estimate=value - other)
    p_value = gap_difference_p_value(own, others, gap_statistic(request), seed=seed)
    if isnan(p_value):
        return no_test("the value does not vary", estimate=value - other)
    method = f"inverted tests of gaps, {DRAWS} draws of bins, seed {seed}"
    return Test(method, nan, p_value, estimate=value - other)


def gap_statistic(request: Request) -> Callable[[Any, Any], Any]:
    """The measure as a function of the weights and gaps of bins."""
    kind = request.measure.kind
    assert isinstance(kind, BinGaps)
    named = inspect.signature(kind.value).parameters
    return partial(kind.value, **{k: v for k, v in request.values.items() if k in named})


def gaps_of(counts: ScoreCounts, values: dict[str, Any]) -> Gaps:
    """The bins themselves: the very ones that the value is made of."""
    kept_bins: list[Bins] = []

    def keep(part: Bins) -> float:
        kept_bins.append(part)
        return 0.0

    asked = {name: values[name] for name in ("bins", "strategy", "midpoint") if name in values}
    if asked["bins"] == 0:  # distinct scores, few enough: not in blocks, whose order may vary
        weight = counts.positives + counts.negatives
        kept = weight > 0
        return Gaps(weight[kept], counts.positives[kept], counts.score[kept])
    value_of_bins(counts, keep, **asked)
    (only,) = kept_bins
    return Gaps(only.weight, only.positives, only.forecast)
