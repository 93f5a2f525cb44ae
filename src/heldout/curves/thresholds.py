"""Any confusion measure against the threshold."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.threads import blocks
from heldout.curves.curve import Axis, CurveKind
from heldout.curves.cuts import Cuts
from heldout.curves.points import NO_ROWS, Points, points
from heldout.measures.spec import Request, parse_request
from heldout.tally.confusion import Binary, Confusion

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.curves.curve import Curve
    from heldout.curves.points import Corners
    from heldout.tally.scores import ScoreCounts

THRESHOLD = Axis("threshold", "Threshold (score at or above it is called positive)")


def measure_by_threshold(
    counts: ScoreCounts, measure: str | Request, *, corners: Corners = False, positive: int = 1
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
    name, title = request.name, request.measure.title
    kind = CurveKind(f"thresholds:{name}", title, THRESHOLD, Axis(name, title), between="level")
    if not counts.total:
        return kind.empty(counts, NO_ROWS)
    at = points(counts, corners=corners)
    if isnan(at.threshold[0]):
        at = Points(at.tp[1:], at.fp[1:], at.threshold[1:])
    value, y = value_of(request), np.empty(len(at.tp))
    totals = counts.total_positives, counts.total_negatives
    for block in blocks(len(at.tp)):
        cuts = Cuts.of_called(
            at.tp[block], at.fp[block], *totals, positive=positive, rows=counts.rows
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            y[block] = value(cuts)
    return kind.of(counts, at.threshold, y, at.threshold, columns=at.columns)


def value_of(request: Request) -> Callable[[Any], Any]:
    """The value of a measure as a function of confusion counts of two classes, or of many.

    Examples
    --------
    >>> value_of(parse_request("recall"))(Confusion.from_matrix([[3, 1], [1, 1]], positive=1))
    0.5
    """
    measure, given = request.measure, request.values
    if measure.needs == (Confusion,):
        return lambda c: measure(c, **given)
    if not request.average:
        return lambda c: measure(c.binary, **given)

    def averaged(c: Any) -> Any:
        each = c.one_vs_rest
        if request.average == "micro":
            fields = (each.tp, each.fp, each.fn, each.tn)
            return measure(Binary(*(field.sum(axis=-1) for field in fields)), **given)
        values = np.asarray(measure(each, **given), float)
        if request.average == "macro":
            return values.mean(axis=-1)
        return (values * c.actual).sum(axis=-1) / c.actual.sum(axis=-1)

    return averaged


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
