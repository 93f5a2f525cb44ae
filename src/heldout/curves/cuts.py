"""The confusion counts at every threshold, and any measure of them as a curve."""

from __future__ import annotations

from functools import cached_property
from math import inf, isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.threads import BLOCK, WORTH_A_THREAD, blocks, in_threads
from heldout.curves.curve import Axis, CurveKind
from heldout.curves.points import NO_ROWS, Points, points
from heldout.measures.spec import Request, parse_request
from heldout.tally.confusion import Binary, Confusion

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.core.arrays import Array
    from heldout.curves.curve import Curve
    from heldout.curves.points import Corners
    from heldout.tally.scores import ScoreCounts

#: the cut above all scores: no row is called positive
CALLED_NONE = 0
#: what is said of that cut, and where no threshold makes it
NO_ROW = "no row is called positive"
UNREACHED = f"{NO_ROW}: no threshold does that, as a score is infinite"


class Cuts(Confusion):
    """Many tallies of two classes at once, an element a threshold.

    What a general tally sums cell by cell is written out here: for millions of tables of
    four cells that takes a tenth of the time.
    """

    @classmethod
    def of_called(
        cls, tp: Any, fp: Any, positives: Any, negatives: Any, *, positive: int = 1, rows: int = 0
    ) -> Cuts:
        """The tallies of true and false positives (arrays of one shape).

        ``positive`` says which of the two classes is the positive one, and so what the rows
        of a profit matrix mean.

        Examples
        --------
        >>> Cuts.of_called(np.array([0, 2]), np.array([0, 1]), 2, 3).matrix().tolist()
        [[[3, 0], [2, 0]], [[2, 1], [0, 2]]]
        """
        fn, tn = positives - tp, negatives - fp
        cells = (tn, fp, fn, tp) if positive else (tp, fn, fp, tn)
        return cls(2, np.arange(4, dtype=np.int64), _last(*cells), positive, rows)

    @property
    def _cells(self) -> tuple[Any, Any, Any, Any]:
        a, b, c, d = (self.counts[..., k] for k in range(4))
        return a, b, c, d

    @cached_property
    def total(self) -> Any:
        """All rows (or their weight)."""
        a, b, c, d = self._cells
        return a + b + c + d

    @cached_property
    def correct(self) -> Any:
        """Rows whose predicted class is the true one."""
        a, _, _, d = self._cells
        return a + d

    @cached_property
    def actual(self) -> Array:
        """Rows of each true class."""
        a, b, c, d = self._cells
        return _last(a + b, c + d)

    @cached_property
    def chosen(self) -> Array:
        """Rows of each predicted class."""
        a, b, c, d = self._cells
        return _last(a + c, b + d)

    @cached_property
    def hits(self) -> Array:
        """Rows of each class that are predicted as that class."""
        a, _, _, d = self._cells
        return _last(a, d)

    @cached_property
    def one_vs_rest(self) -> Binary:
        """Each class against the other."""
        a, b, c, d = self._cells
        return Binary(self.hits, _last(c, b), _last(b, c), _last(d, a))

    @cached_property
    def binary(self) -> Binary:
        """The positive class against the other."""
        a, b, c, d = self._cells
        return Binary(d, b, c, a) if self.positive else Binary(a, c, b, d)


def at_cut(scores: ScoreCounts, cut: int, *, positive: int = 1) -> Confusion:
    """The confusion counts of one cut: ``CALLED_NONE``, or one more than a score's place.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> scores = ScoreCounts.of(np.array([True, False, True]), np.array([0.9, 0.5, 0.1]))
    >>> at_cut(scores, 2).matrix().tolist()
    [[0, 1], [1, 1]]
    """
    tp, fp = (0, 0) if cut == CALLED_NONE else (scores.tp[cut - 1], scores.fp[cut - 1])
    fn, tn = scores.total_positives - tp, scores.total_negatives - fp
    cells = (tn, fp, fn, tp) if positive else (tp, fn, fp, tn)
    return Confusion(2, np.arange(4, dtype=np.int64), np.array(cells), positive, scores.rows)


def threshold_of(scores: ScoreCounts, cut: int) -> float:
    """The threshold of a cut: ``score >= threshold`` is positive; infinite where no row is.

    NaN where none can be: beside an infinite score no threshold calls no row positive.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> scores = ScoreCounts.of(np.array([True, False]), np.array([0.9, 0.5]))
    >>> threshold_of(scores, 0), threshold_of(scores, 2)
    (inf, 0.5)
    """
    return scores.above_all if cut == CALLED_NONE else float(scores.score[cut - 1])


def below_cut(scores: ScoreCounts, cut: int) -> float:
    """The next score below a cut: thresholds above it, up to the cut's own, decide alike.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> scores = ScoreCounts.of(np.array([True, False]), np.array([0.9, 0.5]))
    >>> below_cut(scores, 1), below_cut(scores, 2)
    (0.5, -inf)
    """
    return float(scores.score[cut]) if cut < len(scores.score) else -inf


def evaluated(
    scores: ScoreCounts, function: Callable[[Confusion], Any], *, positive: int = 1
) -> Array:
    """A function of confusion counts at every cut, from ``CALLED_NONE`` to all rows called.

    NaN at a cut that no threshold makes: above a score that is infinite.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> scores = ScoreCounts.of(np.array([True, False, True]), np.array([0.9, 0.5, 0.1]))
    >>> evaluated(scores, lambda c: c.correct)
    array([1., 2., 1., 2.])
    """
    positives, negatives = scores.total_positives, scores.total_negatives
    values = np.empty(len(scores.score) + 1)

    def fill(where: slice, tp: Array, fp: Array) -> None:
        cuts = Cuts.of_called(tp, fp, positives, negatives, positive=positive, rows=scores.rows)
        values[where] = function(cuts)

    none = np.zeros(1, np.int64)
    fill(slice(0, 1), none, none)

    def work(span: slice) -> None:
        fill(slice(span.start + 1, span.stop + 1), scores.tp[span], scores.fp[span])

    spans = list(blocks(len(scores.score), BLOCK))
    if len(scores.score) < WORTH_A_THREAD:
        for span in spans:
            work(span)
    else:
        in_threads(work, spans)
    if isnan(scores.above_all):
        values[CALLED_NONE] = nan
    return values


def of_sides(positives: Array, negatives: Array) -> tuple[Any, Any]:
    """True and false positives at every cut, of samples (a row each) at each score.

    Examples
    --------
    >>> of_sides(np.array([[1, 0, 2]]), np.array([[0, 3, 0]]))
    (array([[0, 1, 1, 3]]), array([[0, 0, 3, 3]]))
    """
    start = np.zeros((len(positives), 1), positives.dtype)
    tp, fp = (np.cumsum(side, axis=1) for side in (positives, negatives))
    return np.concatenate([start, tp], axis=1), np.concatenate([start, fp], axis=1)


def _last(*parts: Any) -> Array:
    """The parts along a new last axis; in memory each stays in one piece, which sums faster."""
    return np.moveaxis(np.stack(np.broadcast_arrays(*parts)), 0, -1)


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
