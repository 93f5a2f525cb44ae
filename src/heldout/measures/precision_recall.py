"""The precision-recall curve, and the best that any threshold of a ranking reaches."""

from __future__ import annotations

from functools import partial
from math import fsum, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.memo import once
from heldout.core.nearest import chosen
from heldout.core.ratio import ratio
from heldout.core.sums import sum_of_products
from heldout.core.threads import blocks
from heldout.measures.kinds import Maximum
from heldout.measures.ranking import NO_POSITIVE, ONE_CLASS, Placed, reached
from heldout.measures.registry import measure
from heldout.tally.hull import best_on_hull
from heldout.tally.roc import first_where, highest, top_rows
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from heldout.core.arrays import Array, Floats, Integers
    from heldout.tally.scores import ScoreParts

#: of more scores both areas are found in one pass; of fewer, thousands of times in a bootstrap,
#: each by itself
SHORT = 20_000


#: what needs rows of the positive class
of_positives = partial(
    measure, direction="up", bounds=(0, 1), undefined=NO_POSITIVE, needs_classes=(1,)
)


def precision_of_parts(parts: ScoreParts) -> Floats:
    """The average precision of each part."""
    true = parts.tp.astype(np.float64)
    precision = ratio(true, parts.fp + true)
    at_positives = np.where(parts.positives > 0, parts.positives * precision, 0.0)
    return np.minimum(ratio(parts.sums(at_positives), parts.total_positives), 1.0)


@of_positives(
    aliases=("ap", "avg_precision", "average_precision_score", "prc_area"),
    formula=r"\sum_k (R_k - R_{k-1})\, P_k",
    reference="Boyd, Eng & Page (2013), ECML PKDD, LNCS 8190:451",
    headline=("binary",),
    of_parts=precision_of_parts,
)
def average_precision(counts: ScoreCounts) -> float:
    """The mean precision at the scores of the positive rows, ties taken together.

    The area under the precision-recall curve in steps, without interpolation, as scikit-learn
    defines it; Weka's PRC area is the same number. A constant score has the prevalence.

    Examples
    --------
    >>> truth, score = np.array([True, False, True]), np.array([0.8, 0.5, 0.2])
    >>> average_precision(ScoreCounts.of(truth, score))
    0.8333
    """
    if len(counts.score) <= SHORT:
        return _of_positives(_area_of_steps(counts), counts)
    return _of_positives(once(counts, "precision sums", _sums)[0], counts)


@of_positives(
    title="Area under the precision-recall curve",
    aliases=("pr_auc", "auprc", "auc_pr", "aucpr", "auc_prc", "davis_goadrich"),
    formula=r"\int_0^1 P(R)\, dR",
    reference="Davis & Goadrich (2006), ICML 23:233;"
    " Keilwagen, Grosse & Grau (2014), PLoS ONE 9:e92209",
    weight_scale=True,
)
def area_under_pr(counts: ScoreCounts, *, interpolation: str = "davis-goadrich") -> float:
    """The area under precision against recall, drawn as the ROC curve between two points is.

    Parameters
    ----------
    interpolation
        ``davis-goadrich``: where several positives share a score, false positives are spread
        evenly over them and each is a point; straight lines between points; precision left of
        the first point is that of the first point (R's PRROC, where weights are a number of
        rows: here their unit matters, and ``integral`` is free of it). ``integral``: the same
        without points, continuous (PRROC's auc.integral).
        ``trapezoid``: straight lines between the precisions at the thresholds, from precision
        1 at recall 0 (yardstick's pr_auc): too high where scores tie. ``upper``: straight
        lines through the best precision at each recall only (ROCR's aucpr): too high.

    Examples
    --------
    >>> truth, score = np.array([True, False, True]), np.array([0.8, 0.5, 0.2])
    >>> area_under_pr(ScoreCounts.of(truth, score))
    0.7917
    """
    drawn = DRAWN[chosen("interpolation", interpolation, *DRAWN)]
    return _of_positives(drawn(counts), counts)


