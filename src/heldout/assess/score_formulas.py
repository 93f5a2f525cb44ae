"""Intervals of measures of scores that need no resampling: areas, estimates, means, bins."""

from __future__ import annotations

from math import isnan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.bin_intervals import THIN, bin_interval
from heldout.intervals.cluster_bootstrap import GroupSums
from heldout.intervals.delong import delong_interval, newcombe_interval
from heldout.intervals.grouped import estimate_interval
from heldout.intervals.interval import Interval, absent
from heldout.intervals.means import mean_interval
from heldout.intervals.proportions import effective_sample_size
from heldout.intervals.score_rows import coarse_scores
from heldout.measures.calibration import thin_bins
from heldout.tally.roc import area, once
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.assess.options import IntervalOptions
    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions

__all__ = [
    "area_interval",
    "has_formula",
    "influence_interval",
    "is_area",
    "score_formula",
    "squared_weights",
]


def is_area(request: Request) -> bool:
    """Whether it is the area under the ROC curve, or follows from it by a straight line."""
    return request.measure.name in ("auc", "gini")


def has_formula(request: Request, options: IntervalOptions) -> bool:
    """Whether rows that weigh the same and stand alone give an interval without resampling."""
    measure = request.measure
    if measure.of_gaps is not None or (options.area and is_area(request)):
        return True
    is_simple = measure.influence is not None or measure.row_moments is not None
    return options.uses_t and is_simple


def score_formula(
    request: Request, counts: ScoreCounts, options: IntervalOptions
) -> Interval | None:
    """The interval of a measure of a ranking of plain rows; None where it takes resampling."""
    measure, level = request.measure, options.level
    if request.values.get("bins") == 0 and thin_bins(counts, bins=0):
        return absent(THIN, level=level)
    if not has_formula(request, options):
        return None
    if measure.of_gaps is not None:
        return bin_interval(request, counts, options)
    if is_area(request):
        return area_interval(request, counts, options)
    if measure.row_moments is not None:
        return mean_interval(measure.row_moments(counts), level=level, bounds=measure.bounds)
    few = once(counts, "coarse scores", coarse_scores)
    score, is_positive = np.tile(few.score, 2), np.repeat([True, False], len(few.score))
    often = np.concatenate([few.positives, few.negatives])
    return influence_interval(request, counts, is_positive, score, level=level, often=often)


def influence_interval(
    request: Request,
    counts: ScoreCounts,
    is_positive: NDArray[Any],
    score: NDArray[Any],
    *,
    level: float,
    often: NDArray[Any] | None = None,
    weight: NDArray[Any] | None = None,
    groups: NDArray[Any] | None = None,
) -> Interval:
    """The interval of an estimate by how far rows move it; ``often``: rows there are of a kind."""
    measure = request.measure
    assert measure.influence is not None
    value = float(measure(counts, **request.values))
    if isnan(value):
        return absent("the value is undefined", level=level)
    mass = np.ones(len(score)) if weight is None else weight
    often = np.ones(len(score)) if often is None else often
    kept = np.flatnonzero(mass * often)  # others need no probability
    of_positive, of_negative, least = measure.influence(counts, **request.values)(score[kept])
    shift = mass[kept] * np.where(is_positive[kept], of_positive, of_negative)
    pull = -(mass[kept] ** 2) * of_positive * of_negative
    variance = float(often[kept] @ (mass[kept] ** 2 * least))
    if groups is None:
        sums = GroupSums(np.column_stack([shift, pull]), often[kept])
        return estimate_interval(value, sums, sqrt(variance), level=level)
    sums = GroupSums.of_values(groups[kept], shift, pull)
    of_rows = sqrt(max(variance, float(shift @ shift)))
    return estimate_interval(value, sums, of_rows, level=level, is_grouped=True)


def area_interval(
    request: Request,
    counts: ScoreCounts,
    options: IntervalOptions,
    squares: ScoreCounts | None = None,
) -> Interval:
    """DeLong's interval, or Newcombe's; ``squares``: the tally with the squares of the weights."""
    scale: Any = options.area
    if scale == "newcombe":
        sizes = [float(counts.total_positives), float(counts.total_negatives)]
        if squares is not None:
            of_squares = (float(squares.total_positives), float(squares.total_negatives))
            sizes = [effective_sample_size(*pair) for pair in zip(sizes, of_squares, strict=True)]
        made = newcombe_interval(float(area(counts)), *sizes, level=options.level)
    else:
        made = delong_interval(counts, level=options.level, scale=scale, squares=squares)
    return made if request.measure.name == "auc" else made.through(lambda auc: 2 * auc - 1)


def squared_weights(p: Predictions) -> ScoreCounts | None:
    """The scores with the squares of the rows' weights; None where rows weigh the same."""
    if p.weight is None or p.scores is None:
        return None
    return ScoreCounts.of(p.truth == p.positive, p.scores, p.weight**2)
