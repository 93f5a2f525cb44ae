"""Errors of predicted numbers beside another prediction, the spread or the truth itself."""

from __future__ import annotations

from functools import partial
from math import inf, nan
from typing import Any

import numpy as np

from heldout.core.ratio import square_root
from heldout.measures.kinds import ROOT, Quotient
from heldout.measures.products import open_ratio
from heldout.measures.registry import declare, measure
from heldout.measures.regression import absolute_errors, squared_errors, weighted_quantile
from heldout.tally.errors import ErrorRows, Errors
from heldout.tally.moments import Moments
from heldout.tally.rows import ValueRows

WITTEN = "Witten, Frank and Hall (2011), Data Mining, 3rd ed., ch. 5"
BELLON = "Bellon-Maurel et al. (2010), Trends Anal. Chem. 29:1073"
CONSTANT = "every true value is the mean of the training part"


def absolute_errors_of_mean(rows: ValueRows) -> Any:
    """The error of each row, without sign, had the training mean been predicted."""
    return np.abs(rows.error_of(rows.train_mean))


def squared_errors_of_mean(rows: ValueRows) -> Any:
    """The squared error of each row, had the training mean been predicted."""
    return rows.error_of(rows.train_mean) ** 2


def absolute_errors_of_naive(rows: ValueRows) -> Any:
    """The error of the naive forecast of each row, without sign."""
    return np.abs(rows.error_of(rows.naive))


def no_naive_forecast(losses: Moments, naive: Moments, **_: Any) -> str:
    """The reason why there is no scaled error where no naive forecast is given."""
    return "undefined: no naive forecast is given" if naive.undefined else ""


#: errors beside those of always predicting the mean
beside_mean = partial(
    declare,
    module=__name__,
    kind=Quotient(),
    direction="down",
    bounds=(0, inf),
    undefined=CONSTANT,
    reference=WITTEN,
    uses_prior=True,
)

beside_mean(
    "relative_absolute_error",
    "Mean absolute error as a share of that of predicting the training mean.",
    aliases=("rae",),
    formula=r"\frac{\sum_i |\hat y_i - y_i|}{\sum_i |\bar y_{train} - y_i|}",
    loss=(absolute_errors, absolute_errors_of_mean),
    example=(([1.0, 1.0], [3.0, 1.0]), 0.5),
)

beside_mean(
    "relative_squared_error",
    "Mean squared error as a share of that of predicting the training mean.",
    aliases=("rse",),
    formula=r"\frac{\sum_i (\hat y_i - y_i)^2}{\sum_i (\bar y_{train} - y_i)^2}",
    loss=(squared_errors, squared_errors_of_mean),
    example=(([1.0, 1.0], [9.0, 1.0]), 0.2),
)

beside_mean(
    "root_relative_squared_error",
    "Root mean squared error as a share of that of predicting the training mean.",
    kind=Quotient(ROOT),
    aliases=("rrse",),
    formula=r"\sqrt{\frac{\sum_i (\hat y_i - y_i)^2}{\sum_i (\bar y_{train} - y_i)^2}}",
    loss=(squared_errors, squared_errors_of_mean),
    example=(([1.0], [4.0]), 0.5),
)

declare(
    "mase",
    "Mean absolute error as a share of that of a naive forecast of the same rows.",
    kind=Quotient(),
    module=__name__,
    title="Mean absolute scaled error",
    aliases=("mean_absolute_scaled_error",),
    direction="down",
    bounds=(0, inf),
    formula=r"\frac{\sum_i |\hat y_i - y_i|}{\sum_i |\tilde y_i - y_i|}",
    undefined="the naive forecast makes no error",
    reference="Hyndman and Koehler (2006), Int. J. Forecast. 22:679",
    loss=(absolute_errors, absolute_errors_of_naive),
    note=no_naive_forecast,
    example=(([1.0], [4.0]), 0.25),
)


@measure(
    aliases=("rpd",),
    direction="up",
    bounds=(0, inf),
    formula=r"\frac{s_y}{\mathrm{RMSE}}",
    undefined="there are fewer than two rows, or all true values are the same and predicted",
    reference=BELLON,
    weight_scale=True,
)
def ratio_of_performance_to_deviation(errors: Errors) -> float:
    """Standard deviation of the truth (divisor n - 1) over the root mean squared error.

    Weights count as repetitions of rows. Infinite for perfect predictions.

    Examples
    --------
    >>> ratio_of_performance_to_deviation(Errors.of(np.array([1.0, 3.0]), np.array([2.0, 4.0])))
    1.4142
    """
    if errors.weight <= 1:
        return nan
    variance = errors.truth_spread / (errors.weight - 1)
    return float(square_root(open_ratio(variance, errors.residual_squares / errors.weight)))


