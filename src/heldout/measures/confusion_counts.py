"""Odds, counts and tests of a confusion matrix."""

from __future__ import annotations

from functools import partial
from math import inf, nan
from typing import Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.nearest import chosen
from heldout.core.ratio import ratio
from heldout.measures.kinds import Count, TestStatistic
from heldout.measures.products import choose, open_ratio, real
from heldout.measures.registry import declare, measure
from heldout.tally.confusion import Binary, Confusion

DEEKS = "Deeks and Altman (2004), BMJ 329:168"


@measure(
    aliases=("lr_plus", "plr", "likelihood_ratio_positive"),
    direction="up",
    bounds=(0, inf),
    formula=r"\frac{TP / (TP + FN)}{FP / (FP + TN)}",
    undefined="all rows are of one class, or none is predicted positive",
    reference=DEEKS,
)
def positive_likelihood_ratio(b: Binary) -> Any:
    """How many times as often a positive is predicted positive as a negative is.

    Infinite where some positives and no negative are predicted positive.

    Examples
    --------
    >>> positive_likelihood_ratio(Binary(tp=6, fp=2, fn=2, tn=8))
    3.75
    >>> positive_likelihood_ratio(Binary(tp=6, fp=0, fn=2, tn=8))
    inf
    """
    return open_ratio(real(b.tp) * real(b.negatives), real(b.fp) * real(b.positives))


@measure(
    aliases=("lr_minus", "nlr", "likelihood_ratio_negative"),
    direction="down",
    bounds=(0, inf),
    formula=r"\frac{FN / (TP + FN)}{TN / (FP + TN)}",
    undefined="all rows are of one class, or none is predicted negative",
    reference=DEEKS,
)
def negative_likelihood_ratio(b: Binary) -> Any:
    """How many times as often a positive is predicted negative as a negative is.

    Infinite where some positives and no negative are predicted negative.

    Examples
    --------
    >>> negative_likelihood_ratio(Binary(tp=6, fp=2, fn=2, tn=8))
    0.3125
    """
    return open_ratio(real(b.fn) * real(b.negatives), real(b.tn) * real(b.positives))


@measure(
    aliases=("dor", "odds_ratio", "odds"),
    direction="up",
    bounds=(0, inf),
    formula=r"\frac{TP \cdot TN}{FP \cdot FN}",
    undefined="all rows are of one class or are predicted as one class",
    reference="Glas et al. (2003), J. Clin. Epidemiol. 56:1129",
    symmetric=True,
)
def diagnostic_odds_ratio(b: Binary) -> Any:
    """Odds of a positive prediction among positives over those among negatives.

    Infinite where one kind of error does not occur and both classes are sometimes right.

    Examples
    --------
    >>> diagnostic_odds_ratio(Binary(tp=6, fp=2, fn=2, tn=8))
    12.0
    >>> diagnostic_odds_ratio(Binary(tp=6, fp=0, fn=2, tn=8))
    inf
    """
    return open_ratio(real(b.tp) * real(b.tn), real(b.fp) * real(b.fn))


@measure(
    aliases=("lift_value",),
    direction="up",
    bounds=(0, inf),
    formula=r"\frac{TP / (TP + FP)}{(TP + FN) / n}",
    undefined="no row is positive, or none is predicted positive",
    reference="Piatetsky-Shapiro and Masand (1999), KDD, 185",
    reaches_best=False,
)
def lift(b: Binary) -> Any:
    """How many times as frequent positives are among predicted positives as in all rows.

    Examples
    --------
    >>> lift(Binary(tp=4, fp=1, fn=1, tn=4))
    1.6
    """
    return ratio(real(b.tp) * real(b.total), real(b.predicted_positives) * real(b.positives))


FAWCETT = "Fawcett (2006), Pattern Recognit. Lett. 27:861"
WITTEN = "Witten, Frank and Hall (2011), Data Mining, 3rd ed."


#: counts of rows
count = partial(declare, module=__name__, needs=(Binary,), bounds=(0, inf))
count_of_all = partial(count, needs=(Confusion,))


count(
    "true_positives",
    "Positive rows that are predicted positive.",
    kind=Count("tp"),
    aliases=("tp", "hits"),
    direction="up",
    formula=r"TP",
    reference=FAWCETT,
    reaches_best=False,
    example=((6, 2, 3, 9), 6),
)

