"""Nearest rows outside a test part, with what is certain of their order."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.core.arrays import Booleans, Floats, Integers
    from heldout.learners.exact.problem import Problem

    Nearest = Callable[[Floats, int], tuple[Floats, Integers]]

EPS = float(np.finfo(np.float64).eps)
#: deviations so many times the scaler's border are known to twelve digits
CLEAR = 1e6
#: variances beyond these are near to what a float cannot hold, or only with few digits
LEAST, MOST = 1e-250, 1e250


def is_constant_to_the_scaler(rows: int, centre: Floats, variance: Floats) -> Booleans:
    """StandardScaler's rule: a deviation that the rounding of the mean could have made."""
    return np.asarray(variance <= rows * EPS * variance + (rows * centre * EPS) ** 2)


def unclear_features(X: Floats, centre: Floats, variance: Floats) -> Booleans:
    """Features near the border of that rule: not the same in all rows, and yet next to it.

    Such a feature is left alone by the scaler, or blown up to a feature of rounding errors,
    as the last digit of a sum decides.

    Examples
    --------
    >>> X = np.array([[0.1, 0.1, 0.1], [0.1, 0.1 + 1e-16, 0.2], [0.1, 0.1, 0.3]])
    >>> unclear_features(X, X.mean(axis=0), X.var(axis=0)).tolist()
    [False, True, False]
    """
    clear = np.sqrt(variance) > CLEAR * len(X) * EPS * np.abs(centre)
    unclear = ~(clear & (variance > LEAST) & (variance < MOST))
    if unclear.any():
        unclear[unclear] = (X[:, unclear] != X[0, unclear]).any(axis=0)
    return np.asarray(unclear)


#: rows up to which a block of distances to all of them stays in the cache of a processor
LARGEST = 50_000
#: numbers of such a block; smaller ones make threads wait for each other more often
BLOCK = 2_400_000
#: rows among which a bound is found
SAMPLED = 500


def nearest(seen: Floats, fitted: Floats, listed: int) -> tuple[Floats, Integers]:
    """Distances to and places of the ``listed`` nearest fitted rows of each row, nearest first.

    A sample of the fitted rows gives a bound that all but a few rows have enough neighbours
    within; only what is within is sorted. Partitioning whole lines of distances, or keeping a
    heap for each row, costs two to five times as much.

    Examples
    --------
    >>> nearest(np.array([[0.9]]), np.array([[0.0], [1.0], [3.0]]), 2)
    (array([[0.1, 0.9]]), array([[1, 0]]))
    """
    squares = np.einsum("ij,ij->i", fitted, fitted)
    # one product gives square(b) - 2ab; square(a) is the same for the whole line
    lines = np.hstack([-2.0 * seen, np.ones((len(seen), 1))])
    columns = np.ascontiguousarray(np.hstack([fitted, squares[:, np.newaxis]]).T)
    distance, index = _screen(lines, columns, listed)
    distance += np.einsum("ij,ij->i", seen, seen)[:, np.newaxis]
    # rounding may leave the square of a very small distance below 0
    return np.sqrt(np.maximum(distance, 0.0, out=distance), out=distance), index


