"""The interval of the largest gap of calibration bins, from limits of all of them together."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from math import hypot
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.sums import sum_of_products
from heldout.core.threads import blocks, in_threads
from heldout.intervals.interval import Interval, absent, checked_level
from heldout.intervals.most_bins import too_many_bins
from heldout.intervals.proportions import proportion_interval
from heldout.intervals.quantiles import two_sided_student

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.intervals.gap_intervals import Gaps
    from heldout.tally.scores import ScoreCounts

__all__ = ["largest_gap_interval", "score_deviations"]


def largest_gap_interval(
    gaps: Gaps, *, level: float = 0.95, deviations: NDArray[Any] | None = None
) -> Interval:
    """The interval of the largest gap: no bin's own limits are left by its true gap.

    Each bin has the limits of its share (Clopper-Pearson) and of its mean score (Student's t),
    at a level at which all bins hold together. The largest of the least and the largest of the
    greatest gaps that these allow are the limits. They cover more often than the level says,
    are wide where a bin has few rows, and speak of the bins that have any.

    Parameters
    ----------
    deviations
        Sum of the squared deviations of the scores of each bin from their mean; None where
        the bin's score is known without error (its middle, or its only one).

    Notes
    -----
    Both limits are joined by the square root of the sum of squares (Zou and Donner 2008, Stat.
    Med. 27:1693). Where every row is of one class, only the mean score varies.

    Examples
    --------
    >>> from heldout.intervals.gap_intervals import Gaps
    >>> bins = Gaps(np.array([50, 50]), np.array([11, 38]), np.array([0.2, 0.8]))
    >>> made = largest_gap_interval(bins)
    >>> made.low, made.high
    (0.0, 0.2013)
    """
    level = checked_level(level)
    count = len(gaps.rows)
    method = f"Clopper-Pearson of {'1 bin' if count == 1 else f'all {count:,} bins together'}"
    if reason := too_many_bins(count):
        return absent(reason, level=level, method=method)
    own = level ** (1 / count)
    reach = np.zeros(count) if deviations is None else _reaches(gaps.rows, deviations, own)
    least, most = 0.0, 0.0
    for rows, positives, gap, known in zip(gaps.rows, gaps.positives, gaps.gap, reach, strict=True):
        share = proportion_interval(
            float(positives), float(rows), level=own, method="clopper_pearson"
        )
        found = float(positives / rows)
        low = float(gap) - hypot(found - share.low, known)
        high = float(gap) + hypot(share.high - found, known)
        least, most = max(least, low, -high), max(most, high, -low)
    return Interval(least, most, level, method).within((0, 1))


def score_deviations(counts: ScoreCounts, gaps: Gaps) -> NDArray[np.float64]:
    """The squared deviations of scores from the mean of their bin, summed over its rows.

    Bins are stretches of the falling scores, as ``heldout.measures.calibration_bins`` has them.

    Examples
    --------
    >>> from heldout.intervals.gap_intervals import Gaps
    >>> from heldout.tally.scores import ScoreCounts
    >>> scores = ScoreCounts.of(np.array([True, False, True]), np.array([0.9, 0.2, 0.4]))
    >>> bins = Gaps(np.array([1, 2]), np.array([1, 1]), np.array([0.9, 0.3]))
    >>> score_deviations(scores, bins)
    array([0.  , 0.02])
    """
    above = np.cumsum(gaps.rows)
    ends = [
        bisect_left(range(len(counts.score)), rows - 0.5, key=lambda i: counts.tp[i] + counts.fp[i])
        for rows in above.tolist()
    ]
    spans = list(pairwise([0, *(end + 1 for end in ends)]))

    def deviations(place: int) -> float:
        start, stop = spans[place]
        total = 0.0
        for block in blocks(stop - start):
            part = slice(start + block.start, start + block.stop)
            apart = counts.score[part] - gaps.forecast[place]
            np.square(apart, out=apart)
            total += sum_of_products(counts.positives[part] + counts.negatives[part], apart)
        return total

    return np.array(in_threads(deviations, range(len(spans))), float)


def _reaches(rows: NDArray[Any], deviations: NDArray[Any], level: float) -> NDArray[np.float64]:
    """How far from its mean score the true one of each bin may be.

    The spread is the bin's own, and no less than that of all bins: two rows that happen to
    agree are not certain.
    """
    freedom = max(float(rows.sum()) - len(rows), 1.0)
    pooled = float(deviations.sum()) / freedom
    own = deviations / np.maximum(rows - 1, 1)
    quantile = two_sided_student(level, freedom)
    return np.asarray(quantile * np.sqrt(np.maximum(own, pooled) / rows))
