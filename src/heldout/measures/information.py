"""What predictions tell beyond the prior, in bits and in nats."""

from __future__ import annotations

from functools import partial
from math import e, inf, log, nan
from typing import Any

import numpy as np

from heldout.core.nearest import chosen
from heldout.core.ratio import ratio
from heldout.measures.kinds import Sum
from heldout.measures.probability import log_losses, of_row, of_truth, prior_table
from heldout.measures.probability_errors import prior_log_losses, surprised_prior
from heldout.measures.products import choose
from heldout.measures.registry import declare, measure
from heldout.tally.moments import Moments
from heldout.tally.rows import ProbabilityRows


def prior_entropies(rows: ProbabilityRows, *, laplace: bool = False) -> Any:
    """Entropy in bits of the prior of each row.

    Examples
    --------
    >>> quarters = np.array([[0.5, 0.25, 0.25]])
    >>> rows = ProbabilityRows(np.array([1, 0]), np.ones((2, 3)) / 3, None, 3, prior=quarters)
    >>> prior_entropies(rows)
    array([1.5, 1.5])
    """
    table = prior_table(rows, laplace=laplace)
    logarithm = np.log2(table, out=np.zeros_like(table), where=table > 0)
    return of_row(rows, 0.0 - (table * logarithm).sum(axis=1))


def unforeseen_rows(bits: Moments, *_: Moments, **__: Any) -> str:
    """How many rows the prior held to be impossible, or certain when they were doubted."""
    parts = []
    if bits.infinite:
        parts.append(f"{count(bits.infinite)} of a class whose prior is 0")
    if bits.negative_infinite:
        parts.append(f"{count(bits.negative_infinite)} in doubt of a class whose prior is 1")
    return "; ".join(parts)


def count(rows: int) -> str:
    """So many rows, as words for a remark."""
    return "1 row is" if rows == 1 else f"{rows:,} rows are"


DEFINITION = (
    r"V_i = \begin{cases} \log_2 p_i - \log_2 P_i & p_i \ge P_i \\"
    r" -(\log_2 (1 - p_i) - \log_2 (1 - P_i)) & p_i < P_i \end{cases}"
)
PAPER = "Kononenko and Bratko (1991), Mach. Learn. 6:67"


#: what answers tell beyond the prior
over_prior = partial(
    measure, direction="up", needs_probability=True, uses_prior=True, reaches_best=False
)


@over_prior(
    aliases=("kb_information", "kononenko_bratko", "information_score_mean"),
    formula=r"\frac{1}{n} \sum_i V_i, \quad " + DEFINITION,
    undefined="a row of a class whose prior is 0 meets one in doubt of a class whose prior is 1",
    reference=PAPER,
    note=unforeseen_rows,
)
def information_score(
    rows: ProbabilityRows, *, laplace: bool = False, unsigned: bool = False
) -> Any:
    """Mean bits that an answer gives beyond the prior; improper: overconfidence raises it.

    Negative if answers mislead. Of two classes, an answer p where the truth is q expects
    (2 q - 1) log2(p / P), which is largest at p = 1 wherever q is above one half. Compare
    models by the log loss or the Brier score, which reward the true probability.

    Here p is the probability given to the true class and P its prior: from the training
    part's class counts if they are known (``laplace`` adds one to each, as Weka does), or
    as given, or the class shares of these rows. Predicting the prior scores 0. An answer
    with probability 0 for the truth costs a finite amount. ``unsigned`` is a textbook
    variant that forgets the minus sign of misleading answers and so rewards them.

    Examples
    --------
    >>> half = np.array([[0.5, 0.5]])
    >>> rows = ProbabilityRows(np.array([1, 0]), np.array([1, 0.75]), None, 2, 1, prior=half)
    >>> information_score(rows)  # log2(1 / 0.5), -log2(0.75 / 0.5)
    array([ 1.       , -0.5849625])
    """
    # a prior of 0 makes any hope infinitely useful, a prior of 1 any doubt infinitely misleading;
    # where the answer repeats the prior it tells nothing, even then
    table = prior_table(rows, laplace=laplace)
    answer, prior = rows.of_truth, of_truth(rows, table)
    useful = answer >= prior
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = np.where(useful, answer, 1.0 - answer)
        bits /= np.where(useful, prior, 1.0 - prior)
        np.log(bits, out=bits)
    bits *= 1.0 / log(2) if unsigned else np.where(useful, 1.0 / log(2), -1.0 / log(2))
    if not table.all():
        bits[answer == prior] = 0.0  # where both are 0 or both are 1
    return bits


