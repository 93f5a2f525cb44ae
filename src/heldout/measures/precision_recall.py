"""Areas under the precision-recall curve: by steps, and by three ways to draw between points."""

from __future__ import annotations

from math import fsum, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.memo import once
from heldout.core.sums import sum_of_products
from heldout.core.threads import blocks
from heldout.measures.choices import chosen
from heldout.measures.registry import measure
from heldout.measures.thresholds import NO_POSITIVE
from heldout.tally.roc import first_where
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["area_under_pr", "average_precision"]

#: of more scores both areas are found in one pass; of fewer, thousands of times in a bootstrap,
#: each by itself
SHORT = 20_000


@measure(
    title="Average precision",
    aliases=("ap", "avg_precision", "average_precision_score", "prc_area"),
    direction="up",
    bounds=(0, 1),
    formula=r"\sum_k (R_k - R_{k-1})\, P_k",
    undefined=NO_POSITIVE,
    reference="Boyd, Eng & Page (2013), ECML PKDD, LNCS 8190:451",
    headline=("binary",),
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
        return _of_positives(_stepped(counts), counts)
    return _of_positives(once(counts, "precision sums", _sums)[0], counts)


@measure(
    title="Area under the precision-recall curve",
    aliases=("pr_auc", "auprc", "auc_pr", "aucpr", "auc_prc", "davis_goadrich"),
    direction="up",
    bounds=(0, 1),
    formula=r"\int_0^1 P(R)\, dR",
    undefined=NO_POSITIVE,
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


def _stepped(counts: ScoreCounts) -> float:
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
            drawn.append(_curved(counts, several + here.start))
    return fsum(stepped), fsum(drawn)


def _curved(counts: ScoreCounts, where: NDArray[np.int64]) -> float:
    """What a point at each positive of a tie adds to the straight line over that tie."""
    step = _Steps(counts, where)
    whole = np.floor(step.gained)
    rest = step.gained - whole  # of a weight that is no number of rows
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

    def __init__(self, counts: ScoreCounts, where: NDArray[np.int64]) -> None:
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


def _unit_trapezoids(offset: NDArray[Any], width: NDArray[Any]) -> NDArray[Any]:
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


def _precision(counts: ScoreCounts, where: Any) -> NDArray[np.float64]:
    tp = counts.tp[where].astype(np.float64)
    return np.asarray(tp / (tp + counts.fp[where]))


def _straight(counts: ScoreCounts) -> float:
    """Precision summed over positives along straight lines, from precision 1 at recall 0."""
    return _lines(counts, np.arange(_start(counts), len(counts.score)))


def _upper(counts: ScoreCounts) -> float:
    """The same through the scores that have positives: before them precision only falls."""
    return _lines(counts, np.flatnonzero(counts.positives > 0))


def _lines(counts: ScoreCounts, where: NDArray[np.int64]) -> float:
    precision = np.append(1.0, _precision(counts, where))
    both = precision[1:] + precision[:-1]
    return float(sum_of_products(counts.positives[where], both)) / 2


DRAWN = {
    "davis-goadrich": lambda counts: once(counts, "precision sums", _sums)[1],
    "integral": _integral,
    "trapezoid": _straight,
    "upper": _upper,
}
