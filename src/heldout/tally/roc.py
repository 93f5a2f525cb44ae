"""Geometry of the ROC curve of score counts: its area, its strips, its corners, its points."""

from __future__ import annotations

from bisect import bisect_left
from math import fsum, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.memo import once
from heldout.core.ratio import ROUNDING_OF_SUMS, at_least
from heldout.core.sums import sum_of_products
from heldout.core.threads import blocks
from heldout.tally.packed_scores import DistinctScores

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.tally.scores import ScoreCounts

#: positions of a stretch that is looked at only if it may hold the maximum
STRETCH = 64


def is_exact(counts: ScoreCounts) -> bool:
    """Whether products of a positive and a negative count are exact in 64-bit integers."""
    whole = counts.tp.dtype.kind == counts.fp.dtype.kind == "i"
    return whole and 2 * counts.total_positives * counts.total_negatives < 2**62


def area(counts: ScoreCounts) -> float:
    """The area under the curve: a tie of a positive and a negative row counts one half.

    Exact for counts up to a rounding of the last division; NaN unless both classes have rows.
    """
    return once(counts, "area under roc", _area) if counts.has_both else nan


def _area(counts: ScoreCounts) -> float:
    if isinstance(counts, DistinctScores):
        # the places of the positives say all
        positives = counts.total_positives
        above = counts.places - positives * (positives - 1) // 2
        pairs = positives * counts.total_negatives
        return float((pairs - above) / pairs)
    kind: Any = np.int64 if is_exact(counts) else np.float64
    sums = []
    for part in blocks(len(counts.score)):
        negatives = counts.negatives[part]
        sums.append(2 * sum_of_products(negatives, counts.tp[part], kind))
        sums.append(-sum_of_products(negatives, counts.positives[part], kind))
    total = sum(sums) if kind is np.int64 else fsum(sums)
    # weights are summed in another order above than in the totals: at most a rounding over 1
    return min(total / (2 * counts.total_positives * counts.total_negatives), 1.0)


def partial_area(counts: ScoreCounts, low: float, high: float, *, of_sensitivity: bool) -> float:
    """The area between the curve and an axis, over a range of one rate.

    Over false positive rates ``low`` to ``high``: under the curve, down to sensitivity 0.
    ``of_sensitivity``: over sensitivities ``low`` to ``high``, right of the curve, up to
    false positive rate 1. NaN unless both classes have rows.
    """
    if not counts.has_both:
        return nan
    positives, negatives = counts.total_positives, counts.total_negatives
    if of_sensitivity:
        left = strip(counts.tp, counts.fp, low * positives, high * positives)
        return high - low - left / positives / negatives
    return strip(counts.fp, counts.tp, low * negatives, high * negatives) / positives / negatives


def strip(x: NDArray[Any], y: NDArray[Any], start: float, stop: float) -> float:
    """The area under the lines from the origin through the points, for x from start to stop.

    ``x`` does not fall, and reaches ``stop``.

    Examples
    --------
    >>> strip(np.array([1, 3]), np.array([2, 2]), 0.5, 2)
    2.75
    """
    if not start < stop:
        return 0.0
    # np.searchsorted would copy all of x to compare integers with a float
    first = first_where(len(x), lambda i: bool(x[i] > start))
    last = first_where(len(x), lambda i: bool(x[i] >= stop))
    at_start, at_stop = (_height(x, y, i, at) for i, at in ((first, start), (last, stop)))
    if first == last:
        return (stop - start) * (at_start + at_stop) / 2
    sums = [
        (float(x[first]) - start) * (at_start + float(y[first])) / 2,
        (stop - float(x[last - 1])) * (at_stop + float(y[last - 1])) / 2,
    ]
    for part in blocks(last - 1 - first):
        x_here = x[first + part.start : first + part.stop + 1].astype(np.float64)
        y_here = y[first + part.start : first + part.stop + 1].astype(np.float64)
        sums.append(sum_of_products(np.diff(x_here), y_here[1:] + y_here[:-1]) / 2)
    return fsum(sums)


