"""Rates of one class against the rest: which share of which rows."""

from __future__ import annotations

from typing import Any

from heldout.core.ratio import ratio
from heldout.measures.kinds import Share
from heldout.measures.registry import measure
from heldout.tally.confusion import Binary

__all__ = [
    "detection_prevalence",
    "detection_rate",
    "false_discovery_rate",
    "false_negative_rate",
    "false_omission_rate",
    "false_positive_rate",
    "negative_predictive_value",
    "precision",
    "prevalence",
    "recall",
    "specificity",
]

ALTMAN_BLAND_RATES = "Altman and Bland (1994), BMJ 308:1552"
ALTMAN_BLAND_VALUES = "Altman and Bland (1994), BMJ 309:102"
FAWCETT = "Fawcett (2006), Pattern Recognit. Lett. 27:861"
KUHN = "Kuhn (2008), J. Stat. Softw. 28(5)"


@measure(
    kind=Share("tp", "positives"),
    title="Recall (sensitivity, true positive rate)",
    aliases=("tpr", "true_positive_rate", "sensitivity", "sens", "hit_rate", "rec"),
    direction="up",
    bounds=(0, 1),
    formula=r"\frac{TP}{TP + FN}",
    undefined="no row is positive",
    reference=ALTMAN_BLAND_RATES,
    headline=("binary", "multiclass"),
)
def recall(b: Binary) -> Any:
    """Share of the positives that are predicted positive.

    Examples
    --------
    >>> recall(Binary(tp=6, fp=2, fn=2, tn=9))
    0.75
    """
    return ratio(b.tp, b.positives)


@measure(
    kind=Share("tn", "negatives"),
    title="Specificity (true negative rate)",
    aliases=("tnr", "true_negative_rate", "spec", "selectivity", "correct_rejection_rate"),
    direction="up",
    bounds=(0, 1),
    formula=r"\frac{TN}{TN + FP}",
    undefined="no row is negative",
    reference=ALTMAN_BLAND_RATES,
    headline=("binary",),
)
def specificity(b: Binary) -> Any:
    """Share of the negatives that are predicted negative.

    Examples
    --------
    >>> specificity(Binary(tp=6, fp=2, fn=3, tn=8))
    0.8
    """
    return ratio(b.tn, b.negatives)


@measure(
    kind=Share("fp", "negatives"),
    title="False positive rate",
    aliases=("fpr", "fall_out", "fallout", "false_alarm_rate", "type_1_error_rate"),
    direction="down",
    bounds=(0, 1),
    formula=r"\frac{FP}{FP + TN}",
    undefined="no row is negative",
    reference=FAWCETT,
)
def false_positive_rate(b: Binary) -> Any:
    """Share of the negatives that are predicted positive.

    Examples
    --------
    >>> false_positive_rate(Binary(tp=6, fp=2, fn=3, tn=8))
    0.2
    """
    return ratio(b.fp, b.negatives)


@measure(
    kind=Share("fn", "positives"),
    title="False negative rate",
    aliases=("fnr", "miss_rate", "type_2_error_rate"),
    direction="down",
    bounds=(0, 1),
    formula=r"\frac{FN}{TP + FN}",
    undefined="no row is positive",
    reference=FAWCETT,
)
def false_negative_rate(b: Binary) -> Any:
    """Share of the positives that are predicted negative.

    Examples
    --------
    >>> false_negative_rate(Binary(tp=6, fp=2, fn=2, tn=9))
    0.25
    """
    return ratio(b.fn, b.positives)


@measure(
    kind=Share("tp", "predicted_positives"),
    title="Precision (positive predictive value)",
    aliases=("ppv", "positive_predictive_value", "pos_pred_value", "prec"),
    direction="up",
    bounds=(0, 1),
    formula=r"\frac{TP}{TP + FP}",
    undefined="no row is predicted positive",
    reference=ALTMAN_BLAND_VALUES,
    headline=("binary", "multiclass"),
)
def precision(b: Binary) -> Any:
    """Share of the predicted positives that are positive.

    Examples
    --------
    >>> precision(Binary(tp=6, fp=2, fn=3, tn=9))
    0.75
    """
    return ratio(b.tp, b.predicted_positives)