@measure(
    title="Ratio of performance to interquartile range",
    aliases=("rpiq",),
    direction="up",
    bounds=(0, inf),
    formula=r"\frac{Q_3(y) - Q_1(y)}{\mathrm{RMSE}}",
    undefined="there are no rows, or predictions are perfect and the quartiles the same",
    reference=BELLON,
    weight_scale=True,
)
def ratio_of_performance_to_interquartile(rows: ErrorRows) -> float:
    """Interquartile range of the truth over the root mean squared error.

    Weights count as repetitions of rows. Infinite for perfect predictions.

    Examples
    --------
    >>> truth = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    >>> ratio_of_performance_to_interquartile(ErrorRows.of(truth, truth + 1))
    2.0
    """
    low, high = (weighted_quantile(rows.truth, rows.weight, share) for share in (0.25, 0.75))
    squares = Moments.of(rows.error * rows.error, rows.weight)
    return float(open_ratio(high - low, square_root(squares.mean)))


HYNDMAN = "Hyndman and Koehler (2006), Int. J. Forecast. 22:679"


def shares(rows: ValueRows, *, percent: bool = False) -> Any:
    """True less predicted value as a share of the truth: infinite where only the truth is 0.

    Where both are 0 there is no error, and the share is 0.
    """
    endless = np.where(rows.error == 0, 0.0, np.copysign(inf, -rows.error))
    share = np.divide(-rows.error, rows.truth, out=endless, where=rows.truth != 0)
    return share * 100 if percent else share


def absolute_shares(rows: ValueRows, *, percent: bool = False) -> Any:
    """The error of each row as a share of the truth, without sign."""
    return np.abs(shares(rows, percent=percent))


def symmetric_shares(rows: ValueRows, *, percent: bool = False) -> Any:
    """The error of each row as a share of the mean size of true and predicted value.

    Where both are 0 there is no error, and the share is 0.
    """
    size = (np.abs(rows.truth) + np.abs(rows.predicted)) / 2
    share = np.divide(np.abs(rows.error), size, out=np.zeros(len(rows)), where=size != 0)
    return share * 100 if percent else share


def zero_truth(losses: Moments, **_: Any) -> str:
    """How many rows make a percentage error infinite."""
    count = losses.infinite + losses.negative_infinite
    if not count:
        return ""
    return f"the truth is 0 in {count:,} {'row' if count == 1 else 'rows'} with an error"


#: means of errors as a share of the values themselves
of_shares = partial(declare, module=__name__, direction="down", undefined="there are no rows")

of_shares(
    "mape",
    "Mean absolute error relative to the truth: 0.1 is ten percent (percent gives it as 10).",
    details="Infinite where the truth is 0 and the prediction is not.",
    title="Mean absolute percentage error",
    aliases=("mean_absolute_percentage_error",),
    bounds=(0, inf),
    formula=r"\frac{1}{n} \sum_i \left|\frac{\hat y_i - y_i}{y_i}\right|",
    reference=HYNDMAN,
    loss=absolute_shares,
    note=zero_truth,
    example=([0.5, 0.1], 0.3),
)

of_shares(
    "smape",
    "Mean error as a share of the mean size of true and predicted value, between 0 and 2.",
    details="percent gives it in percent.",
    title="Symmetric mean absolute percentage error",
    aliases=("symmetric_mape", "symmetric_mean_absolute_percentage_error"),
    bounds=(0, 2),
    formula=r"\frac{1}{n} \sum_i \frac{|\hat y_i - y_i|}{(|y_i| + |\hat y_i|) / 2}",
    reference="Makridakis (1993), Int. J. Forecast. 9:527",
    loss=symmetric_shares,
    example=([1.0, 0.0], 0.5),
)

of_shares(
    "mean_percentage_error",
    "Mean of true minus predicted value, relative to the truth (percent gives it in percent).",
    details="By custom its sign is the other way round than that of the bias: for positive truths "
    "it is positive where predictions are too low.",
    aliases=("mpe",),
    direction="target",
    best=0.0,
    formula=r"\frac{1}{n} \sum_i \frac{y_i - \hat y_i}{y_i}",
    undefined="the truth is 0 where predictions are too high and where they are too low",
    reference=HYNDMAN,
    loss=shares,
    note=zero_truth,
    example=([0.5, -0.1], 0.2),
)
