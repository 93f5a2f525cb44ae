"""The curves of a ranking, each declared by its axes: ROC, DET, gain, lift, precision-recall."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.nearest import chosen
from heldout.core.ratio import ratio
from heldout.curves.curve import Axis, CurveKind, prevalence_of
from heldout.curves.points import NO_POSITIVE, ONE_CLASS, Points, points
from heldout.measures.precision_recall import area_under_pr, average_precision
from heldout.tally.roc import area

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.core.arrays import Array, Floats, Integers
    from heldout.curves.curve import Curve
    from heldout.curves.points import Corners
    from heldout.tally.confusion import Binary
    from heldout.tally.scores import ScoreCounts


def _found(at: Points) -> Floats:
    """The share of all positives that is called positive."""
    return np.asarray(at.tp / at.tp[-1])


def _called(at: Points) -> Floats:
    """The share of all rows that is called positive."""
    return np.asarray((at.tp + at.fp) / (at.tp[-1] + at.fp[-1]))


#: what an axis of that name shows of the rows called positive; of a ratio its top and bottom
SHOWN: dict[str, Callable[[Points], Any]] = {
    "false_positive_rate": lambda at: at.fp / at.fp[-1],
    "false_negative_rate": lambda at: (at.tp[-1] - at.tp) / at.tp[-1],
    "sensitivity": _found,
    "recall": _found,
    "gain": _found,
    "fraction": _called,
    "lift": lambda at: (_found(at), _called(at)),
    "precision": lambda at: (at.tp, at.tp + at.fp),
}


@dataclass(frozen=True, slots=True)
class RankingCurve(CurveKind):
    """A curve with a point for each threshold; its axes say what is shown there.

    ``whole`` is the area under it; a curve ``of_both`` needs rows of both classes.
    """

    whole: Callable[[ScoreCounts], float] = lambda _: nan
    of_both: bool = False

    def draw(self, counts: ScoreCounts, corners: Corners = False, *, first: float = nan) -> Curve:
        """The curve of score counts; ``first``: the value of a ratio where no row is called."""
        if not counts.total_positives or (self.of_both and not counts.has_both):
            return self.empty(counts, ONE_CLASS if self.of_both else NO_POSITIVE)
        at = points(counts, corners=corners)
        x, y = (SHOWN[axis.name](at) for axis in (self.x_axis, self.y_axis))
        more: dict[str, Any] = {"area": self.whole(counts), "columns": at.columns}
        if isinstance(y, tuple):
            more["top"], more["bottom"] = y
            y, empty = ratio(*y), y[1] == 0  # no row, or only rows of weight 0
            y[empty] = y[int(np.argmin(empty))] if np.isnan(first) else first
        return self.of(counts, x, y, at.threshold, **more)


def point_of(curve: Curve, labels: Binary) -> tuple[float, float]:
    """Where labels that were predicted lie on the axes of a curve of a ranking.

    Examples
    --------
    >>> from heldout.tally.confusion import Binary
    >>> from heldout.tally.scores import ScoreCounts
    >>> curve = gain(ScoreCounts.of(np.array([True, False]), np.array([0.8, 0.2])))
    >>> point_of(curve, Binary(tp=1, fp=1))
    (1.0, 1.0)
    """
    tp, fp = np.array([labels.tp, labels.positives]), np.array([labels.fp, labels.negatives])
    at = Points(tp, fp, np.empty(0))
    shown = (SHOWN[axis.name](at) for axis in (curve.x_axis, curve.y_axis))
    x, y = (float((ratio(*v) if isinstance(v, tuple) else v)[0]) for v in shown)
    return x, y


FALSE_POSITIVE_RATE = Axis("false_positive_rate", "False positive rate (1 − specificity)")
SENSITIVITY = Axis("sensitivity", "Sensitivity (true positive rate)")
ROC = RankingCurve(
    "roc", "ROC curve", FALSE_POSITIVE_RATE, SENSITIVITY, "auc", whole=area, of_both=True
)
DET = RankingCurve(
    "det",
    "Detection error trade-off (DET) curve",
    Axis(FALSE_POSITIVE_RATE.name, "False positive rate (false alarms)"),
    Axis("false_negative_rate", "False negative rate (misses)"),
    whole=lambda counts: 1 - area(counts),
    of_both=True,
)


def _area_of_gain(counts: ScoreCounts) -> float:
    share = prevalence_of(counts)
    # a random positive lies below half of the positives and the share AUC of the negatives
    return share / 2 + (1 - share) * area(counts) if counts.has_both else 0.5


FRACTION = Axis("fraction", "Fraction of rows, highest scores first")
GAIN = RankingCurve(
    "gain",
    "Gain curve",
    FRACTION,
    Axis("gain", "Share of all positives among them (gain)"),
    whole=_area_of_gain,
)
LIFT = RankingCurve(
    "lift",
    "Lift curve",
    FRACTION,
    Axis("lift", "Lift (positives found / expected at random)"),
    between="ratio",
)
PRECISION_RECALL = RankingCurve(
    "pr",
    "Precision-recall curve",
    Axis("recall", "Recall (sensitivity)"),
    Axis("precision", "Precision (positive predictive value)"),
    "area_under_pr",
    "ratio",
    "first",
    whole=area_under_pr,
)
STEPS = replace(
    PRECISION_RECALL, measure="average_precision", between="step", whole=average_precision
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
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.array([True, False, True]), np.array([0.8, 0.5, 0.5])
    >>> curve = roc(ScoreCounts.of(truth, score))
    >>> list(curve.table())
    [(0.0, 0.0, inf, 0, 0, 2, 1), (0.0, 0.5, 0.8, 1, 0, 1, 1), (1.0, 1.0, 0.5, 2, 1, 0, 0)]
    >>> curve.area, curve.at(0.5)
    (0.75, 0.75)
    """
    return ROC.draw(counts, corners)


