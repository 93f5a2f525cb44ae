"""Curves of millions of points drawn by a few hundred, without a visible change."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: curves of no more points are drawn as they are
FEW = 1000
#: how far from the drawn line a point may lie, as a share of the axis: a fraction of a pixel
TOLERANCE = 1 / 2000


def thin_line(
    x: NDArray[Any], y: NDArray[Any], *, width: float = 1.0, height: float = 1.0
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Some of the points, in order, such that no other lies further from their line.

    First, of the points in each of many narrow columns only the first, the last, the lowest
    and the highest stay; then those go that a straight line passes closely enough (Douglas &
    Peucker 1973). Points with NaN part the line, and stay.

    Parameters
    ----------
    x, y
        Points in order of x, rising or falling.
    width, height
        How much of each axis the chart shows.

    Examples
    --------
    >>> x = np.linspace(0, 1, 100_001)
    >>> len(thin_line(x, x)[0]), len(thin_line(x, np.sqrt(x))[0]) < 100
    (2, True)
    """
    if len(x) <= FEW:
        return x, y
    parts = []
    for start, stop in _runs(np.isnan(y)):
        where = start + _of_columns(x[start:stop] / width, y[start:stop], TOLERANCE / 2)
        across, up = x[where] / width, y[where] / height
        parts.append(where[on_turns(across, up, TOLERANCE / 2)])
    kept = np.concatenate(parts)
    return x[kept], y[kept]


def _runs(undefined: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Where stretches of defined or of undefined points start and stop; undefined ones shrunk."""
    edges = np.flatnonzero(np.diff(undefined)) + 1
    bounds = [0, *edges.tolist(), len(undefined)]
    return [(start, start + 1 if undefined[start] else stop) for start, stop in pairwise(bounds)]


def _of_columns(x: NDArray[Any], y: NDArray[Any], column: float) -> NDArray[np.int64]:
    """Positions of the first, last, lowest and highest point of each column."""
    code = np.floor(x / column)
    starts = np.flatnonzero(np.append(True, code[1:] != code[:-1]))
    if len(starts) * 4 >= len(x):
        return np.arange(len(x))
    ends = np.append(starts[1:], len(x)) - 1
    number = np.repeat(np.arange(len(starts)), ends - starts + 1)
    kept = [starts, ends]
    for extreme in (np.minimum.reduceat(y, starts), np.maximum.reduceat(y, starts)):
        hits = np.flatnonzero(y == extreme[number])
        kept.append(hits[np.append(True, np.diff(number[hits]) > 0)])
    is_kept = np.zeros(len(x), bool)
    is_kept[np.concatenate(kept)] = True
    return np.flatnonzero(is_kept)


def on_turns(x: NDArray[Any], y: NDArray[Any], tolerance: float) -> NDArray[np.bool_]:
    """Which points stay when those close to the line between others go.

    All pieces of the line are cut in one step: a chart of millions of rows has thousands of them.
    """
    kept = np.zeros(len(x), bool)
    kept[[0, -1]] = True
    inner = np.arange(1, len(x) - 1)
    while len(inner):
        ends = np.flatnonzero(kept)
        piece = np.searchsorted(ends, inner)
        away = _distances(x, y, inner, ends[piece - 1], ends[piece])
        starts = _firsts(piece)
        most = np.maximum.reduceat(away, starts)
        number = np.zeros(len(inner), np.int64)
        number[starts[1:]] = 1
        most = most[np.cumsum(number)]
        is_cut = most > tolerance
        furthest = np.flatnonzero(is_cut & (away == most))
        kept[inner[furthest[_firsts(piece[furthest])]]] = True
        inner = inner[is_cut & ~kept[inner]]
    return kept


def _firsts(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where runs of equal numbers start."""
    is_first = np.ones(len(numbers), bool)
    np.not_equal(numbers[1:], numbers[:-1], out=is_first[1:])
    return np.flatnonzero(is_first)


def _distances(
    x: NDArray[Any],
    y: NDArray[Any],
    points: NDArray[np.int64],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
) -> NDArray[np.float64]:
    """How far each point lies from the piece between its two ends, not from the endless line."""
    across, up = x[stops] - x[starts], y[stops] - y[starts]
    away_x, away_y = x[points] - x[starts], y[points] - y[starts]
    length = np.hypot(across, up)
    # ends that coincide are a point, from which no share of the way leads away
    along = (away_x * across + away_y * up) / np.where(length > 0, length, 1) ** 2
    along = np.clip(along, 0, 1)
    return np.hypot(away_x - along * across, away_y - along * up)
