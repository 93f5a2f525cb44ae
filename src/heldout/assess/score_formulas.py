"""Calibration bins of a measure: its gaps, and whether some rows differ from all others in it."""

from __future__ import annotations

import inspect
from functools import partial
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.significance import Test, no_test
from heldout.measures.calibration import bins_and_middles, thin_bins, value_of_bins
from heldout.measures.kinds import BinGaps
from heldout.uncertainty.gap_differences import DRAWS, gap_difference_p_value
from heldout.uncertainty.gap_intervals import (
    Gaps,
    too_many_bins,
)

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
    return _gap_test(request, gaps_of(some, values), gaps_of(rest, values), value - other, seed)


def has_fixed_bins(request: Request) -> bool:
    """Whether the borders of a measure's bins depend on no row."""
    return bool(request.values["bins"]) and request.values.get("strategy", "width") == "width"


def fixed_bin_test(request: Request, some: ScoreCounts, whole: ScoreCounts, seed: int) -> Test:
    """Whether some rows and all others differ, by bins whose borders depend on no row.

    The rest of a bin is then what the rows leave of it: nobody asks for the rest's scores.
    """
    values = request.values
    (own, middle), (every, middles) = (bins_and_middles(c, values["bins"]) for c in (some, whole))
    # bins fall from high scores to low ones
    at = np.searchsorted(-middles, -middle)
    weight, positives, forecast = (
        every.weight.copy(),
        every.positives.copy(),
        every.weight * every.forecast,
    )
    weight[at] -= own.weight
    positives[at] -= own.positives
    forecast[at] -= own.weight * own.forecast
    kept = weight > 0
    if values.get("midpoint"):
        one = Gaps(own.weight, own.positives, middle)
        rest = Gaps(weight[kept], positives[kept], middles[kept])
    else:
        one = Gaps(own.weight, own.positives, own.forecast)
        rest = Gaps(weight[kept], positives[kept], forecast[kept] / weight[kept])
    statistic = gap_statistic(request)
    value, other = (float(statistic(side.rows, side.gap)) for side in (one, rest))
    return _gap_test(request, one, rest, value - other, seed)


def _gap_test(request: Request, one: Gaps, rest: Gaps, difference: float, seed: int) -> Test:
    if reason := too_many_bins(len(one.rows), len(rest.rows)):
        return no_test(reason, estimate=difference)
    p_value = gap_difference_p_value(one, rest, gap_statistic(request), seed=seed)
    if isnan(p_value):
        return no_test("the value does not vary", estimate=difference)
    method = f"inverted tests of gaps, {DRAWS} draws of bins, seed {seed}"
    return Test(method, nan, p_value, estimate=difference)


def without(whole: ScoreCounts, some: ScoreCounts) -> ScoreCounts:
    """The counts of all rows less those of some of them.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.tally.scores import ScoreCounts
    >>> whole = ScoreCounts.of(np.array([True, False, True]), np.array([0.9, 0.2, 0.2]))
    >>> some = ScoreCounts.of(np.array([True]), np.array([0.2]))
    >>> rest = without(whole, some)
    >>> rest.score.tolist(), rest.positives.tolist(), rest.negatives.tolist()
    ([0.9, 0.2], [1, 0], [0, 1])
    """
    # scores fall from first to last
    at = np.searchsorted(-whole.score, -some.score)
    positives, negatives = whole.positives.copy(), whole.negatives.copy()
    positives[at] -= some.positives
    negatives[at] -= some.negatives
    kept = (positives > 0) | (negatives > 0)
    rows = whole.rows - some.rows
    return type(whole)(whole.score[kept], positives[kept], negatives[kept], rows)


def gap_statistic(request: Request) -> Callable[[Any, Any], Any]:
    """The measure as a function of the weights and gaps of bins."""
    kind = request.measure.kind
    assert isinstance(kind, BinGaps)
    named = inspect.signature(kind.value).parameters
    return partial(kind.value, **{k: v for k, v in request.values.items() if k in named})


def gaps_of(counts: ScoreCounts, values: dict[str, Any]) -> Gaps:
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
