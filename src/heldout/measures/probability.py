"""Scoring rules of probabilities: the loss of each row, and its mean."""

from __future__ import annotations

from math import e, inf, log
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.measures.kinds import Sum
from heldout.measures.registry import declare, measure
from heldout.tally.moments import Moments
from heldout.tally.rows import ProbabilityRows

if TYPE_CHECKING:
    from heldout.core.arrays import Array, Floats


def prior_table(rows: ProbabilityRows, *, laplace: bool) -> Floats:
    """Each distinct prior as probabilities of the classes, a line each.

    ``laplace`` adds one to class counts of a training part; a prior given as
    probabilities stays as it is.
    """
    if rows.prior is None:
        msg = "no prior is known"
        raise ValueError(msg)
    table = rows.prior + 1.0 if laplace and rows.prior_is_counts else rows.prior
    return np.asarray(table / table.sum(axis=1, keepdims=True))


def squared_distance_of_prior(rows: ProbabilityRows, *, laplace: bool) -> Floats:
    """For each distinct prior and true class, the prior's squared distance summed over classes."""
    table = prior_table(rows, laplace=laplace)
    # 1 - p is squared on its own, so that a prior near certainty keeps its digits
    others = np.square(table).sum(axis=1, keepdims=True) - np.square(table)
    return np.maximum(others, 0.0) + np.square(1.0 - table)


def of_truth(rows: ProbabilityRows, table: Array) -> Array:
    """Each row's entry of a table that has a line per prior and a column per true class."""
    if rows.prior_codes is None:
        return np.take(table[0], rows.truth)
    return np.asarray(table[rows.prior_codes, rows.truth])


def of_row(rows: ProbabilityRows, values: Array) -> Array:
    """Each row's entry of a list that has one number a prior."""
    if rows.prior_codes is None:
        return np.full(len(rows), values[0])
    return np.take(values, rows.prior_codes)


def log_losses(rows: ProbabilityRows, *, base: float = e, clip: float = 0.0) -> Any:
    """The negative logarithm of the probability given to the true class.

    A clip above 0 raises smaller probabilities to it; without one, probability 0 is infinite.
    """
    if not 0 <= clip < 1:
        raise InputError(f"clip is a probability from 0 to below 1, not {clip:g}")
    truth = np.maximum(rows.of_truth, clip) if clip else rows.of_truth
    with np.errstate(divide="ignore"):
        return in_base(0.0 - np.log(truth), base)


def in_base(logarithms: Any, base: float) -> Any:
    """Natural logarithms as logarithms to another base."""
    if not base > 1:
        raise InputError(f"the base of the logarithm is above 1, not {base:g}")
    return logarithms if base == e else logarithms / log(base)


def residuals(rows: ProbabilityRows) -> Any:
    """Each class's probability minus 1 for the class that came true, 0 for the others."""
    difference = rows.matrix.copy()
    difference[np.arange(len(rows)), rows.truth] -= 1.0
    return difference


def misses(rows: ProbabilityRows) -> Any:
    """How much the probability of the true class falls short of 1."""
    if rows.is_binary:
        return np.abs(rows.of_positive - rows.is_positive)
    return 1.0 - rows.of_truth


def squared_distances(rows: ProbabilityRows, *, half: bool = False) -> Any:
    """Squared distance to the truth: of the one column of two classes, else summed over classes."""
    if rows.classes == 2:
        return np.square(misses(rows))
    if rows.is_certain:
        total = 2.0 * misses(rows)
    else:
        difference = residuals(rows)
        total = np.einsum("ij,ij->i", difference, difference)
    return total / 2 if half else total


def squared_errors(rows: ProbabilityRows, *, all_columns: bool = False) -> Any:
    """Squared error of the true class's probability, or the mean over all class columns."""
    if all_columns and rows.classes > 2:
        return squared_distances(rows) / rows.classes
    return np.square(misses(rows))


def absolute_errors(rows: ProbabilityRows, *, all_columns: bool = False) -> Any:
    """Absolute error of the true class's probability, or the mean over all class columns."""
    if all_columns and rows.classes > 2:
        total = 2.0 * misses(rows) if rows.is_certain else np.abs(residuals(rows)).sum(axis=1)
        return total / rows.classes
    return misses(rows)


def squared_lengths(rows: ProbabilityRows) -> Any:
    """The sum of the squared probabilities of all classes."""
    if rows.is_binary:
        return np.square(rows.of_positive) + np.square(1.0 - rows.of_positive)
    if rows.is_certain:
        return np.ones(len(rows))
    return np.asarray(np.einsum("ij,ij->i", rows.matrix, rows.matrix))


def impossible_rows(losses: Moments, *, clip: float = 0.0, **_: Any) -> str:
    """How many rows make the log score infinite, or what an explicit clip did about them."""
    if clip:
        return f"probabilities below {clip:g} count as {clip:g}"
    if losses.infinite:
        rows = "1 row gives its" if losses.infinite == 1 else f"{losses.infinite:,} rows give their"
        return f"{rows} true class probability 0"
    return ""