def det(counts: ScoreCounts, *, corners: Corners = False) -> Curve:
    """False negative rate against false positive rate, in falling threshold.

    The same points as the ROC curve's, as rates from 0 to 1; a chart shows both axes in normal
    deviates, in which normally distributed scores give a straight line.

    Notes
    -----
    Martin et al. (1997), Eurospeech 5:1895. The area is 1 - AUC.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> curve = det(ScoreCounts.of(np.array([False, True, False]), np.array([0.0, 0.5, 1.0])))
    >>> curve.x.tolist(), curve.y.tolist()
    ([0.0, 0.5, 0.5, 1.0], [1.0, 1.0, 0.0, 0.0])
    """
    return DET.draw(counts, corners)


def gain(counts: ScoreCounts, *, corners: Corners = False) -> Curve:
    """The share of all positives found in the fraction of rows with the highest scores.

    From (0, 0) to (1, 1), a point a distinct score; a tie is worked through in any order, so
    between points the line is straight. ``at(fraction)`` is the measure ``gain_at``.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 0.1])
    >>> gain(ScoreCounts.of(truth, score)).at(0.5)
    0.5
    """
    return GAIN.draw(counts, corners)


def lift(counts: ScoreCounts, *, corners: Corners = False) -> Curve:
    """How many times as many positives the top fraction holds as a random one of its size.

    Starts at the highest score, as of no rows there is no lift, and ends in 1. Between points
    it is the ratio of two straight lines; left of the first it keeps that one's value.
    ``at(fraction)`` is the measure ``lift_at``.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 0.1])
    >>> lift(ScoreCounts.of(truth, score)).y
    array([2. , 2. , 1. , 1.3333, 1. ])
    """
    return LIFT.draw(counts, corners)


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
    kind = STEPS if steps else PRECISION_RECALL
    return kind.draw(counts, corners, first=1.0 if start == "one" else nan)


#: a tie of more positives than this is drawn with this many points: no eye sees the rest
POINTS_OF_A_TIE = 200
#: and of more steps than this only those are bent that an eye sees to be
MOST_STEPS = 10_000
#: how far a line may leave the curve, as a share of its height
BOW = 1 / 2000


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

    def spread(values: Array) -> Floats:
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
Placed = tuple["Integers", "Integers", "Floats"]


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


def _numbered(extra: Integers) -> tuple[Integers, Integers]:
    """The step and the number within it of each point, with so many extra ones a step."""
    step = np.repeat(np.arange(len(extra)), extra + 1)
    return step, np.arange(len(step)) - np.repeat(np.cumsum(extra + 1) - (extra + 1), extra + 1)
