"""The interval of the mean area under the ROC curves of one run of folds, as measures need it."""

from __future__ import annotations

from dataclasses import replace
from math import exp, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.leave_some_out import areas_of_parts
from heldout.assess.score_formulas import is_area
from heldout.assess.values import class_scores
from heldout.intervals.cross_validation import cross_validated_area_interval
from heldout.intervals.grouped import ALIKE
from heldout.predictions.split_design import places_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.assess.options import IntervalOptions
    from heldout.engines.memory import Tallies
    from heldout.intervals.interval import Interval
    from heldout.measures.spec import Request

__all__ = ["fold_area", "fold_area_interval", "is_plain_area", "repeated_area_interval"]


def is_plain_area(request: Request) -> bool:
    """Whether it is the area, or the Gini coefficient, of one class and of the whole curve."""
    return is_area(request) and not request.parameters and not request.average


def fold_area_interval(
    request: Request, class_: str, tallies: Tallies, options: IntervalOptions
) -> Interval:
    """The interval of the mean area of the folds: of the positive class, or of one of several."""
    positive, scores, folds = _ranked(class_, tallies)
    group = tallies.predictions.design.group
    made = cross_validated_area_interval(
        positive,
        scores,
        folds,
        level=options.level,
        groups=None if group is None else group.codes,
    )
    return made.through(_gini) if request.measure.name == "gini" else made


def repeated_area_interval(
    request: Request, class_: str, tallies: Tallies, options: IntervalOptions, often: float
) -> Interval:
    """The same of the folds of all repeats, where groups lie across them.

    What a group moves the mean area by is summed over all folds in which it is judged; folds
    that lack a class are in no mean. ``often``: how often a row is judged.
    """
    positive, scores, folds = _ranked(class_, tallies)
    _, codes = np.unique(folds, return_inverse=True)
    positives = np.bincount(codes, positive)
    kept = ((positives > 0) & (positives < np.bincount(codes)))[codes]
    group = tallies.predictions.design.group
    parts = positive[kept], scores[kept], folds[kept]
    groups = None if group is None else group.codes[kept]
    made = cross_validated_area_interval(*parts, level=options.level, groups=groups)
    alone = cross_validated_area_interval(*parts, level=options.level)
    if not made.is_absent and not alone.is_absent:
        # of rows that stand alone, each but once
        low, high = _stretched(alone, sqrt(often))
        if high - low > made.width:
            made = replace(made, low=min(low, made.low), high=max(high, made.high)).noted(ALIKE)
    return made.through(_gini) if request.measure.name == "gini" else made


def _stretched(made: Interval, by: float) -> tuple[float, float]:
    """Limits so many times as far from their middle on the logit scale."""
    low, high = (log(end / (1 - end)) for end in (made.low, made.high))
    middle, reach = (low + high) / 2, by * (high - low) / 2
    return 1 / (1 + exp(reach - middle)), 1 / (1 + exp(-reach - middle))


def fold_area(request: Request, class_: str, tallies: Tallies) -> float:
    """The mean that the interval lies around, of the folds that have both classes."""
    positive, scores, folds = _ranked(class_, tallies)
    present, codes = np.unique(folds, return_inverse=True)
    areas = areas_of_parts(scores, positive, codes, len(present))
    mean = float(np.mean(areas[~np.isnan(areas)]))
    return _gini(mean) if request.measure.name == "gini" else mean


def _gini(area: float) -> float:
    return 2 * area - 1


def _ranked(
    class_: str, tallies: Tallies
) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[Any]]:
    """Whether each row is positive, its score, and its fold of a repeat: a holdout is one."""
    p = tallies.predictions
    folds = places_of(p)
    if class_ and p.task == "multiclass":
        place = [str(c) for c in p.classes].index(class_)
        return p.truth == place, class_scores(tallies).scores[:, place], folds
    assert p.scores is not None
    return p.truth == p.positive, p.scores, folds
