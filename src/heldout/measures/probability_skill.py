"""Skill: how much better than the prior a scoring rule finds the probabilities."""

from __future__ import annotations

from math import inf, isinf, nan
from typing import Any

import numpy as np

from heldout.core.ratio import ratio
from heldout.measures.prior import of_truth, prior_table, squared_distance_of_prior
from heldout.measures.probability import impossible_rows
from heldout.measures.probability_losses import log_losses, squared_distances
from heldout.measures.registry import measure
from heldout.tally.moments import Moments
from heldout.tally.rows import ProbabilityRows

__all__ = [
    "brier_skill",
    "log_skill",
    "prior_log_losses",
    "prior_squared_distances",
    "skill",
    "surprised_prior",
]


def prior_squared_distances(rows: ProbabilityRows, *, laplace: bool = False) -> Any:
    """The Brier score of each row if the prior is predicted."""
    columns = 2 if rows.classes == 2 else 1  # two classes: one column, half of the sum
    return of_truth(rows, squared_distance_of_prior(rows, laplace=laplace) / columns)


def prior_log_losses(rows: ProbabilityRows, *, laplace: bool = False) -> Any:
    """The log loss of each row (natural logarithm) if the prior is predicted."""
    with np.errstate(divide="ignore"):
        return of_truth(rows, 0.0 - np.log(prior_table(rows, laplace=laplace)))


def skill(score: float, by_prior: float) -> float:
    """The share of the prior's loss that is saved; undefined if that loss is zero or infinite."""
    return nan if isinf(by_prior) else 1.0 - ratio(score, by_prior)


def surprised_prior(losses: Moments, by_prior: Moments, **parameters: Any) -> str:
    """Why a log score is infinite, or that the prior's is."""
    if by_prior.infinite:
        rows = "1 row is" if by_prior.infinite == 1 else f"{by_prior.infinite:,} rows are"
        return f"{rows} of a class that the prior gives probability 0"
    return impossible_rows(losses, **parameters)


@measure(
    title="Brier skill",
    aliases=("brier_skill_score", "bss", "d2_brier", "d2_brier_score"),
    direction="up",
    bounds=(-inf, 1),
    formula=r"1 - \frac{\mathrm{Brier}}{\mathrm{Brier}(\text{prior})}",
    undefined="predicting the prior makes no error",
    reference="Murphy (1973), J. Appl. Meteorol. 12:215",
    loss=(squared_distances, prior_squared_distances),
    needs_probability=True,
    uses_prior=True,
)
def brier_skill(losses: Moments, by_prior: Moments, *, laplace: bool = False) -> float:
    """The share of the prior's Brier score that the probabilities save.

    0 is as good as predicting the prior (the class shares of the training part if they are
    known, else those of these rows), 1 is perfect, below 0 is worse than the prior.

    Examples
    --------
    >>> brier_skill(Moments.of(np.array([0.01, 0.09])), Moments.of(np.array([0.25, 0.25])))
    0.8
    """
    return skill(losses.mean, by_prior.mean)


@measure(
    title="Log skill",
    aliases=(
        "log_skill_score",
        "log_loss_skill",
        "mcfadden_r2",
        "d2_log_loss",
        "d2_log_loss_score",
    ),
    direction="up",
    bounds=(-inf, 1),
    formula=r"1 - \frac{\sum_i \log p_i(y_i)}{\sum_i \log P(y_i)}",
    undefined="predicting the prior has log loss zero or infinite",
    reference="McFadden (1974), Frontiers in Econometrics:105",
    loss=(log_losses, prior_log_losses),
    note=surprised_prior,
    needs_probability=True,
    uses_prior=True,
)
def log_skill(
    losses: Moments, by_prior: Moments, *, laplace: bool = False, clip: float = 0.0
) -> float:
    """The share of the prior's log loss that the probabilities save.

    With the prior of these rows it is McFadden's R2 (scikit-learn: ``d2_log_loss_score``).

    Examples
    --------
    >>> log_skill(Moments.of(np.array([0.1, 0.2])), Moments.of(np.array([0.7, 0.5])))
    0.75
    """
    return skill(losses.mean, by_prior.mean)
