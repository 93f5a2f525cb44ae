"""Losses of predicted numbers that count large errors less, or one side more than the other."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from heldout.core.errors import InputError
from heldout.measures.registry import measure
from heldout.tally.moments import Moments
from heldout.tally.rows import ValueRows

__all__ = [
    "huber_loss",
    "huber_losses",
    "pinball_loss",
    "pinball_losses",
    "pseudo_huber_loss",
    "pseudo_huber_losses",
]


def huber_losses(rows: ValueRows, *, delta: float = 1.0) -> Any:
    """Half the squared error of each row, and linear from ``delta`` on."""
    size, delta = np.abs(rows.error), _above_zero(delta)
    near = np.minimum(size, delta)
    return near * (size - near / 2)


def pseudo_huber_losses(rows: ValueRows, *, delta: float = 1.0) -> Any:
    """The smooth form of Huber's loss of each row."""
    delta = _above_zero(delta)
    return delta**2 * (np.hypot(1.0, rows.error / delta) - 1.0)


def pinball_losses(rows: ValueRows, *, alpha: float = 0.5) -> Any:
    """The error of each row, times ``alpha`` where it is too low and 1 - ``alpha`` if too high."""
    if not 0 <= alpha <= 1:
        raise InputError(f"alpha of the pinball loss is a quantile between 0 and 1, not {alpha!r}")
    return np.where(rows.error < 0, -alpha * rows.error, (1 - alpha) * rows.error)


@measure(
    title="Huber loss",
    aliases=("huber",),
    direction="down",
    bounds=(0, inf),
    formula=r"\frac{1}{n} \sum_i \begin{cases} e_i^2 / 2 & |e_i| \le \delta \\"
    r" \delta (|e_i| - \delta / 2) & \text{else} \end{cases}",
    undefined="there are no rows",
    reference="Huber (1964), Ann. Math. Stat. 35:73",
    loss=huber_losses,
)
def huber_loss(losses: Moments, *, delta: float = 1.0) -> float:
    """Mean of half the squared errors, where those above ``delta`` count linearly.

    Examples
    --------
    >>> rows = ValueRows(np.zeros(2), np.array([1.0, 3.0]))
    >>> huber_loss(Moments.of(huber_losses(rows)))
    1.5
    """
    return losses.mean


@measure(
    title="Pseudo-Huber loss",
    aliases=("huber_loss_pseudo", "pseudo_huber"),
    direction="down",
    bounds=(0, inf),
    formula=r"\frac{1}{n} \sum_i \delta^2 \left(\sqrt{1 + (e_i / \delta)^2} - 1\right)",
    undefined="there are no rows",
    reference="Charbonnier et al. (1997), IEEE Trans. Image Process. 6:298",
    loss=pseudo_huber_losses,
)
def pseudo_huber_loss(losses: Moments, *, delta: float = 1.0) -> float:
    """Mean of a smooth loss that is squared for small errors and linear for large ones.

    Examples
    --------
    >>> rows = ValueRows(np.zeros(2), np.array([0.0, 3.0]))
    >>> pseudo_huber_loss(Moments.of(pseudo_huber_losses(rows, delta=4.0)))
    2.0
    """
    return losses.mean


@measure(
    title="Pinball (quantile) loss",
    aliases=("pinball", "quantile_loss", "mean_pinball_loss"),
    direction="down",
    bounds=(0, inf),
    formula=r"\frac{1}{n} \sum_i \max(\alpha (y_i - \hat y_i), (1 - \alpha)(\hat y_i - y_i))",
    undefined="there are no rows",
    reference="Koenker and Bassett (1978), Econometrica 46:33",
    loss=pinball_losses,
)
def pinball_loss(losses: Moments, *, alpha: float = 0.5) -> float:
    """Mean loss of predictions of the quantile ``alpha``; half the absolute error at 0.5.

    Examples
    --------
    >>> rows = ValueRows(np.zeros(2), np.array([-1.0, 1.0]))
    >>> pinball_loss(Moments.of(pinball_losses(rows, alpha=0.9)))
    0.5
    """
    return losses.mean


def _above_zero(delta: float) -> float:
    if not 0 < delta < inf:
        raise InputError(f"delta of a Huber loss is a number above 0, not {delta!r}")
    return delta
