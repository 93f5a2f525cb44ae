"""Errors of probabilities, their skill beside the prior, and regions that hold the truth."""

from __future__ import annotations

from functools import partial
from math import e, inf, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.ratio import at_least, ratio
from heldout.measures.kinds import COMPLEMENT, ROOT, Mean, Quotient
from heldout.measures.probability import (
    absolute_errors,
    impossible_rows,
    in_base,
    log_losses,
    misses,
    of_truth,
    prior_table,
    squared_distance_of_prior,
    squared_distances,
    squared_errors,
)
from heldout.measures.products import choose
from heldout.measures.registry import declare, measure
from heldout.tally.moments import Moments
from heldout.tally.rows import ProbabilityRows

if TYPE_CHECKING:
    from heldout.core.arrays import Booleans, Integers


def absolute_errors_of_columns(rows: ProbabilityRows) -> Any:
    """Absolute error of each row's probabilities, the mean over all class columns."""
    return absolute_errors(rows, all_columns=True)


def squared_errors_of_columns(rows: ProbabilityRows) -> Any:
    """Squared error of each row's probabilities, the mean over all class columns."""
    return squared_errors(rows, all_columns=True)


def prior_absolute_errors(rows: ProbabilityRows, *, laplace: bool = True) -> Any:
    """Absolute error of predicting the prior, the mean over all class columns."""
    return of_truth(rows, 2.0 * (1.0 - prior_table(rows, laplace=laplace)) / rows.classes)


def prior_squared_errors(rows: ProbabilityRows, *, laplace: bool = True) -> Any:
    """Squared error of predicting the prior, the mean over all class columns."""
    return of_truth(rows, squared_distance_of_prior(rows, laplace=laplace) / rows.classes)


#: a function of the mean error of the probability of the truth
of_error = partial(declare, module=__name__, bounds=(0, 1), needs_probability=True)


of_error(
    "mean_probability_of_truth",
    "Mean probability given to the true class.",
    details="It rewards overconfidence: pushing every probability to 0 or 1 can raise it.",
    title="Mean probability of the truth",
    aliases=("average_probability", "mean_probability_of_true_class"),
    direction="up",
    formula=r"\frac{1}{n} \sum_i p_i(y_i)",
    reference="Demsar et al. (2013), J. Mach. Learn. Res. 14:2349 (Orange: AP)",
    loss=misses,
    kind=Mean(COMPLEMENT),
    example=([0.1, 0.3], 0.8),
)

of_error(
    "probability_rmse",
    "Root mean squared error of the probability given to the true class.",
    details="With two classes that is the error of the positive class's column. all_columns takes"
    " the mean over every class's column too, as Weka does; two classes are the same either way.",
    title="RMSE of probabilities",
    aliases=("rmse_of_probabilities", "root_mean_squared_error_of_probabilities", "root_brier"),
    direction="down",
    formula=r"\sqrt{\frac{1}{n} \sum_i (1 - p_i(y_i))^2}",
    reference="Caruana and Niculescu-Mizil (2004), KDD:69",
    loss=squared_errors,
    kind=Mean(ROOT),
    example=([0.01, 0.09], 0.223607),
)

of_error(
    "probability_mae",
    "Mean absolute error of the probability given to the true class.",
    details="all_columns takes the mean over every class's column too, as Weka does.",
    title="MAE of probabilities",
    aliases=("mae_of_probabilities", "mean_absolute_error_of_probabilities"),
    direction="down",
    formula=r"\frac{1}{n} \sum_i (1 - p_i(y_i))",
    reference="Ferri, Hernandez-Orallo and Modroiu (2009), Pattern Recognit. Lett. 30:27",
    loss=absolute_errors,
    example=([0.1, 0.3], 0.2),
)

#: errors beside those of always predicting the prior
beside_prior = partial(
    declare,
    module=__name__,
    kind=Quotient(),
    direction="down",
    bounds=(0, inf),
    undefined="predicting the prior makes no error",
    reference="Witten, Frank and Hall (2011), Data Mining, 3rd ed. (Weka)",
    needs_probability=True,
    uses_prior=True,
)