#: scores by the logarithm of the probability of what came true
OF_LOGARITHMS: dict[str, Any] = {
    "direction": "down",
    "bounds": (0, inf),
    "loss": log_losses,
    "needs_probability": True,
    "note": impossible_rows,
}

declare(
    "log_loss",
    "Mean negative logarithm of the probability given to the true class.",
    details="Infinite as soon as one row gives its true class probability 0. clip=1e-15 raises "
    "smaller probabilities to 1e-15, as other tools do unasked; base=2 gives bits.",
    module=__name__,
    aliases=(
        "logloss",
        "log_loss_mean",
        "cross_entropy",
        "mean_cross_entropy",
        "mxe",
        "mn_log_loss",
        "logarithmic_loss",
        "negative_log_likelihood",
        "nll",
    ),
    formula=r"-\frac{1}{n} \sum_i \log p_i(y_i)",
    reference="Good (1952), J. R. Stat. Soc. B 14:107",
    headline=("binary", "multiclass"),
    **OF_LOGARITHMS,
    example=([0.105361, 0.693147], 0.399254),
)

declare(
    "log_score",
    "Sum of the negative logarithms of the probabilities given to the true classes.",
    module=__name__,
    title="Log score (sum)",
    aliases=("log_score_sum", "log_loss_sum", "logarithmic_score"),
    formula=r"-\sum_i \log p_i(y_i)",
    reference="Good (1952), J. R. Stat. Soc. B 14:107",
    kind=Sum("log_loss"),
    **OF_LOGARITHMS,
    example=([0.105361, 0.693147], 0.798508),
)


@measure(
    aliases=("binomial_deviance", "multinomial_deviance", "residual_deviance"),
    formula=r"-2 \sum_i \ln p_i(y_i)",
    reference="McCullagh and Nelder (1989), Generalized Linear Models, 2nd ed.",
    kind=Sum("log_loss"),
    **OF_LOGARITHMS,
)
def deviance_of_probabilities(losses: Moments, *, clip: float = 0.0) -> float:
    """Twice the log score in natural logarithms, minus two log likelihoods.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.tally.rows import ProbabilityRows
    >>> rows = ProbabilityRows(np.array([1, 0]), np.array([0.5, 0.75]), None, 2, positive=1)
    >>> deviance_of_probabilities(Moments.of(log_losses(rows)))  # 6 times the logarithm of 2
    4.158883
    """
    return 2.0 * losses.sum


declare(
    "brier",
    "Mean squared difference between the probabilities and the outcomes.",
    details="Two classes: of the one column of the positive class, 0 to 1. Several classes: summed "
    "over the classes, 0 to 2; half halves that sum (0 to 1), so that it is on the scale of "
    "two classes, whose one column already is half of the sum over both.",
    title="Brier score",
    aliases=("brier_score", "brier_loss", "brier_class", "mean_squared_error_of_probabilities"),
    direction="down",
    bounds=(0, 2),
    formula=r"\frac{1}{n} \sum_i \sum_k (p_{ik} - [y_i = k])^2, \quad"
    r" \text{two classes: } \frac{1}{n} \sum_i (p_i - y_i)^2",
    reference="Brier (1950), Mon. Weather Rev. 78:1",
    loss=squared_distances,
    sums_columns=True,
    headline=("binary", "multiclass"),
    needs_probability=True,
    module=__name__,
    example=([0.01, 0.09], 0.05),
)


@measure(
    aliases=("quadratic_scoring_rule",),
    direction="up",
    bounds=(-1, 1),
    formula=r"\frac{1}{n} \sum_i \left(2 p_i(y_i) - \sum_k p_{ik}^2\right)",
    reference="Gneiting and Raftery (2007), J. Am. Stat. Assoc. 102:359",
    needs_probability=True,
)
def quadratic_score(rows: ProbabilityRows) -> Any:
    """Brier's rule as a reward: one minus the squared distance over all classes.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.tally.rows import ProbabilityRows
    >>> rows = ProbabilityRows(np.array([1, 0]), np.array([0.9, 0.3]), None, 2, positive=1)
    >>> quadratic_score(rows)  # 1 - 2 * 0.05
    array([0.98, 0.82])
    """
    return np.clip(2.0 * rows.of_truth - squared_lengths(rows), -1.0, 1.0)


@measure(
    aliases=("spherical", "spherical_scoring_rule"),
    direction="up",
    bounds=(0, 1),
    formula=r"\frac{1}{n} \sum_i \frac{p_i(y_i)}{\sqrt{\sum_k p_{ik}^2}}",
    reference="Gneiting and Raftery (2007), J. Am. Stat. Assoc. 102:359",
    needs_probability=True,
)
def spherical_score(rows: ProbabilityRows) -> Any:
    """Mean probability of the true class, divided by the length of the probability vector.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.tally.rows import ProbabilityRows
    >>> rows = ProbabilityRows(np.array([1, 0]), np.array([1.0, 0.5]), None, 2, positive=1)
    >>> spherical_score(rows)  # (1 + 1/sqrt(2)) / 2
    array([1.        , 0.70710678])
    """
    return np.minimum(rows.of_truth / np.sqrt(squared_lengths(rows)), 1.0)
