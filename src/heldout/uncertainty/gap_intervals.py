"""Intervals of calibration errors: of the gaps of bins, which noise makes large, of the largest."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from math import hypot, inf
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.notes import Kind, Note
from heldout.core.random import stream
from heldout.core.sums import sum_of_products
from heldout.core.threads import blocks, in_threads
from heldout.uncertainty.interval import Interval, absent, checked_level
from heldout.uncertainty.proportions import proportion_interval
from heldout.uncertainty.quantiles import two_sided_student

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.tally.scores import ScoreCounts

#: the gaps are stretched at most by this factor (doubled so many times)
DOUBLINGS = 7
MOST = 2.0**DOUBLINGS
#: outcomes of either kind that a bin must expect to be drawn as normal
MANY = 15
#: gaps of draws that are made at once: as many as processors keep near
BLOCK = 12_000
#: halvings of the range in which a limit lies
HALVINGS = 12
#: a value in this lowest share of a calibrated model's counts as this quantile
LEAST = 0.2
#: a gap may turn to the other side within Clopper-Pearson limits of its bin of this level
ALLOWED = 0.99
#: values that differ by less are the same
ROUNDING = 1e-12
RAISED = Note("the value lies outside: noise in the bins has raised it", Kind.OUTSIDE)


@dataclass(frozen=True, eq=False)
class Gaps:
    """Rows, positives and mean score of calibration bins that have rows."""

    rows: NDArray[Any]
    positives: NDArray[Any]
    forecast: NDArray[Any]

    @property
    def gap(self) -> NDArray[np.float64]:
        """Observed share less mean score, of each bin."""
        return np.asarray(self.positives / self.rows - self.forecast)


def gap_interval(
    gaps: Gaps,
    statistic: Callable[[Any, Any], Any],
    *,
    level: float = 0.95,
    replicates: int = 400,
    seed: int = 1,
) -> Interval:
    """The calibration errors that the bins do not contradict.

    Parameters
    ----------
    gaps
        The bins of rows that all weigh the same.
    statistic
        The measure as a function of the bins' weights and gaps, on the last axis.

    Notes
    -----
    A sample of a calibrated model has gaps, so a bootstrap around the gaps that were seen
    never reaches 0 and lies too high. Here a test is inverted instead: the gaps that were
    seen, shrunk or stretched by one factor, are taken to be the true ones; rows and outcomes
    of the bins are drawn under them; and the interval holds the errors of those factors under
    which the value that was seen is neither among the smallest nor among the largest draws.
    The factor 0 is consistency resampling (Broecker and Smith 2007, Weather Forecast. 22:651):
    the lower limit is 0 unless a calibrated model would rarely have such a value.

    Examples
    --------
    >>> bins = Gaps(np.array([50, 50]), np.array([11, 38]), np.array([0.2, 0.8]))
    >>> made = gap_interval(bins, lambda weight, gap: (weight * abs(gap)).sum(-1) / weight.sum(-1))
    >>> made.low
    0.0
    """
    level = checked_level(level)
    method = f"inverted test of gaps (heldout's own), {replicates} draws of bins, seed {seed}"
    if reason := too_many_bins(len(gaps.rows)):
        return absent(reason, level=level, method=method)
    tail = (1 - level) / 2
    if replicates * tail < 1:
        reason = f"{replicates:,} replicates are too few for this level"
        return absent(reason, level=level, method=method)
    seen = float(statistic(gaps.rows, gaps.gap))
    drawn = GapDraws(gaps, statistic, replicates, seed)

    def not_too_small(factor: float) -> bool:
        return float(np.quantile(drawn.at(factor), 1 - tail)) >= seen - ROUNDING

    # less than a calibrated model mostly shows says no more than that: no limit is a point
    least = max(seen, float(np.quantile(drawn.at(0.0), max(LEAST, tail))))

    def not_too_large(factor: float) -> bool:
        return float(np.quantile(drawn.at(factor), tail)) <= least + ROUNDING

    low = 0.0 if not_too_small(0.0) else _border(not_too_small, rising=True)
    # noise raises a value, and does not lower it below what the gaps that were seen would show
    least_error = min(float(statistic(gaps.rows, drawn.stretched(low))), seen)
    if not_too_large(MOST):
        # no gap can be larger: what is left is how many rows fall into which bin
        largest = float(np.quantile(statistic(drawn.rows, drawn.stretched(MOST)), 1 - tail))
        high = MOST
    else:
        largest = 0.0
        high = _border(not_too_large, rising=False)
    largest = max(largest, float(statistic(gaps.rows, drawn.stretched(high))))
    if abs(seen - largest) <= ROUNDING:
        largest = max(seen, largest)
    interval = Interval(least_error, largest, level, method).within((0, inf))
    return interval if interval.contains(seen) else interval.noted(RAISED)


class GapDraws:
    """Draws of the statistic under stretched gaps, from the same random numbers for every factor.

    Rows fall into bins as they did, by chance; outcomes follow the stretched share of the bin.
    Where a bin expects ``MANY`` of either outcome, their number is normal but for its skewness
    (one term of Cornish and Fisher), which is as good and many times as fast as a draw of it.
    """

    def __init__(
        self, gaps: Gaps, statistic: Callable[[Any, Any], Any], replicates: int, seed: int
    ) -> None:
        self.gaps, self.statistic, self.seed = gaps, statistic, seed
        total = round(float(gaps.rows.sum()))
        share = gaps.rows / gaps.rows.sum()
        # a bin without a gap may have one: that of about one row, towards the middle
        inwards = np.where(gaps.forecast < 0.5, 1.0, -1.0) / (gaps.rows + 2)
        self.shape = np.where(np.abs(gaps.gap) < 1e-9, inwards, gaps.gap)
        low, high = _allowed_shares(gaps)
        is_above = self.shape > 0
        # how far a gap can go: on its own side to the end of shares, on the other where rows allow
        self.own = np.where(is_above, 1 - gaps.forecast, gaps.forecast)
        self.other = np.where(is_above, gaps.forecast - low, high - gaps.forecast)
        # draws lie side by side in memory: sums over bins are many times as fast
        rows = stream(seed, "bins", "rows").multinomial(total, share, size=replicates)
        self.rows = np.asfortranarray(rows)
        at_least_one = np.maximum(self.rows, 1)
        normal = _normal(seed, *rows.shape)
        self._noise = normal / np.sqrt(at_least_one)
        self._skewness = (np.square(normal) - 1) / (6 * at_least_one)

    @cached_property
    def _outcomes(self) -> tuple[Generator, Mapping[str, Any]]:
        """What draws outcomes, and its state at the start."""
        rng = stream(self.seed, "bins", "outcomes")
        return rng, rng.bit_generator.state

    def stretched(self, factor: Any) -> NDArray[np.float64]:
        """The gaps times a factor: none grows smaller where the factor grows.

        A share ends at 0 and 1, and a gap there. Beyond that it turns to the other side, where
        it can be larger, as far as the bin's own rows allow: a sign that noise made is no bound.
        Of several factors there is a line each.
        """
        size = np.asarray(factor, float)[..., None] * np.abs(self.shape)
        is_turned = (size > self.own) & (self.other > self.own)
        side = np.where(is_turned, -1.0, 1.0) * np.sign(self.shape)
        return np.asarray(side * np.minimum(size, np.where(is_turned, self.other, self.own)))

    def at(self, factor: Any) -> NDArray[np.float64]:
        """The statistic of each draw, were these the true gaps; of several factors, a line each."""
        factors = np.atleast_1d(np.asarray(factor, float))
        step = max(1, BLOCK // self.rows.size)
        parts = [self._at(factors[i : i + step]) for i in range(0, len(factors), step)]
        return np.concatenate(parts) if np.ndim(factor) else parts[0][0]

    def _at(self, factors: NDArray[np.float64]) -> NDArray[np.float64]:
        forecast = self.gaps.forecast
        share = np.clip(forecast + self.stretched(factors), 0, 1)[:, None, :]
        expected = self.gaps.rows * np.minimum(share, 1 - share)
        gap = np.sqrt(share * (1 - share)) * self._noise
        gap += np.where(expected > 0, 1 - 2 * share, 0.0) * self._skewness
        gap += share - forecast
        few = (expected > 0) & (expected < MANY)
        for line in np.flatnonzero(few.any(axis=(1, 2))):
            columns = np.flatnonzero(few[line])
            gap[line][:, columns] = self._few(share[line, 0], columns)
        return np.asarray(self.statistic(self.rows, gap))

    def _few(self, share: NDArray[np.float64], columns: NDArray[Any]) -> NDArray[np.float64]:
        """The gaps of each draw in bins that are far from normal."""
        outcomes, start = self._outcomes
        outcomes.bit_generator.state = start
        rows = self.rows[:, columns]
        drawn = outcomes.binomial(rows, share[columns])
        return np.asarray(drawn / np.maximum(rows, 1) - self.gaps.forecast[columns])


@lru_cache(maxsize=8)
def _normal(seed: int, replicates: int, bins: int) -> NDArray[np.float64]:
    """Normal numbers, a row a draw: the same for all bins of a seed, so that they are kept."""
    numbers = stream(seed, "bins", "normal").standard_normal((bins, replicates)).T
    numbers.flags.writeable = False
    return numbers


def _allowed_shares(gaps: Gaps) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The Clopper-Pearson limits of the share of each bin."""
    from heldout.core.special import betaincinv

    tail = (1 - ALLOWED) / 2
    hits, misses = gaps.positives, gaps.rows - gaps.positives
    low = np.where(hits > 0, betaincinv(np.maximum(hits, 1e-9), misses + 1, tail), 0.0)
    high = np.where(misses > 0, betaincinv(hits + 1, np.maximum(misses, 1e-9), 1 - tail), 1.0)
    return low, high


