"""Nearest rows in order, screened with half the digits; with all of them where those can't tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.learners.exact.euclidean_search import BLOCK, nearest, sampled_bound, within

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["in_order"]

#: the largest relative rounding of a number with half the digits
UNIT = float(np.finfo(np.float32).eps) / 2


def in_order(
    seen: NDArray[np.float64], fitted: NDArray[np.float64], listed: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Like ``nearest``, but distances only as good as their order needs.

    Products of short numbers take half the time and half the memory. Rounding moves a squared
    distance by a known amount at most: a list whose neighbours are farther apart than that has
    the right rows in the right order, and the others are measured again.

    Examples
    --------
    >>> in_order(np.array([[0.9]]), np.array([[0.0], [1.0], [3.0]]), 2)[1]
    array([[1, 0]])
    """
    centre = fitted.mean(axis=0)
    lines, columns = seen - centre, fitted - centre
    own, squares = np.einsum("ij,ij->i", lines, lines), np.einsum("ij,ij->i", columns, columns)
    largest = float(max(own.max(initial=0.0), squares.max(initial=0.0)))
    if not (0.0 < largest < np.inf and listed < len(fitted)):
        return nearest(seen, fitted, listed)
    # in units of the largest no square is too large for a short number
    unit = float(np.sqrt(largest))
    own, squares = own / largest, squares / largest
    reach = float(np.sqrt(squares.max()))
    rounding = (fitted.shape[1] + 4) * UNIT * (2.0 * np.sqrt(own) * reach + reach**2)
    apart, index = _screened(
        np.hstack([lines * (-2.0 / unit), np.ones((len(seen), 1))]).astype(np.float32),
        np.vstack([columns.T / unit, squares]).astype(np.float32),
        listed + 1,
    )
    apart += own[:, np.newaxis]
    gaps = np.diff(apart, axis=1)
    unsure = np.flatnonzero((gaps <= 2.0 * rounding[:, np.newaxis]).any(axis=1))
    limit = (apart[:, -1] - rounding) * largest
    distance, index = apart[:, :-1] * largest, np.ascontiguousarray(index[:, :-1])
    if len(unsure):
        distance[unsure], index[unsure] = _measured(seen[unsure], fitted, index[unsure])
        unsure = unsure[~(distance[unsure, -1] < limit[unsure])]
    np.sqrt(np.maximum(distance, 0.0, out=distance), out=distance)
    if len(unsure):
        distance[unsure], index[unsure] = nearest(seen[unsure], fitted, listed)
    return distance, index


def _screened(
    lines: NDArray[np.float32], columns: NDArray[np.float32], listed: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The smallest products of each line, in blocks."""
    rows, total = len(lines), columns.shape[1]
    apart, index = np.empty((rows, listed)), np.empty((rows, listed), dtype=np.int64)
    step = min(max(16, BLOCK // total), max(rows, 1))
    room = np.empty((step, total), dtype=np.float32)
    for first in range(0, rows, step):
        some = slice(first, min(first + step, rows))
        block = np.matmul(lines[some], columns, out=room[: some.stop - first])
        bound = sampled_bound(lines[some], columns, listed)
        apart[some], index[some] = within(block, bound, listed)
    return apart, index


def _measured(
    seen: NDArray[np.float64], fitted: NDArray[np.float64], index: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Squared distances to the listed rows, feature by feature, nearest first."""
    apart = fitted[index]
    apart -= seen[:, np.newaxis]
    squared = np.einsum("ijk,ijk->ij", apart, apart)
    order = np.argsort(squared, axis=1, kind="stable")
    return np.take_along_axis(squared, order, axis=1), np.take_along_axis(index, order, axis=1)
