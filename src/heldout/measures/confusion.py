"""Shares of the rows of a class or of a prediction, and measures that balance them."""

from __future__ import annotations

from functools import partial
from math import isfinite
from typing import Any

from heldout.core.errors import InputError
from heldout.core.ratio import ratio, square_root
from heldout.measures.kinds import Share
from heldout.measures.products import real
from heldout.measures.registry import declare, measure
from heldout.tally.confusion import Binary

ALTMAN_BLAND_RATES = "Altman and Bland (1994), BMJ 308:1552"
ALTMAN_BLAND_VALUES = "Altman and Bland (1994), BMJ 309:102"
FAWCETT = "Fawcett (2006), Pattern Recognit. Lett. 27:861"
KUHN = "Kuhn (2008), J. Stat. Softw. 28(5)"

#: shares of rows; of which more is better, and of which less is
share = partial(declare, module=__name__, needs=(Binary,), bounds=(0, 1))
share_of_right = partial(share, direction="up")
share_of_wrong = partial(share, direction="down")


share_of_right(
    "recall",
    "Share of the positives that are predicted positive.",
    kind=Share("tp", "positives"),
    title="Recall (sensitivity, true positive rate)",
    aliases=("tpr", "true_positive_rate", "sensitivity", "sens", "hit_rate", "rec"),
    formula=r"\frac{TP}{TP + FN}",
    reference=ALTMAN_BLAND_RATES,
    headline=("binary", "multiclass"),
    example=((6, 2, 2, 9), 0.75),
)

share_of_right(
    "specificity",
    "Share of the negatives that are predicted negative.",
    kind=Share("tn", "negatives"),
    title="Specificity (true negative rate)",
    aliases=("tnr", "true_negative_rate", "spec", "selectivity", "correct_rejection_rate"),
    formula=r"\frac{TN}{TN + FP}",
    reference=ALTMAN_BLAND_RATES,
    headline=("binary",),
    example=((6, 2, 3, 8), 0.8),
)

share_of_wrong(
    "false_positive_rate",
    "Share of the negatives that are predicted positive.",
    kind=Share("fp", "negatives"),
    aliases=("fpr", "fall_out", "fallout", "false_alarm_rate", "type_1_error_rate"),
    formula=r"\frac{FP}{FP + TN}",
    reference=FAWCETT,
    example=((6, 2, 3, 8), 0.2),
)

share_of_wrong(
    "false_negative_rate",
    "Share of the positives that are predicted negative.",
    kind=Share("fn", "positives"),
    aliases=("fnr", "miss_rate", "type_2_error_rate"),
    formula=r"\frac{FN}{TP + FN}",
    reference=FAWCETT,
    example=((6, 2, 2, 9), 0.25),
)

share_of_right(
    "precision",
    "Share of the predicted positives that are positive.",
    kind=Share("tp", "predicted_positives"),
    title="Precision (positive predictive value)",
    aliases=("ppv", "positive_predictive_value", "pos_pred_value", "prec"),
    formula=r"\frac{TP}{TP + FP}",
    reference=ALTMAN_BLAND_VALUES,
    headline=("binary", "multiclass"),
    example=((6, 2, 3, 9), 0.75),
)

share_of_right(
    "npv",
    "Share of the predicted negatives that are negative.",
    kind=Share("tn", "predicted_negatives"),
    title="Negative predictive value",
    aliases=(
        "negative_predictive_value",
        "neg_pred_value",
    ),
    formula=r"\frac{TN}{TN + FN}",
    reference=ALTMAN_BLAND_VALUES,
    example=((6, 2, 3, 9), 0.75),
)

share_of_wrong(
    "false_discovery_rate",
    "Share of the predicted positives that are negative.",
    kind=Share("fp", "predicted_positives"),
    aliases=("fdr", "false_alarm_ratio"),
    formula=r"\frac{FP}{TP + FP}",
    reference="Benjamini and Hochberg (1995), J. R. Stat. Soc. B 57:289",
    example=((6, 2, 3, 9), 0.25),
)

share_of_wrong(
    "false_omission_rate",
    "Share of the predicted negatives that are positive.",
    kind=Share("fn", "predicted_negatives"),
    aliases=("for", "for_"),
    formula=r"\frac{FN}{TN + FN}",
    reference=ALTMAN_BLAND_VALUES,
    example=((6, 2, 3, 9), 0.25),
)

share(
    "prevalence",
    "Share of the rows that are positive.",
    kind=Share("positives", "total"),
    aliases=("base_rate", "positive_rate"),
    direction="none",
    formula=r"\frac{TP + FN}{n}",
    reference=ALTMAN_BLAND_VALUES,
    averaged=False,
    example=((6, 2, 3, 9), 0.45),
)

share_of_right(
    "detection_rate",
    "Share of all rows that are positive and predicted positive.",
    kind=Share("tp", "total"),
    formula=r"\frac{TP}{n}",
    reference=KUHN,
    averaged=False,
    reaches_best=False,
    example=((6, 2, 3, 9), 0.3),
)

share(
    "detection_prevalence",
    "Share of all rows that are predicted positive.",
    kind=Share("predicted_positives", "total"),
    title="Detection prevalence (rate of positive predictions)",
    aliases=("predicted_positive_rate", "rate_of_positive_predictions", "rpp"),
    direction="none",
    formula=r"\frac{TP + FP}{n}",
    reference=KUHN,
    example=((6, 2, 3, 9), 0.4),
)

#: means of shares
mean_of_shares = partial(measure, direction="up", bounds=(0, 1))