def _border(holds: Callable[[float], bool], *, rising: bool) -> float:
    """The factor at which a condition starts to hold (rising) or ends to."""
    inside, outside = 0.0, 1.0
    for _ in range(DOUBLINGS):
        if holds(outside) == rising:
            break
        inside, outside = outside, 2 * outside
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        if holds(middle) == rising:
            outside = middle
        else:
            inside = middle
    # the outer end of what is known: never too narrow
    return inside if rising else outside


#: more bins than this are too many to draw anew at each step
MOST_BINS = 500


def too_many_bins(*counts: int) -> str:
    """Why so many bins have no interval and no test; empty where they are few enough.

    Examples
    --------
    >>> too_many_bins(10, 500), too_many_bins(10, 501)
    ('', 'more than 500 bins: ask for fewer, such as bins=10')
    """
    if max(counts) <= MOST_BINS:
        return ""
    return f"more than {MOST_BINS} bins: ask for fewer, such as bins=10"


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
    >>> from heldout.uncertainty.gap_intervals import Gaps
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
        seen = float(positives / rows)
        low = float(gap) - hypot(seen - share.low, known)
        high = float(gap) + hypot(share.high - seen, known)
        least, most = max(least, low, -high), max(most, high, -low)
    return Interval(least, most, level, method).within((0, 1))


def score_deviations(counts: ScoreCounts, gaps: Gaps) -> NDArray[np.float64]:
    """The squared deviations of scores from the mean of their bin, summed over its rows.

    Bins are stretches of the falling scores, as ``heldout.measures.calibration`` has them.

    Examples
    --------
    >>> from heldout.uncertainty.gap_intervals import Gaps
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

    def deviations(number: int) -> float:
        start, stop = spans[number]
        total = 0.0
        for block in blocks(stop - start):
            part = slice(start + block.start, start + block.stop)
            apart = counts.score[part] - gaps.forecast[number]
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