def _of_positives(total: float, counts: ScoreCounts) -> float:
    # weights are summed in another order than in the total: at most a rounding over 1
    return min(total / counts.total_positives, 1.0) if counts.total_positives else nan


def _start(counts: ScoreCounts) -> int:
    """The first score that has rows with weight: before it there is no precision."""
    return first_where(
        len(counts.score), lambda i: bool(counts.tp[i] > 0) or bool(counts.fp[i] > 0)
    )


def _area_of_steps(counts: ScoreCounts) -> float:
    """Precision summed over positives at their own scores, of a short ranking."""
    here = slice(_start(counts), None)
    true = counts.tp[here].astype(np.float64)
    return sum_of_products(
        counts.positives[here].astype(np.float64), true / (counts.fp[here] + true)
    )


def _sums(counts: ScoreCounts) -> tuple[float, float]:
    """Precision summed over positives: at their own scores, and by Davis and Goadrich's lines."""
    stepped, drawn = [], []
    start = _start(counts)
    last: Any = None
    for part in blocks(len(counts.score) - start):
        here = slice(start + part.start, start + part.stop)
        gained = counts.positives[here].astype(np.float64)
        precision = counts.tp[here].astype(np.float64)
        rows = counts.fp[here].astype(np.float64)
        rows += precision
        precision /= rows
        own = sum_of_products(gained, precision)
        stepped.append(own)
        last = precision[0] if last is None else last
        before = gained[0] * last + sum_of_products(gained[1:], precision[:-1])
        drawn.append((own + float(before)) / 2)
        last = precision[-1]
        several = np.flatnonzero(gained > 1)
        if len(several):
            drawn.append(_area_of_curve(counts, several + here.start))
    return fsum(stepped), fsum(drawn)


def _area_of_curve(counts: ScoreCounts, where: Integers) -> float:
    """What a point at each positive of a tie adds to the straight line over that tie."""
    step = _Steps(counts, where)
    whole = np.floor(step.gained)
    rest = step.gained - whole  # of a weight that is not a number of rows
    points = step.area(whole, _unit_trapezoids(step.offset, whole))
    at_whole = (step.tp + whole) / (step.rows + step.slope * whole)
    points += rest * (at_whole + step.precision_after) / 2
    line = step.gained * (step.precision_before + step.precision_after) / 2
    return float(np.sum(points - line))


def _integral(counts: ScoreCounts) -> float:
    """Precision summed over positives, continuously along the ROC curve."""
    sums = []
    for part in blocks(len(counts.score)):
        where = part.start + np.flatnonzero(counts.positives[part] > 0)
        step = _Steps(counts, where)
        sums.append(float(np.sum(step.area(step.gained, np.log1p(step.gained / step.offset)))))
        if len(where) > len(step.gained):  # the first, whose precision is constant
            first = where[0]
            sums.append(float(counts.positives[first] * _precision(counts, where[:1])[0]))
    return fsum(sums)


class _Steps:
    """Steps of the curve that do not start in the origin, as precision runs along them.

    After x of the gained positives, precision is (tp + x) / (rows + slope x), which is
    (1 + (tp - offset) / (x + offset)) / slope.
    """

    def __init__(self, counts: ScoreCounts, where: Integers) -> None:
        gained = counts.positives[where].astype(np.float64)
        joined = gained + counts.negatives[where]
        after = counts.tp[where].astype(np.float64) + counts.fp[where]
        inner = np.flatnonzero(where > _start(counts))
        # not the difference of what comes after, in which a small weight would be lost
        before = where[inner] - 1
        self.gained, self.tp = gained[inner], counts.tp[before].astype(np.float64)
        self.rows = self.tp + counts.fp[before]
        self.slope = joined[inner] / self.gained
        self.offset = self.rows / self.slope
        self.precision_before = self.tp / self.rows
        self.precision_after = (self.tp + self.gained) / after[inner]

    def area(self, width: Any, inverse: Any) -> Any:
        """The area over a width, given that of 1 / (x + offset)."""
        return (width + (self.tp - self.offset) * inverse) / self.slope