def _height(x: NDArray[Any], y: NDArray[Any], position: int, at: float) -> float:
    """The height at ``at`` of the line that ends in the point of that position."""
    x1, y1 = x[position].item(), y[position].item()
    x0, y0 = (x[position - 1].item(), y[position - 1].item()) if position else (0, 0)
    return float(y0 + (y1 - y0) * ((at - x0) / (x1 - x0)))


def first_where(count: int, holds: Callable[[int], bool]) -> int:
    """The first position for which a condition holds that stays true once true; else count."""
    return bisect_left(range(count), True, key=holds)


def top_rows(counts: ScoreCounts, rows: float) -> float:
    """The positives among the ``rows`` rows of highest score; a tie at the border is shared.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.array([True, True, False, True]), np.array([0.9, 0.5, 0.5, 0.1])
    >>> top_rows(ScoreCounts.of(truth, score), 2)
    1.5
    """
    tp, fp = counts.tp, counts.fp
    position = first_where(len(tp), lambda i: tp[i].item() + fp[i].item() >= rows)
    if position == len(tp):
        return float(counts.total_positives)
    here, all_here = counts.positives[position].item(), counts.negatives[position].item()
    all_here += here
    before = tp[position].item() + fp[position].item() - all_here
    share = (rows - before) / all_here if all_here else 1.0
    return float(tp[position].item() - here + here * share)


def highest(
    counts: ScoreCounts, value: Callable[[Any, Any], NDArray[np.float64]], start: int = 0
) -> tuple[float, int]:
    """The largest ``value(tp, fp)`` from a position on, and where it is first reached.

    ``value`` must not fall as tp grows, nor grow as fp grows. The curve runs up and right, so
    within a stretch no point beats its corner (tp at the end, fp at the start): a stretch whose
    corner does not beat what single points reach need not be looked at.
    """
    tp, fp = counts.tp[start:], counts.fp[start:]
    starts = np.arange(0, len(tp), STRETCH)
    ends = np.minimum(starts + STRETCH, len(tp)) - 1
    best = float(np.max(value(tp[ends], fp[ends])))
    # a little below the best, so that rounding hides no earlier point of the same value
    open_ = np.flatnonzero(at_least(value(tp[ends], fp[starts]), best))
    where = (starts[open_, None] + np.arange(STRETCH)).ravel()
    where = where[where < len(tp)]
    reached = value(tp[where], fp[where])
    best = float(reached.max())
    return best, start + int(where[np.argmax(at_least(reached, best, size=1))])


def corners(counts: ScoreCounts) -> NDArray[np.int64]:
    """The positions at which the curve turns, and the last: lines between them are the curve.

    The curve starts in (0, 0), before the first position. Points in the midst of a straight
    line are left out: exactly for counts; sums of weights are rounded, and what turns by no
    more than that is straight.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.array([True, True, False, True]), np.array([0.9, 0.8, 0.5, 0.1])
    >>> corners(ScoreCounts.of(truth, score))
    array([1, 2, 3])
    """
    if not len(counts.score):
        return np.zeros(0, np.int64)
    kind: Any = np.int64 if is_exact(counts) else np.float64
    positives, negatives = counts.positives.astype(kind), counts.negatives.astype(kind)
    moved = np.flatnonzero((positives != 0) | (negatives != 0))  # rows of weight 0 leave no trace
    positives, negatives = positives[moved], negatives[moved]
    left, right = positives[:-1] * negatives[1:], positives[1:] * negatives[:-1]
    turns = left != right
    if kind is np.float64:
        turns = np.abs(left - right) > ROUNDING_OF_SUMS * np.maximum(left, right)
    return moved[np.append(turns, np.ones(min(len(moved), 1), bool))]
