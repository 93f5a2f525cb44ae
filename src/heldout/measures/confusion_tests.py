"""Tests on the counts of a confusion matrix: better than no information, balanced, associated."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.ratio import ratio
from heldout.measures.choices import chosen
from heldout.measures.products import choose, real
from heldout.measures.registry import measure
from heldout.tally.confusion import Confusion

__all__ = ["chi_squared", "mcnemar_p_value", "no_information_p_value"]


@measure(
    is_test=True,
    title="P value of accuracy against the no-information rate",
    aliases=("accuracy_p_value", "p_value_acc_nir", "nir_p_value"),
    direction="none",
    bounds=(0, 1),
    formula=r"P(X \ge \sum_k n_{kk}),\quad X \sim \mathrm{Bin}(n, \max_k n_{k\cdot} / n)",
    undefined="there are no rows, or weights make counts that are not whole numbers",
    reference="Kuhn (2008), J. Stat. Softw. 28(5)",
    averaged=False,
    weight_scale=True,
)
def no_information_p_value(c: Confusion) -> Any:
    """Chance of so many hits or more if accuracy were the no-information rate.

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
    is_test=True,
    title="P value of McNemar's (Bowker's) test",
    aliases=("mcnemar", "mcnemar_p", "bowker_p_value"),
    direction="none",
    bounds=(0, 1),
    formula=r"P(\chi^2_m \ge \sum_{i<j} \frac{(n_{ij} - n_{ji})^2}{n_{ij} + n_{ji}})",
    undefined="no error was made, or weights make counts that are not whole numbers",
    reference="McNemar (1947), Psychometrika 12:153; Bowker (1948), J. Am. Stat. Assoc. 43:572",
    averaged=False,
    weight_scale=True,
)
def mcnemar_p_value(c: Confusion, *, method: str = "corrected") -> Any:
    """P value of the errors being as frequent in one direction as in the other.

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
    is_test=True,
    title="Chi-squared statistic",
    aliases=("chisq", "chi2", "chi_square", "pearson_chi_squared"),
    direction="none",
    bounds=(0, inf),
    formula=r"\sum_{ij} \frac{(n_{ij} - n_{i\cdot} n_{\cdot j} / n)^2}{n_{i\cdot} n_{\cdot j} / n}",
    undefined="all rows are of one class or are predicted as one class",
    reference="Pearson (1900), Philos. Mag. 50:157",
    averaged=False,
    weight_scale=True,
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
    there = np.where(expected > 0, ratio((counts - expected) ** 2, expected), 0.0).sum(axis=-1)
    # a cell without rows adds what was expected in it: all that the kept cells do not expect
    elsewhere = np.maximum(total - np.where(expected > 0, expected, 0.0).sum(axis=-1), 0.0)
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
    place = np.searchsorted(keys, mirrored)
    found = np.zeros(len(place), bool)
    inside = place < len(keys)
    found[inside] = keys[place[inside]] == mirrored[inside]
    answer = np.zeros_like(there)
    answer[..., place[found]] = back[..., found]
    alone = back[..., ~found]
    together = np.concatenate([there + answer, alone], axis=-1)
    return np.concatenate([there - answer, -alone], axis=-1), together