@mean_of_shares(
    aliases=("f1", "f1_score", "f_measure", "f_meas", "f_beta", "fbeta", "fbeta_score", "dice"),
    formula=r"\frac{(1 + \beta^2)\,TP}{(1 + \beta^2)\,TP + \beta^2\,FN + FP}",
    undefined="no row is positive or predicted positive",
    reference="van Rijsbergen (1979), Information Retrieval, 2nd ed., ch. 7",
    headline=("binary", "multiclass"),
)
def f_score(b: Binary, *, beta: float = 1.0) -> Any:
    """Weighted harmonic mean of precision and recall.

    ``beta`` above 1 gives recall the greater weight, below 1 precision. Where no positive is
    found but something was missed or falsely alarmed it is 0, although precision or recall
    alone may be undefined.

    Examples
    --------
    >>> f_score(Binary(tp=6, fp=2, fn=2, tn=9))
    0.75
    >>> f_score(Binary(tp=0, fp=0, fn=2, tn=1))
    0.0
    >>> f_score(Binary(tp=3, fp=3, fn=0, tn=4), beta=2)
    0.8333
    """
    if not (isfinite(beta) and beta >= 0):
        raise InputError(f"beta of an F score must be a number of at least 0, not {beta!r}")
    hits = (1 + beta * beta) * real(b.tp)
    return ratio(hits, hits + beta * beta * real(b.fn) + real(b.fp))


@mean_of_shares(
    title="Jaccard index (threat score)",
    aliases=(
        "jaccard_index",
        "jaccard_score",
        "threat_score",
        "critical_success_index",
        "csi",
        "iou",
    ),
    formula=r"\frac{TP}{TP + FN + FP}",
    undefined="no row is positive or predicted positive",
    reference="Jaccard (1912), New Phytol. 11:37",
)
def jaccard(b: Binary) -> Any:
    """Share of the rows that are positive or predicted positive which are both.

    Examples
    --------
    >>> jaccard(Binary(tp=6, fp=2, fn=2, tn=9))
    0.6
    """
    return ratio(b.tp, b.tp + b.fn + b.fp)


@mean_of_shares(
    title="Fowlkes-Mallows index",
    aliases=("fowlkes_mallows_index", "fmi"),
    formula=r"\sqrt{\frac{TP}{TP + FP} \cdot \frac{TP}{TP + FN}}",
    undefined="no row is positive, or none is predicted positive",
    reference="Fowlkes and Mallows (1983), J. Am. Stat. Assoc. 78:553",
)
def fowlkes_mallows(b: Binary) -> Any:
    """Geometric mean of precision and recall.

    Examples
    --------
    >>> fowlkes_mallows(Binary(tp=6, fp=2, fn=6, tn=9))
    0.6124
    """
    return square_root(ratio(b.tp, b.predicted_positives) * ratio(b.tp, b.positives))


@measure(
    title="Informedness (Youden's J)",
    aliases=("youden", "youden_j", "youden_index", "j_index", "bookmaker_informedness"),
    direction="up",
    bounds=(-1, 1),
    formula=r"\frac{TP}{TP + FN} + \frac{TN}{TN + FP} - 1",
    undefined="all rows are of one class",
    reference="Youden (1950), Cancer 3:32",
    symmetric=True,
)
def informedness(b: Binary) -> Any:
    """Recall plus specificity, minus 1: 0 is no better than chance.

    Examples
    --------
    >>> informedness(Binary(tp=6, fp=2, fn=2, tn=8))
    0.55
    """
    return ratio(_covariance(b), real(b.positives) * real(b.negatives))


@measure(
    aliases=("delta_p",),
    direction="up",
    bounds=(-1, 1),
    formula=r"\frac{TP}{TP + FP} + \frac{TN}{TN + FN} - 1",
    undefined="all rows are predicted as one class",
    reference="Powers (2011), J. Mach. Learn. Technol. 2:37",
    symmetric=True,
)
def markedness(b: Binary) -> Any:
    """Precision plus negative predictive value, minus 1.

    Examples
    --------
    >>> markedness(Binary(tp=6, fp=2, fn=2, tn=8))
    0.55
    """
    return ratio(_covariance(b), real(b.predicted_positives) * real(b.predicted_negatives))


@measure(
    aliases=("phi", "mean_square_contingency"),
    direction="up",
    bounds=(-1, 1),
    formula=r"\frac{TP \cdot TN - FP \cdot FN}"
    r"{\sqrt{(TP + FN)(TN + FP)(TP + FP)(TN + FN)}}",
    undefined="all rows are of one class or are predicted as one class",
    reference="Yule (1912), J. R. Stat. Soc. 75:579",
    symmetric=True,
)
def phi_coefficient(b: Binary) -> Any:
    """Correlation of being positive with being predicted positive.

    Equal to Matthews' correlation of two classes, which is set to 0 where this is undefined.

    Examples
    --------
    >>> phi_coefficient(Binary(tp=6, fp=2, fn=2, tn=8))
    0.55
    >>> phi_coefficient(Binary(tp=2, fp=2, fn=0, tn=0))
    nan
    """
    actual = real(b.positives) * real(b.negatives)
    chosen = real(b.predicted_positives) * real(b.predicted_negatives)
    return ratio(_covariance(b), square_root(actual * chosen))


def _covariance(b: Binary) -> Any:
    """Covariance of truth and prediction, times the square of the number of rows."""
    return real(b.tp) * real(b.tn) - real(b.fp) * real(b.fn)
