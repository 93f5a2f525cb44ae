"""How many predictions are right, and how well truth and prediction agree, over all classes."""

from __future__ import annotations

from functools import partial
from math import inf, nan
from typing import Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.nearest import normal
from heldout.core.notes import Kind, Note
from heldout.core.ratio import ratio
from heldout.measures.kinds import Share
from heldout.measures.products import choose, real, rest_of, root_of_product
from heldout.measures.profit import cells_of
from heldout.measures.registry import declare, measure
from heldout.tally.confusion import Confusion

SOKOLOVA = "Sokolova and Lapalme (2009), Inf. Process. Manag. 45:427"


def classes_left_out(c: Confusion, **_: Any) -> str | Note:
    """How many classes have no say in a mean over classes, because no row is of them."""
    empty = int(np.count_nonzero(c.actual == 0))
    if not empty:
        return ""
    them = "it" if empty == 1 else "them"
    words = f"{empty:,} of {c.classes:,} classes left out: no row is of {them}"
    return Note(words, Kind.CLASSES_LEFT_OUT, empty, c.classes)


#: shares, and means of shares, which any row gives a value
share = partial(
    declare, module=__name__, needs=(Confusion,), bounds=(0, 1), reference=SOKOLOVA, averaged=False
)
of_all_rows = partial(measure, bounds=(0, 1), undefined="there are no rows")


share(
    "accuracy",
    "Share of the rows whose predicted class is the true one.",
    kind=Share("correct", "total"),
    aliases=("acc", "classification_accuracy", "percent_correct"),
    direction="up",
    formula=r"\frac{1}{n} \sum_k n_{kk}",
    headline=("binary", "multiclass"),
    example=(((5, 1), (2, 2)), 0.7),
)

share(
    "error_rate",
    "Share of the rows whose predicted class is not the true one.",
    kind=Share("wrong", "total"),
    title="Error rate (0-1 loss)",
    aliases=("err", "zero_one_loss", "misclassification_rate", "misclassification_error", "ce"),
    direction="down",
    formula=r"1 - \frac{1}{n} \sum_k n_{kk}",
    example=(((5, 1), (2, 2)), 0.3),
)


