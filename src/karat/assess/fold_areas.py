"""The interval of the mean area under the ROC curves of one run of folds, as measures need it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.assess.leave_some_out import areas_of_parts
from karat.assess.score_formulas import is_area
from karat.assess.values import class_scores
from karat.intervals.cross_validated_area import cross_validated_area_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.assess.options import IntervalOptions
    from karat.engines.memory import Tallies
    from karat.intervals.interval import Interval
    from karat.measures.spec import Request

__all__ = ["fold_area", "fold_area_interval", "is_plain_area"]


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


def fold_area(request: Request, class_: str, tallies: Tallies) -> float:
    """The mean that the interval lies around; NaN where a fold lacks one of the classes."""
    positive, scores, folds = _ranked(class_, tallies)
    present, codes = np.unique(folds, return_inverse=True)
    mean = float(np.mean(areas_of_parts(scores, positive, codes, len(present))))
    return _gini(mean) if request.measure.name == "gini" else mean


def _gini(area: float) -> float:
    return 2 * area - 1


def _ranked(
    class_: str, tallies: Tallies
) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[Any]]:
    """Whether each row is positive, its score and its fold; a holdout is a fold of its own."""
    p = tallies.predictions
    fold = p.design.fold
    folds = np.zeros(len(p), np.int64) if fold is None else fold.codes
    if class_ and p.task == "multiclass":
        place = [str(c) for c in p.classes].index(class_)
        return p.truth == place, class_scores(tallies).scores[:, place], folds
    assert p.scores is not None
    return p.truth == p.positive, p.scores, folds
