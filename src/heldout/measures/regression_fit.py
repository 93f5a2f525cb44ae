"""How closely predicted numbers follow the true ones: variance explained and correlation."""

from __future__ import annotations

from math import inf, isnan, nan, sqrt

import numpy as np

from heldout.core.errors import InputError
from heldout.core.ratio import ratio
from heldout.measures.registry import measure
from heldout.tally.errors import ErrorRows, Errors

__all__ = [
    "adjusted_r2",
    "concordance_correlation",
    "correlation",
    "explained_variance",
    "index_of_ideality_of_correlation",
    "r2",
    "squared_correlation",
]

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
    """R squared less what chance gives a model of so many features.

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
    title="Explained variance",
    aliases=("explained_variance_score", "evs"),
    direction="up",
    bounds=(-inf, 1),
    formula=r"1 - \frac{\mathrm{Var}(\hat y - y)}{\mathrm{Var}(y)}",
    undefined="all true values are the same",
    reference=KVALSETH,
)
def explained_variance(errors: Errors) -> float:
    """R squared of the predictions after their bias is taken away.

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
    return _rounded(float(ratio(errors.co_deviations, spread)))


@measure(
    title="Squared correlation",
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
    """Correlation of predicted with true values that counts a shift or a wrong scale against it.

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
    return _rounded(float(ratio(2 * errors.co_deviations, spread + rows * apart * apart)))


@measure(
    reaches_best=False,
    title="Index of ideality of correlation",
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


def _rounded(value: float) -> float:
    """A correlation without the last digit by which rounding takes a perfect one beyond 1."""
    return nan if isnan(value) else max(-1.0, min(1.0, value))
