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

#: classes above which not all pairs of them are tried
MOST_CLASSES = 100


def of_share_wrong(request: Request, tallies: Tallies) -> Callable[[float], float] | None:
    """A measure of one mean loss as a function of the share of rows that are wrong.

    Without scores a label counts as probability 1. A loss that then takes one value for every
    right row and one for every wrong row (Brier's, not one that heeds priors or the order of
    classes) has the mean of a share, and its limits are those of the share. None where the
    loss takes other values, or there are scores.
    """
    p = tallies.predictions
    if p.task == "regression" or tallies.has_scores or p.predicted is None:
        return None
    classes = len(p.classes)
    if not 2 <= classes <= MOST_CLASSES:
        return None
    truth, predicted = np.divmod(np.arange(classes**2), classes)
    pairs = replace(
        tallies.probability_rows,
        truth=truth,
        predicted=predicted,
        weight=None,
        prior_codes=None if p.prior is None else np.zeros(len(truth), np.int64),
    )
    ((loss, given),) = losses_of(request)
    with np.errstate(all="ignore"):
        each = np.asarray(loss(pairs, **given), float)
    right, wrong = np.unique(each[truth == predicted]), np.unique(each[truth != predicted])
    if len(right) > 1 or len(wrong) > 1 or not isfinite(right[0] + wrong[0]) or right == wrong:
        return None
    prior = p.prior if request.measure.uses_prior else None
    if prior is not None and len(np.unique(prior.table, axis=0)) > 1:
        return None  # another prior might give other losses
    (moments,) = arguments_of(request, tallies)
    least, step = float(right[0]), float(wrong[0] - right[0])

    def function(share: float) -> float:
        mean = replace(moments, finite_mean=least + step * share)
        return float(request.measure(mean, **request.values))

    return function
