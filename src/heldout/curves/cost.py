"""The cost curve: what errors cost at best, for every pair of costs and every prevalence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.core.errors import InputError
from heldout.curves.curve import Axis, CurveKind
from heldout.curves.hull import hull_curve, trapezoids
from heldout.curves.points import ONE_CLASS
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from heldout.curves.curve import Curve
    from heldout.tally.confusion import Binary

PROBABILITY_COST = Axis("probability_cost", "Probability cost of the positive class")
EXPECTED_COST = Axis("expected_cost", "Normalised expected cost")
COST = CurveKind("cost", "Cost curve", PROBABILITY_COST, EXPECTED_COST)
LINE = CurveKind("cost", "Cost line", PROBABILITY_COST, EXPECTED_COST)


def cost(counts: ScoreCounts) -> Curve:
    """The lowest expected cost that any threshold reaches, against the probability cost.

    The probability cost is p c / (p c + (1 - p) d), where p is the share of positives where
    the model is used, c the cost of a false negative and d that of a false positive. The
    expected cost is relative to that of getting every row wrong. Each threshold is a straight
    line, from its false positive rate at 0 to its false negative rate at 1; the curve is the
    lower envelope of all of them, and ``threshold`` is the best one from each point on to the
    next. Calling no row, or every row, positive costs min(x, 1 - x).

    Notes
    -----
    Drummond & Holte (2006), Mach. Learn. 65:95. The lines are the vertices of the ROC hull.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.5, 0.3, 0.1])
    >>> curve = cost(ScoreCounts.of(truth, score))
    >>> list(curve.table())
    [(0.0, 0.0, 0.9), (0.5, 0.25, 0.3), (1.0, 0.0, 0.1)]
    """
    if not counts.has_both:
        return COST.empty(counts, ONE_CLASS)
    vertex = hull_curve(counts)
    run, rise = np.diff(vertex.x), np.diff(vertex.y)
    # neighbours on the hull cost the same at one probability cost, which rises along the hull
    x = np.concatenate([[0.0], run / (run + rise), [1.0]])
    best = np.concatenate([np.arange(len(vertex)), [len(vertex) - 1]])
    y = (1 - vertex.y[best]) * x + vertex.x[best] * (1 - x)
    kept = np.append(np.diff(x) > 0, True)  # the last of several at one x is best from there
    x, y = x[kept], y[kept]
    return COST.of(counts, x, y, vertex.threshold[best][kept], area=trapezoids(x, y))


def cost_line(binary: Binary) -> Curve:
    """The straight line of one classifier: its false positive rate at 0, its misses at 1.

    Examples
    --------
    >>> from heldout.tally.confusion import Binary
    >>> cost_line(Binary(tp=3, fp=1, fn=1, tn=1)).y.tolist()
    [0.5, 0.25]
    """
    if not binary.positives or not binary.negatives:
        return LINE.empty(ScoreCounts(), ONE_CLASS)
    ends = np.array([binary.fp / binary.negatives, binary.fn / binary.positives])
    return LINE.of(ScoreCounts(), np.array([0.0, 1.0]), ends, area=float(ends.mean()))


def probability_cost(
    prevalence: float, false_negative: float = 1, false_positive: float = 1
) -> float:
    """Where on the cost curve a prevalence and the costs of the two errors lie.

    Examples
    --------
    >>> probability_cost(0.1, false_negative=9, false_positive=1)
    0.5
    """
    if not 0 <= prevalence <= 1 or false_negative < 0 or false_positive < 0:
        raise InputError("a prevalence must be between 0 and 1, and costs must not be negative")
    missed, called = prevalence * false_negative, (1 - prevalence) * false_positive
    if not missed + called:
        raise InputError("no error costs anything there: no cost curve says what is best")
    return missed / (missed + called)
