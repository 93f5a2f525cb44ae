"""Scores in bins: how often rows came true beside what their scores said, and measures of it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from math import inf, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.memo import kept, once
from heldout.core.nearest import chosen
from heldout.core.ratio import ratio
from heldout.core.sums import sum_of_products
from heldout.core.threads import blocks, in_threads
from heldout.core.wording import plural
from heldout.measures.kinds import BinGaps, Mean, NoInterval
from heldout.measures.registry import measure
from heldout.tally.moments import Moments
from heldout.tally.scores import ScoreCounts, TopLabel

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.core.arrays import Array, Floats


#: shares of weight that are equal but for rounding must fall on the same side of a border
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Bins:
    """Weight, positives and mean score of bins that have rows."""

    weight: Array
    positives: Array
    forecast: Floats

    @property
    def observed(self) -> Floats:
        """The share of positives in each bin."""
        return np.asarray(self.positives / self.weight)

    @property
    def gap(self) -> Floats:
        """How far the mean score of each bin lies above that share."""
        return self.forecast - self.observed


def value_of_bins(
    scores: ScoreCounts,
    value: Callable[[Bins], float],
    *,
    bins: int,
    strategy: str = "width",
    midpoint: bool = False,
) -> list[float]:
    """A number of the bins, or of each block of them where every distinct score is its own.

    ``bins=0``: a bin for every distinct score. ``strategy="width"``: bins of equal width,
    open below and closed above as in R's ``cut`` and scikit-learn's ``calibration_curve``,
    the first with 0. ``strategy="mass"``: of as equal weight as equal scores allow, which
    are never parted. ``midpoint`` puts the middle of the bin in place of its mean score.
    """
    if bins == 0 and not midpoint:
        chosen("strategy", strategy, "width", "mass")
        rows = len(scores.score)
        return in_threads(lambda block: value(_distinct(scores, block)), blocks(rows))
    return [value(bins_of(scores, bins=bins, strategy=strategy, midpoint=midpoint))]


def bins_of(
    scores: ScoreCounts, *, bins: int, strategy: str = "width", midpoint: bool = False
) -> Bins:
    """The bins that have rows, from high to low scores: see ``value_of_bins``."""
    way = chosen("strategy", strategy, "width", "mass")
    if bins < 0:
        raise InputError(f"bins is 0 (each distinct score its own) or more, not {bins}")
    if midpoint and (way == "mass" or bins == 0):
        raise InputError("midpoint needs bins of equal width, such as bins=10")
    if bins == 0:
        return _distinct(scores, slice(None))
    own, middle = bins_and_middles(scores, bins, way)
    return replace(own, forecast=middle) if midpoint else own


def mean_over_bins(scores: ScoreCounts, term: Callable[[Bins], Floats], **how: Any) -> float:
    """The mean over rows of a number that each bin has."""
    sums = value_of_bins(scores, lambda part: sum_of_products(part.weight, term(part)), **how)
    return float(ratio(sum(sums), scores.total))


def bins_and_middles(
    scores: ScoreCounts, bins: int, strategy: str = "width"
) -> tuple[Bins, Floats]:
    """The bins that have rows, from high to low scores, and the middle of each."""
    return once(scores, ("bins", bins, strategy), lambda s: _make_bins(s, bins, strategy))


@kept
def least_and_most(scores: ScoreCounts) -> tuple[float, float]:
    """The smallest and the largest weight of a distinct score."""
    least, most = np.inf, 0.0
    for block in blocks(len(scores.score)):
        weight = scores.positives[block] + scores.negatives[block]
        least, most = min(least, float(weight.min())), max(most, float(weight.max()))
    return least, most


def _distinct(scores: ScoreCounts, block: slice) -> Bins:
    """Every distinct score of a block as a bin of its own."""
    positives, forecast = scores.positives[block], scores.score[block]
    weight = positives + scores.negatives[block]
    if not weight.all():  # rows of weight 0 leave no trace
        kept = weight > 0
        weight, positives, forecast = weight[kept], positives[kept], forecast[kept]
    return Bins(weight, positives, forecast)


def _make_bins(scores: ScoreCounts, bins: int, way: str) -> tuple[Bins, Floats]:
    """The bins that have rows, from high to low scores, and the middle of each."""
    top = {0: bins}  # where a bin starts among the falling scores: which one it is
    for number in range(bins - 1, 0, -1):
        if way == "width":
            # falling scores, so the first that is not above the upper border starts the bin
            start = bisect_left(scores.score, -number / bins, key=lambda score: -score)
        else:
            start = _reaching(scores, number / bins)
        top[start] = number  # of bins that start at one place all but the lowest are empty
    top.pop(len(scores.score), None)
    starts = sorted(top)
    weight, positives, forecast = sums_between(scores, starts)
    kept = weight > 0
    middle = np.array([(top[start] - 0.5) / bins for start in starts])
    mean = forecast[kept] / weight[kept]
    return Bins(weight[kept], positives[kept], mean), middle[kept]


def _reaching(scores: ScoreCounts, share: float) -> int:
    """Where the smallest score stands at or below which lies this share of the weight."""
    most = scores.total * (1.0 - share + ROUNDING)
    places = range(len(scores.score))
    return max(bisect_right(places, most, key=partial(above, scores)) - 1, 0)


def above(scores: ScoreCounts, index: int) -> Any:
    """The weight of the rows with a greater score than the one at a place."""
    return scores.tp[index - 1] + scores.fp[index - 1] if index else 0


def sums_between(scores: ScoreCounts, starts: list[int]) -> Floats:
    """Weight, positives and sum of scores (a line each) from each start to the next.

    Summed anew: of running sums a bin of small weight beside large ones would lose its digits.
    """
    spans = pairwise([*starts, len(scores.score)])
    return np.array([_sums(scores, *span) for span in spans], float).reshape(-1, 3).T


def _sums(scores: ScoreCounts, start: int, end: int) -> Floats:
    """The same of one span of scores, block by block so that temporaries stay small."""
    total = np.zeros(3)
    for block in blocks(end - start):
        part = slice(start + block.start, start + block.stop)
        positives = scores.positives[part]
        weight = positives + scores.negatives[part]
        total += weight.sum(), positives.sum(), sum_of_products(weight, scores.score[part])
    return total


NAEINI = "Naeini, Cooper and Hauskrecht (2015), AAAI:2901"
GUO = "Guo, Pleiss, Sun and Weinberger (2017), ICML:1321"
MEAN_GAP = r"\sum_b \frac{n_b}{n} \left| \bar y_b - \bar p_b \right|"


def mean_gap(scores: ScoreCounts, bins: int, strategy: str, norm: str) -> float:
    """Mean distance between observed share and mean score over bins, by weight."""
    how = {"bins": bins, "strategy": strategy}
    if chosen("norm", norm, "l1", "l2") == "l1":
        return mean_over_bins(scores, lambda part: np.abs(part.gap), **how)
    return sqrt(mean_over_bins(scores, lambda part: np.square(part.gap), **how))


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
        return float(np.max(np.abs(part.gap), initial=-1.0))

    largest = max(value_of_bins(scores, gap, bins=bins, strategy=strategy), default=-1.0)
    return largest if largest >= 0 else float("nan")


def thin_bins(scores: ScoreCounts, *, bins: int = 0, **_: Any) -> str:
    """That bins of single scores hold too few rows to say how often they come true."""
    distinct = len(scores.score)
    if bins == 0 and scores.rows < 5 * distinct:
        both = f"{plural(distinct, 'distinct score')} in {plural(scores.rows, 'row')}"
        return f"{both}: ask for bins, such as bins=10"
    return ""


def moments_of_excess(top: ScoreCounts) -> Moments:
    """The moments over rows of the score less whether the row came true."""
    right = Moments.of(top.score - 1, top.positives * 1.0, is_count=True)
    return right + Moments.of(top.score, top.negatives * 1.0, is_count=True)


#: errors of calibration bins
of_bins = partial(measure, direction="down", bounds=(0, 1), needs_probability=True, note=thin_bins)


@of_bins(
    aliases=("ece", "calibration_error", "mean_calibration_error"),
    formula=MEAN_GAP,
    reference=NAEINI,
    kind=BinGaps(mean_of_gaps),
    headline=("binary",),
)
def expected_calibration_error(
    scores: ScoreCounts, *, bins: int = 10, strategy: str = "width", norm: str = "l1"
) -> float:
    """Mean distance between a bin's mean probability and how often it is true.

    Of the probability of the positive class. Bins are of equal width (``strategy="width"``;
    open below, closed above) or of equal weight (``strategy="mass"``); ``bins=0`` makes each
    distinct probability a bin. ``norm="l2"`` is the root of the mean squared distance.
    The value depends on the bins and is biased upwards by few rows per bin.

    Examples
    --------
    >>> truth = np.array([False, False, True, True, True])
    >>> scores = ScoreCounts.of(truth, np.array([0.25, 0.25, 0.55, 0.75, 0.75]))
    >>> expected_calibration_error(scores, bins=2)  # 2/5 * 0.25 + 3/5 * 0.31667
    0.29
    """
    return mean_gap(scores, bins, strategy, norm)


@of_bins(
    aliases=("mce",),
    formula=r"\max_b \left| \bar y_b - \bar p_b \right|",
    reference=NAEINI,
    kind=BinGaps(largest_of_gaps, is_largest=True),
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


@of_bins(
    title="Top-label calibration error",
    aliases=("top_label_ece", "confidence_calibration_error", "multiclass_ece"),
    formula=MEAN_GAP,
    reference=GUO,
    kind=BinGaps(mean_of_gaps),
    headline=("multiclass",),
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


@of_bins(
    title="Top-label maximum calibration error",
    aliases=("top_label_mce", "multiclass_mce"),
    formula=r"\max_b \left| \bar y_b - \bar p_b \right|",
    reference=GUO,
    kind=BinGaps(largest_of_gaps, is_largest=True),
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
    return mean_over_bins(top, lambda part: part.gap, bins=1)


MURPHY = "Murphy (1973), J. Appl. Meteorol. 12:595"


def mean_square_of_gaps(weight: Any, gap: Any) -> Any:
    """The mean squared gap of bins, of many samples at once."""
    return (weight * np.square(gap)).sum(axis=-1) / weight.sum(axis=-1)


@of_bins(
    title="Reliability (of the Brier score)",
    aliases=("brier_reliability", "calibration_loss"),
    formula=r"\sum_b \frac{n_b}{n} (\bar p_b - \bar y_b)^2",
    reference=MURPHY,
    kind=BinGaps(mean_square_of_gaps),
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
    how: dict[str, Any] = {"bins": bins, "strategy": strategy, "midpoint": midpoint}
    return mean_over_bins(scores, lambda part: np.square(part.gap), **how)


@measure(
    title="Resolution (of the Brier score)",
    aliases=("brier_resolution",),
    direction="up",
    bounds=(0, 0.25),
    formula=r"\sum_b \frac{n_b}{n} (\bar y_b - \bar y)^2",
    reference=MURPHY,
    note=thin_bins,
    needs_probability=True,
    kind=NoInterval(),
    reaches_best=False,
)
def resolution(scores: ScoreCounts, *, bins: int = 0, strategy: str = "width") -> float:
    """The part of the Brier score saved by distinguishing rows: larger is better.

    Examples
    --------
    >>> truth = np.array([False, True, True, True])
    >>> resolution(ScoreCounts.of(truth, np.array([0.4, 0.4, 0.8, 0.8])))  # (0.25² + 0.25²) / 2
    0.0625
    """
    share = ratio(scores.total_positives, scores.total)
    how = {"bins": bins, "strategy": strategy}
    return min(mean_over_bins(scores, lambda part: np.square(part.observed - share), **how), 0.25)


@measure(
    title="Uncertainty (of the Brier score)",
    aliases=("brier_uncertainty", "climatological_brier"),
    direction="none",
    bounds=(0, 0.25),
    formula=r"\bar y (1 - \bar y)",
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
    """Number of positives expected per observed positive; 1 is ideal.

    Examples
    --------
    >>> truth = np.array([False, True, True, True])
    >>> expected_observed_ratio(ScoreCounts.of(truth, np.array([0.4, 0.4, 0.8, 0.8])))  # 2.4 / 3
    0.8
    """
    expected = mean_over_bins(scores, lambda part: part.forecast, bins=1) * scores.total
    return float(ratio(expected, scores.total_positives))
