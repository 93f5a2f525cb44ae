"""How many predictions are right, of all rows or in the mean of the classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from heldout.core.notes import Kind, Note
from heldout.core.ratio import ratio
from heldout.measures.products import choose, real
from heldout.measures.registry import measure
from heldout.tally.confusion import Confusion

__all__ = [
    "accuracy",
    "average_class_accuracy_harmonic",
    "balanced_accuracy",
    "classes_left_out",
    "error_rate",
    "geometric_mean",
    "no_information_rate",
]

SOKOLOVA = "Sokolova and Lapalme (2009), Inf. Process. Manag. 45:427"


def classes_left_out(c: Confusion, **_: Any) -> str | Note:
    """How many classes have no say in a mean over classes, because no row is of them."""
    empty = int(np.count_nonzero(c.actual == 0))
    if not empty:
        return ""
    them = "it" if empty == 1 else "them"
    words = f"{empty:,} of {c.classes:,} classes left out: no row is of {them}"
    return Note(words, Kind.CLASSES_LEFT_OUT, empty, c.classes)


@measure(
    proportion=lambda c: (c.correct, c.total),
    title="Accuracy",
    aliases=("acc", "classification_accuracy", "percent_correct"),
    direction="up",
    bounds=(0, 1),
    formula=r"\frac{1}{n} \sum_k n_{kk}",
    undefined="there are no rows",
    reference=SOKOLOVA,
    headline=("binary", "multiclass"),
    averaged=False,
)
def accuracy(c: Confusion) -> Any:
    """Share of the rows whose predicted class is the true one.

    Examples
    --------
    >>> accuracy(Confusion.from_matrix([[5, 1], [2, 2]]))
    0.7
    """
    return ratio(c.correct, c.total)


@measure(
    proportion=lambda c: (c.wrong, c.total),
    title="Error rate (0-1 loss)",
    aliases=("err", "zero_one_loss", "misclassification_rate", "misclassification_error", "ce"),
    direction="down",
    bounds=(0, 1),
    formula=r"1 - \frac{1}{n} \sum_k n_{kk}",
    undefined="there are no rows",
    reference=SOKOLOVA,
    averaged=False,
)
def error_rate(c: Confusion) -> Any:
    """Share of the rows whose predicted class is not the true one.

    Examples
    --------
    >>> error_rate(Confusion.from_matrix([[5, 1], [2, 2]]))
    0.3
    """
    # weights summed in another order may exceed their total by a rounding
    share = ratio(c.wrong, c.total)
    return np.minimum(share, 1.0) if isinstance(share, np.ndarray) else min(share, 1.0)


@measure(
    title="Balanced accuracy (average class accuracy)",
    aliases=(
        "bal_accuracy",
        "average_class_accuracy",
        "average_class_accuracy_arithmetic",
        "mean_class_accuracy",
    ),
    direction="up",
    bounds=(0, 1),
    formula=r"\frac{1}{K} \sum_k \frac{n_{kk}}{n_{k\cdot}}",
    undefined="there are no rows",
    reference="Brodersen et al. (2010), ICPR, 3121",
    note=classes_left_out,
    headline=("binary", "multiclass"),
)
def balanced_accuracy(c: Confusion) -> Any:
    """Mean recall of the classes that have rows.

    Examples
    --------
    >>> balanced_accuracy(Confusion.from_matrix([[6, 2], [1, 1]]))
    0.625
    """
    recalls, present = _recalls(c)
    return ratio(np.where(present, recalls, 0.0).sum(axis=-1), present.sum(axis=-1))


@measure(
    title="Average class accuracy, harmonic",
    aliases=("harmonic_mean_of_recalls", "harmonic_class_accuracy"),
    direction="up",
    bounds=(0, 1),
    formula=r"\frac{K}{\sum_k n_{k\cdot} / n_{kk}}",
    undefined="there are no rows",
    reference="Kelleher, Mac Namee and D'Arcy (2015), Fundamentals of Machine Learning, ch. 8",
    note=classes_left_out,
)
def average_class_accuracy_harmonic(c: Confusion) -> Any:
    """Harmonic mean of the recalls of the classes that have rows; 0 if one of them is 0.

    Examples
    --------
    >>> average_class_accuracy_harmonic(Confusion.from_matrix([[90, 0], [9, 1]]))
    0.1818
    """
    present = c.actual > 0
    hit = c.hits > 0
    inverse = np.where(present & hit, ratio(c.actual, c.hits), 0.0).sum(axis=-1)
    # each inverse is at least 1; without rows or hits the sum is 0 and the ratio NaN
    mean = ratio(present.sum(axis=-1), inverse)
    return choose((present & ~hit).any(axis=-1), 0.0, mean)


@measure(
    title="Geometric mean of class accuracies",
    aliases=("g_mean", "gmean", "geometric_mean_of_recalls"),
    direction="up",
    bounds=(0, 1),
    formula=r"\left(\prod_k \frac{n_{kk}}{n_{k\cdot}}\right)^{1/K}",
    undefined="there are no rows",
    reference="Kubat and Matwin (1997), ICML, 179",
    note=classes_left_out,
)
def geometric_mean(c: Confusion) -> Any:
    """Geometric mean of the recalls of the classes that have rows; 0 if one of them is 0.

    Examples
    --------
    >>> geometric_mean(Confusion.from_matrix([[8, 2], [8, 2]]))
    0.4
    """
    recalls, present = _recalls(c)
    hit = c.hits > 0
    logs = np.log(recalls, out=np.zeros_like(recalls), where=present & hit)
    # logarithms, because a product of many recalls is too small for a number
    mean = np.exp(ratio(logs.sum(axis=-1), present.sum(axis=-1)))
    return choose((present & ~hit).any(axis=-1), 0.0, mean)


@measure(
    title="No-information rate",
    aliases=("nir", "accuracy_null", "majority_rate"),
    direction="none",
    bounds=(0, 1),
    formula=r"\frac{1}{n} \max_k n_{k\cdot}",
    undefined="there are no rows",
    reference="Kuhn (2008), J. Stat. Softw. 28(5)",
    averaged=False,
)
def no_information_rate(c: Confusion) -> Any:
    """Accuracy of always predicting the class that most rows are of.

    Examples
    --------
    >>> no_information_rate(Confusion.from_matrix([[5, 2], [2, 1]]))
    0.7
    """
    return ratio(np.max(c.actual, axis=-1, initial=0), c.total)


def _recalls(c: Confusion) -> tuple[Any, Any]:
    """The recall of each class (last axis), and which classes have rows."""
    return ratio(real(c.hits), real(c.actual)), c.actual > 0