def _screen(
    lines: NDArray[np.floating], columns: NDArray[np.floating], listed: int
) -> tuple[Floats, Integers]:
    """The smallest products of each line, in blocks."""
    rows, total = len(lines), columns.shape[1]
    apart, index = np.empty((rows, listed)), np.empty((rows, listed), dtype=np.int64)
    step = min(max(16, BLOCK // max(total, 1)), max(rows, 1))
    room = np.empty((step, total), dtype=lines.dtype)
    for first in range(0, rows, step):
        some = slice(first, min(first + step, rows))
        block = np.matmul(lines[some], columns, out=room[: some.stop - first])
        bound = sampled_bound(lines[some], columns, listed)
        apart[some], index[some] = within(block, bound, listed)
    return apart, index


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
) -> tuple[NDArray[np.floating], Integers]:
    """The smallest of each line, sought among those that are within the line's bound."""
    if bound is None:
        return _smallest(apart, listed)
    near = np.flatnonzero(apart <= bound[:, np.newaxis])
    edges = np.searchsorted(near, np.arange(len(apart) + 1) * apart.shape[1])
    counts = np.diff(edges)
    width = int(counts.max(initial=0))
    if width < listed:
        return _smallest(apart, listed)
    values = np.full((len(apart), width), np.inf, dtype=apart.dtype)
    values[np.arange(width) < counts[:, np.newaxis]] = apart.ravel()[near]
    is_short = counts < listed
    values[is_short] = np.arange(width)
    distance, order = _smallest(values, listed)
    # short lines hold anything so far, and may point past the last
    places = np.minimum(edges[:-1, np.newaxis] + order, len(near) - 1)
    index = near[places] - (np.arange(len(apart)) * apart.shape[1])[:, np.newaxis]
    if is_short.any():
        distance[is_short], index[is_short] = _smallest(apart[is_short], listed)
    return distance, index


def _smallest(values: NDArray[np.floating], listed: int) -> tuple[NDArray[np.floating], Integers]:
    """The smallest of each line and their places, smallest first.

    NumPy orders values several times as fast as it orders their places: the places follow
    from the largest value that is wanted, but where several have it.
    """
    lines, width = values.shape
    edge = np.partition(values, listed - 1, axis=1)[:, listed - 1]
    within_edge = np.flatnonzero(values <= edge[:, np.newaxis])
    if len(within_edge) == lines * listed:
        index = within_edge.reshape(lines, listed) - (np.arange(lines) * width)[:, np.newaxis]
    else:
        index = np.argpartition(values, listed - 1, axis=1)[:, :listed]
    near = np.take_along_axis(values, index, axis=1)
    order = np.argsort(near, axis=1)
    return np.take_along_axis(near, order, axis=1), np.take_along_axis(index, order, axis=1)


#: the largest relative rounding of a number with half the digits
UNIT = float(np.finfo(np.float32).eps) / 2


def in_order(seen: Floats, fitted: Floats, listed: int) -> tuple[Floats, Integers]:
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
    apart, index = _screen(
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
        distance[unsure], index[unsure] = _distances(seen[unsure], fitted, index[unsure])
        unsure = unsure[~(distance[unsure, -1] < limit[unsure])]
    np.sqrt(np.maximum(distance, 0.0, out=distance), out=distance)
    if len(unsure):
        distance[unsure], index[unsure] = nearest(seen[unsure], fitted, listed)
    return distance, index


def _distances(seen: Floats, fitted: Floats, index: Integers) -> tuple[Floats, Integers]:
    """Squared distances to the listed rows, feature by feature, nearest first."""
    apart = fitted[index]
    apart -= seen[:, np.newaxis]
    squared = np.einsum("ijk,ijk->ij", apart, apart)
    order = np.argsort(squared, axis=1, kind="stable")
    return np.take_along_axis(squared, order, axis=1), np.take_along_axis(index, order, axis=1)


#: neighbours looked at beyond those asked for, to see where ties end
SPARE = 4
#: features up to which scikit-learn's own choice is a tree
TREE_FEATURES = 15
#: relative rounding of a distance that is summed feature by feature
DIRECT = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """The nearest rows of each of some rows, nearest first."""

    index: Integers
    distance: Floats
    #: of each row: rows that are not listed are at least this far
    limit: Floats
    #: of each row: how much rounding may move a distance, and the square of a distance
    off: Floats
    off_squared: Floats
    #: of each row: whether the whole list may be wrong
    doubtful: Booleans

    def slack(self, at: Floats) -> Floats:
        """Differences of distances of about ``at`` below which their order is not certain.

        The rounding of squares weighs more on smaller distances. ``at`` has a value, or a
        line of values, of each row.
        """
        each = (slice(None), *[np.newaxis] * (at.ndim - 1))
        off, squared = self.off[each], self.off_squared[each]
        least = np.maximum(2.0 * np.sqrt(squared), np.finfo(np.float64).tiny)
        return np.asarray(DIRECT * at + off + squared / np.maximum(at, least))


class Search:
    """Neighbours by the search that scikit-learn itself would choose, or a faster equal."""

    def __init__(self, estimator: Any, problem: Problem) -> None:
        self.problem = problem
        self.metric = {
            "metric": estimator.metric,
            "p": estimator.p,
            "leaf_size": estimator.leaf_size,
        }
        self.algorithm = estimator.algorithm
        is_plain = estimator.metric in ("euclidean", "l2")
        self.is_euclidean = is_plain or (estimator.metric == "minkowski" and estimator.p == 2)
        self.needs_distances = estimator.weights == "distance"
        self._index: Any = None

    def _algorithm(self, wanted: int, train: int) -> str:
        if self.algorithm != "auto":
            return str(self.algorithm)
        is_tree = self.problem.X.shape[1] <= TREE_FEATURES and wanted < train // 2
        return "kd_tree" if is_tree else "brute"

    def _searcher(self, algorithm: str, rows: Floats) -> Nearest:
        if algorithm == "brute" and self.is_euclidean and len(rows) <= LARGEST:
            search = nearest if self.needs_distances else in_order
            return lambda seen, listed: search(seen, rows, listed)
        from sklearn.neighbors import NearestNeighbors

        return NearestNeighbors(algorithm=algorithm, **self.metric).fit(rows).kneighbors

    def _rounding(self, seen: Floats, norms: Floats, algorithm: str) -> tuple[Floats, Floats]:
        """How much distances and their squares may be off, by the way they are computed."""
        off, off_squared = np.zeros(len(seen)), np.zeros(len(seen))
        own, largest = np.einsum("ij,ij->i", seen, seen), norms.max(initial=0.0)
        if self.problem.is_scaled:
            # scaled features are rounded, and the differences of near copies consist of that
            off = 4.0 * EPS * (np.sqrt(own) + np.sqrt(largest))
            off = off if self.is_euclidean else off * np.sqrt(seen.shape[1])
        if algorithm == "brute" and self.is_euclidean:
            # from squared norms and products: absolute rounding of squares
            off_squared = 16.0 * EPS * (own + largest)
        return off, off_squared

    def _is_no_copy(self, distance: Floats, index: Integers, rows: Integers) -> Booleans:
        """Rows at no distance of others that are no copies: scaled otherwise there may be one."""
        unsure = np.zeros(len(rows), dtype=bool)
        if self.needs_distances and self.problem.is_scaled:
            line, column = np.nonzero(distance == 0)
            X = self.problem.X
            unsure[line[(X[rows[line]] != X[index[line, column]]).any(axis=1)]] = True
        return unsure

    def outside(self, rows: Integers, wanted: int) -> Near | None:
        """Neighbours of the rows among all rows that are not one of them."""
        is_train = np.ones(len(self.problem.X), dtype=bool)
        is_train[rows] = False
        train = np.flatnonzero(is_train)
        if wanted > len(train):
            return None
        fitted, seen = self.problem.X[train], self.problem.X[rows]
        if self.problem.is_scaled:
            centre, variance = fitted.mean(axis=0), fitted.var(axis=0)
            if unclear_features(fitted, centre, variance).any():
                return None
            scale = _scale(len(fitted), centre, variance)
            fitted, seen = (fitted - centre) / scale, (seen - centre) / scale
        algorithm = self._algorithm(wanted, len(train))
        listed = min(wanted + SPARE, len(train))
        distance, index = self._searcher(algorithm, fitted)(seen, listed)
        limit = distance[:, -1] if listed < len(train) else np.full(len(rows), np.inf)
        norms = np.einsum("ij,ij->i", fitted, fitted)
        index = train[index]
        rounding = self._rounding(seen, norms, algorithm)
        return Near(index, distance, limit, *rounding, self._is_no_copy(distance, index, rows))

    def beside(self, rows: Integers, wanted: int) -> Near | None:
        """Neighbours of each row among all other rows: one search for all of them."""
        total = len(self.problem.X) - 1
        if wanted > total:
            return None
        algorithm = self._algorithm(wanted, total)
        if self._index is None:
            fitted = self.problem.X
            if self.problem.is_scaled:
                centre, variance = fitted.mean(axis=0), fitted.var(axis=0)
                fitted = (fitted - centre) / _scale(len(fitted), centre, variance)
            norms = np.einsum("ij,ij->i", fitted, fitted)
            self._index = fitted, norms, self._searcher(algorithm, fitted)
        fitted, norms, searcher = self._index
        spare = SPARE if not self.problem.is_scaled else max(12, wanted)
        listed = min(wanted + spare, total)
        distance, index = searcher(fitted[rows], listed + 1)
        distance, index = _without_self(distance, index, rows)
        limit = distance[:, -1] if listed < total else np.full(len(rows), np.inf)
        rounding = self._rounding(fitted[rows], norms, algorithm)
        near = Near(index, distance, limit, *rounding, np.zeros(len(rows), dtype=bool))
        return self._rescale(near, rows, fitted) if self.problem.is_scaled else near

    def _rescale(self, near: Near, rows: Integers, fitted: Floats) -> Near:
        """The same when each row's training part is scaled without the row itself.

        Scales change little, so that the nearest rows are among the candidates; the limit says
        how near any other row can have come.
        """
        total = len(fitted)
        seen = fitted[rows]
        variance = np.mean(fitted**2, axis=0)
        is_varied = variance > 0.5
        left = (total - total / (total - 1.0) * seen**2) / (total - 1.0)
        left[:, ~is_varied] = 1.0
        doubtful = np.asarray((left < 1e-6).any(axis=1))
        left[doubtful] = 1.0
        stretch = 1.0 / np.sqrt(left)
        apart = fitted[near.index]
        apart -= seen[:, np.newaxis]
        apart *= stretch[:, np.newaxis]
        distance = self._length(apart)
        order = np.argsort(distance, axis=1, kind="stable")
        distance = np.take_along_axis(distance, order, axis=1)
        index = np.take_along_axis(near.index, order, axis=1)
        limit = near.limit * stretch.min(axis=1) * (1.0 - 1e-9)
        most = stretch.max(axis=1)
        doubtful |= self._is_no_copy(distance, index, rows)
        off, off_squared = 2.0 * most * near.off, 2.0 * most**2 * near.off_squared
        return Near(index, distance, limit, off, off_squared, doubtful)

    def _length(self, apart: Floats) -> Floats:
        if self.is_euclidean:
            return np.asarray(np.sqrt(np.einsum("ijk,ijk->ij", apart, apart)))
        np.abs(apart, out=apart)
        if self.metric["metric"] in ("manhattan", "l1", "cityblock"):
            return np.asarray(apart.sum(axis=2))
        if self.metric["metric"] == "chebyshev":
            return np.asarray(apart.max(axis=2))
        power = float(self.metric["p"])
        if np.isinf(power):
            return np.asarray(apart.max(axis=2))
        return np.asarray((apart**power).sum(axis=2) ** (1.0 / power))


def _scale(rows: int, centre: Floats, variance: Floats) -> Floats:
    """Deviations as StandardScaler has them: 1 for constant features."""
    is_constant = is_constant_to_the_scaler(rows, centre, variance)
    return np.where(is_constant, 1.0, np.sqrt(variance))


def _without_self(distance: Floats, index: Integers, rows: Integers) -> tuple[Floats, Integers]:
    """Lists without the row itself; without their last entry where it is not listed."""
    others = index != rows[:, np.newaxis]
    is_missing = others.all(axis=1)
    others[is_missing, -1] = False
    shape = (len(rows), index.shape[1] - 1)
    return distance[others].reshape(shape), index[others].reshape(shape)