beside_prior(
    "relative_absolute_error_of_probabilities",
    "Absolute error of the probabilities as a share of that of the prior.",
    details="Over all class columns. Weka prints it in percent; like Weka's, the prior is made of"
    " the training part's class counts with one added to each (laplace=false: the plain shares).",
    aliases=("probability_rae", "rae_of_probabilities"),
    formula=r"\frac{\sum_i \sum_k |p_{ik} - [y_i = k]|}{\sum_i \sum_k |P_k - [y_i = k]|}",
    loss=(absolute_errors_of_columns, prior_absolute_errors),
    example=(([0.1, 0.3], [0.5, 0.5]), 0.4),
)

beside_prior(
    "root_relative_squared_error_of_probabilities",
    "Root mean squared error of the probabilities over that of predicting the prior.",
    details="Over all class columns; Weka prints it in percent. The prior is as for the relative "
    "absolute error.",
    kind=Quotient(ROOT),
    aliases=("probability_rrse", "rrse_of_probabilities"),
    formula=r"\sqrt{\frac{\sum_i \sum_k (p_{ik} - [y_i = k])^2}"
    r"{\sum_i \sum_k (P_k - [y_i = k])^2}}",
    loss=(squared_errors_of_columns, prior_squared_errors),
    example=(([0.01, 0.09], [0.25, 0.25]), 0.447214),
)


def prior_squared_distances(rows: ProbabilityRows, *, laplace: bool = False) -> Any:
    """The Brier score of each row if the prior is predicted."""
    columns = 2 if rows.classes == 2 else 1  # two classes: one column, half of the sum
    return of_truth(rows, squared_distance_of_prior(rows, laplace=laplace) / columns)


def prior_log_losses(rows: ProbabilityRows, *, base: float = e, laplace: bool = False) -> Any:
    """The log loss of each row if the prior is predicted."""
    with np.errstate(divide="ignore"):
        return of_truth(rows, in_base(0.0 - np.log(prior_table(rows, laplace=laplace)), base))


def skill(score: Any, by_prior: Any) -> Any:
    """The share of the prior's loss that is saved; undefined if that loss is zero or infinite."""
    return 1.0 - ratio(score, choose(np.isinf(by_prior), nan, by_prior))


def surprised_prior(losses: Moments, by_prior: Moments, **parameters: Any) -> str:
    """Why a log score is infinite, or that the prior's is."""
    if by_prior.infinite:
        rows = "1 row is" if by_prior.infinite == 1 else f"{by_prior.infinite:,} rows are"
        return f"{rows} of a class that the prior gives probability 0"
    return impossible_rows(losses, **parameters)


@measure(
    aliases=("brier_skill_score", "bss", "d2_brier", "d2_brier_score"),
    direction="up",
    bounds=(-inf, 1),
    formula=r"1 - \frac{\mathrm{Brier}}{\mathrm{Brier}(\text{prior})}",
    undefined="predicting the prior makes no error",
    reference="Murphy (1973), J. Appl. Meteorol. 12:215",
    loss=(squared_distances, prior_squared_distances),
    needs_probability=True,
    uses_prior=True,
)
def brier_skill(losses: Moments, by_prior: Moments, *, laplace: bool = False) -> float:
    """The share of the prior's Brier score that the probabilities save.

    0 is as good as predicting the prior (the class shares of the training part if they are
    known, else those of these rows), 1 is perfect, below 0 is worse than the prior.

    Examples
    --------
    >>> brier_skill(Moments.of(np.array([0.01, 0.09])), Moments.of(np.array([0.25, 0.25])))
    0.8
    """
    return skill(losses.mean, by_prior.mean)