#: Bernoulli numbers B(2k) / 2k of the Euler-Maclaurin formula
BERNOULLI = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132)
#: from here on five terms of it are exact to the last digit
ASYMPTOTIC = 20.0


def _unit_trapezoids(offset: Array, width: Array) -> Array:
    """The sum of trapezoids of width 1 under 1 / (x + offset), x from 0 to a whole width.

    Examples
    --------
    >>> _unit_trapezoids(np.array([1.0]), np.array([2.0]))  # (1 + 1/2) / 2 + (1/2 + 1/3) / 2
    array([1.1666667])
    """
    total = np.zeros(len(offset))
    offset, width = offset.copy(), width.copy()
    while len(near := np.flatnonzero((offset < ASYMPTOTIC) & (width > 0))):
        total[near] += (1 / offset[near] + 1 / (offset[near] + 1)) / 2
        offset[near] += 1
        width[near] -= 1
    total += np.log1p(width / offset)
    for end, sign in ((offset, 1), (offset + width, -1)):
        inverse = 1 / (end * end)
        series = np.zeros(len(end))
        for factor in reversed(BERNOULLI):
            series = inverse * (factor + series)
        total += sign * series
    return total


def _precision(counts: ScoreCounts, where: Any) -> Floats:
    tp = counts.tp[where].astype(np.float64)
    return np.asarray(tp / (tp + counts.fp[where]))


def _straight(counts: ScoreCounts) -> float:
    """Precision summed over positives along straight lines, from precision 1 at recall 0."""
    return _lines(counts, np.arange(_start(counts), len(counts.score)))


def _upper(counts: ScoreCounts) -> float:
    """The same through the scores that have positives: before them precision only falls."""
    return _lines(counts, np.flatnonzero(counts.positives > 0))


def _lines(counts: ScoreCounts, where: Integers) -> float:
    precision = np.append(1.0, _precision(counts, where))
    both = precision[1:] + precision[:-1]
    return float(sum_of_products(counts.positives[where], both)) / 2


DRAWN = {
    "davis-goadrich": lambda counts: once(counts, "precision sums", _sums)[1],
    "integral": _integral,
    "trapezoid": _straight,
    "upper": _upper,
}


def _found_mcc(counts: ScoreCounts) -> tuple[float, int]:
    positives, negatives = float(counts.total_positives), float(counts.total_negatives)

    def correlation(tp: Any, fp: Any) -> Any:
        called = tp + fp
        product = called * (positives + negatives - called)
        spread = np.sqrt(np.maximum(product, 0)) * np.sqrt(positives) * np.sqrt(negatives)
        return (tp * negatives - fp * positives) / np.where(spread > 0, spread, 1)

    value, position = highest(counts, correlation)
    return (min(value, 1.0), position) if value > 0 else (0.0, -1)


#: the best of thresholds
best_of = partial(reached, kind=Maximum("thresholds"), direction="up", bounds=(0, 1))


@best_of(
    title="Maximum F",
    undefined=NO_POSITIVE,
    needs_classes=(1,),
    aliases=("f_max", "fmax", "max_f", "max_f1", "maximum_f1", "f1_max"),
    formula=r"\max_t \frac{(1+\beta^2)\, TP_t}{(1+\beta^2)\, TP_t + \beta^2 FN_t + FP_t}",
    reference="Lipton, Elkan & Naryanaswamy (2014), ECML PKDD, LNCS 8725:225",
    says_default=False,
)
def maximum_f(counts: ScoreCounts, *, beta: float = 1.0) -> Placed:
    """The F score at the threshold that is best for it: an optimistic value.

    The threshold is chosen on the same rows that judge it.

    Examples
    --------
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 0.1])
    >>> maximum_f(ScoreCounts.of(truth, score))
    (0.8, 2)
    """
    if not 0 <= beta < float("inf"):
        raise InputError(f"beta={beta:g}: a number of 0 or more is needed")
    if not counts.total_positives:
        return nan, -1
    square = beta * beta
    misses = square * counts.total_positives

    def f_score(tp: Any, fp: Any) -> Any:
        called = tp + fp + misses
        return (1 + square) * tp / np.where(called > 0, called, 1)  # nobody is called: 0

    return best_on_hull(counts, f_score)


