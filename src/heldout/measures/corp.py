"""What a score is made of: miscalibration, discrimination and uncertainty by isotonic regression.

The CORP approach of Dimitriadis, Gneiting and Jordan (2021): the calibrated probabilities are the
rising ones that are nearest to the truth (pool adjacent violators), so there are no bins to
choose. They follow from the hull of the ROC curve: along an edge of it they are constant.
"""

from __future__ import annotations

from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.ratio import ratio
from heldout.core.sums import sum_of_products
from heldout.core.threads import each_block
from heldout.measures.kinds import NoInterval
from heldout.measures.registry import measure
from heldout.tally.hull import hull
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.core.arrays import Array

DIMITRIADIS = "Dimitriadis, Gneiting and Jordan (2021), PNAS 118:e2016191118"


def _square(positives: Array, negatives: Array, p: Any) -> float:
    """The Brier score, summed over rows, of rows that are given these probabilities."""
    return sum_of_products(positives, (1 - p) ** 2) + sum_of_products(negatives, p**2)


def _logarithm(positives: Array, negatives: Array, p: Any) -> float:
    """The log loss, summed over rows; a class without rows of its own costs nothing."""
    with np.errstate(divide="ignore"):
        hit = np.where(positives > 0, -np.log(p), 0.0)
        miss = np.where(negatives > 0, -np.log1p(-p), 0.0)
    return float(np.sum(positives * hit) + np.sum(negatives * miss))


def _given(scores: ScoreCounts, loss: Callable[..., float]) -> float:
    """The mean score of the probabilities as they are."""
    parts = each_block(
        lambda block: loss(scores.positives[block], scores.negatives[block], scores.score[block]),
        len(scores.score),
    )
    return float(ratio(sum(parts), scores.total))


def _calibrated(scores: ScoreCounts, loss: Callable[..., float]) -> float:
    """The mean score of the isotonic probabilities."""
    vertex = hull(scores)
    positives, negatives = np.diff(vertex.tp), np.diff(vertex.fp)
    share = ratio(positives, positives + negatives)
    return float(ratio(loss(positives, negatives, np.asarray(share)), scores.total))


def _constant(scores: ScoreCounts, loss: Callable[..., float]) -> float:
    """The mean score of the share of positives for every row."""
    totals = np.array([scores.total_positives]), np.array([scores.total_negatives])
    share = ratio(totals[0], totals[0] + totals[1])
    return float(ratio(loss(*totals, np.asarray(share)), scores.total))


#: parts of a score, of which no interval is published: resampling adds to what isotonic
#: regression takes for miscalibration and discrimination
of_score = partial(
    measure,
    kind=NoInterval(),
    reference=DIMITRIADIS,
    needs_probability=True,
    symmetric=True,
)


@of_score(
    title="Miscalibration (of the Brier score)",
    aliases=("mcb", "brier_miscalibration"),
    direction="down",
    bounds=(0, 1),
    formula=r"\frac{1}{n} \sum_i \left[ (p_i - y_i)^2 - (\hat p_i - y_i)^2 \right], \quad"
    r" \hat p \text{: isotonic regression of } y \text{ on } p",
)
def miscalibration(scores: ScoreCounts) -> float:
    """How much the Brier score falls if the probabilities are replaced by calibrated ones.

    Exactly Brier score = miscalibration - discrimination + uncertainty. There are no bins to
    choose, unlike for the expected calibration error. It is above 0 by chance for a calibrated
    model too: read it beside the consistency band of the calibration curve.

    Examples
    --------
    >>> truth = np.array([False, True, True, True])
    >>> miscalibration(ScoreCounts.of(truth, np.array([0.4, 0.4, 0.8, 0.8])))  # 0.15 - 0.125
    0.025
    """
    return max(_given(scores, _square) - _calibrated(scores, _square), 0.0)


@of_score(
    title="Discrimination (of the Brier score)",
    aliases=("dsc", "brier_discrimination"),
    direction="up",
    bounds=(0, 0.25),
    formula=r"\frac{1}{n} \sum_i \left[ (\bar y - y_i)^2 - (\hat p_i - y_i)^2 \right]",
    reaches_best=False,
)
def discrimination(scores: ScoreCounts) -> float:
    """How much lower the Brier score of the calibrated probabilities is than that of a constant.

    It depends on the order of the probabilities alone.

    Examples
    --------
    >>> truth = np.array([False, True, True, True])
    >>> discrimination(ScoreCounts.of(truth, np.array([0.4, 0.4, 0.8, 0.8])))  # 0.1875 - 0.125
    0.0625
    """
    return max(_constant(scores, _square) - _calibrated(scores, _square), 0.0)


@of_score(
    title="Miscalibration (of the log loss)",
    aliases=("log_mcb",),
    direction="down",
    bounds=(0, inf),
    formula=r"\frac{1}{n} \sum_i \left[ \log \hat p_i(y_i) - \log p_i(y_i) \right], \quad"
    r" \hat p \text{: isotonic regression of } y \text{ on } p",
)
def log_miscalibration(scores: ScoreCounts) -> float:
    """How much the log loss falls if the probabilities are replaced by calibrated ones.

    Infinite where the log loss is. Log loss = miscalibration - discrimination + uncertainty.

    Examples
    --------
    >>> truth = np.array([False, True, True, True])
    >>> log_miscalibration(ScoreCounts.of(truth, np.array([0.4, 0.4, 0.8, 0.8])))
    0.121777
    """
    return max(_given(scores, _logarithm) - _calibrated(scores, _logarithm), 0.0)


@of_score(
    title="Discrimination (of the log loss)",
    aliases=("log_dsc",),
    direction="up",
    bounds=(0, 1),
    formula=r"\frac{1}{n} \sum_i \left[ \log \hat p_i(y_i) - \log \bar p(y_i) \right]",
    reaches_best=False,
)
def log_discrimination(scores: ScoreCounts) -> float:
    """How much lower the log loss of the calibrated probabilities is than that of a constant.

    At most the log loss of the constant itself, log 2 = 0.693.

    Examples
    --------
    >>> truth = np.array([False, True, True, True])
    >>> log_discrimination(ScoreCounts.of(truth, np.array([0.4, 0.4, 0.8, 0.8])))
    0.215762
    """
    return max(_constant(scores, _logarithm) - _calibrated(scores, _logarithm), 0.0)


@measure(
    title="Uncertainty (of the log loss)",
    aliases=("log_unc", "climatological_log_loss"),
    direction="none",
    bounds=(0, 1),
    formula=r"-\bar y \log \bar y - (1 - \bar y) \log (1 - \bar y)",
    reference=DIMITRIADIS,
    needs_probability=True,
    symmetric=True,
)
def log_uncertainty(scores: ScoreCounts) -> float:
    """The log loss of predicting the share of positives for every row.

    Examples
    --------
    >>> log_uncertainty(ScoreCounts.of(np.array([False, True, True, True]), np.zeros(4)))
    0.562335
    """
    return _constant(scores, _logarithm)
