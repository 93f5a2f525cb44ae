"""Measures that weigh the two kinds of error of one class against each other."""

from __future__ import annotations

from math import isfinite
from typing import Any

from heldout.core.errors import InputError
from heldout.core.ratio import ratio, square_root
from heldout.measures.products import real
from heldout.measures.registry import measure
from heldout.tally.confusion import Binary

__all__ = [
    "f_score",
    "fowlkes_mallows",
    "informedness",
    "jaccard",
    "markedness",
    "phi_coefficient",
]


@measure(
    title="F score",
    aliases=("f1", "f1_score", "f_measure", "f_meas", "f_beta", "fbeta", "fbeta_score", "dice"),
    direction="up",
    bounds=(0, 1),
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


@measure(
    title="Jaccard index (threat score)",
    aliases=(
        "jaccard_index",
        "jaccard_score",
        "threat_score",
        "critical_success_index",
        "csi",
        "iou",
    ),
    direction="up",
    bounds=(0, 1),
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


@measure(
    title="Fowlkes-Mallows index",
    aliases=("fowlkes_mallows_index", "fmi"),
    direction="up",
    bounds=(0, 1),
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
    """Recall plus specificity, less 1: how far predictions are from a coin's.

    Examples
    --------
    >>> informedness(Binary(tp=6, fp=2, fn=2, tn=8))
    0.55
    """
    return ratio(_covariance(b), real(b.positives) * real(b.negatives))


@measure(
    title="Markedness",
    aliases=("delta_p",),
    direction="up",
    bounds=(-1, 1),
    formula=r"\frac{TP}{TP + FP} + \frac{TN}{TN + FN} - 1",
    undefined="all rows are predicted as one class",
    reference="Powers (2011), J. Mach. Learn. Technol. 2:37",
    symmetric=True,
)
def markedness(b: Binary) -> Any:
    """Precision plus negative predictive value, less 1.

    Examples
    --------
    >>> markedness(Binary(tp=6, fp=2, fn=2, tn=8))
    0.55
    """
    return ratio(_covariance(b), real(b.predicted_positives) * real(b.predicted_negatives))


@measure(
    title="Phi coefficient",
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
