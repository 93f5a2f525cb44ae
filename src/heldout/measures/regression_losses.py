"""Robust losses, quantile losses and deviances of predicted numbers."""

from __future__ import annotations

from functools import partial
from math import inf, nan
from typing import Any

import numpy as np

from heldout.core.errors import InputError
from heldout.measures.registry import measure
from heldout.tally.moments import Moments
from heldout.tally.rows import ValueRows

#: means of losses
of_losses = partial(measure, direction="down", bounds=(0, inf))


@of_losses(
    aliases=("huber",),
    formula=r"\frac{1}{n} \sum_i \begin{cases} e_i^2 / 2 & |e_i| \le \delta \\"
    r" \delta (|e_i| - \delta / 2) & \text{else} \end{cases}",
    undefined="there are no rows",
    reference="Huber (1964), Ann. Math. Stat. 35:73",
)
def huber_loss(rows: ValueRows, *, delta: float = 1.0) -> Any:
    """Mean of half the squared errors, where those above ``delta`` count linearly.

    Examples
    --------
    >>> rows = ValueRows(np.zeros(2), np.array([1.0, 3.0]))
    >>> huber_loss(rows)
    array([0.5, 2.5])
    """
    size, delta = np.abs(rows.error), _above_zero(delta)
    near = np.minimum(size, delta)
    return near * (size - near / 2)


@of_losses(
    title="Pseudo-Huber loss",
    aliases=("huber_loss_pseudo", "pseudo_huber"),
    formula=r"\frac{1}{n} \sum_i \delta^2 \left(\sqrt{1 + (e_i / \delta)^2} - 1\right)",
    undefined="there are no rows",
    reference="Charbonnier et al. (1997), IEEE Trans. Image Process. 6:298",
)
def pseudo_huber_loss(rows: ValueRows, *, delta: float = 1.0) -> Any:
    """Mean of a smooth loss that is squared for small errors and linear for large ones.

    Examples
    --------
    >>> rows = ValueRows(np.zeros(2), np.array([0.0, 3.0]))
    >>> pseudo_huber_loss(rows, delta=4.0)
    array([0., 4.])
    """
    delta = _above_zero(delta)
    return delta**2 * (np.hypot(1.0, rows.error / delta) - 1.0)


@of_losses(
    title="Pinball (quantile) loss",
    aliases=("pinball", "quantile_loss", "mean_pinball_loss"),
    formula=r"\frac{1}{n} \sum_i \max(\alpha (y_i - \hat y_i), (1 - \alpha)(\hat y_i - y_i))",
    undefined="there are no rows",
    reference="Koenker and Bassett (1978), Econometrica 46:33",
)
def pinball_loss(rows: ValueRows, *, alpha: float = 0.5) -> Any:
    """Mean loss of predictions of the quantile ``alpha``; half the absolute error at 0.5.

    Examples
    --------
    >>> rows = ValueRows(np.zeros(2), np.array([-1.0, 1.0]))
    >>> pinball_loss(rows, alpha=0.9)
    array([0.9, 0.1])
    """
    if not 0 <= alpha <= 1:
        raise InputError(f"alpha of the pinball loss is a quantile between 0 and 1, not {alpha!r}")
    return np.where(rows.error < 0, -alpha * rows.error, (1 - alpha) * rows.error)


def _above_zero(delta: float) -> float:
    if not 0 < delta < inf:
        raise InputError(f"delta of a Huber loss is a number above 0, not {delta!r}")
    return delta


JORGENSEN = "Jørgensen (1987), J. R. Stat. Soc. B 49:127"
MCCULLAGH = "McCullagh and Nelder (1989), Generalized Linear Models, 2nd ed."


def outside_the_domain(losses: Moments, **_: Any) -> str:
    """How many rows have no deviance, or an infinite one."""
    if losses.undefined:
        rows = "row has" if losses.undefined == 1 else "rows have"
        return f"undefined: {losses.undefined:,} {rows} a value that the distribution cannot take"
    if losses.infinite:
        return f"0 is predicted where more came in {losses.infinite:,} of {losses.rows:,} rows"
    return ""


