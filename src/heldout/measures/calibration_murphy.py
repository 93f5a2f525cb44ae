"""The Brier score in parts: reliability, resolution, uncertainty; and expected over observed."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.ratio import ratio
from heldout.core.sums import sum_of_products
from heldout.measures.calibration import thin_bins
from heldout.measures.calibration_bins import value_of_bins
from heldout.measures.kinds import BinGaps
from heldout.measures.registry import measure
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from heldout.measures.calibration_bins import Bins

__all__ = ["expected_observed_ratio", "reliability", "resolution", "uncertainty"]

MURPHY = "Murphy (1973), J. Appl. Meteorol. 12:595"


def mean_square_of_gaps(weight: Any, gap: Any) -> Any:
    """The mean squared gap of bins, of many samples at once."""
    return (weight * np.square(gap)).sum(axis=-1) / weight.sum(axis=-1)


@measure(
    title="Reliability (of the Brier score)",
    aliases=("brier_reliability", "calibration_loss"),
    direction="down",
    bounds=(0, 1),
    formula=r"\sum_b \frac{n_b}{n} (\bar p_b - \bar y_b)^2",
    undefined="",
    reference=MURPHY,
    note=thin_bins,
    kind=BinGaps(mean_square_of_gaps),
    needs_probability=True,
)
def reliability(
    scores: ScoreCounts, *, bins: int = 0, strategy: str = "width", midpoint: bool = False
) -> float:
    """The part of the Brier score that is due to miscalibration: smaller is better.

    ``bins=0`` takes each distinct probability, and then exactly Brier score = reliability
    - resolution + uncertainty. With bins the mean probability of a bin stands for it, or
    its middle (``midpoint``), and the sum holds for probabilities so rounded.

    Examples
    --------
    >>> truth = np.array([False, True, True, True])
    >>> reliability(ScoreCounts.of(truth, np.array([0.4, 0.4, 0.8, 0.8])))  # (0.1² + 0.2²) / 2
    0.025
    """

    def square(part: Bins) -> float:
        return sum_of_products(part.weight, np.square(part.forecast - part.observed))

    total = value_of_bins(scores, square, bins=bins, strategy=strategy, midpoint=midpoint)
    return float(ratio(sum(total), scores.total))


@measure(
    title="Resolution (of the Brier score)",
    aliases=("brier_resolution",),
    direction="up",
    bounds=(0, 0.25),
    formula=r"\sum_b \frac{n_b}{n} (\bar y_b - \bar y)^2",
    undefined="",
    reference=MURPHY,
    note=thin_bins,
    needs_probability=True,
    reaches_best=False,
)
def resolution(scores: ScoreCounts, *, bins: int = 0, strategy: str = "width") -> float:
    """The part of the Brier score saved by telling rows apart: larger is better.

    Examples
    --------
    >>> truth = np.array([False, True, True, True])
    >>> resolution(ScoreCounts.of(truth, np.array([0.4, 0.4, 0.8, 0.8])))  # (0.25² + 0.25²) / 2
    0.0625
    """
    share = ratio(scores.total_positives, scores.total)

    def square(part: Bins) -> float:
        return sum_of_products(part.weight, np.square(part.observed - share))

    total = value_of_bins(scores, square, bins=bins, strategy=strategy)
    return min(float(ratio(sum(total), scores.total)), 0.25)


@measure(
    title="Uncertainty (of the Brier score)",
    aliases=("brier_uncertainty", "climatological_brier"),
    direction="none",
    bounds=(0, 0.25),
    formula=r"\bar y (1 - \bar y)",
    undefined="",
    reference=MURPHY,
    needs_probability=True,
    symmetric=True,
)
def uncertainty(scores: ScoreCounts) -> float:
    """The Brier score of predicting the share of positives for every row.

    Examples
    --------
    >>> uncertainty(ScoreCounts.of(np.array([False, True, True, True]), np.zeros(4)))
    0.1875
    """
    share = ratio(scores.total_positives, scores.total)
    return float(share * (1 - share))


@measure(
    title="Expected over observed positives",
    aliases=("e_o_ratio", "expected_to_observed", "calibration_ratio"),
    direction="target",
    best=1,
    bounds=(0, inf),
    formula=r"\frac{\sum_i p_i}{\sum_i y_i}",
    undefined="no row is positive",
    reference="Steyerberg (2019), Clinical Prediction Models, 2nd ed.",
    needs_probability=True,
    averaged=False,
    needs_classes=(1,),
)
def expected_observed_ratio(scores: ScoreCounts) -> float:
    """How many positives the probabilities expect for each that there is; 1 is right.

    Examples
    --------
    >>> truth = np.array([False, True, True, True])
    >>> expected_observed_ratio(ScoreCounts.of(truth, np.array([0.4, 0.4, 0.8, 0.8])))  # 2.4 / 3
    0.8
    """

    def expected(part: Bins) -> float:
        return sum_of_products(part.weight, part.forecast)

    return float(ratio(sum(value_of_bins(scores, expected, bins=1)), scores.total_positives))
