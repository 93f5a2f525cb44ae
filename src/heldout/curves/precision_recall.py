"""The precision-recall curve, which between two points is no straight line."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.ratio import ratio
from heldout.curves.curve import Axis, CurveKind
from heldout.curves.points import NO_POSITIVE, points
from heldout.measures.precision_recall import area_under_pr, average_precision
from heldout.measures.registry import chosen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.curves.curve import Curve
    from heldout.curves.points import Corners
    from heldout.tally.scores import ScoreCounts

RECALL = Axis("recall", "Recall (sensitivity)")
PRECISION = Axis("precision", "Precision (positive predictive value)")
TITLE = "Precision-recall curve"
CURVE = CurveKind("pr", TITLE, RECALL, PRECISION, "area_under_pr", "ratio", "first")
STEPS = CurveKind("pr", TITLE, RECALL, PRECISION, "average_precision", "step", "first")
#: a tie of more positives than this is drawn with this many points: no eye sees the rest
POINTS_OF_A_TIE = 200
#: and of more steps than this only those are bent that an eye sees to be
MOST_STEPS = 10_000
#: how far a line may leave the curve, as a share of its height
BOW = 1 / 2000


def precision_recall(
    counts: ScoreCounts, *, first: str = "limit", steps: bool = False, corners: Corners = False
) -> Curve:
    """Precision against recall at every distinct score, in falling threshold.

    Between two points counts run straight, as they do on the ROC curve, and precision is
    their ratio (Davis & Goadrich 2006): a straight line there would promise what no
    threshold and no coin toss reaches. ``interpolated`` gives points to draw it by.

    Parameters
    ----------
    first
        The point at recall 0, where no row is called positive and precision is 0/0.
        ``limit``: the precision of the highest score, towards which precision tends as fewer
        and fewer of its rows are called positive. ``one``: precision 1, as scikit-learn and
        yardstick draw it; the area does not know of it.
    steps
        Precision of the next point in place of the ratio: the area is then
        ``average_precision``, and else ``area_under_pr``.
    corners
        Only the points at which the ROC curve turns: the same curve.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.array([True, False, True]), np.array([0.8, 0.5, 0.2])
    >>> curve = precision_recall(ScoreCounts.of(truth, score))
    >>> curve.y
    array([1. , 1. , 0.5 , 0.6667])
    >>> curve.at(0.5), curve.at(0.75)  # 1 of 1 row, (1 + 0.5) of (2 + 0.5) rows
    (1.0, 0.6)
    """
    start = chosen("first", first, "limit", "one")
    if steps and corners:
        raise InputError("steps need every point: leave out corners")
    kind = STEPS if steps else CURVE
    if not counts.total_positives:
        return kind.empty(counts, NO_POSITIVE)
    at = points(counts, corners=corners)
    called = at.tp + at.fp
    precision = ratio(at.tp, called)
    empty = called == 0  # no row, or only rows of weight 0
    precision[empty] = 1.0 if start == "one" else precision[int(np.argmin(empty))]
    area = average_precision(counts) if steps else area_under_pr(counts)
    more = {"area": area, "columns": at.columns, "top": at.tp, "bottom": called}
    return kind.of(counts, at.tp / counts.total_positives, precision, at.threshold, **more)


def interpolated(curve: Curve) -> Curve:
    """The curve with points on its bent pieces, close enough to be joined by lines.

    Of counts a point at each positive of a tie (200 at most), as Davis and Goadrich have it;
    of weights, of lift and of many points, wherever a line would be seen to leave the curve.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.array([True, False, True, True]), np.array([0.8, 0.2, 0.2, 0.2])
    >>> interpolated(precision_recall(ScoreCounts.of(truth, score))).y  # 1/1, 1/1, 2/2.5, 3/4
    array([1. , 1. , 0.8 , 0.75])
    """
    if curve.is_empty or curve.between != "ratio":
        return curve
    assert curve.top is not None
    assert curve.bottom is not None
    is_counted = curve.top.dtype.kind == "i" and len(curve) <= MOST_STEPS
    placed = _at_positives if is_counted else _along_bends
    step, number, share = placed(curve)
    if len(step) == len(curve) - 1:
        return curve

    def spread(values: NDArray[Any]) -> NDArray[np.float64]:
        start = values[:-1].astype(float)[step]
        return np.append(start + share * np.diff(values.astype(float))[step], values[-1])

    inner = np.append(number > 0, False)
    top, bottom, x = spread(curve.top), spread(curve.bottom), spread(curve.x)
    own = np.append(curve.y[:-1][step], curve.y[-1])
    y = np.divide(top, bottom, out=own, where=inner)
    threshold = np.where(inner, np.nan, np.append(curve.threshold[:-1][step], curve.threshold[-1]))
    return replace(
        curve, x=x, y=y, threshold=threshold, top=top, bottom=bottom, columns={}, between="line"
    )


#: of each point: the step it lies in, its number there, how far along the step it lies
Placed = tuple["NDArray[np.int64]", "NDArray[np.int64]", "NDArray[np.float64]"]


def _at_positives(curve: Curve) -> Placed:
    """A point at each positive of a tie."""
    assert curve.top is not None
    assert curve.bottom is not None
    gained = np.diff(curve.top.astype(float))
    extra = np.clip(np.ceil(gained - 1e-9).astype(np.int64) - 1, 0, POINTS_OF_A_TIE - 1)
    extra[curve.bottom[:-1] == 0] = 0  # from nothing on precision is constant
    step, number = _numbered(extra)
    share = number / (extra[step] + 1)
    # precision moves most at the start of a tie, so points of a large one stand closest there
    large = (gained[step] > POINTS_OF_A_TIE) & (number > 0)
    share[large] = gained[step][large] ** (share[large] - 1)
    return step, number, share


def _along_bends(curve: Curve) -> Placed:
    """Points by equal factors of the bottom, which spread the bend of a ratio evenly.

    Where the bottom grows by a factor of r the ratio leaves the straight line by the share
    (sqrt(r) - 1) / (sqrt(r) + 1) of its change at most.
    """
    assert curve.bottom is not None
    start, stop = curve.bottom[:-1].astype(float), curve.bottom[1:].astype(float)
    grown = np.divide(stop, start, out=np.ones(len(start)), where=start > 0)
    change = np.abs(np.diff(curve.y)) / (float(curve.y.max()) or 1.0)
    root, growth = np.sqrt(grown), np.log(grown)
    bent = (change * (root - 1) / (root + 1) > BOW) & (np.diff(curve.x) > 0)
    # the same of each piece, of which the first has most of the change
    pieces = np.sqrt(change / (4 * BOW)) * np.maximum(growth, np.sqrt(growth))
    pieces = np.clip(np.ceil(pieces), 2, 2 * POINTS_OF_A_TIE)
    extra = np.where(bent, pieces - 1, 0).astype(np.int64)
    step, number = _numbered(extra)
    part = number / (extra[step] + 1)
    run = np.where(grown > 1, grown - 1, 1.0)[step]
    return step, number, np.where(number > 0, (grown[step] ** part - 1) / run, 0.0)


def _numbered(extra: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The step and the number within it of each point, with so many extra ones a step."""
    step = np.repeat(np.arange(len(extra)), extra + 1)
    return step, np.arange(len(step)) - np.repeat(np.cumsum(extra + 1) - (extra + 1), extra + 1)
