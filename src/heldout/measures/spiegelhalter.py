"""Spiegelhalter's test of calibration: whether the Brier score is what the probabilities expect."""

from __future__ import annotations

from functools import partial
from math import erfc, sqrt

from heldout.core.ratio import ratio
from heldout.core.sums import sum_of_products
from heldout.core.threads import blocks
from heldout.measures.calibration_bins import remembered
from heldout.measures.kinds import TestStatistic
from heldout.measures.registry import measure
from heldout.tally.scores import ScoreCounts

__all__ = ["spiegelhalter_p_value", "spiegelhalter_z"]

of_test = partial(
    measure,
    kind=TestStatistic(),
    undefined="every probability is 0, 0.5 or 1",
    reference="Spiegelhalter (1986), Stat. Med. 5:421",
    needs_probability=True,
    averaged=False,
    weight_scale=True,
)


def spiegelhalter_parts(scores: ScoreCounts) -> tuple[float, float]:
    """The excess of the Brier score over what the probabilities expect, and its variance."""

    def found() -> tuple[float, float]:
        excess, variance = 0.0, 0.0
        for block in blocks(len(scores.score)):
            p, positives = scores.score[block], scores.positives[block]
            weight = positives + scores.negatives[block]
            expected = weight * p
            turn = 1.0 - 2.0 * p
            excess += sum_of_products(positives - expected, turn)
            expected *= 1.0 - p
            turn *= turn
            variance += sum_of_products(expected, turn)
        return excess, variance

    return remembered(scores, "spiegelhalter", found)


@of_test(
    title="Spiegelhalter's z",
    aliases=("spiegelhalter",),
    direction="target",
    best=0,
    formula=r"\frac{\sum_i (y_i - p_i)(1 - 2 p_i)}{\sqrt{\sum_i (1 - 2 p_i)^2 p_i (1 - p_i)}}",
    symmetric=True,
)
def spiegelhalter_z(scores: ScoreCounts) -> float:
    """Standard errors by which the Brier score exceeds what is expected of it.

    Examples
    --------
    >>> import numpy as np
    >>> truth = np.array([1, 0, 0, 0]) == 1
    >>> spiegelhalter_z(ScoreCounts.of(truth, np.full(4, 0.1)))  # 0.6 * 0.8 / (0.8 * 0.6)
    1.0
    """
    excess, variance = spiegelhalter_parts(scores)
    return float(ratio(excess, sqrt(variance)))


@of_test(
    title="Spiegelhalter's p-value",
    aliases=("spiegelhalter_p",),
    direction="none",
    bounds=(0, 1),
    formula=r"2 \Phi(-|z|)",
    symmetric=True,
)
def spiegelhalter_p_value(scores: ScoreCounts) -> float:
    """Probability of a Brier score so far off if the probabilities were right.

    Examples
    --------
    >>> import numpy as np
    >>> truth = np.array([1, 0, 0, 0]) == 1
    >>> spiegelhalter_p_value(ScoreCounts.of(truth, np.full(4, 0.1)))
    0.317311
    """
    return erfc(abs(spiegelhalter_z(scores)) / sqrt(2.0))
