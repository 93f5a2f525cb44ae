"""Errors of predicted numbers as shares of what they should have been."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from heldout.measures.registry import measure
from heldout.tally.moments import Moments
from heldout.tally.rows import ValueRows

__all__ = [
    "absolute_shares",
    "mean_absolute_percentage_error",
    "mean_percentage_error",
    "shares",
    "symmetric_mape",
    "symmetric_shares",
    "zero_truth",
]

HYNDMAN = "Hyndman and Koehler (2006), Int. J. Forecast. 22:679"


def shares(rows: ValueRows) -> Any:
    """True less predicted value as a share of the truth: infinite where only the truth is 0.

    Where both are 0 there is no error, and the share is 0.
    """
    endless = np.where(rows.error == 0, 0.0, np.copysign(inf, -rows.error))
    return np.divide(-rows.error, rows.truth, out=endless, where=rows.truth != 0)


def absolute_shares(rows: ValueRows) -> Any:
    """The error of each row as a share of the truth, without sign."""
    return np.abs(shares(rows))


def symmetric_shares(rows: ValueRows) -> Any:
    """The error of each row as a share of the mean size of true and predicted value.

    Where both are 0 there is no error, and the share is 0.
    """
    size = (np.abs(rows.truth) + np.abs(rows.predicted)) / 2
    return np.divide(np.abs(rows.error), size, out=np.zeros(len(rows)), where=size != 0)


def zero_truth(losses: Moments, **_: Any) -> str:
    """How many rows make a percentage error infinite."""
    count = losses.infinite + losses.negative_infinite
    if not count:
        return ""
    return f"the truth is 0 in {count:,} {'row' if count == 1 else 'rows'} with an error"


@measure(
    name="mape",
    title="Mean absolute percentage error",
    aliases=("mape",),
    direction="down",
    bounds=(0, inf),
    formula=r"\frac{1}{n} \sum_i \left|\frac{\hat y_i - y_i}{y_i}\right|",
    undefined="there are no rows",
    reference=HYNDMAN,
    loss=absolute_shares,
    note=zero_truth,
)
def mean_absolute_percentage_error(losses: Moments, *, percent: bool = False) -> float:
    """Mean error as a share of the truth: 0.1 is ten per cent.

    Infinite where the truth is 0 and the prediction is not.

    Parameters
    ----------
    percent
        Whether to give it in per cent.

    Examples
    --------
    >>> rows = ValueRows(np.array([2.0, 10.0]), np.array([1.0, 11.0]))
    >>> mean_absolute_percentage_error(Moments.of(absolute_shares(rows)))
    0.3
    """
    return losses.mean * 100 if percent else losses.mean


@measure(
    name="smape",
    title="Symmetric mean absolute percentage error",
    aliases=("smape", "symmetric_mean_absolute_percentage_error"),
    direction="down",
    bounds=(0, 2),
    formula=r"\frac{1}{n} \sum_i \frac{|\hat y_i - y_i|}{(|y_i| + |\hat y_i|) / 2}",
    undefined="there are no rows",
    reference="Makridakis (1993), Int. J. Forecast. 9:527",
    loss=symmetric_shares,
)
def symmetric_mape(losses: Moments, *, percent: bool = False) -> float:
    """Mean error as a share of the mean size of true and predicted value, between 0 and 2.

    Parameters
    ----------
    percent
        Whether to give it in per cent.

    Examples
    --------
    >>> rows = ValueRows(np.array([1.0, 0.0]), np.array([3.0, 0.0]))
    >>> symmetric_mape(Moments.of(symmetric_shares(rows)))
    0.5
    """
    return losses.mean * 100 if percent else losses.mean


@measure(
    title="Mean percentage error",
    aliases=("mpe",),
    direction="target",
    best=0.0,
    formula=r"\frac{1}{n} \sum_i \frac{y_i - \hat y_i}{y_i}",
    undefined="the truth is 0 where predictions are too high and where they are too low",
    reference=HYNDMAN,
    loss=shares,
    note=zero_truth,
)
def mean_percentage_error(losses: Moments, *, percent: bool = False) -> float:
    """Mean of true less predicted value as a share of the truth.

    By custom its sign is the other way round than that of the bias: for positive truths
    it is positive where predictions are too low.

    Parameters
    ----------
    percent
        Whether to give it in per cent.

    Examples
    --------
    >>> rows = ValueRows(np.array([2.0, 10.0]), np.array([1.0, 11.0]))
    >>> mean_percentage_error(Moments.of(shares(rows)))
    0.2
    """
    return losses.mean * 100 if percent else losses.mean
