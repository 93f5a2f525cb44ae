"""The length of a code for the classes: by the prior, by the model, and what the model saves."""

from __future__ import annotations

from math import e, inf, isinf, nan

from heldout.measures.kinds import Sum
from heldout.measures.probability import in_base
from heldout.measures.probability_losses import log_losses
from heldout.measures.probability_skill import prior_log_losses, surprised_prior
from heldout.measures.registry import measure
from heldout.tally.moments import Moments

__all__ = ["log_score_improvement", "prior_log_loss", "prior_log_score"]

BOOK = "Witten, Frank and Hall (2011), Data Mining, 3rd ed. (Weka)"


def unforeseen(by_prior: Moments, **_: object) -> str:
    """How many rows the prior held to be impossible."""
    return surprised_prior(Moments(), by_prior)


@measure(
    title="Log loss of the prior",
    aliases=("null_log_loss", "log_loss_of_prior"),
    direction="none",
    bounds=(0, inf),
    formula=r"-\frac{1}{n} \sum_i \log P(y_i)",
    undefined="",
    reference=BOOK,
    loss=prior_log_losses,
    note=unforeseen,
    uses_prior=True,
)
def prior_log_loss(by_prior: Moments, *, base: float = e, laplace: bool = False) -> float:
    """Mean log loss of predicting the prior, the yardstick of every model's log loss.

    ``base=2, laplace=true`` is Weka's class complexity of order 0 in bits a row.

    Examples
    --------
    >>> import numpy as np
    >>> prior_log_loss(Moments.of(-np.log(np.array([0.5, 0.25]))), base=2)
    1.5
    """
    return in_base(by_prior.mean, base)


@measure(
    title="Log score of the prior (sum)",
    aliases=("null_log_score", "complexity_of_prior"),
    direction="none",
    bounds=(0, inf),
    formula=r"-\sum_i \log P(y_i)",
    undefined="",
    reference=BOOK,
    loss=prior_log_losses,
    note=unforeseen,
    uses_prior=True,
    kind=Sum(),
)
def prior_log_score(by_prior: Moments, *, base: float = e, laplace: bool = False) -> float:
    """Sum of the log losses of predicting the prior.

    ``base=2, laplace=true`` is Weka's class complexity of order 0 in bits.

    Examples
    --------
    >>> import numpy as np
    >>> prior_log_score(Moments.of(-np.log(np.array([0.5, 0.25]))), base=2)
    3.0
    """
    return in_base(by_prior.sum, base)


@measure(
    title="Improvement of the log score over the prior (sum)",
    aliases=("complexity_improvement",),
    direction="up",
    bounds=(-inf, inf),
    formula=r"\sum_i \log p_i(y_i) - \sum_i \log P(y_i)",
    undefined="the log scores of the model and of the prior are both infinite",
    reference=BOOK,
    loss=(log_losses, prior_log_losses),
    note=surprised_prior,
    needs_probability=True,
    uses_prior=True,
    reaches_best=False,
    kind=Sum(),
)
def log_score_improvement(
    losses: Moments,
    by_prior: Moments,
    *,
    base: float = e,
    clip: float = 0.0,
    laplace: bool = False,
) -> float:
    """How much shorter a code of the classes the model gives than the prior does.

    ``base=2, laplace=true, clip=5e-324`` is Weka's complexity improvement in bits: Weka
    counts probability 0 as the smallest number a computer has.

    Examples
    --------
    >>> import numpy as np
    >>> halves = Moments.of(-np.log(np.array([0.5, 0.5])))
    >>> log_score_improvement(Moments.of(-np.log(np.array([1.0, 0.75]))), halves, base=2)
    1.584963
    """
    if isinf(losses.sum) and isinf(by_prior.sum):
        return nan
    return in_base(by_prior.sum - losses.sum, base)