count(
    "false_positives",
    "Negative rows that are predicted positive.",
    kind=Count("fp"),
    aliases=("fp", "false_alarms"),
    direction="down",
    formula=r"FP",
    reference=FAWCETT,
    example=((6, 2, 3, 9), 2),
)

count(
    "false_negatives",
    "Positive rows that are predicted negative.",
    kind=Count("fn"),
    aliases=("fn", "misses"),
    direction="down",
    formula=r"FN",
    reference=FAWCETT,
    example=((6, 2, 3, 9), 3),
)

count(
    "true_negatives",
    "Negative rows that are predicted negative.",
    kind=Count("tn"),
    aliases=("tn", "correct_rejections"),
    direction="up",
    formula=r"TN",
    reference=FAWCETT,
    reaches_best=False,
    example=((6, 2, 3, 9), 9),
)

count(
    "positives",
    "Rows whose truth is positive.",
    kind=Count("positives"),
    aliases=("support", "condition_positives"),
    direction="none",
    formula=r"P = TP + FN",
    reference=FAWCETT,
    example=((6, 2, 3, 9), 9),
)

count(
    "negatives",
    "Rows whose truth is negative.",
    kind=Count("negatives"),
    aliases=("condition_negatives",),
    direction="none",
    formula=r"N = FP + TN",
    reference=FAWCETT,
    example=((6, 2, 3, 9), 11),
)

count_of_all(
    "correct",
    "Rows whose predicted class is the true one.",
    kind=Count("correct"),
    title="Correct predictions",
    aliases=("correctly_classified",),
    direction="up",
    formula=r"\sum_k n_{kk}",
    reference=WITTEN,
    reaches_best=False,
    example=(((5, 1), (2, 2)), 7),
)

count_of_all(
    "incorrect",
    "Rows whose predicted class is not the true one.",
    kind=Count("wrong"),
    title="Incorrect predictions",
    aliases=("incorrectly_classified", "mistakes"),
    direction="down",
    formula=r"n - \sum_k n_{kk}",
    reference=WITTEN,
    example=(((5, 1), (2, 2)), 3),
)

count_of_all(
    "row_count",
    "Number of evaluated rows, or their total weight.",
    kind=Count("total"),
    title="Rows",
    aliases=("rows", "n", "number_of_rows"),
    direction="none",
    formula=r"n",
    reference=WITTEN,
    example=(((5, 1), (2, 2)), 10),
)


@measure(
    kind=TestStatistic(),
    title="P value of accuracy against the no-information rate",
    aliases=("accuracy_p_value", "p_value_acc_nir", "nir_p_value"),
    direction="none",
    bounds=(0, 1),
    formula=r"P(X \ge \sum_k n_{kk}),\quad X \sim \mathrm{Bin}(n, \max_k n_{k\cdot} / n)",
    undefined="there are no rows, or weights make counts that are not whole numbers",
    reference="Kuhn (2008), J. Stat. Softw. 28(5)",
)
def no_information_p_value(c: Confusion) -> Any:
    """Probability of so many hits or more if accuracy were the no-information rate.

    The exact one-sided binomial test; it takes the share of the largest class as known.

    Examples
    --------
    >>> no_information_p_value(Confusion.from_matrix([[2, 0], [0, 2]]))
    0.0625
    """
    from heldout.core.special import betainc

    total, hits = np.asarray(real(c.total)), np.asarray(real(c.correct))
    rate = ratio(np.max(real(c.actual), axis=-1, initial=0.0), total[()])
    # P(X >= x) of a binomial is an incomplete beta function of x and n - x + 1
    tail = betainc(np.maximum(hits, 1.0), np.maximum(total - hits, 0.0) + 1.0, rate)
    return choose(_is_whole(c), choose(hits > 0, tail, choose(total > 0, 1.0, nan)), nan)