@best_of(
    aliases=("max_accuracy", "max_acc", "accuracy_max", "best_accuracy"),
    formula=r"\max_t \frac{TP_t + TN_t}{n}",
    undefined="there are no rows",
    reference="Sing et al. (2005), Bioinformatics 21:3940",
)
def maximum_accuracy(counts: ScoreCounts) -> Placed:
    """The accuracy at the threshold that is best for it: an optimistic value.

    To call no row positive is one of the thresholds.

    Examples
    --------
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 0.1])
    >>> maximum_accuracy(ScoreCounts.of(truth, score))
    (0.75, 0)
    """
    if not counts.total:
        return nan, -1
    negatives, total = counts.total_negatives, counts.total
    value, position = best_on_hull(counts, lambda tp, fp: (tp + (negatives - fp)) / total)
    return min(value, 1.0), position


@best_of(
    title="Maximum Matthews correlation",
    aliases=("max_mcc", "mcc_max", "maximum_phi", "phi_max", "max_phi"),
    formula=r"\max_t \frac{TP_t TN_t - FP_t FN_t}{\sqrt{P N (TP_t + FP_t)(TN_t + FN_t)}}",
    undefined=ONE_CLASS,
    reference="Matthews (1975), Biochim. Biophys. Acta 405:442",
    needs_classes=(0, 1),
)
def maximum_mcc(counts: ScoreCounts) -> Placed:
    """Matthews' correlation at the threshold that is best for it: an optimistic value.

    Calling all rows, or none, positive counts as 0.

    Examples
    --------
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 0.1])
    >>> maximum_mcc(ScoreCounts.of(truth, score))
    (0.5774, 0)
    """
    if not counts.has_both:
        return nan, -1
    return once(counts, "best mcc", _found_mcc)


@of_positives(
    title="Precision-recall break-even point",
    aliases=("prbe", "pr_break_even", "r_precision", "breakeven"),
    formula=r"P_t = R_t \text{ where } TP_t + FP_t = P",
    reference="Joachims (2005), ICML 22:377",
)
def break_even_point(counts: ScoreCounts) -> float:
    """Precision and recall where they are equal: as many rows called positive as are positive.

    Where a tie of scores lies across that border, its rows are shared in proportion, which is
    the mean over all orders of the tie. Also called R-precision.

    Examples
    --------
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 0.1])
    >>> break_even_point(ScoreCounts.of(truth, score))
    0.5
    """
    positives = counts.total_positives
    return min(top_rows(counts, positives) / positives, 1.0) if positives else nan


@measure(
    aliases=("eer", "crossover_error_rate", "equal_error"),
    direction="down",
    bounds=(0, 1),
    formula=r"\mathrm{FPR}_t \text{ where } \mathrm{FPR}_t = \mathrm{FNR}_t",
    undefined=ONE_CLASS,
    reference="Martin et al. (1997), Eurospeech, 1895",
    needs_classes=(0, 1),
)
def equal_error_rate(counts: ScoreCounts) -> float:
    """The false positive rate where it equals the false negative rate, on the ROC curve.

    Between two thresholds the curve is a straight line, so the point is unique; torchmetrics
    takes the nearest threshold and the mean of its two rates instead.

    Examples
    --------
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 0.1])
    >>> equal_error_rate(ScoreCounts.of(truth, score))
    0.5
    """
    if not counts.has_both:
        return nan
    positives, negatives = counts.total_positives, counts.total_negatives
    goal = positives * negatives

    def reached(position: int) -> Any:
        return counts.tp[position].item() * negatives + counts.fp[position].item() * positives

    at = first_where(len(counts.score), lambda i: bool(reached(i) >= goal))
    fp = counts.fp[at].item() - counts.negatives[at].item()
    tp = counts.tp[at].item() - counts.positives[at].item()
    before = tp * negatives + fp * positives
    share = (goal - before) / (reached(at) - before)
    return min(float(fp + share * counts.negatives[at].item()) / negatives, 1.0)
