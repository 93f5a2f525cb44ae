"""How narrow a band may be at least: what binomial counts can tell of each point of a curve."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from heldout.intervals.proportions import proportion_interval
from heldout.intervals.quantiles import two_sided_normal, two_sided_student

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.curves.curve import Curve
    from heldout.tally.scores import ScoreCounts

__all__ = [
    "at_least_as_recall_varies",
    "at_least_sideways",
    "at_least_wilson",
    "grid_of",
    "rising_to_one",
    "rows_of_value",
    "stretched_limits",
]

#: even steps of the grid; as many again follow the curve where it is steep
STEPS = 100


def grid_of(curve: Curve, positives: float) -> NDArray[np.float64]:
    """Where a band is computed: even steps of x, and where the curve climbs, of y."""
    even = np.linspace(0, 1, STEPS + 1)
    if curve.name == "pr":  # precision moves most where few positives have been found
        few = np.array([1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233]) / positives
        return np.unique(np.concatenate([even, few[few < 1]]))
    climbing = curve.x[np.searchsorted(curve.y, even)]
    return np.unique(np.concatenate([even, climbing]))


def at_least_wilson(
    share: NDArray[np.float64],
    of: NDArray[np.float64],
    limits: tuple[NDArray[np.float64], NDArray[np.float64]],
    level: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The limits with those of Wilson for shares of so many rows, where they are wider.

    Examples
    --------
    >>> at_least_wilson(np.ones(1), np.array([20.0]), (np.ones(1), np.ones(1)), 0.95)
    (array([0.8389]), array([1.]))
    """
    own = [
        proportion_interval(part * n, n, level=level)
        for part, n in zip(np.clip(share, 0, 1).tolist(), of.tolist(), strict=True)
    ]
    low = np.minimum(limits[0], np.array([i.low for i in own]))
    return low, np.maximum(limits[1], np.array([i.high for i in own]))


def at_least_sideways(
    curve: Curve,
    grid: NDArray[np.float64],
    negatives: float,
    limits: tuple[NDArray[np.float64], NDArray[np.float64]],
    level: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The limits with the heights of the curve where so many negatives pass as may be at x.

    Which threshold has a false positive rate of x is known no better than binomial counts
    allow: of 20 negatives none may pass, although one in seven does in truth. So far to the
    left a curve is not known at all.
    """
    from scipy.special import bdtrik

    low, high = limits[0].copy(), limits[1].copy()
    inner = (grid > 0) & (grid < 1)
    tail = (1 - level) / 2
    fewest = np.ceil(bdtrik(tail, negatives, grid[inner])) - 1
    most = np.ceil(bdtrik(1 - tail, negatives, grid[inner])) + 1
    below = np.where(fewest < 0, 0, curve.at(np.maximum(fewest, 0) / negatives))
    above = curve.at(np.minimum(most / negatives, 1))
    low[inner], high[inner] = np.minimum(low[inner], below), np.maximum(high[inner], above)
    return low, high


def at_least_as_recall_varies(
    counts: ScoreCounts,
    grid: NDArray[np.float64],
    sizes: tuple[float, float],
    limits: tuple[NDArray[np.float64], NDArray[np.float64]],
    level: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The limits with the precision of the thresholds that may have a recall of x in truth.

    Of 6 positives all may be found although one in six is missed in truth. At a threshold
    that finds more of them, or fewer, more or fewer negatives pass.
    """
    from scipy.special import bdtrik

    positives, negatives = sizes
    inner = (grid > 0) & (grid < 1)
    tail = (1 - level) / 2
    fewest, most = np.zeros(len(grid)), np.full(len(grid), positives)
    fewest[inner] = np.maximum(np.ceil(bdtrik(tail, positives, grid[inner])), 0)
    most[inner] = np.minimum(np.ceil(bdtrik(1 - tail, positives, grid[inner])), positives)
    fewest[grid == 1] = positives
    most[grid == 0] = 0
    # as many of either class as its rows are worth
    passed, found = (
        np.append(0.0, np.minimum(part * (worth / float(part[-1])), worth))
        for part, worth in ((counts.fp, negatives), (counts.tp, positives))
    )
    # the fewest negatives that pass with so few found, and the most with so many
    at = np.searchsorted(found, fewest, side="left")
    fewer = passed[np.minimum(at, len(found) - 1)]  # the last may be less than all by rounding
    more = passed[np.searchsorted(found, most, side="right") - 1]
    # where every row may have to pass, precision is the share of positives, itself uncertain
    share = float(counts.total_positives / counts.total)
    least = proportion_interval(share * sum(sizes), sum(sizes), level=level).low
    share_below = np.where(most >= positives, least, share)
    low, high = limits
    found_below = grid * share_below
    passed_below = (1 - share_below) * more / negatives
    below = np.divide(found_below, found_below + passed_below, out=low.copy(), where=grid > 0)
    found_above, passed_above = grid * share, (1 - share) * fewer / negatives
    above = np.divide(found_above, found_above + passed_above, out=high.copy(), where=grid > 0)
    return np.minimum(low, below), np.maximum(high, above)


def rows_of_value(curve: Curve, positives: float, grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of how many rows the value is a share: positives, or rows called positive at a recall."""
    if curve.name == "roc":
        return np.full(len(grid), positives)
    found, share = np.maximum(grid * positives, 1.0), curve.at(grid)
    return np.divide(found, share, out=np.ones(len(grid)), where=share > 0)


def rising_to_one(height: NDArray[np.float64], low: NDArray[np.float64]) -> NDArray[np.float64]:
    """The lower limits with those where a ROC curve is 1 no lower than just before it is.

    Groups that all agree are few rows, but a ROC curve does not fall.

    Examples
    --------
    >>> rising_to_one(np.array([0.9, 0.98, 1.0]), np.array([0.8, 0.9, 0.85]))
    array([0.8, 0.9, 0.9])
    """
    first = int(np.argmax(height >= 1))
    made = low.copy()
    if first:
        made[first:] = np.maximum(made[first:], made[first - 1])
    return made


def stretched_limits(
    curve: NDArray[np.float64],
    limits: tuple[NDArray[np.float64], NDArray[np.float64]],
    groups: int,
    level: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The limits of draws of whole groups, as far from the curve as so few groups ask for.

    As of the intervals of values; see ``heldout.intervals.small_samples``.

    Examples
    --------
    >>> stretched_limits(np.array([0.8]), (np.array([0.7]), np.array([0.9])), 5, 0.95)
    (array([0.6416]), array([0.9584]))
    """
    student = two_sided_student(level, groups - 1) / two_sided_normal(level)
    stretch = student * sqrt(groups / (groups - 1))
    low, high = (np.clip(curve + stretch * (limit - curve), 0, 1) for limit in limits)
    return np.minimum(low, limits[0]), np.maximum(high, limits[1])
