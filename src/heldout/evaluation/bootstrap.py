"""Bootstrap estimates of a mean loss: out-of-bag, .632 and .632+."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite, nan
from typing import TYPE_CHECKING

import numpy as np

from heldout.engines.memory import Tallies
from heldout.evaluation.row_losses import row_losses

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.measures.spec import Request

__all__ = ["BootstrapEstimates", "bootstrap_estimates", "no_information"]

#: rows of a regression up to which all pairs of target and prediction are looked at
MOST_PAIRED = 3000
INSIDE = 0.632


@dataclass(frozen=True, slots=True)
class BootstrapEstimates:
    """A mean loss on the training rows, out of the bag, and what lies between."""

    training: float
    #: mean over rows of a row's mean loss out of the bag (the leave-one-out bootstrap)
    out_of_bag: float
    #: the mean loss where truth and prediction have nothing to do with each other
    no_information: float
    #: 0: no overfitting, 1: as good as none was learnt
    overfitting: float
    plain: float
    plus: float


def bootstrap_estimates(
    losses: NDArray[np.float64],
    rows: NDArray[np.int64],
    training: float,
    gamma: float,
    *,
    is_gain: bool = False,
    weight: NDArray[np.float64] | None = None,
) -> BootstrapEstimates:
    """The estimates from the losses of all predictions out of the bag.

    Parameters
    ----------
    losses, rows
        The loss of each prediction, and the row of the data it is of.
    training
        The mean loss of the model of all rows on these same rows.
    gamma
        The mean loss without information; NaN where it is not known: then no .632+.
    is_gain
        More is better: the same with the sign turned.
    weight
        The weight of each row of the data.

    Notes
    -----
    Efron and Tibshirani (1997), J. Am. Stat. Assoc. 92:548. The overfitting rate is taken
    from the out-of-bag loss cut at gamma, and is 0 where the training loss is no smaller.

    Examples
    --------
    >>> made = bootstrap_estimates(np.array([0.0, 1.0, 1.0]), np.array([0, 0, 1]), 0.1, 0.5)
    >>> made.out_of_bag, made.plain, made.plus
    (0.75, 0.5108, 0.658)
    """
    sign = -1.0 if is_gain else 1.0
    times = np.bincount(rows)
    seen = np.flatnonzero(times)
    each = np.bincount(rows, losses)[seen] / times[seen]
    outside = sign * float(np.average(each, weights=None if weight is None else weight[seen]))
    inside, without = sign * training, sign * gamma
    plain = (1 - INSIDE) * inside + INSIDE * outside
    cut = min(outside, without) if isfinite(without) else outside
    rate = 0.0
    if outside > inside and without > inside:
        rate = (cut - inside) / (without - inside)
    plus = nan
    if isfinite(gamma):
        more = (cut - inside) * (1 - INSIDE) * INSIDE * rate / (1 - (1 - INSIDE) * rate)
        plus = plain + more
    return BootstrapEstimates(training, sign * outside, gamma, rate, sign * plain, sign * plus)


def no_information(request: Request, training: Tallies) -> float:
    """The mean loss over all pairs of one row's truth and another's prediction.

    ``training`` are the predictions of the model of all rows. NaN for a regression of more
    rows than all pairs can be looked at.
    """
    p = training.predictions
    if p.task == "regression":
        if len(p) > MOST_PAIRED:
            return nan
        truths, shares = np.unique(p.truth, return_counts=True)
    else:
        truths = np.arange(len(p.classes))
        shares = np.bincount(p.truth, p.weight, minlength=len(truths))
    total = 0.0
    for truth, share in zip(truths, shares / shares.sum(), strict=True):
        if share:
            turned = Tallies(replace(p, truth=np.full(len(p), truth, p.truth.dtype)))
            total += float(share) * float(np.average(row_losses(request, turned), weights=p.weight))
    return total
