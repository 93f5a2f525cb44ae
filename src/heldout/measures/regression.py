"""Errors of predicted numbers: squared, absolute, the largest, the middle one, the mean one."""

from __future__ import annotations

from math import inf, nan, sqrt
from typing import Any

import numpy as np

from heldout.core.ratio import square_root, unrounded
from heldout.measures.kinds import ROOT, Maximum, Mean, Sum
from heldout.measures.registry import measure
from heldout.measures.weighted_quantiles import weighted_median
from heldout.tally.errors import ErrorRows, Errors
from heldout.tally.moments import Moments
from heldout.tally.rows import ValueRows

__all__ = [
    "absolute_errors",
    "bias",
    "half_sum_of_squares",
    "max_error",
    "mean_absolute_error",
    "mean_squared_error",
    "median_absolute_error",
    "residual_sum_of_squares",
    "root_mean_squared_error",
    "signed_errors",
    "squared_errors",
]

WILLMOTT = "Willmott and Matsuura (2005), Clim. Res. 30:79"
HASTIE = "Hastie, Tibshirani and Friedman (2009), Elements of Statistical Learning, 2nd ed."


def squared_errors(rows: ValueRows) -> Any:
    """The squared error of each row."""
    return rows.error * rows.error


def signed_errors(rows: ValueRows) -> Any:
    """Predicted less true value of each row."""
    return rows.error


def absolute_errors(rows: ValueRows) -> Any:
    """The error of each row without its sign."""
    return np.abs(rows.error)


@measure(
    name="mse",
    title="Mean squared error",
    aliases=("mse",),
    direction="down",
    bounds=(0, inf),
    formula=r"\frac{1}{n} \sum_i (\hat y_i - y_i)^2",
    undefined="there are no rows",
    reference=HASTIE,
    loss=squared_errors,
)
def mean_squared_error(losses: Moments) -> float:
    """Mean of the squared errors.

    Examples
    --------
    >>> mean_squared_error(Moments.of(np.array([1.0, 9.0])))
    5.0
    """
    return losses.mean


@measure(
    name="rmse",
    title="Root mean squared error",
    aliases=("rmse", "root_mean_square_error"),
    direction="down",
    bounds=(0, inf),
    formula=r"\sqrt{\frac{1}{n} \sum_i (\hat y_i - y_i)^2}",
    undefined="there are no rows",
    reference=WILLMOTT,
    loss=squared_errors,
    headline=("regression",),
    kind=Mean(ROOT),
)
def root_mean_squared_error(losses: Moments) -> float:
    """Root of the mean squared error, in the unit of the truth.

    Examples
    --------
    >>> root_mean_squared_error(Moments.of(np.array([1.0, 7.0])))
    2.0
    """
    return float(square_root(losses.mean))


@measure(
    title="Residual sum of squares",
    aliases=("rss", "ssr", "sse", "sum_of_squared_residuals", "sum_of_squared_errors"),
    direction="down",
    bounds=(0, inf),
    formula=r"\sum_i (\hat y_i - y_i)^2",
    undefined="there are no rows",
    reference=HASTIE,
    loss=squared_errors,
    kind=Sum("mse"),
)
def residual_sum_of_squares(losses: Moments) -> float:
    """Sum of the squared errors.

    Examples
    --------
    >>> residual_sum_of_squares(Moments.of(np.array([1.0, 9.0])))
    10.0
    """
    return losses.sum


@measure(
    title="Half the sum of squared errors",
    aliases=("half_sse",),
    direction="down",
    bounds=(0, inf),
    formula=r"\frac{1}{2} \sum_i (\hat y_i - y_i)^2",
    undefined="there are no rows",
    reference="Kelleher, Mac Namee and D'Arcy (2015), Fundamentals of Machine Learning, ch. 7",
    loss=squared_errors,
    kind=Sum("mse"),
)
def half_sum_of_squares(losses: Moments) -> float:
    """Half the sum of the squared errors, as models are fitted by it.

    Some textbooks call this the sum of squared errors; elsewhere, and here, that is the
    residual sum of squares, without the factor 1/2.

    Examples
    --------
    >>> half_sum_of_squares(Moments.of(np.array([1.0, 9.0])))
    5.0
    """
    return losses.sum / 2


@measure(
    name="mae",
    title="Mean absolute error",
    aliases=("mae",),
    direction="down",
    bounds=(0, inf),
    formula=r"\frac{1}{n} \sum_i |\hat y_i - y_i|",
    undefined="there are no rows",
    reference=WILLMOTT,
    loss=absolute_errors,
    headline=("regression",),
)
def mean_absolute_error(losses: Moments) -> float:
    """Mean of the errors without their sign.

    Examples
    --------
    >>> mean_absolute_error(Moments.of(np.array([1.0, 3.0])))
    2.0
    """
    return losses.mean


@measure(
    title="Median absolute error",
    aliases=("medae", "median_ae", "mdae"),
    direction="down",
    bounds=(0, inf),
    formula=r"\mathrm{median}_i\, |\hat y_i - y_i|",
    undefined="there are no rows",
    reference="Hyndman and Koehler (2006), Int. J. Forecast. 22:679",
)
def median_absolute_error(rows: ErrorRows) -> float:
    """Middle of the errors without their sign; with weights, where half the weight lies below.

    Examples
    --------
    >>> median_absolute_error(ErrorRows.of(np.zeros(4), np.array([1.0, -2.0, 4.0, 90.0])))
    3.0
    """
    return weighted_median(np.abs(rows.error), rows.weight)


@measure(
    title="Largest error",
    aliases=("maximum_error", "largest_error", "max_absolute_error"),
    direction="down",
    bounds=(0, inf),
    formula=r"\max_i |\hat y_i - y_i|",
    undefined="there are no rows",
    reference=HASTIE,
    kind=Maximum("errors"),
)
def max_error(errors: Errors) -> float:
    """Largest of the errors without their sign.

    Examples
    --------
    >>> max_error(Errors.of(np.array([1.0, 2.0]), np.array([1.5, -1.0])))
    3.0
    """
    return errors.largest if errors.rows else nan


@measure(
    title="Bias (mean error)",
    aliases=("mean_error", "mean_bias_error", "mbe"),
    direction="target",
    best=0.0,
    formula=r"\frac{1}{n} \sum_i (\hat y_i - y_i)",
    undefined="there are no rows",
    reference=WILLMOTT,
    loss=signed_errors,
    headline=("regression",),
)
def bias(losses: Moments) -> float:
    """Mean of predicted less true value: positive where predictions are too high.

    Other tools take true less predicted value (yardstick's ``msd``): the sign is then the other.

    Examples
    --------
    >>> bias(Moments.of(np.array([1.0, 0.5])))
    0.75
    """
    spread = sqrt(losses.deviations / losses.weight) if losses.weight else 0.0
    return float(unrounded(losses.mean, spread))
