"""The interval of the surplus of sensitivity at the threshold where it is largest."""

from __future__ import annotations

from math import hypot
from typing import TYPE_CHECKING

import numpy as np

from heldout.intervals.interval import Interval, checked_level
from heldout.intervals.proportions import effective_sample_size, proportion_interval

if TYPE_CHECKING:
    from heldout.tally.scores import ScoreCounts

__all__ = ["best_distance_interval"]


def best_distance_interval(
    counts: ScoreCounts,
    *,
    level: float = 0.95,
    two_sided: bool = False,
    squares: ScoreCounts | None = None,
) -> Interval:
    """The interval of TPR - FPR at its best threshold, as if that had not been chosen.

    Parameters
    ----------
    two_sided
        Where the distance of either sign is largest.
    squares
        For weighted rows: the same scores with the squares of the weights.

    Notes
    -----
    Newcombe (1998), Stat. Med. 17:873, method 10: Wilson's limits of both shares. They
    allow for misses where a sample has none, which no resampling of its rows does.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth = np.repeat([True, False], 10)
    >>> made = best_distance_interval(ScoreCounts.of(truth, np.where(truth, 0.9, 0.1)))
    >>> made.low, made.high
    (0.6075, 1.0)
    """
    level = checked_level(level)
    sizes = [float(counts.total_positives), float(counts.total_negatives)]
    surplus = counts.tp / sizes[0] - counts.fp / sizes[1]
    best = int(np.argmax(np.abs(surplus) if two_sided else surplus))
    shares = [float(counts.tp[best]) / sizes[0], float(counts.fp[best]) / sizes[1]]
    if squares is not None:
        both = float(squares.total_positives), float(squares.total_negatives)
        sizes = [effective_sample_size(*pair) for pair in zip(sizes, both, strict=True)]
    if shares[0] < shares[1]:
        # two-sided: the other class stands out; else no row is better called positive
        shares, sizes = (shares[::-1], sizes[::-1]) if two_sided else ([0.0, 0.0], sizes)
    more, less = (
        proportion_interval(min(share, 1.0) * size, size, level=level)
        for share, size in zip(shares, sizes, strict=True)
    )
    distance = shares[0] - shares[1]
    low = distance - hypot(shares[0] - more.low, less.high - shares[1])
    high = distance + hypot(more.high - shares[0], shares[1] - less.low)
    return Interval(low, high, level, "Newcombe").within((0, 1))