declare(
    "information_score_sum",
    "Bits that all answers together tell beyond the priors; improper, as the mean of them is.",
    title="Information score (sum)",
    aliases=("kb_information_sum", "total_information_score"),
    formula=r"\sum_i V_i, \quad " + DEFINITION,
    undefined="a row of a class whose prior is 0 meets one in doubt of a class whose prior is 1",
    reference=PAPER,
    loss=information_score,
    note=unforeseen_rows,
    kind=Sum("information_score"),
    module=__name__,
    **over_prior.keywords,
    example=([1.0, -0.584963], 0.415037),
)


@over_prior(
    aliases=("kb_relative_information", "relative_kononenko_bratko"),
    bounds=(-inf, inf),
    formula=r"\frac{\sum_i V_i}{-\sum_i \log_2 P_i}, \quad " + DEFINITION,
    undefined="the prior leaves nothing to learn, or holds a class impossible that occurs",
    reference=PAPER,
    loss=(information_score, prior_log_losses, prior_entropies),
    note=unforeseen_rows,
)
def relative_information_score(
    bits: Moments,
    prior_loss: Moments,
    entropy: Moments,
    *,
    by: str = "prior loss",
    laplace: bool = False,
    unsigned: bool = False,
) -> float:
    """The information score as a fraction of what there was to learn; improper, as that is.

    ``by="prior loss"`` divides by the mean information of these rows' true classes under
    the prior (Weka since 3.7, with ``laplace``), so that 1 is perfect; ``by="entropy"`` by
    the prior's entropy (the paper of 1991); both are the same if the classes of these rows
    have the prior's shares. ``by="weka 3.6"`` is the sum over the entropy, which grows with
    the number of rows. Where rows have different priors their mean entropy is taken.

    Examples
    --------
    >>> half = np.array([[0.5, 0.5]])
    >>> rows = ProbabilityRows(np.array([1, 0]), np.array([1, 0.25]), None, 2, 1, prior=half)
    >>> losses = information_score, prior_log_losses, prior_entropies
    >>> relative_information_score(*(Moments.of(loss(rows)) for loss in losses))
    0.792481
    """
    way = chosen("by", by, "prior loss", "entropy", "weka 3.6")
    if way == "prior loss":
        # an infinite prior loss has no useful fraction
        bottom = choose(np.isfinite(prior_loss.mean), prior_loss.mean / log(2), 0.0)
        return ratio(bits.mean, bottom)
    return ratio(bits.mean if way == "entropy" else bits.sum, entropy.mean)


#: what the prior tells by itself
of_prior = partial(declare, module=__name__, direction="none", bounds=(0, inf), uses_prior=True)


of_prior(
    "prior_entropy",
    "Bits that the prior leaves open about a row; the mean where priors differ.",
    title="Entropy of the prior",
    aliases=("class_entropy", "prior_uncertainty_bits"),
    formula=r"-\sum_k P_k \log_2 P_k",
    reference="Shannon (1948), Bell Syst. Tech. J. 27:379",
    loss=prior_entropies,
    example=([1.5, 1.5], 1.5),
)

BOOK = "Witten, Frank and Hall (2011), Data Mining, 3rd ed. (Weka)"


def unforeseen(by_prior: Moments, **_: object) -> str:
    """How many rows the prior held to be impossible."""
    return surprised_prior(Moments(), by_prior)


of_prior(
    "prior_log_loss",
    "Mean log loss of predicting the prior, the baseline of every model's log loss.",
    details="base=2, laplace=true is Weka's class complexity of order 0 in bits per row.",
    title="Log loss of the prior",
    aliases=("null_log_loss", "log_loss_of_prior"),
    formula=r"-\frac{1}{n} \sum_i \log P(y_i)",
    reference=BOOK,
    loss=prior_log_losses,
    note=unforeseen,
    example=([0.693147, 1.386294], 1.039721),
)

of_prior(
    "prior_log_score",
    "Sum of the log losses of predicting the prior.",
    details="base=2, laplace=true is Weka's class complexity of order 0 in bits.",
    title="Log score of the prior (sum)",
    aliases=("null_log_score", "complexity_of_prior"),
    formula=r"-\sum_i \log P(y_i)",
    reference=BOOK,
    loss=prior_log_losses,
    note=unforeseen,
    kind=Sum(),
    example=([0.693147, 1.386294], 2.079442),
)


@over_prior(
    title="Improvement of the log score over the prior (sum)",
    aliases=("complexity_improvement",),
    bounds=(-inf, inf),
    formula=r"\sum_i \log p_i(y_i) - \sum_i \log P(y_i)",
    undefined="the log scores of the model and of the prior are both infinite",
    reference=BOOK,
    loss=(log_losses, prior_log_losses),
    note=surprised_prior,
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
    >>> halves = Moments.of(-np.log2(np.array([0.5, 0.5])))
    >>> log_score_improvement(Moments.of(-np.log2(np.array([1.0, 0.75]))), halves)
    1.584963
    """
    is_lost = np.isinf(losses.sum) & np.isinf(by_prior.sum)
    return choose(is_lost, nan, by_prior.sum) - losses.sum
