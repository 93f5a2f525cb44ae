"""Scores in bins: how often the rows of a bin came true beside what their scores said."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from heldout.core.errors import InputError
from heldout.core.sums import sum_of_products
from heldout.core.threads import blocks, in_threads
from heldout.measures.choices import chosen

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from numpy.typing import NDArray

    from heldout.tally.scores import ScoreCounts

__all__ = [
    "Bins",
    "bins_and_middles",
    "is_remembered",
    "least_and_most",
    "remembered",
    "sums_between",
    "value_of_bins",
]

T = TypeVar("T")
#: shares of weight that are equal but for rounding must fall on the same side of a border
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Bins:
    """Weight, positives and mean score of bins that have rows."""

    weight: NDArray[Any]
    positives: NDArray[Any]
    forecast: NDArray[np.float64]

    @property
    def observed(self) -> NDArray[np.float64]:
        """The share of positives in each bin."""
        return np.asarray(self.positives / self.weight)


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
    way = chosen("strategy", strategy, "width", "mass")
    if bins < 0:
        raise InputError(f"bins is 0 (each distinct score its own) or more, not {bins}")
    if midpoint and (way == "mass" or bins == 0):
        raise InputError("midpoint needs bins of equal width, such as bins=10")
    if bins == 0:
        rows = len(scores.score)
        return in_threads(lambda block: value(_distinct(scores, block)), blocks(rows))
    made, middle = bins_and_middles(scores, bins, way)
    return [value(Bins(made.weight, made.positives, middle) if midpoint else made)]


def bins_and_middles(
    scores: ScoreCounts, bins: int, strategy: str = "width"
) -> tuple[Bins, NDArray[np.float64]]:
    """The bins that have rows, from high to low scores, and the middle of each."""
    key = ("bins", bins, strategy)
    return remembered(scores, key, lambda: _binned(scores, bins, strategy))


def remembered(tally: Any, name: Hashable, make: Callable[[], T]) -> T:
    """What was made of a tally under a name, made the first time: several measures share it."""
    kept: dict[Hashable, Any] = vars(tally).setdefault("remembered", {})
    if name not in kept:
        kept[name] = make()
    found: T = kept[name]
    return found


def is_remembered(tally: Any, name: Hashable) -> bool:
    """Whether something was made of a tally under a name."""
    return name in vars(tally).get("remembered", {})


def least_and_most(scores: ScoreCounts) -> tuple[float, float]:
    """The smallest and the largest weight of a distinct score."""

    def found() -> tuple[float, float]:
        least, most = np.inf, 0.0
        for block in blocks(len(scores.score)):
            weight = scores.positives[block] + scores.negatives[block]
            least, most = min(least, float(weight.min())), max(most, float(weight.max()))
        return least, most

    return remembered(scores, "least and most", found)


def _distinct(scores: ScoreCounts, block: slice) -> Bins:
    """Every distinct score of a block as a bin of its own."""
    positives, forecast = scores.positives[block], scores.score[block]
    weight = positives + scores.negatives[block]
    if not weight.all():  # rows of weight 0 leave no trace
        kept = weight > 0
        weight, positives, forecast = weight[kept], positives[kept], forecast[kept]
    return Bins(weight, positives, forecast)


def _binned(scores: ScoreCounts, bins: int, way: str) -> tuple[Bins, NDArray[np.float64]]:
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

    def above(index: int) -> Any:
        return scores.tp[index - 1] + scores.fp[index - 1] if index else 0

    return max(bisect_right(range(len(scores.score)), most, key=above) - 1, 0)


def sums_between(
    scores: ScoreCounts, starts: list[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Weight, positives and sum of scores of the falling scores from each start to the next."""
    ends = [*starts[1:], len(scores.score)]
    spans = list(pairwise([*starts, len(scores.score)]))
    before = np.array(starts, np.int64)

    def between(running: NDArray[Any]) -> NDArray[np.float64]:
        padded = np.where(before > 0, running[before - 1], 0)
        return np.asarray(running[np.array(ends, np.int64) - 1] - padded, float)

    if not spans:
        nothing = np.zeros(0)
        return nothing, nothing, nothing
    positives = between(scores.tp)
    weight = positives + between(scores.fp)
    return weight, positives, np.array([_sum(scores, *span) for span in spans])


def _sum(scores: ScoreCounts, start: int, end: int) -> float:
    """The weighted sum of a span of scores, block by block so that temporaries stay small."""
    total = 0.0
    for block in blocks(end - start):
        part = slice(start + block.start, start + block.stop)
        weight = scores.positives[part] + scores.negatives[part]
        total += sum_of_products(weight, scores.score[part])
    return total