@measure(
    kind=TestStatistic(),
    title="P value of McNemar's (Bowker's) test",
    aliases=("mcnemar", "mcnemar_p", "bowker_p_value"),
    direction="none",
    bounds=(0, 1),
    formula=r"P(\chi^2_m \ge \sum_{i<j} \frac{(n_{ij} - n_{ji})^2}{n_{ij} + n_{ji}})",
    undefined="no error was made, or weights make counts that are not whole numbers",
    reference="McNemar (1947), Psychometrika 12:153; Bowker (1948), J. Am. Stat. Assoc. 43:572",
)
def mcnemar_p_value(c: Confusion, *, method: str = "corrected") -> Any:
    """P value of the hypothesis that errors are equally frequent in both directions.

    It asks whether predictions favour a class, not whether they are good. Two classes give
    McNemar's test, more give Bowker's; pairs of classes that are never confused have no
    degree of freedom.

    Parameters
    ----------
    method
        For two classes: ``corrected`` (for continuity), ``plain``, or ``exact`` (binomial).

    Examples
    --------
    >>> mcnemar_p_value(Confusion.from_matrix([[5, 6], [6, 5]]))
    1.0
    >>> mcnemar_p_value(Confusion.from_matrix([[5, 4], [0, 5]]), method="exact")
    0.125
    """
    from heldout.core.special import betainc, gammaincc

    method = chosen("method", method, "corrected", "plain", "exact")
    difference, together = _pairs(c)
    if method == "exact":
        if c.classes != 2:
            raise InputError(f"the exact test of McNemar is for 2 classes, not {c.classes}")
        together, difference = together.sum(axis=-1), np.abs(difference.sum(axis=-1))
        fewer = (together - difference) / 2
        tail = betainc(together - fewer, fewer + 1, 0.5)
        return choose(_is_whole(c) & (together > 0), np.minimum(2 * tail, 1.0), nan)
    correction = float(method == "corrected" and c.classes == 2)
    distance = np.maximum(np.abs(difference) - correction, 0.0)
    statistic = np.where(together > 0, ratio(distance**2, together), 0.0).sum(axis=-1)
    freedom = (together > 0).sum(axis=-1)
    value = gammaincc(np.maximum(freedom, 1) / 2, statistic / 2)
    return choose(_is_whole(c) & (freedom > 0), value, nan)


@measure(
    kind=TestStatistic(),
    title="Chi-squared statistic",
    aliases=("chisq", "chi2", "chi_square", "pearson_chi_squared"),
    direction="none",
    bounds=(0, inf),
    formula=r"\sum_{ij} \frac{(n_{ij} - n_{i\cdot} n_{\cdot j} / n)^2}{n_{i\cdot} n_{\cdot j} / n}",
    undefined="all rows are of one class or are predicted as one class",
    reference="Pearson (1900), Philos. Mag. 50:157",
)
def chi_squared(c: Confusion) -> Any:
    """Pearson's statistic of association between true and predicted class.

    Without correction for continuity; classes without rows or predictions add nothing.

    Examples
    --------
    >>> chi_squared(Confusion.from_matrix([[4, 1], [1, 4]]))
    3.6
    """
    counts, total = real(c.counts), np.asarray(real(c.total))
    actual, predicted = real(c.actual), real(c.chosen)
    expected = ratio(actual[..., c.truth] * predicted[..., c.predicted], total[..., None])
    has_rows = (expected > 0) & (counts > 0)
    there = np.where(has_rows, ratio((counts - expected) ** 2, expected), 0.0).sum(axis=-1)
    # a cell without rows adds what was expected in it: all that the others do not expect
    elsewhere = np.maximum(total - np.where(has_rows, expected, 0.0).sum(axis=-1), 0.0)
    alike = ((actual > 0).sum(axis=-1) < 2) | ((predicted > 0).sum(axis=-1) < 2)
    return choose(alike, nan, there + elsewhere)


def _is_whole(c: Confusion) -> Any:
    """Whether all counts are whole numbers: a test of counts has no meaning for others."""
    return (c.counts == np.rint(c.counts)).all(axis=-1)


def _pairs(c: Confusion) -> tuple[Any, Any]:
    """For each pair of classes that are confused: n_ij - n_ji, and n_ij + n_ji (last axis)."""
    counts = real(c.counts)
    above, below = c.truth < c.predicted, c.truth > c.predicted
    there, back = counts[..., above], counts[..., below]
    # cells are in order, so each cell below the diagonal finds its mirror image by bisection
    keys, mirrored = c.cells[above], c.predicted[below] * c.classes + c.truth[below]
    positions = np.searchsorted(keys, mirrored)
    is_there = np.zeros(len(positions), bool)
    inside = positions < len(keys)
    is_there[inside] = keys[positions[inside]] == mirrored[inside]
    answer = np.zeros_like(there)
    answer[..., positions[is_there]] = back[..., is_there]
    alone = back[..., ~is_there]
    together = np.concatenate([there + answer, alone], axis=-1)
    return np.concatenate([there - answer, -alone], axis=-1), together
