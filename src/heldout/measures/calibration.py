"""Calibration by bins: whether rows with a probability of 0.8 come true 8 times in 10."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.ratio import ratio
from heldout.core.sums import sum_of_products
from heldout.measures.calibration_bins import value_of_bins
from heldout.measures.choices import chosen
from heldout.measures.kinds import BinGaps, Mean
from heldout.measures.registry import measure
from heldout.tally.moments import Moments
from heldout.tally.scores import ScoreCounts, TopLabel

if TYPE_CHECKING:
    from heldout.measures.calibration_bins import Bins

__all__ = [
    "expected_calibration_error",
    "maximum_calibration_error",
    "thin_bins",
    "top_label_calibration_error",
    "top_label_maximum_calibration_error",
    "top_label_overconfidence",
]

NAEINI = "Naeini, Cooper and Hauskrecht (2015), AAAI:2901"
GUO = "Guo, Pleiss, Sun and Weinberger (2017), ICML:1321"
MEAN_GAP = r"\sum_b \frac{n_b}{n} \left| \bar y_b - \bar p_b \right|"


def mean_gap(scores: ScoreCounts, bins: int, strategy: str, norm: str) -> float:
    """Mean distance between observed share and mean score over bins, by weight."""
    power = 1 if chosen("norm", norm, "l1", "l2") == "l1" else 2

    def gap(part: Bins) -> float:
        distance = np.abs(part.forecast - part.observed)
        return sum_of_products(part.weight, distance if power == 1 else np.square(distance))

    mean = ratio(sum(value_of_bins(scores, gap, bins=bins, strategy=strategy)), scores.total)
    return float(mean) if power == 1 else sqrt(mean)


def mean_of_gaps(weight: Any, gap: Any, *, norm: str = "l1") -> Any:
    """The same of the weights and gaps of bins, of many samples at once."""
    total = weight.sum(axis=-1)
    if norm == "l1":
        return (weight * np.abs(gap)).sum(axis=-1) / total
    return np.sqrt((weight * np.square(gap)).sum(axis=-1) / total)


def largest_of_gaps(weight: Any, gap: Any) -> Any:
    """The largest gap of bins that have rows."""
    return np.max(np.where(weight > 0, np.abs(gap), 0.0), axis=-1)


def largest_gap(scores: ScoreCounts, bins: int, strategy: str) -> float:
    """Largest distance between observed share and mean score in a bin."""

    def gap(part: Bins) -> float:
        return float(np.max(np.abs(part.forecast - part.observed), initial=-1.0))

    largest = max(value_of_bins(scores, gap, bins=bins, strategy=strategy), default=-1.0)
    return largest if largest >= 0 else float("nan")


def thin_bins(scores: ScoreCounts, *, bins: int = 0, **_: Any) -> str:
    """That bins of single scores hold too few rows to say how often they come true."""
    distinct = len(scores.score)
    if bins == 0 and scores.rows < 5 * distinct:
        found = "1 distinct score" if distinct == 1 else f"{distinct:,} distinct scores"
        rows = "1 row" if scores.rows == 1 else f"{scores.rows:,} rows"
        return f"{found} in {rows}: ask for bins, such as bins=10"
    return ""


def moments_of_excess(top: ScoreCounts) -> Moments:
    """The moments over rows of the score less whether the row came true."""
    right = Moments.of(top.score - 1, top.positives * 1.0, is_count=True)
    return right + Moments.of(top.score, top.negatives * 1.0, is_count=True)


@measure(
    title="Expected calibration error",
    aliases=("ece", "calibration_error", "mean_calibration_error"),
    direction="down",
    bounds=(0, 1),
    formula=MEAN_GAP,
    undefined="",
    reference=NAEINI,
    note=thin_bins,
    kind=BinGaps(mean_of_gaps),
    headline=("binary",),
    needs_probability=True,
)
def expected_calibration_error(
    scores: ScoreCounts, *, bins: int = 10, strategy: str = "width", norm: str = "l1"
) -> float:
    """Mean distance between a bin's mean probability and how often it is true.

    Of the probability of the positive class. Bins are of equal width (``strategy="width"``;
    open below, closed above) or of equal weight (``strategy="mass"``); ``bins=0`` makes each
    distinct probability a bin. ``norm="l2"`` is the root of the mean squared distance.
    The value depends on the bins and is biased upwards by few rows a bin.

    Examples
    --------
    >>> truth = np.array([False, False, True, True, True])
    >>> scores = ScoreCounts.of(truth, np.array([0.25, 0.25, 0.55, 0.75, 0.75]))
    >>> expected_calibration_error(scores, bins=2)  # 2/5 * 0.25 + 3/5 * 0.31667
    0.29
    """
    return mean_gap(scores, bins, strategy, norm)


@measure(
    title="Maximum calibration error",
    aliases=("mce",),
    direction="down",
    bounds=(0, 1),
    formula=r"\max_b \left| \bar y_b - \bar p_b \right|",
    undefined="",
    reference=NAEINI,
    note=thin_bins,
    kind=BinGaps(largest_of_gaps, is_largest=True),
    needs_probability=True,
)
def maximum_calibration_error(
    scores: ScoreCounts, *, bins: int = 10, strategy: str = "width"
) -> float:
    """Largest distance between a bin's mean probability and how often it is true.

    Examples
    --------
    >>> truth = np.array([False, False, True, True, True])
    >>> scores = ScoreCounts.of(truth, np.array([0.25, 0.25, 0.55, 0.75, 0.75]))
    >>> maximum_calibration_error(scores, bins=2)
    0.316667
    """
    return largest_gap(scores, bins, strategy)


@measure(
    title="Top-label calibration error",
    aliases=("top_label_ece", "confidence_calibration_error", "multiclass_ece"),
    direction="down",
    bounds=(0, 1),
    formula=MEAN_GAP,
    undefined="",
    reference=GUO,
    note=thin_bins,
    kind=BinGaps(mean_of_gaps),
    headline=("multiclass",),
    needs_probability=True,
)
def top_label_calibration_error(
    top: TopLabel, *, bins: int = 10, strategy: str = "width", norm: str = "l1"
) -> float:
    """Expected calibration error of the probability of the likeliest class.

    Examples
    --------
    >>> right = np.array([False, False, True, True])
    >>> top = TopLabel.of(right, np.array([0.55, 0.55, 0.6, 0.9]))
    >>> top_label_calibration_error(top, bins=3)  # 3/4 * 0.2333 + 1/4 * 0.1
    0.2
    """
    return mean_gap(top, bins, strategy, norm)


@measure(
    title="Top-label maximum calibration error",
    aliases=("top_label_mce", "multiclass_mce"),
    direction="down",
    bounds=(0, 1),
    formula=r"\max_b \left| \bar y_b - \bar p_b \right|",
    undefined="",
    reference=GUO,
    note=thin_bins,
    kind=BinGaps(largest_of_gaps, is_largest=True),
    needs_probability=True,
)
def top_label_maximum_calibration_error(
    top: TopLabel, *, bins: int = 10, strategy: str = "width"
) -> float:
    """Maximum calibration error of the probability of the likeliest class.

    Examples
    --------
    >>> right = np.array([False, False, True, True])
    >>> top = TopLabel.of(right, np.array([0.55, 0.55, 0.6, 0.9]))
    >>> top_label_maximum_calibration_error(top, bins=3)
    0.233333
    """
    return largest_gap(top, bins, strategy)


@measure(
    title="Top-label overconfidence",
    aliases=("overconfidence", "confidence_minus_accuracy"),
    direction="target",
    best=0,
    bounds=(-1, 1),
    formula=r"\frac{1}{n} \sum_i \max_k p_{ik} - \mathrm{accuracy}",
    undefined="",
    reference=GUO,
    needs_probability=True,
    kind=Mean(moments=moments_of_excess),
)
def top_label_overconfidence(top: TopLabel) -> float:
    """Mean probability of the likeliest class minus how often it is right.

    Examples
    --------
    >>> right = np.array([False, False, True, True])
    >>> top_label_overconfidence(TopLabel.of(right, np.array([0.55, 0.55, 0.6, 0.9])))
    0.15
    """

    def excess(part: Bins) -> float:
        return sum_of_products(part.weight, part.forecast - part.observed)

    return float(ratio(sum(value_of_bins(top, excess, bins=1)), top.total))
