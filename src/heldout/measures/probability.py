"""Scoring rules: how far the probabilities of a row are from what came true."""

from __future__ import annotations

from math import e, inf, log
from typing import Any

from heldout.core.errors import InputError
from heldout.measures.kinds import Sum
from heldout.measures.probability_losses import (
    log_losses,
    quadratic_scores,
    spherical_scores,
    squared_distances,
)
from heldout.measures.registry import measure
from heldout.tally.moments import Moments

__all__ = [
    "brier",
    "deviance_of_probabilities",
    "impossible_rows",
    "in_base",
    "log_loss",
    "log_score",
    "quadratic_score",
    "spherical_score",
]


def impossible_rows(losses: Moments, *, clip: float = 0.0, **_: Any) -> str:
    """How many rows make the log score infinite, or what an explicit clip did about them."""
    if clip:
        return f"probabilities below {clip:g} count as {clip:g}"
    if losses.infinite:
        rows = "1 row gives its" if losses.infinite == 1 else f"{losses.infinite:,} rows give their"
        return f"{rows} true class probability 0"
    return ""


def in_base(value: float, base: float) -> float:
    """A sum of natural logarithms as logarithms to another base."""
    if not base > 1:
        raise InputError(f"the base of the logarithm is above 1, unlike {base:g}")
    return value if base == e else value / log(base)


@measure(
    title="Log loss",
    aliases=(
        "logloss",
        "log_loss_mean",
        "cross_entropy",
        "mean_cross_entropy",
        "mxe",
        "mn_log_loss",
        "logarithmic_loss",
        "negative_log_likelihood",
        "nll",
    ),
    direction="down",
    bounds=(0, inf),
    formula=r"-\frac{1}{n} \sum_i \log p_i(y_i)",
    undefined="",
    reference="Good (1952), J. R. Stat. Soc. B 14:107",
    loss=log_losses,
    note=impossible_rows,
    headline=("binary", "multiclass"),
    needs_probability=True,
)
def log_loss(losses: Moments, *, base: float = e, clip: float = 0.0) -> float:
    """Mean negative logarithm of the probability given to the true class.

    Infinite as soon as one row gives its true class probability 0. ``clip=1e-15`` raises
    smaller probabilities to 1e-15, as other tools do unasked; ``base=2`` gives bits.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.tally.rows import ProbabilityRows
    >>> rows = ProbabilityRows(np.array([1, 0]), np.array([0.5, 0.75]), None, 2, positive=1)
    >>> log_loss(Moments.of(log_losses(rows)), base=2)
    1.5
    """
    return in_base(losses.mean, base)


@measure(
    title="Log score (sum)",
    aliases=("log_score_sum", "log_loss_sum", "logarithmic_score"),
    direction="down",
    bounds=(0, inf),
    formula=r"-\sum_i \log p_i(y_i)",
    undefined="",
    reference="Good (1952), J. R. Stat. Soc. B 14:107",
    loss=log_losses,
    note=impossible_rows,
    needs_probability=True,
    kind=Sum("log_loss"),
)
def log_score(losses: Moments, *, base: float = e, clip: float = 0.0) -> float:
    """Sum of the negative logarithms of the probabilities given to the true classes.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.tally.rows import ProbabilityRows
    >>> rows = ProbabilityRows(np.array([1, 0]), np.array([0.5, 0.75]), None, 2, positive=1)
    >>> log_score(Moments.of(log_losses(rows)), base=2)
    3.0
    """
    return in_base(losses.sum, base)


@measure(
    title="Deviance of probabilities",
    aliases=("binomial_deviance", "multinomial_deviance", "residual_deviance"),
    direction="down",
    bounds=(0, inf),
    formula=r"-2 \sum_i \ln p_i(y_i)",
    undefined="",
    reference="McCullagh and Nelder (1989), Generalized Linear Models, 2nd ed.",
    loss=log_losses,
    note=impossible_rows,
    needs_probability=True,
    kind=Sum("log_loss"),
)
def deviance_of_probabilities(losses: Moments, *, clip: float = 0.0) -> float:
    """Twice the log score in natural logarithms, minus two log likelihoods.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.tally.rows import ProbabilityRows
    >>> rows = ProbabilityRows(np.array([1, 0]), np.array([0.5, 0.75]), None, 2, positive=1)
    >>> deviance_of_probabilities(Moments.of(log_losses(rows)))  # 6 times the logarithm of 2
    4.158883
    """
    return 2.0 * losses.sum


@measure(
    title="Brier score",
    aliases=("brier_score", "brier_loss", "brier_class", "mean_squared_error_of_probabilities"),
    direction="down",
    bounds=(0, 2),
    formula=r"\frac{1}{n} \sum_i \sum_k (p_{ik} - [y_i = k])^2, \quad"
    r" \text{two classes: } \frac{1}{n} \sum_i (p_i - y_i)^2",
    undefined="",
    reference="Brier (1950), Mon. Weather Rev. 78:1",
    loss=squared_distances,
    headline=("binary", "multiclass"),
    needs_probability=True,
)
def brier(losses: Moments, *, half: bool = False) -> float:
    """Mean squared distance between the probabilities and what came true.

    Two classes: of the one column of the positive class, 0 to 1. Several classes: summed
    over the classes, 0 to 2; ``half`` halves that sum (0 to 1), so that it is on the scale
    of two classes, whose one column already is half of the sum over both.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.tally.rows import ProbabilityRows
    >>> rows = ProbabilityRows(np.array([1, 0]), np.array([0.9, 0.3]), None, 2, positive=1)
    >>> brier(Moments.of(squared_distances(rows)))
    0.05
    """
    return losses.mean


@measure(
    title="Quadratic score",
    aliases=("quadratic_scoring_rule",),
    direction="up",
    bounds=(-1, 1),
    formula=r"\frac{1}{n} \sum_i \left(2 p_i(y_i) - \sum_k p_{ik}^2\right)",
    undefined="",
    reference="Gneiting and Raftery (2007), J. Am. Stat. Assoc. 102:359",
    loss=quadratic_scores,
    needs_probability=True,
)
def quadratic_score(scores: Moments) -> float:
    """Brier's rule as a reward: one minus the squared distance over all classes.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.tally.rows import ProbabilityRows
    >>> rows = ProbabilityRows(np.array([1, 0]), np.array([0.9, 0.3]), None, 2, positive=1)
    >>> quadratic_score(Moments.of(quadratic_scores(rows)))  # 1 - 2 * 0.05
    0.9
    """
    return scores.mean


@measure(
    title="Spherical score",
    aliases=("spherical", "spherical_scoring_rule"),
    direction="up",
    bounds=(0, 1),
    formula=r"\frac{1}{n} \sum_i \frac{p_i(y_i)}{\sqrt{\sum_k p_{ik}^2}}",
    undefined="",
    reference="Gneiting and Raftery (2007), J. Am. Stat. Assoc. 102:359",
    loss=spherical_scores,
    needs_probability=True,
)
def spherical_score(scores: Moments) -> float:
    """Mean probability of the true class over the length of all probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.tally.rows import ProbabilityRows
    >>> rows = ProbabilityRows(np.array([1, 0]), np.array([1.0, 0.5]), None, 2, positive=1)
    >>> spherical_score(Moments.of(spherical_scores(rows)))  # (1 + 1/sqrt(2)) / 2
    0.853553
    """
    return scores.mean