@of_all_rows(
    title="Balanced accuracy (average class accuracy)",
    aliases=(
        "bal_accuracy",
        "average_class_accuracy",
        "average_class_accuracy_arithmetic",
        "mean_class_accuracy",
    ),
    direction="up",
    formula=r"\frac{1}{K} \sum_k \frac{n_{kk}}{n_{k\cdot}}",
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


@of_all_rows(
    title="Average class accuracy, harmonic",
    aliases=("harmonic_mean_of_recalls", "harmonic_class_accuracy"),
    direction="up",
    formula=r"\frac{K}{\sum_k n_{k\cdot} / n_{kk}}",
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


@of_all_rows(
    title="Geometric mean of class accuracies",
    aliases=("g_mean", "gmean", "geometric_mean_of_recalls"),
    direction="up",
    formula=r"\left(\prod_k \frac{n_{kk}}{n_{k\cdot}}\right)^{1/K}",
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


@of_all_rows(
    title="No-information rate",
    aliases=("nir", "accuracy_null", "majority_rate"),
    direction="none",
    formula=r"\frac{1}{n} \max_k n_{k\cdot}",
    reference="Kuhn (2008), J. Stat. Softw. 28(5)",
    averaged=False,
)
def no_information_rate(c: Confusion) -> Any:
    """Accuracy of always predicting the most frequent class.

    Examples
    --------
    >>> no_information_rate(Confusion.from_matrix([[5, 2], [2, 1]]))
    0.7
    """
    return ratio(np.max(c.actual, axis=-1, initial=0), c.total)


def _recalls(c: Confusion) -> tuple[Any, Any]:
    """The recall of each class (last axis), and which classes have rows."""
    return ratio(real(c.hits), real(c.actual)), c.actual > 0


def zero_by_convention(c: Confusion, **_: Any) -> str:
    """Why Matthews' correlation is 0 although its formula is 0/0, where it is."""
    if not c.total:
        return ""
    reasons = []
    if np.count_nonzero(c.actual) == 1:
        reasons.append("all rows are of one class")
    if np.count_nonzero(c.chosen) == 1:
        reasons.append("all rows are predicted as one class")
    return f"0 by convention: {' and '.join(reasons)}" if reasons else ""


@measure(
    name="mcc",
    title="Matthews correlation coefficient",
    aliases=(
        "matthews_corrcoef",
        "matthews_correlation_coefficient",
        "r_k",
    ),
    direction="up",
    bounds=(-1, 1),
    formula=r"\frac{n \sum_k n_{kk} - \sum_k n_{k\cdot} n_{\cdot k}}"
    r"{\sqrt{(n^2 - \sum_k n_{k\cdot}^2)(n^2 - \sum_k n_{\cdot k}^2)}}",
    undefined="there are no rows",
    reference="Matthews (1975), Biochim. Biophys. Acta 405:442;"
    " Gorodkin (2004), Comput. Biol. Chem. 28:367",
    note=zero_by_convention,
    headline=("binary", "multiclass"),
)
def matthews_correlation(c: Confusion) -> Any:
    """Correlation of true and predicted class; 0 if all rows have or are predicted as one.

    Examples
    --------
    >>> matthews_correlation(Confusion.from_matrix([[8, 2], [2, 6]]))
    0.55
    >>> matthews_correlation(Confusion.from_matrix([[2, 0], [2, 0]]))
    0.0
    """
    against_rest, actual, chosen = c.one_vs_rest, real(c.actual), real(c.chosen)
    # sums of one class against the rest: terms of n^2 cancel on paper, not in the machine
    covariance = real(against_rest.tp) * real(against_rest.tn) - real(against_rest.fp) * real(
        against_rest.fn
    )
    of_truth, of_choice = ((side * rest_of(side)).sum(axis=-1) for side in (actual, chosen))
    value = ratio(covariance.sum(axis=-1), root_of_product(of_truth, of_choice))
    # found by counting: weights that sum in another order take a perfect value beyond 1
    alike = (np.count_nonzero(actual, axis=-1) == 1) | (np.count_nonzero(chosen, axis=-1) == 1)
    return choose(alike, 0.0, np.clip(value, -1.0, 1.0))


@measure(
    name="kappa",
    title="Cohen's kappa",
    aliases=(
        "kap",
        "cohens_kappa",
        "cohen_kappa_score",
    ),
    direction="up",
    bounds=(-1, 1),
    formula=r"1 - \frac{n \sum_{ij} w_{ij} n_{ij}}{\sum_{ij} w_{ij} n_{i\cdot} n_{\cdot j}},"
    r"\quad w_{ij} = [i \ne j],\ |i - j|,\ (i - j)^2",
    undefined="all rows are of one class and are predicted as that class",
    reference="Cohen (1960), Educ. Psychol. Meas. 20:37; Cohen (1968), Psychol. Bull. 70:213",
    headline=("multiclass",),
    averaged=False,
    ordered=lambda *, weights: normal(weights) != "none",
)
def cohen_kappa(c: Confusion, *, weights: str = "none") -> Any:
    """Agreement of true and predicted class beyond chance, relative to perfect agreement.

    Parameters
    ----------
    weights
        How bad it is to take one class for another: ``none`` (all errors alike), ``linear``
        or ``quadratic`` in the distance of the classes in their order, or a matrix as text,
        a row for each true class: ``0,1,3;1,0,6;3,6,0`` (kappa may then be below -1).

    Notes
    -----
    Costs no more than the cells that occur and the number of classes, unless a matrix is given.

    Examples
    --------
    >>> cohen_kappa(Confusion.from_matrix([[20, 5], [10, 15]]))
    0.4
    >>> cohen_kappa(Confusion.from_matrix([[2, 0, 0], [0, 2, 0], [1, 0, 1]]), weights="linear")
    0.625
    """
    expected, observed = _disagreement(c, weights)
    alone = (np.count_nonzero(c.counts, axis=-1) == 1) & (np.count_nonzero(c.hits, axis=-1) == 1)
    return choose(alone, nan, 1.0 - ratio(real(c.total) * observed, expected))


#: kappa of ordered classes
of_order = partial(
    declare,
    module=__name__,
    needs=(Confusion,),
    direction="up",
    bounds=(-1, 1),
    undefined="all rows are of one class and are predicted as that class",
    reference="Cohen (1968), Psychol. Bull. 70:213",
    averaged=False,
    ordered=True,
)

of_order(
    "linear_kappa",
    "Cohen's kappa of ordered classes, where an error counts by its distance.",
    function=partial(cohen_kappa, weights="linear"),
    title="Cohen's kappa, linear weights",
    aliases=("kappa_linear", "linear_weighted_kappa"),
    formula=r"1 - \frac{n \sum_{ij} |i - j|\, n_{ij}}{\sum_{ij} |i - j|\, n_{i\cdot} n_{\cdot j}}",
    example=(((2, 0, 0), (0, 2, 0), (1, 0, 1)), 0.625),
)

of_order(
    "quadratic_kappa",
    "Cohen's kappa of ordered classes, where an error counts by its squared distance.",
    function=partial(cohen_kappa, weights="quadratic"),
    title="Cohen's kappa, quadratic weights",
    aliases=("kappa_quadratic", "quadratic_weighted_kappa", "qwk"),
    formula=r"1 - \frac{n \sum_{ij} (i - j)^2 n_{ij}}{\sum_{ij} (i - j)^2 n_{i\cdot} n_{\cdot j}}",
    example=(((2, 0, 0), (0, 2, 0), (1, 0, 1)), 0.5),
)


@measure(
    aliases=("mi", "mutual_information_bits"),
    direction="none",
    bounds=(0, inf),
    formula=r"\sum_{ij} \frac{n_{ij}}{n} \log_2 \frac{n\, n_{ij}}{n_{i\cdot} n_{\cdot j}}",
    undefined="there are no rows",
    reference="Shannon (1948), Bell Syst. Tech. J. 27:379",
    averaged=False,
)
def mutual_information(c: Confusion) -> Any:
    """Information in bits that the predicted class gives about the true class.

    It is 0 for a constant prediction, and as high for predictions that confuse two classes
    throughout as for right ones.

    Examples
    --------
    >>> mutual_information(Confusion.from_matrix([[5, 0], [0, 5]]))
    1.0
    """
    counts, total = real(c.counts), real(c.total)
    expected = real(c.actual)[..., c.truth] * real(c.chosen)[..., c.predicted]
    times = ratio(np.asarray(total)[..., None] * counts, expected)
    logs = np.log2(times, out=np.zeros_like(times), where=times > 0)
    bits = ratio((counts * logs).sum(axis=-1), total)
    # of independent counts the terms cancel but for rounding
    return choose(np.asarray(bits) < 0, 0.0, bits)


def _disagreement(c: Confusion, weights: str) -> tuple[Any, Any]:
    """Weighted disagreement expected by chance (times n squared), and observed (times n)."""
    kind = str(weights).strip().lower()
    counts, actual, chosen = real(c.counts), real(c.actual), real(c.chosen)
    total = np.asarray(real(c.total))
    apart = c.truth - c.predicted
    if kind == "none":
        expected = (actual * rest_of(chosen)).sum(axis=-1)
        return expected, counts[..., apart != 0].sum(axis=-1)
    if kind == "linear":
        # |i - j| is the number of cuts between classes i and j that part them
        below, under = (np.cumsum(part, axis=-1)[..., :-1] for part in (actual, chosen))
        above, over = (
            np.cumsum(part[..., ::-1], axis=-1)[..., -2::-1] for part in (actual, chosen)
        )
        return (below * over + above * under).sum(axis=-1), (counts * np.abs(apart)).sum(axis=-1)
    if kind == "quadratic":
        # from the class nearest to the mean, where squares are small and one class gives 0
        position = np.arange(c.classes, dtype=float)
        middle = np.rint(ratio((actual * position).sum(axis=-1), total[()]))
        position = position - np.asarray(middle)[..., None]
        squares = ((actual + chosen) * position**2).sum(axis=-1)
        cross = (actual * position).sum(axis=-1) * (chosen * position).sum(axis=-1)
        return total[()] * squares - 2 * cross, (counts * apart.astype(float) ** 2).sum(axis=-1)
    table = _disagreement_table(weights, c.classes)
    return ((actual @ table) * chosen).sum(axis=-1), (counts * table.ravel()[c.cells]).sum(axis=-1)


def _disagreement_table(weights: str, classes: int) -> Any:
    """Weights given as a matrix: not negative, and 0 for being right."""
    known = "none, linear, quadratic or a matrix such as 0,1,3;1,0,6;3,6,0"
    if not any(letter.isdigit() for letter in str(weights)):
        raise InputError(f"weights of kappa are {known}, not {weights!r}")
    table = cells_of(weights, classes=classes)
    if (table < 0).any() or np.diagonal(table).any():
        raise InputError(
            "weights of kappa say how bad a disagreement is:"
            " 0 on the diagonal, nothing negative elsewhere"
        )
    return table
