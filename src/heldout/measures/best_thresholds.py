"""What the best threshold of a set of scores reaches, and where two rates meet."""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.memo import once
from heldout.measures.registry import measure
from heldout.measures.thresholds import NO_POSITIVE, ONE_CLASS, at_score
from heldout.tally.hull import best_on_hull
from heldout.tally.roc import first_where, highest, top_rows
from heldout.tally.scores import ScoreCounts

__all__ = [
    "break_even_point",
    "equal_error_rate",
    "maximum_accuracy",
    "maximum_f",
    "maximum_mcc",
]


def _best_f(counts: ScoreCounts, beta: float) -> tuple[float, int]:
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


def _best_accuracy(counts: ScoreCounts) -> tuple[float, int]:
    if not counts.total:
        return nan, -1
    negatives, total = counts.total_negatives, counts.total
    value, position = best_on_hull(counts, lambda tp, fp: (tp + (negatives - fp)) / total)
    return min(value, 1.0), position


def _best_mcc(counts: ScoreCounts) -> tuple[float, int]:
    if not counts.has_both:
        return nan, -1
    return once(counts, "best mcc", _found_mcc)


def _found_mcc(counts: ScoreCounts) -> tuple[float, int]:
    positives, negatives = float(counts.total_positives), float(counts.total_negatives)

    def correlation(tp: Any, fp: Any) -> Any:
        called = tp + fp
        product = called * (positives + negatives - called)
        spread = np.sqrt(np.maximum(product, 0)) * np.sqrt(positives) * np.sqrt(negatives)
        return (tp * negatives - fp * positives) / np.where(spread > 0, spread, 1)

    value, position = highest(counts, correlation)
    return (min(value, 1.0), position) if value > 0 else (0.0, -1)


@measure(
    interval="basic",
    title="Maximum F",
    aliases=("f_max", "fmax", "max_f", "max_f1", "maximum_f1", "f1_max"),
    direction="up",
    bounds=(0, 1),
    formula=r"\max_t \frac{(1+\beta^2)\, TP_t}{(1+\beta^2)\, TP_t + \beta^2 FN_t + FP_t}",
    undefined=NO_POSITIVE,
    reference="Lipton, Elkan & Naryanaswamy (2014), ECML PKDD, LNCS 8725:225",
    note=lambda counts, **given: at_score(counts, *_best_f(counts, **given)),
)
def maximum_f(counts: ScoreCounts, *, beta: float = 1.0) -> float:
    """The F score at the threshold that is best for it: an optimistic value.

    The threshold is chosen on the same rows that judge it.

    Examples
    --------
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 0.1])
    >>> maximum_f(ScoreCounts.of(truth, score))
    0.8
    """
    return _best_f(counts, beta)[0]


@measure(
    interval="basic",
    title="Maximum accuracy",
    aliases=("max_accuracy", "max_acc", "accuracy_max", "best_accuracy"),
    direction="up",
    bounds=(0, 1),
    formula=r"\max_t \frac{TP_t + TN_t}{n}",
    undefined="there are no rows",
    reference="Sing et al. (2005), Bioinformatics 21:3940",
    note=lambda counts: at_score(counts, *_best_accuracy(counts)),
)
def maximum_accuracy(counts: ScoreCounts) -> float:
    """The accuracy at the threshold that is best for it: an optimistic value.

    To call no row positive is one of the thresholds.

    Examples
    --------
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 0.1])
    >>> maximum_accuracy(ScoreCounts.of(truth, score))
    0.75
    """
    return _best_accuracy(counts)[0]


@measure(
    interval="basic",
    title="Maximum Matthews correlation",
    aliases=("max_mcc", "mcc_max", "maximum_phi", "phi_max", "max_phi"),
    direction="up",
    bounds=(0, 1),
    formula=r"\max_t \frac{TP_t TN_t - FP_t FN_t}{\sqrt{P N (TP_t + FP_t)(TN_t + FN_t)}}",
    undefined=ONE_CLASS,
    reference="Matthews (1975), Biochim. Biophys. Acta 405:442",
    note=lambda counts: at_score(counts, *_best_mcc(counts)),
)
def maximum_mcc(counts: ScoreCounts) -> float:
    """Matthews' correlation at the threshold that is best for it: an optimistic value.

    Calling all rows, or none, positive counts as 0.

    Examples
    --------
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 0.1])
    >>> maximum_mcc(ScoreCounts.of(truth, score))
    0.5774
    """
    return _best_mcc(counts)[0]


@measure(
    title="Precision-recall break-even point",
    aliases=("prbe", "pr_break_even", "r_precision", "breakeven"),
    direction="up",
    bounds=(0, 1),
    formula=r"P_t = R_t \text{ where } TP_t + FP_t = P",
    undefined=NO_POSITIVE,
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
    title="Equal error rate",
    aliases=("eer", "crossover_error_rate", "equal_error"),
    direction="down",
    bounds=(0, 1),
    formula=r"\mathrm{FPR}_t \text{ where } \mathrm{FPR}_t = \mathrm{FNR}_t",
    undefined=ONE_CLASS,
    reference="Martin et al. (1997), Eurospeech, 1895",
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
