"""Errors of predicted numbers, and how closely predictions follow the truth."""

from __future__ import annotations

from functools import partial
from math import floor, inf, isnan, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.ratio import ratio, square_root, unrounded
from heldout.measures.kinds import ROOT, Maximum, Mean, Sum
from heldout.measures.registry import declare, measure
from heldout.tally.errors import ErrorRows, Errors
from heldout.tally.moments import Moments
from heldout.tally.rows import ValueRows

if TYPE_CHECKING:
    from heldout.core.arrays import Array, Floats

#: sums of weights that differ by less than this share of the whole are the same
ROUNDING = 1e-12


def weighted_median(values: Array, weight: Floats | None) -> float:
    """The value with half of the weight on either side; the mean of two where the cut is between.

    Examples
    --------
    >>> weighted_median(np.array([3.0, 1.0, 2.0]), np.array([2.0, 1.0, 1.0]))
    2.5
    """
    if weight is None:
        return float(np.median(values)) if len(values) else nan
    values, reached = _in_order(values, weight)
    if not len(values):
        return nan
    half, slack = reached[-1] / 2, reached[-1] * ROUNDING
    first = int(np.searchsorted(reached, half - slack))
    last = int(np.searchsorted(reached, half + slack, side="right"))
    return float((values[first] + values[last]) / 2)


def weighted_quantile(values: Array, weight: Floats | None, share: float) -> float:
    """A quantile of the rows, each repeated by its weight, with linear interpolation between two.

    Without weights it is NumPy's (and R's) default, definition 7 of Hyndman and Fan (1996).

    Examples
    --------
    >>> weighted_quantile(np.array([1.0, 3.0]), np.array([3.0, 2.0]), 0.75)
    3.0
    """
    if weight is None:
        return float(np.quantile(values, share)) if len(values) else nan
    values, reached = _in_order(values, weight)
    if not len(values):
        return nan
    position = max(reached[-1] - 1, 0.0) * share
    step = floor(position + reached[-1] * ROUNDING)
    slack = reached[-1] * ROUNDING
    low, high = (
        values[min(int(np.searchsorted(reached, rank + slack, side="right")), len(values) - 1)]
        for rank in (step, step + 1)
    )
    return float(low + (high - low) * max(position - step, 0.0))


def _in_order(values: Array, weight: Floats) -> tuple[Any, Any]:
    """Rising values of the rows that have weight, and the weight up to each of them."""
    order = np.argsort(values, kind="stable")
    order = order[weight[order] > 0]
    return values[order], np.cumsum(weight[order])


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


#: errors, of which less is better; and means and sums of losses
of_errors = partial(measure, direction="down", bounds=(0, inf), undefined="there are no rows")
of_losses = partial(
    declare, module=__name__, direction="down", bounds=(0, inf), undefined="there are no rows"
)


of_losses(
    "mse",
    "Mean of the squared errors.",
    title="Mean squared error",
    aliases=("mean_squared_error",),
    formula=r"\frac{1}{n} \sum_i (\hat y_i - y_i)^2",
    reference=HASTIE,
    loss=squared_errors,
    example=([1.0, 9.0], 5),
)

of_losses(
    "rmse",
    "Root of the mean squared error, in the unit of the truth.",
    title="Root mean squared error",
    aliases=(
        "root_mean_squared_error",
        "root_mean_square_error",
    ),
    formula=r"\sqrt{\frac{1}{n} \sum_i (\hat y_i - y_i)^2}",
    reference=WILLMOTT,
    loss=squared_errors,
    headline=("regression",),
    kind=Mean(ROOT),
    example=([1.0, 7.0], 2),
)

of_losses(
    "residual_sum_of_squares",
    "Sum of the squared errors.",
    aliases=("rss", "ssr", "sse", "sum_of_squared_residuals", "sum_of_squared_errors"),
    formula=r"\sum_i (\hat y_i - y_i)^2",
    reference=HASTIE,
    loss=squared_errors,
    kind=Sum("mse"),
    example=([1.0, 9.0], 10),
)


of_losses(
    "half_sum_of_squares",
    "Half the sum of the squared errors, as models are fitted by it.",
    details="Some textbooks call this the sum of squared errors; elsewhere, and here, that is the"
    " residual sum of squares, without the factor 1/2.",
    title="Half the sum of squared errors",
    aliases=("half_sse",),
    formula=r"\frac{1}{2} \sum_i (\hat y_i - y_i)^2",
    reference="Kelleher, Mac Namee and D'Arcy (2015), Fundamentals of Machine Learning, ch. 7",
    loss=squared_errors,
    kind=Sum("mse", 0.5),
    example=([1.0, 9.0], 5),
)

