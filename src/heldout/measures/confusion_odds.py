"""Odds of one class against the rest: by how much a prediction changes what one expects."""

from __future__ import annotations

from math import inf
from typing import Any

from heldout.core.ratio import ratio
from heldout.measures.products import open_ratio, real
from heldout.measures.registry import measure
from heldout.tally.confusion import Binary

__all__ = [
    "diagnostic_odds_ratio",
    "lift",
    "negative_likelihood_ratio",
    "positive_likelihood_ratio",
]

DEEKS = "Deeks and Altman (2004), BMJ 329:168"


@measure(
    title="Positive likelihood ratio",
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
    title="Negative likelihood ratio",
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
    title="Diagnostic odds ratio",
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
    title="Lift",
    aliases=("lift_value",),
    direction="up",
    bounds=(0, inf),
    formula=r"\frac{TP / (TP + FP)}{(TP + FN) / n}",
    undefined="no row is positive, or none is predicted positive",
    reference="Piatetsky-Shapiro and Masand (1999), KDD, 185",
    reaches_best=False,
)
def lift(b: Binary) -> Any:
    """How many times as many positives are among the predicted positives as among all rows.

    Examples
    --------
    >>> lift(Binary(tp=4, fp=1, fn=1, tn=4))
    1.6
    """
    return ratio(real(b.tp) * real(b.total), real(b.predicted_positives) * real(b.positives))