@measure(
    kind=Share("tn", "predicted_negatives"),
    name="npv",
    title="Negative predictive value",
    aliases=("npv", "neg_pred_value"),
    direction="up",
    bounds=(0, 1),
    formula=r"\frac{TN}{TN + FN}",
    undefined="no row is predicted negative",
    reference=ALTMAN_BLAND_VALUES,
)
def negative_predictive_value(b: Binary) -> Any:
    """Share of the predicted negatives that are negative.

    Examples
    --------
    >>> negative_predictive_value(Binary(tp=6, fp=2, fn=3, tn=9))
    0.75
    """
    return ratio(b.tn, b.predicted_negatives)


@measure(
    kind=Share("fp", "predicted_positives"),
    title="False discovery rate",
    aliases=("fdr", "false_alarm_ratio"),
    direction="down",
    bounds=(0, 1),
    formula=r"\frac{FP}{TP + FP}",
    undefined="no row is predicted positive",
    reference="Benjamini and Hochberg (1995), J. R. Stat. Soc. B 57:289",
)
def false_discovery_rate(b: Binary) -> Any:
    """Share of the predicted positives that are negative.

    Examples
    --------
    >>> false_discovery_rate(Binary(tp=6, fp=2, fn=3, tn=9))
    0.25
    """
    return ratio(b.fp, b.predicted_positives)


@measure(
    kind=Share("fn", "predicted_negatives"),
    title="False omission rate",
    aliases=("for", "for_"),
    direction="down",
    bounds=(0, 1),
    formula=r"\frac{FN}{TN + FN}",
    undefined="no row is predicted negative",
    reference=ALTMAN_BLAND_VALUES,
)
def false_omission_rate(b: Binary) -> Any:
    """Share of the predicted negatives that are positive.

    Examples
    --------
    >>> false_omission_rate(Binary(tp=6, fp=2, fn=3, tn=9))
    0.25
    """
    return ratio(b.fn, b.predicted_negatives)


@measure(
    kind=Share("positives", "total"),
    title="Prevalence",
    aliases=("base_rate", "positive_rate"),
    direction="none",
    bounds=(0, 1),
    formula=r"\frac{TP + FN}{n}",
    undefined="there are no rows",
    reference=ALTMAN_BLAND_VALUES,
    averaged=False,
)
def prevalence(b: Binary) -> Any:
    """Share of the rows that are positive.

    Examples
    --------
    >>> prevalence(Binary(tp=6, fp=2, fn=3, tn=9))
    0.45
    """
    return ratio(b.positives, b.total)


@measure(
    kind=Share("tp", "total"),
    title="Detection rate",
    direction="up",
    bounds=(0, 1),
    formula=r"\frac{TP}{n}",
    undefined="there are no rows",
    reference=KUHN,
    averaged=False,
    reaches_best=False,
)
def detection_rate(b: Binary) -> Any:
    """Share of all rows that are positive and predicted positive.

    Examples
    --------
    >>> detection_rate(Binary(tp=6, fp=2, fn=3, tn=9))
    0.3
    """
    return ratio(b.tp, b.total)


@measure(
    kind=Share("predicted_positives", "total"),
    title="Detection prevalence (rate of positive predictions)",
    aliases=("predicted_positive_rate", "rate_of_positive_predictions", "rpp"),
    direction="none",
    bounds=(0, 1),
    formula=r"\frac{TP + FP}{n}",
    undefined="there are no rows",
    reference=KUHN,
)
def detection_prevalence(b: Binary) -> Any:
    """Share of all rows that are predicted positive.

    Examples
    --------
    >>> detection_prevalence(Binary(tp=6, fp=2, fn=3, tn=9))
    0.4
    """
    return ratio(b.predicted_positives, b.total)
