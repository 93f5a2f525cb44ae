"""Losses of classifiers that give labels only: shares of wrong rows in other words."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.values import arguments_of, losses_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request

__all__ = ["of_share_wrong"]

#: of more classes the limits are those of a mean
MOST_CLASSES = 100


def of_share_wrong(request: Request, tallies: Tallies) -> Callable[[float], float] | None:
    """A measure of one mean loss as a function of the share of rows that are wrong.

    Without scores a label counts as probability 1. A loss then takes one value for every right
    row and one for every wrong row, unless it heeds the order of the classes or priors that
    differ: it has the mean of a share, and its limits are those of the share. None where it
    takes other values, or there are scores.
    """
    p = tallies.predictions
    if p.task == "regression" or tallies.has_scores or p.predicted is None:
        return None
    if request.is_ordered or not 2 <= len(p.classes) <= MOST_CLASSES:
        return None
    rows = tallies.probability_rows
    if request.measure.uses_prior and rows.prior is not None and len(np.unique(rows.prior)) > 1:
        return None
    codes = None if p.prior is None else np.zeros(2, np.int64)
    pair = replace(
        rows, truth=np.array([0, 0]), predicted=np.array([0, 1]), weight=None, prior_codes=codes
    )
    ((loss, given),) = losses_of(request)
    with np.errstate(all="ignore"):
        right, wrong = np.asarray(loss(pair, **given), float).tolist()
    if not isfinite(right + wrong) or right == wrong:
        return None
    (moments,) = arguments_of(request, tallies)

    def function(share: float) -> float:
        mean = replace(moments, finite_mean=right + (wrong - right) * share)
        return float(request.measure(mean, **request.values))

    return function
