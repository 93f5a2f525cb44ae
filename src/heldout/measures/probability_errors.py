"""Errors of probabilities: mean absolute, root mean squared, and relative to the prior's."""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

from heldout.core.ratio import ratio, square_root
from heldout.measures.kinds import COMPLEMENT, ROOT, Mean
from heldout.measures.prior import of_truth, prior_table, squared_distance_of_prior
from heldout.measures.probability_losses import absolute_errors, squared_errors
from heldout.measures.registry import measure
from heldout.tally.moments import Moments
from heldout.tally.rows import ProbabilityRows

__all__ = [
    "absolute_errors_of_columns",
    "mean_probability_of_truth",
    "prior_absolute_errors",
    "prior_squared_errors",
    "probability_mae",
    "probability_rmse",
    "relative_absolute_error_of_probabilities",
    "root_relative_squared_error_of_probabilities",
    "squared_errors_of_columns",
]


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


@measure(
    title="Mean probability of the truth",
    aliases=("average_probability", "mean_probability_of_true_class"),
    direction="up",
    bounds=(0, 1),
    formula=r"\frac{1}{n} \sum_i p_i(y_i)",
    undefined="",
    reference="Demsar et al. (2013), J. Mach. Learn. Res. 14:2349 (Orange: AP)",
    loss=absolute_errors,
    needs_probability=True,
    kind=Mean(COMPLEMENT),
)
def mean_probability_of_truth(losses: Moments) -> float:
    """Mean probability given to the class that came true.

    It rewards overconfidence: pushing every probability to 0 or 1 can raise it.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.tally.rows import ProbabilityRows
    >>> rows = ProbabilityRows(np.array([1, 0]), np.array([0.9, 0.3]), None, 2, positive=1)
    >>> mean_probability_of_truth(Moments.of(absolute_errors(rows)))
    0.8
    """
    return 1.0 - losses.mean


@measure(
    title="RMSE of probabilities",
    aliases=("rmse_of_probabilities", "root_mean_squared_error_of_probabilities", "root_brier"),
    direction="down",
    bounds=(0, 1),
    formula=r"\sqrt{\frac{1}{n} \sum_i (1 - p_i(y_i))^2}",
    undefined="",
    reference="Caruana and Niculescu-Mizil (2004), KDD:69",
    loss=squared_errors,
    needs_probability=True,
    kind=Mean(ROOT),
)
def probability_rmse(losses: Moments, *, all_columns: bool = False) -> float:
    """Root mean squared error of the probability given to the true class.

    With two classes that is the error of the positive class's column. ``all_columns`` takes
    the mean over every class's column too, as Weka does; two classes are the same either way.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.tally.rows import ProbabilityRows
    >>> rows = ProbabilityRows(np.array([1, 0]), np.array([0.9, 0.3]), None, 2, positive=1)
    >>> probability_rmse(Moments.of(squared_errors(rows)))  # sqrt(0.05)
    0.223607
    """
    return sqrt(losses.mean)


@measure(
    title="MAE of probabilities",
    aliases=("mae_of_probabilities", "mean_absolute_error_of_probabilities"),
    direction="down",
    bounds=(0, 1),
    formula=r"\frac{1}{n} \sum_i (1 - p_i(y_i))",
    undefined="",
    reference="Ferri, Hernandez-Orallo and Modroiu (2009), Pattern Recognit. Lett. 30:27",
    loss=absolute_errors,
    needs_probability=True,
)
def probability_mae(losses: Moments, *, all_columns: bool = False) -> float:
    """Mean absolute error of the probability given to the true class.

    ``all_columns`` takes the mean over every class's column too, as Weka does.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.tally.rows import ProbabilityRows
    >>> rows = ProbabilityRows(np.array([1, 0]), np.array([0.9, 0.3]), None, 2, positive=1)
    >>> probability_mae(Moments.of(absolute_errors(rows)))
    0.2
    """
    return losses.mean


@measure(
    title="Relative absolute error of probabilities",
    aliases=("probability_rae", "rae_of_probabilities"),
    direction="down",
    bounds=(0, inf),
    formula=r"\frac{\sum_i \sum_k |p_{ik} - [y_i = k]|}{\sum_i \sum_k |P_k - [y_i = k]|}",
    undefined="predicting the prior makes no error",
    reference="Witten, Frank and Hall (2011), Data Mining, 3rd ed. (Weka)",
    loss=(absolute_errors_of_columns, prior_absolute_errors),
    needs_probability=True,
    uses_prior=True,
)
def relative_absolute_error_of_probabilities(
    losses: Moments, by_prior: Moments, *, laplace: bool = True
) -> float:
    """Absolute error of the probabilities as a share of that of the prior.

    Over all class columns. Weka prints it in per cent; like Weka's, the prior is made of the
    training part's class counts with one added to each (``laplace=false``: the plain shares).

    Examples
    --------
    >>> import numpy as np
    >>> relative_absolute_error_of_probabilities(
    ...     Moments.of(np.array([0.1, 0.3])), Moments.of(np.array([0.5, 0.5]))
    ... )
    0.4
    """
    return ratio(losses.mean, by_prior.mean)


@measure(
    title="Root relative squared error of probabilities",
    aliases=("probability_rrse", "rrse_of_probabilities"),
    direction="down",
    bounds=(0, inf),
    formula=r"\sqrt{\frac{\sum_i \sum_k (p_{ik} - [y_i = k])^2}"
    r"{\sum_i \sum_k (P_k - [y_i = k])^2}}",
    undefined="predicting the prior makes no error",
    reference="Witten, Frank and Hall (2011), Data Mining, 3rd ed. (Weka)",
    loss=(squared_errors_of_columns, prior_squared_errors),
    needs_probability=True,
    uses_prior=True,
)
def root_relative_squared_error_of_probabilities(
    losses: Moments, by_prior: Moments, *, laplace: bool = True
) -> float:
    """Root mean squared error of the probabilities over that of predicting the prior.

    Over all class columns; Weka prints it in per cent. The prior is as for the relative
    absolute error.

    Examples
    --------
    >>> import numpy as np
    >>> root_relative_squared_error_of_probabilities(
    ...     Moments.of(np.array([0.01, 0.09])), Moments.of(np.array([0.25, 0.25]))
    ... )
    0.447214
    """
    return square_root(ratio(losses.mean, by_prior.mean))
