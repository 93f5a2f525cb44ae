"""Nearest rows in straight-line distance, by products of matrices and a bound for each row."""

from __future__ import annotations

from math import ceil, sqrt
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BLOCK", "LARGEST", "nearest", "sampled_bound", "within"]

#: rows up to which a block of distances to all of them stays in the cache of a processor
LARGEST = 50_000
#: numbers of such a block; smaller ones make threads wait for each other more often
BLOCK = 2_400_000
#: rows among which a bound is found
SAMPLED = 500


def nearest(
    seen: NDArray[np.float64], fitted: NDArray[np.float64], listed: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Distances to and places of the ``listed`` nearest fitted rows of each row, nearest first.

    A sample of the fitted rows gives a bound that all but a few rows have enough neighbours
    within; only what is within is sorted. Partitioning whole lines of distances, or keeping a
    heap for each row, costs two to five times as much.

    Examples
    --------
    >>> nearest(np.array([[0.9]]), np.array([[0.0], [1.0], [3.0]]), 2)
    (array([[0.1, 0.9]]), array([[1, 0]]))
    """
    rows, total = len(seen), len(fitted)
    squares = np.einsum("ij,ij->i", fitted, fitted)
    # one product gives square(b) - 2ab; square(a) is the same for the whole line
    lines = np.hstack([-2.0 * seen, np.ones((rows, 1))])
    columns = np.ascontiguousarray(np.hstack([fitted, squares[:, np.newaxis]]).T)
    distance = np.empty((rows, listed))
    index = np.empty((rows, listed), dtype=np.int64)
    step = min(max(16, BLOCK // max(total, 1)), max(rows, 1))
    room = np.empty((step, total))
    for first in range(0, rows, step):
        some = slice(first, min(first + step, rows))
        apart = np.matmul(lines[some], columns, out=room[: some.stop - first])
        bound = sampled_bound(lines[some], columns, listed)
        distance[some], index[some] = within(apart, bound, listed)
    distance += np.einsum("ij,ij->i", seen, seen)[:, np.newaxis]
    # rounding may leave the square of a very small distance below 0
    return np.sqrt(np.maximum(distance, 0.0, out=distance), out=distance), index


def sampled_bound(
    lines: NDArray[np.floating], columns: NDArray[np.floating], listed: int
) -> NDArray[np.floating] | None:
    """A distance that about 98 % of the lines have enough columns within; None if all it takes."""
    total = columns.shape[1]
    spread = np.ascontiguousarray(columns[:, :: max(1, total // SAMPLED)])
    expected = listed * spread.shape[1] / total
    rank = ceil(expected + 2.0 * sqrt(expected))
    if rank >= spread.shape[1]:
        return None
    return np.asarray(np.partition(lines @ spread, rank, axis=1)[:, rank])


def within(
    apart: NDArray[np.floating], bound: NDArray[np.floating] | None, listed: int
) -> tuple[NDArray[np.floating], NDArray[np.int64]]:
    """The smallest of each line, sought among those that are within the line's bound."""
    if bound is None:
        return _smallest(apart, listed)
    found = np.flatnonzero(apart <= bound[:, np.newaxis])
    edges = np.searchsorted(found, np.arange(len(apart) + 1) * apart.shape[1])
    counts = np.diff(edges)
    width = int(counts.max(initial=0))
    if width < listed:
        return _smallest(apart, listed)
    values = np.full((len(apart), width), np.inf, dtype=apart.dtype)
    values[np.arange(width) < counts[:, np.newaxis]] = apart.ravel()[found]
    is_short = counts < listed
    values[is_short] = np.arange(width)
    distance, order = _smallest(values, listed)
    # short lines hold anything so far, and may point past the last
    places = np.minimum(edges[:-1, np.newaxis] + order, len(found) - 1)
    index = found[places] - (np.arange(len(apart)) * apart.shape[1])[:, np.newaxis]
    if is_short.any():
        distance[is_short], index[is_short] = _smallest(apart[is_short], listed)
    return distance, index


def _smallest(
    values: NDArray[np.floating], listed: int
) -> tuple[NDArray[np.floating], NDArray[np.int64]]:
    """The smallest of each line and their places, smallest first.

    NumPy orders values several times as fast as it orders their places: the places follow
    from the largest value that is wanted, but where several have it.
    """
    lines, width = values.shape
    edge = np.partition(values, listed - 1, axis=1)[:, listed - 1]
    found = np.flatnonzero(values <= edge[:, np.newaxis])
    if len(found) == lines * listed:
        index = found.reshape(lines, listed) - (np.arange(lines) * width)[:, np.newaxis]
    else:
        index = np.argpartition(values, listed - 1, axis=1)[:, :listed]
    near = np.take_along_axis(values, index, axis=1)
    order = np.argsort(near, axis=1)
    return np.take_along_axis(near, order, axis=1), np.take_along_axis(index, order, axis=1)
