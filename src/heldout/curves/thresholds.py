"""Any confusion measure against the threshold."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.threads import blocks
from heldout.curves.curve import Axis, Curve, empty_curve
from heldout.curves.points import NO_ROWS, Points, points, prevalence_of
from heldout.measures.spec import Request, parse_request
from heldout.tally.confusion import Binary, Confusion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.tally.scores import ScoreCounts

__all__ = ["measure_by_threshold", "threshold_request"]

THRESHOLD = Axis("threshold", "Threshold (score at or above it is called positive)")


def measure_by_threshold(
    counts: ScoreCounts, measure: str | Request, *, corners: bool = False, positive: int = 1
) -> Curve:
    """A measure of the confusion counts at every distinct score as threshold.

    The first point is an infinite threshold, at which no row is called positive, save those
    whose score is infinite. A point holds from its threshold up to the one before it. NaN
    where the measure is undefined.

    Parameters
    ----------
    measure
        A name or spec (``f_score[beta=2]``) of a measure of confusion counts.
    corners
        Only where the ROC curve turns: a measure may have its extremes elsewhere.
    positive
        Whether the positive class is the first (0) or the second (1) row of a profit matrix.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.array([True, False, True]), np.array([0.8, 0.5, 0.2])
    >>> curve = measure_by_threshold(ScoreCounts.of(truth, score), "precision")
    >>> curve.x.tolist(), curve.y.tolist()
    ([inf, 0.8, 0.5, 0.2], [nan, 1.0, 0.5, 0.6667])
    >>> curve.at(0.6)
    1.0
    """
    request = threshold_request(measure)
    title = request.measure.title
    value = Axis(request.name, title)
    name = f"thresholds:{request.name}"
    same: dict[str, Any] = {
        "between": "level",
        "rows": counts.rows,
        "prevalence": prevalence_of(counts),
    }
    if not counts.total:
        return empty_curve(name, title, THRESHOLD, value, NO_ROWS, **same)
    at = points(counts, only_corners=corners)
    if isnan(at.threshold[0]):
        at = Points(at.tp[1:], at.fp[1:], at.threshold[1:])
    y = np.concatenate(
        [_values(request, counts, at.tp[b], at.fp[b], positive) for b in blocks(len(at.tp))]
    )
    return Curve(
        name,
        title,
        at.threshold,
        y,
        at.threshold,
        THRESHOLD,
        value,
        columns={"tp": at.tp, "fp": at.fp},
        **same,
    )


def threshold_request(measure: str | Request) -> Request:
    """The request of a measure that confusion counts give, or an error."""
    request = parse_request(measure) if isinstance(measure, str) else measure
    if request.measure.needs not in ((Binary,), (Confusion,)) or request.average or request.label:
        raise InputError(
            f"thresholds:{request.name} cannot be drawn: it takes a measure of confusion counts, "
            "such as thresholds:f_score"
        )
    for parameter in request.measure.parameters:
        if parameter.is_required and request.values[parameter.name] is None:
            needed = "a profit or cost matrix" if parameter.name == "matrix" else parameter.name
            raise InputError(f"thresholds:{request.name} needs {needed}")
    return request


def _values(
    request: Request, counts: ScoreCounts, tp: NDArray[Any], fp: NDArray[Any], positive: int
) -> NDArray[np.float64]:
    """The measure at some thresholds, as an array however it is declared."""
    fn, tn = counts.total_positives - tp, counts.total_negatives - fp
    if request.measure.needs == (Binary,):
        tally: Any = Binary(tp, fp, fn, tn)
    else:
        order = (tn, fp, fn, tp) if positive else (tp, fn, fp, tn)
        cells = np.stack(order, axis=-1)  # a row of cells for each threshold
        tally = Confusion(2, np.arange(4), cells, positive=positive, rows=counts.rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        made = request.measure(tally, **request.values)
    return np.broadcast_to(np.asarray(made, float), tp.shape)
