"""The convex hull of the ROC curve: the points that are best for some pair of costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.memo import once
from heldout.core.ratio import at_least
from heldout.tally.roc import is_exact

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.tally.scores import ScoreCounts

#: weighted counts of so many scores are short enough to be pooled at once
SHORT = 5_000
#: a stretch of points is opened into so many
SPLIT = 8


@dataclass(frozen=True, eq=False)
class Hull:
    """The vertices of the upper convex hull, from (0, 0) to all rows called positive.

    Parameters
    ----------
    tp, fp
        Positives and negatives that are called positive at each vertex.
    position
        Where the vertex is in the distinct scores; -1 for (0, 0), which no score reaches.
    """

    tp: NDArray[Any]
    fp: NDArray[Any]
    position: NDArray[np.int64]


def hull(counts: ScoreCounts) -> Hull:
    """The upper convex hull of the points of the curve and (0, 0); collinear points left out.

    Exact in integers for plain counts. Far fewer points are looked at than there are scores:
    from a hull of a few points, a stretch between two of them is opened only where its upper
    left corner rises above that hull.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth = np.array([True, False, True, False])
    >>> outline = hull(ScoreCounts.of(truth, np.array([0.9, 0.5, 0.3, 0.1])))
    >>> outline.fp, outline.tp, outline.position
    (array([0, 0, 1, 2]), array([0, 1, 2, 2]), array([-1,  0,  2,  3]))
    """
    return once(counts, "roc hull", _hull)


def best_on_hull(
    counts: ScoreCounts, value: Callable[[Any, Any], NDArray[np.float64]]
) -> tuple[float, int]:
    """The largest ``value(tp, fp)`` over all thresholds, and the position of its threshold.

    ``value`` must have straight lines as level sets (a weighted sum of tp and fp, or a ratio
    of two), and want more tp and less fp: it is then largest at a vertex of the hull.
    """
    outline = hull(counts)
    reached = value(outline.tp.astype(np.float64), outline.fp.astype(np.float64))
    best = float(reached.max())
    return best, int(outline.position[np.argmax(at_least(reached, best))])


def _hull(counts: ScoreCounts) -> Hull:
    tp, fp = counts.tp, counts.fp
    if not counts.has_both:  # with rows of one class the curve is a single straight line
        kept = np.arange(len(tp))[-1:]
    elif is_exact(counts):
        kept = _vertices(fp, tp)
    elif len(tp) <= SHORT:
        kept = _pooled_vertices(counts)
    else:
        kept = _vertices(fp.astype(np.float64), tp.astype(np.float64))
    origin = np.zeros(1, np.int64)
    return Hull(
        np.concatenate([origin.astype(counts.tp.dtype), counts.tp[kept]]),
        np.concatenate([origin.astype(counts.fp.dtype), counts.fp[kept]]),
        np.concatenate([origin - 1, kept]),
    )


def _pooled_vertices(counts: ScoreCounts) -> NDArray[np.int64]:
    """Positions of the vertices of weighted counts, by pooling adjacent violators.

    The slopes of the hull are the isotonic regression of the share of positives (Fawcett and
    Niculescu-Mizil 2007, Mach. Learn. 68:97), which SciPy does at a fiftieth of the cost.
    """
    from scipy.optimize import isotonic_regression

    weight = np.asarray(counts.positives + counts.negatives, np.float64)
    moved = np.flatnonzero(weight > 0)
    share = counts.positives[moved] / weight[moved]
    blocks = isotonic_regression(share, weights=weight[moved], increasing=False).blocks
    kept = np.asarray(moved[blocks[1:] - 1], np.int64)
    # a weight far below the sum so far is lost in rounding, and no step
    apart = (np.diff(counts.tp[kept]) > 0) | (np.diff(counts.fp[kept]) > 0)
    return kept[np.append(apart, True)]


def _vertices(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.int64]:
    """Positions of the vertices, without the origin, of points that run up and right."""
    count = len(x)
    stride = 1
    while stride < count:
        stride *= SPLIT
    starts = np.zeros(1, np.int64)  # of the stretches that may hold a vertex
    kept = np.array([count - 1])
    while stride > 1:
        stride //= SPLIT
        starts = (starts[:, None] + np.arange(0, SPLIT * stride, stride)).ravel()
        starts = starts[starts < count]
        ends = np.minimum(starts + stride, count) - 1
        new = ends[_is_above(x, y, kept, x[ends], y[ends])]
        kept = _chain(x, y, np.union1d(kept, new))
        starts = starts[_is_above(x, y, kept, x[starts], y[ends])]
    return kept


def _is_above(
    x: NDArray[Any],
    y: NDArray[Any],
    kept: NDArray[np.int64],
    at_x: NDArray[Any],
    at_y: NDArray[Any],
) -> NDArray[np.bool_]:
    """Whether points, in order of x, lie strictly above the line from the origin through some."""
    line_x, line_y = np.append(0, x[kept]), np.append(0, y[kept])
    begin = np.concatenate([[0], np.searchsorted(at_x, line_x[1:-1], side="left")])
    length = np.diff(begin, append=len(at_x))
    run, rise, x0, y0 = (
        np.repeat(part, length)
        for part in (np.diff(line_x), np.diff(line_y), line_x[:-1], line_y[:-1])
    )
    return np.asarray(run * (at_y - y0) > rise * (at_x - x0))


def _chain(x: NDArray[Any], y: NDArray[Any], kept: NDArray[np.int64]) -> NDArray[np.int64]:
    """The vertices among a few points in order, one by one, in Python's own numbers."""
    stack: list[tuple[Any, Any, int]] = [(0, 0, -1)]
    for point in zip(x[kept].tolist(), y[kept].tolist(), kept.tolist(), strict=True):
        while len(stack) > 1 and not _is_right_turn(stack[-2], stack[-1], point):
            stack.pop()
        stack.append(point)
    return np.array([position for _, _, position in stack[1:]], np.int64)


def _is_right_turn(
    first: tuple[Any, Any, int], middle: tuple[Any, Any, int], last: tuple[Any, Any, int]
) -> bool:
    up = (middle[1] - first[1]) * (last[0] - middle[0])
    return bool(up > (last[1] - middle[1]) * (middle[0] - first[0]))
