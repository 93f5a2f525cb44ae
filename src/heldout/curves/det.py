"""The detection error trade-off curve: misses against false alarms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout.curves.curve import Axis, Curve, empty_curve
from heldout.curves.points import ONE_CLASS, points, prevalence_of
from heldout.curves.roc import FALSE_POSITIVE_RATE
from heldout.tally.roc import area

if TYPE_CHECKING:
    from heldout.tally.scores import ScoreCounts

__all__ = ["det"]

FALSE_ALARMS = Axis(FALSE_POSITIVE_RATE.name, "False positive rate (false alarms)")
MISSES = Axis("false_negative_rate", "False negative rate (misses)")
TITLE = "Detection error trade-off (DET) curve"


def det(counts: ScoreCounts, *, corners: bool = False) -> Curve:
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
    same: dict[str, Any] = {"rows": counts.rows, "prevalence": prevalence_of(counts)}
    if not counts.has_both:
        return empty_curve("det", TITLE, FALSE_ALARMS, MISSES, ONE_CLASS, **same)
    at = points(counts, only_corners=corners)
    return Curve(
        "det",
        TITLE,
        at.fp / counts.total_negatives,
        (counts.total_positives - at.tp) / counts.total_positives,
        at.threshold,
        FALSE_ALARMS,
        MISSES,
        area=1 - area(counts),
        columns={"tp": at.tp, "fp": at.fp},
        **same,
    )
