"""The ROC curve, and the same as a detection error trade-off: misses against false alarms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.curves.curve import Axis, CurveKind
from heldout.curves.points import ONE_CLASS, points
from heldout.tally.roc import area

if TYPE_CHECKING:
    from heldout.curves.curve import Curve
    from heldout.curves.points import Corners
    from heldout.tally.scores import ScoreCounts

FALSE_POSITIVE_RATE = Axis("false_positive_rate", "False positive rate (1 − specificity)")
SENSITIVITY = Axis("sensitivity", "Sensitivity (true positive rate)")
ROC = CurveKind("roc", "ROC curve", FALSE_POSITIVE_RATE, SENSITIVITY, "auc")
DET = CurveKind(
    "det",
    "Detection error trade-off (DET) curve",
    Axis(FALSE_POSITIVE_RATE.name, "False positive rate (false alarms)"),
    Axis("false_negative_rate", "False negative rate (misses)"),
)


def roc(counts: ScoreCounts, *, corners: Corners = False) -> Curve:
    """Sensitivity against false positive rate, from (0, 0) to (1, 1), in falling threshold.

    Equal scores give one point, so the curve does not depend on the order of the rows; the
    straight line between two points is what a coin tossed between their thresholds reaches.
    Rows with ``score >= threshold`` are called positive; at the first point, whose threshold
    is infinite, none is.

    Parameters
    ----------
    corners
        Only the points at which the curve turns, with the two ends: the same line.

    Notes
    -----
    Memory and time in the number of distinct scores. Without a positive or without a
    negative row there is no curve: it is empty and says so. The area is the measure ``auc``.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.array([True, False, True]), np.array([0.8, 0.5, 0.5])
    >>> curve = roc(ScoreCounts.of(truth, score))
    >>> list(curve.table())
    [(0.0, 0.0, inf, 0, 0, 2, 1), (0.0, 0.5, 0.8, 1, 0, 1, 1), (1.0, 1.0, 0.5, 2, 1, 0, 0)]
    >>> curve.area, curve.at(0.5)
    (0.75, 0.75)
    """
    if not counts.has_both:
        return ROC.empty(counts, ONE_CLASS)
    at = points(counts, corners=corners)
    x, y = at.fp / counts.total_negatives, at.tp / counts.total_positives
    return ROC.of(counts, x, y, at.threshold, area=area(counts), columns=at.columns)


def det(counts: ScoreCounts, *, corners: Corners = False) -> Curve:
    """False negative rate against false positive rate, in falling threshold.

    The same points as the ROC curve's, as rates from 0 to 1; a chart shows both axes in normal
    deviates, in which normally distributed scores give a straight line.

    Notes
    -----
    Martin et al. (1997), Eurospeech 5:1895. The area is 1 - AUC.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.tally.scores import ScoreCounts
    >>> curve = det(ScoreCounts.of(np.array([False, True, False]), np.array([0.0, 0.5, 1.0])))
    >>> curve.x.tolist(), curve.y.tolist()
    ([0.0, 0.5, 0.5, 1.0], [1.0, 1.0, 0.0, 0.0])
    """
    if not counts.has_both:
        return DET.empty(counts, ONE_CLASS)
    at = points(counts, corners=corners)
    missed = (counts.total_positives - at.tp) / counts.total_positives
    x = at.fp / counts.total_negatives
    return DET.of(counts, x, missed, at.threshold, area=1 - area(counts), columns=at.columns)