@measure(
    aliases=(
        "log_skill_score",
        "log_loss_skill",
        "mcfadden_r2",
        "d2_log_loss",
        "d2_log_loss_score",
    ),
    direction="up",
    bounds=(-inf, 1),
    formula=r"1 - \frac{\sum_i \log p_i(y_i)}{\sum_i \log P(y_i)}",
    undefined="predicting the prior has log loss zero or infinite",
    reference="McFadden (1974), Frontiers in Econometrics:105",
    loss=(log_losses, prior_log_losses),
    note=surprised_prior,
    needs_probability=True,
    uses_prior=True,
)
def log_skill(
    losses: Moments, by_prior: Moments, *, laplace: bool = False, clip: float = 0.0
) -> float:
    """The share of the prior's log loss that the probabilities save.

    With the prior of these rows it is McFadden's R2 (scikit-learn: ``d2_log_loss_score``).

    Examples
    --------
    >>> log_skill(Moments.of(np.array([0.1, 0.2])), Moments.of(np.array([0.7, 0.5])))
    0.75
    """
    return skill(losses.mean, by_prior.mean)


def in_region(rows: ProbabilityRows, level: float) -> tuple[Integers, Booleans]:
    """Classes in falling order of probability (ties: order of the classes), and which are in.

    Classes are added until their sum reaches the level, so the one that reaches it is in.
    """
    order = np.argsort(-rows.matrix, axis=1, kind="stable")
    falling = np.take_along_axis(rows.matrix, order, axis=1)
    inside = np.ones(order.shape, bool)
    inside[:, 1:] = ~at_least(np.cumsum(falling[:, :-1], axis=1), level)
    return order, inside


def needs_both(rows: ProbabilityRows, level: float) -> Booleans:
    """Whether neither of two classes reaches the level alone."""
    reached = at_least(np.maximum(rows.of_positive, 1.0 - rows.of_positive), require_level(level))
    return np.logical_not(reached)


def require_level(level: float) -> float:
    """The level, if it is a probability."""
    if not 0 < level <= 1:
        raise InputError(f"level is a probability above 0 and up to 1, not {level:g}")
    return level


@measure(
    title="Coverage of the predicted region",
    aliases=("coverage_of_cases", "region_coverage"),
    direction="up",
    bounds=(0, 1),
    formula=r"\frac{1}{n} \sum_i [y_i \in R_i]",
    reference="Witten, Frank and Hall (2011), Data Mining, 3rd ed. (Weka)",
    kind=Mean(is_share=True),
    needs_probability=True,
)
def coverage_of_region(rows: ProbabilityRows, *, level: float = 0.95) -> Any:
    """Share of rows whose truth is among the likeliest classes that reach a level.

    Examples
    --------
    >>> three = np.array([[0.9, 0.06, 0.04], [0.5, 0.47, 0.03]])
    >>> rows = ProbabilityRows(np.array([1, 2]), three, None, 3)
    >>> coverage_of_region(rows)
    array([1., 0.])
    """
    if rows.is_binary:
        first = (rows.of_truth > 0.5) | ((rows.of_truth == 0.5) & (rows.truth == 0))
        return (first | needs_both(rows, level)).astype(float)
    if rows.is_certain:
        return rows.of_truth
    order, inside = in_region(rows, require_level(level))
    return np.any((order == rows.truth[:, None]) & inside, axis=1).astype(float)


@measure(
    title="Size of the predicted region",
    aliases=("relative_region_size", "region_size"),
    direction="down",
    bounds=(0, 1),
    formula=r"\frac{1}{n K} \sum_i |R_i|",
    reference="Witten, Frank and Hall (2011), Data Mining, 3rd ed. (Weka)",
    needs_probability=True,
    reaches_best=False,
)
def size_of_region(rows: ProbabilityRows, *, level: float = 0.95) -> Any:
    """Mean share of the classes that are needed to reach a level of probability.

    Examples
    --------
    >>> three = np.array([[0.97, 0.02, 0.01], [0.5, 0.46, 0.04]])
    >>> rows = ProbabilityRows(np.array([1, 2]), three, None, 3)
    >>> size_of_region(rows)
    array([0.33333333, 0.66666667])
    """
    if rows.is_binary:
        return np.where(needs_both(rows, level), 1.0, 0.5)
    if rows.is_certain:
        return np.full(len(rows), 1.0 / rows.classes)
    return in_region(rows, require_level(level))[1].mean(axis=1)