of_losses(
    "mae",
    "Mean of the absolute errors.",
    title="Mean absolute error",
    aliases=("mean_absolute_error",),
    formula=r"\frac{1}{n} \sum_i |\hat y_i - y_i|",
    reference=WILLMOTT,
    loss=absolute_errors,
    headline=("regression",),
    example=([1.0, 3.0], 2),
)


@of_errors(
    aliases=("medae", "median_ae", "mdae"),
    formula=r"\mathrm{median}_i\, |\hat y_i - y_i|",
    reference="Hyndman and Koehler (2006), Int. J. Forecast. 22:679",
)
def median_absolute_error(rows: ErrorRows) -> float:
    """Median of the absolute errors; with weights, where half the weight lies below.

    Examples
    --------
    >>> median_absolute_error(ErrorRows.of(np.zeros(4), np.array([1.0, -2.0, 4.0, 90.0])))
    3.0
    """
    return weighted_median(np.abs(rows.error), rows.weight)


@of_errors(
    title="Largest error",
    aliases=("maximum_error", "largest_error", "max_absolute_error"),
    formula=r"\max_i |\hat y_i - y_i|",
    reference=HASTIE,
    kind=Maximum("errors"),
)
def max_error(errors: Errors) -> float:
    """Largest of the absolute errors.

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
    """Mean of predicted minus true value: positive where predictions are too high.

    Other tools take true less predicted value (yardstick's ``msd``): the sign is then the other.

    Examples
    --------
    >>> bias(Moments.of(np.array([1.0, 0.5])))
    0.75
    """
    spread = square_root(ratio(losses.deviations, losses.weight))
    return unrounded(losses.mean, spread)


KVALSETH = "Kvålseth (1985), Am. Stat. 39:279"
PEARSON = "Pearson (1895), Proc. R. Soc. Lond. 58:240"


@measure(
    title="R squared (coefficient of determination)",
    aliases=("r_squared", "r2_score", "rsq_trad", "coefficient_of_determination"),
    direction="up",
    bounds=(-inf, 1),
    formula=r"1 - \frac{\sum_i (\hat y_i - y_i)^2}{\sum_i (y_i - \bar y)^2}",
    undefined="all true values are the same",
    reference=KVALSETH,
    headline=("regression",),
)
def r2(errors: Errors, *, force_finite: bool = False) -> float:
    """Share of the variance of the truth that predictions explain; negative if worse than its mean.

    Parameters
    ----------
    force_finite
        Where all true values are the same, give 1 for perfect and 0 for other predictions,
        as scikit-learn does.

    Examples
    --------
    >>> r2(Errors.of(np.array([1.0, 3.0]), np.array([1.5, 2.5])))
    0.75
    """
    spread = errors.truth_spread
    if not spread and force_finite and errors.rows > 1:
        return float(errors.residual_squares == 0)
    return 1.0 - float(ratio(errors.residual_squares, spread))


@measure(
    title="Adjusted R squared",
    aliases=("r2_adjusted", "adj_r2", "adjusted_r_squared"),
    direction="up",
    bounds=(-inf, 1),
    formula=r"1 - (1 - R^2) \frac{n - 1}{n - p - 1}",
    undefined="all true values are the same, or there are no more rows than features and one",
    reference="Ezekiel (1930), Methods of Correlation Analysis",
    weight_scale=True,
)
def adjusted_r2(errors: Errors, *, features: int | None = None) -> float:
    """R squared, corrected for the number of features.

    Weights count as repetitions of rows.

    Parameters
    ----------
    features
        How many features the model has, without the intercept.

    Examples
    --------
    >>> adjusted_r2(Errors.of(np.array([1.0, 2.0, 3.0]), np.array([1.5, 2.0, 2.5])), features=1)
    0.5
    """
    if features is None or features < 0:
        raise InputError("adjusted_r2 needs how many features the model has: features=3")
    left = errors.weight - features - 1
    return 1.0 - (1.0 - r2(errors)) * (errors.weight - 1) / left if left > 0 else nan


@measure(
    aliases=("explained_variance_score", "evs"),
    direction="up",
    bounds=(-inf, 1),
    formula=r"1 - \frac{\mathrm{Var}(\hat y - y)}{\mathrm{Var}(y)}",
    undefined="all true values are the same",
    reference=KVALSETH,
)
def explained_variance(errors: Errors) -> float:
    """R squared of the predictions after their bias is removed.

    Examples
    --------
    >>> explained_variance(Errors.of(np.array([1.0, 3.0]), np.array([2.0, 4.0])))
    1.0
    """
    return 1.0 - float(ratio(errors.error_deviations, errors.truth_spread))


@measure(
    title="Correlation (Pearson)",
    aliases=("pearson", "pearson_r", "pearson_correlation", "correlation_coefficient"),
    direction="up",
    bounds=(-1, 1),
    formula=r"r = \frac{\sum_i (y_i - \bar y)(\hat y_i - \bar{\hat y})}"
    r"{\sqrt{\sum_i (y_i - \bar y)^2 \sum_i (\hat y_i - \bar{\hat y})^2}}",
    undefined="all true values or all predicted values are the same",
    reference=PEARSON,
)
def correlation(errors: Errors) -> float:
    """Linear correlation of predicted and true values.

    Examples
    --------
    >>> correlation(Errors.of(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 3.0])))
    0.5
    """
    spread = sqrt(errors.truth_spread) * sqrt(errors.predicted_spread)
    return _without_noise(float(ratio(errors.co_deviations, spread)))


@measure(
    aliases=("rsq", "r_squared_correlation"),
    direction="up",
    bounds=(0, 1),
    formula=r"r^2",
    undefined="all true values or all predicted values are the same",
    reference=KVALSETH,
)
def squared_correlation(errors: Errors) -> float:
    """Share of the variance that the best line through the predictions would explain.

    It forgives a wrong scale and a bias, which R squared does not.

    Examples
    --------
    >>> squared_correlation(Errors.of(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 3.0])))
    0.25
    """
    return correlation(errors) ** 2


@measure(
    title="Concordance correlation (Lin)",
    aliases=("ccc", "lin_ccc", "concordance_correlation_coefficient"),
    direction="up",
    bounds=(-1, 1),
    formula=r"\frac{2 s_{y \hat y}}{s_y^2 + s_{\hat y}^2 + (\bar y - \bar{\hat y})^2}",
    undefined="there are fewer than two rows, or all true and predicted values are the same",
    reference="Lin (1989), Biometrics 45:255",
    weight_scale=True,
)
def concordance_correlation(errors: Errors, *, bias: bool = False) -> float:
    """Correlation of predicted and true values that penalises a shift or a wrong scale.

    Weights count as repetitions of rows.

    Parameters
    ----------
    bias
        Divide variances by n, as Lin did, and not by n - 1.

    Examples
    --------
    >>> concordance_correlation(Errors.of(np.array([1.0, 3.0]), np.array([2.0, 4.0])))
    0.8
    """
    rows = errors.weight if bias else errors.weight - 1
    if rows <= 0:
        return nan
    apart = errors.predicted_mean - errors.truth_mean
    spread = errors.truth_spread + errors.predicted_spread
    return _without_noise(float(ratio(2 * errors.co_deviations, spread + rows * apart * apart)))


@measure(
    reaches_best=False,
    aliases=("iic",),
    direction="up",
    bounds=(-1, 1),
    formula=r"r\, \frac{\min(\mathrm{MAE}_-, \mathrm{MAE}_+)}"
    r"{\max(\mathrm{MAE}_-, \mathrm{MAE}_+)}",
    undefined="the correlation is undefined, or no prediction is too high, or all are",
    reference="Toropova and Toropov (2017), Sci. Total Environ. 586:466",
)
def index_of_ideality_of_correlation(rows: ErrorRows) -> float:
    """Correlation, less the more predictions err further on one side than on the other.

    Examples
    --------
    >>> truth, predicted = np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 2.5])
    >>> index_of_ideality_of_correlation(ErrorRows.of(truth, predicted))
    0.2165
    """
    weight = np.ones(rows.rows) if rows.weight is None else rows.weight
    too_high = rows.error > 0
    sizes = []
    for side in (too_high, ~too_high):
        total = float(weight[side].sum())
        sizes.append(float(ratio(np.dot(weight[side], np.abs(rows.error[side])), total)))
    lean = nan if any(map(isnan, sizes)) else float(ratio(min(sizes), max(sizes)))
    return lean * correlation(Errors.of(rows.truth, rows.predicted, rows.weight))


def _without_noise(value: float) -> float:
    """A correlation without the last digit by which rounding takes a perfect one beyond 1."""
    return nan if isnan(value) else max(-1.0, min(1.0, value))