@of_losses(
    aliases=("mean_poisson_deviance",),
    formula=r"\frac{2}{n} \sum_i \left(y_i \ln \frac{y_i}{\hat y_i} + \hat y_i - y_i\right)",
    undefined="a true or predicted value is negative",
    reference=MCCULLAGH,
    note=outside_the_domain,
)
def poisson_deviance(rows: ValueRows) -> Any:
    """Mean deviance of predicted means of counts.

    Infinite where 0 is predicted and more came.

    Examples
    --------
    >>> rows = ValueRows(np.array([0.0, 2.0]), np.array([1.0, 2.0]))
    >>> poisson_deviance(rows)
    array([2., 0.])
    """
    return tweedie_deviance(rows, power=1.0)


@of_losses(
    aliases=("mean_gamma_deviance",),
    formula=r"\frac{2}{n} \sum_i \left(\ln \frac{\hat y_i}{y_i} + \frac{y_i}{\hat y_i} - 1\right)",
    undefined="a true value is not positive, or a predicted one is negative",
    reference=MCCULLAGH,
    note=outside_the_domain,
)
def gamma_deviance(rows: ValueRows) -> Any:
    """Mean deviance of predicted means of positive amounts.

    It depends on the ratio of predicted to true value only.

    Examples
    --------
    >>> rows = ValueRows(np.array([1.0]), np.array([2.0]))
    >>> gamma_deviance(rows)
    array([0.38629436])
    """
    return tweedie_deviance(rows, power=2.0)


@of_losses(
    aliases=("mean_tweedie_deviance",),
    formula=r"\frac{2}{n} \sum_i \left(\frac{\max(y_i, 0)^{2 - p}}{(1 - p)(2 - p)}"
    r" - \frac{y_i \hat y_i^{1 - p}}{1 - p} + \frac{\hat y_i^{2 - p}}{2 - p}\right)",
    undefined="a true or predicted value is one that the distribution cannot take",
    reference=JORGENSEN,
    note=outside_the_domain,
)
def tweedie_deviance(rows: ValueRows, *, power: float = 1.5) -> Any:
    """Mean deviance of predicted means whose variance grows as the mean to a power.

    Parameters
    ----------
    power
        0 is the squared error, 1 the Poisson, 2 the gamma, 3 the inverse Gaussian deviance;
        between 1 and 2 for amounts that are 0 or positive.

    Examples
    --------
    >>> rows = ValueRows(np.array([0.0, 4.0]), np.array([1.0, 4.0]))
    >>> tweedie_deviance(rows)
    array([4., 0.])
    """
    if not -inf < power < inf or 0 < power < 1:
        raise InputError(f"power of the Tweedie deviance is at most 0 or at least 1, not {power!r}")
    if power == 0:
        return rows.error * rows.error
    allowed = (rows.truth > 0) if power >= 2 else (rows.truth >= 0) if power >= 1 else True
    allowed = allowed & ((rows.predicted >= 0) if power >= 1 else (rows.predicted > 0))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        values = 2 * _half(rows.truth, rows.predicted, power)
    # by the formula 0/0 or worse, by its limit:
    values = np.where(rows.predicted == 0, np.where(rows.truth == 0, 0.0, inf), values)
    # equal numbers have no deviance, whatever rounding makes of it
    return np.where(allowed, np.where(rows.error == 0, 0.0, np.maximum(values, 0.0)), nan)


def _half(truth: Any, predicted: Any, power: float) -> Any:
    """Half the deviance, by formula."""
    if power == 1:
        logs = np.log(truth / predicted, out=np.zeros(len(truth)), where=truth > 0)
        return truth * logs + predicted - truth
    if power == 2:
        quotient = truth / predicted
        return quotient - 1 - np.log(quotient)
    raised = predicted ** (2 - power)
    first = np.maximum(truth, 0.0) ** (2 - power) / ((1 - power) * (2 - power))
    return first - truth * (raised / predicted) / (1 - power) + raised / (2 - power)
