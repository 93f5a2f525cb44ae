"""Intervals of measures of scores that need no resampling: areas, estimates, means, bins."""

from __future__ import annotations

import inspect
from dataclasses import replace
from functools import partial
from math import exp, isnan, log, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.significance import Test, no_test
from heldout.curves.sources import class_index, ranked_rows
from heldout.measures.calibration import bins_and_middles, thin_bins, value_of_bins
from heldout.measures.kinds import SAME, BinGaps, Fit, Mean
from heldout.predictions.split_design import places_of
from heldout.uncertainty.cross_validation import FoldRanking, fold_area_interval
from heldout.uncertainty.gap_differences import DRAWS, gap_difference_p_value
from heldout.uncertainty.gap_intervals import (
    Gaps,
    too_many_bins,
)
from heldout.uncertainty.influence import Influence
from heldout.uncertainty.means import ALIKE

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.engines.memory import Tallies
    from heldout.measures.calibration import Bins
    from heldout.measures.spec import Request
    from heldout.tally.scores import ScoreCounts
    from heldout.uncertainty.interval import Interval
    from heldout.uncertainty.options import IntervalOptions

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


def is_area(request: Request) -> bool:
    """Whether it is the area under the ROC curve, or follows from it by a straight line."""
    return request.measure.area is not None


def has_formula(request: Request, options: IntervalOptions) -> bool:
    """Whether rows that weigh the same and stand alone give an interval without resampling."""
    measure = request.measure
    if measure.is_of_gaps or (options.uses_t and is_area(request)):
        return True
    return options.uses_t and isinstance(measure.kind, Fit | Mean)


def fit_influence(
    request: Request,
    counts: ScoreCounts,
    is_positive: NDArray[Any],
    score: NDArray[Any],
    *,
    often: NDArray[Any] | None = None,
    weight: NDArray[Any] | None = None,
    groups: NDArray[Any] | None = None,
) -> tuple[Influence, float]:
    """How far rows, or groups, move an estimate, and the least standard error that it can have.

    ``often``: rows there are of a kind; ``groups``: codes from 0.
    """
    measure = request.measure
    assert isinstance(measure.kind, Fit)
    mass = np.ones(len(score)) if weight is None else weight
    often = np.ones(len(score)) if often is None else often
    kept = np.flatnonzero(mass * often)  # others need no probability
    of_positive, of_negative, least = measure.kind.influence(counts, **request.values)(score[kept])
    shift = mass[kept] * np.where(is_positive[kept], of_positive, of_negative)
    pull = -(mass[kept] ** 2) * of_positive * of_negative
    variance = float(often[kept] @ (mass[kept] ** 2 * least))
    estimate = Influence(float(measure(counts, **request.values)), shift, pull, often[kept])
    if groups is None:
        return estimate, sqrt(variance)
    return estimate.by(groups[kept]), sqrt(max(variance, float(shift @ shift)))


def is_plain_area(request: Request) -> bool:
    """Whether it is the area, or the Gini coefficient, of one class and of the whole curve."""
    return is_area(request) and not request.parameters and not request.average


def fold_ranking(class_: str, tallies: Tallies) -> FoldRanking:
    """The ranking within each fold (a holdout is one): of the positive class, or of one of several.

    Folds that lack a class have no area.
    """
    p = tallies.predictions
    ranked = ranked_rows(tallies, class_index(p, class_ if p.task == "multiclass" else None))
    return FoldRanking(ranked.positive, ranked.score, places_of(p), p.design.groups)


def repeated_area_interval(
    rows: FoldRanking, function: Callable[[float], float], *, level: float, often: float
) -> Interval:
    """The interval of the mean area of the folds of all repeats, where groups lie across them.

    What a group moves the mean area by is summed over all folds in which it is judged; folds
    that lack a class are in no mean. ``often``: how often a row is judged.
    """
    _, codes = np.unique(rows.folds, return_inverse=True)
    positives = np.bincount(codes, rows.is_positive)
    has_both = ((positives > 0) & (positives < np.bincount(codes)))[codes]
    parts = rows.is_positive[has_both], rows.scores[has_both], rows.folds[has_both]
    groups = None if rows.groups is None else rows.groups[has_both]
    interval = fold_area_interval(FoldRanking(*parts, groups), level=level)
    alone = fold_area_interval(FoldRanking(*parts), level=level)
    if not interval.is_absent and not alone.is_absent:
        # of rows that stand alone, each but once
        low, high = _stretched(alone, sqrt(often))
        if high - low > interval.width:
            low, high = min(low, interval.low), max(high, interval.high)
            interval = replace(interval, low=low, high=high).noted(ALIKE)
    return interval if function is SAME else interval.through(function)


def _stretched(made: Interval, by: float) -> tuple[float, float]:
    """Limits so many times as far from their middle on the logit scale."""
    low, high = (log(end / (1 - end)) for end in (made.low, made.high))
    middle, reach = (low + high) / 2, by * (high - low) / 2
    return 1 / (1 + exp(reach - middle)), 1 / (1 + exp(-reach - middle))
