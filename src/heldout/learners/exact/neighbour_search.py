"""Nearest rows outside a test part, with what is certain of their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.learners.exact.constant_features import is_constant_to_the_scaler, unclear_features
from heldout.learners.exact.euclidean_search import LARGEST, nearest
from heldout.learners.exact.screened_search import in_order

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.learners.exact.problem import Problem

    #: rows and how many to list of each, to distances and places
    Nearest = Callable[[NDArray[np.float64], int], tuple[NDArray[np.float64], NDArray[np.int64]]]

__all__ = ["Near", "Search"]

EPS = float(np.finfo(np.float64).eps)
#: neighbours looked at beyond those asked for, to see where ties end
SPARE = 4
#: features up to which scikit-learn's own choice is a tree
TREE_FEATURES = 15
#: relative rounding of a distance that is summed feature by feature
DIRECT = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """The nearest rows of each of some rows, nearest first."""

    index: NDArray[np.int64]
    distance: NDArray[np.float64]
    #: of each row: rows that are not listed are at least this far
    limit: NDArray[np.float64]
    #: of each row: how much rounding may move a distance, and the square of a distance
    off: NDArray[np.float64]
    off_squared: NDArray[np.float64]
    #: of each row: whether the whole list may be wrong
    doubtful: NDArray[np.bool_]

    def slack(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
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

    def _searcher(self, algorithm: str, rows: NDArray[np.float64]) -> Nearest:
        if algorithm == "brute" and self.is_euclidean and len(rows) <= LARGEST:
            search = nearest if self.needs_distances else in_order
            return lambda seen, listed: search(seen, rows, listed)
        from sklearn.neighbors import NearestNeighbors

        return NearestNeighbors(algorithm=algorithm, **self.metric).fit(rows).kneighbors

    def _rounding(
        self, seen: NDArray[np.float64], norms: NDArray[np.float64], algorithm: str
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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

    def _is_no_copy(
        self, distance: NDArray[np.float64], index: NDArray[np.int64], rows: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Rows at no distance of others that are no copies: scaled otherwise there may be one."""
        made = np.zeros(len(rows), dtype=bool)
        if self.needs_distances and self.problem.is_scaled:
            line, place = np.nonzero(distance == 0)
            X = self.problem.X
            made[line[(X[rows[line]] != X[index[line, place]]).any(axis=1)]] = True
        return made

    def outside(self, rows: NDArray[np.int64], wanted: int) -> Near | None:
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

    def beside(self, rows: NDArray[np.int64], wanted: int) -> Near | None:
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
        return self._rescaled(near, rows, fitted) if self.problem.is_scaled else near

    def _rescaled(self, near: Near, rows: NDArray[np.int64], fitted: NDArray[np.float64]) -> Near:
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

    def _length(self, apart: NDArray[np.float64]) -> NDArray[np.float64]:
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


def _scale(
    rows: int, centre: NDArray[np.float64], variance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Deviations as StandardScaler has them: 1 for constant features."""
    is_constant = is_constant_to_the_scaler(rows, centre, variance)
    return np.where(is_constant, 1.0, np.sqrt(variance))


def _without_self(
    distance: NDArray[np.float64], index: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Lists without the row itself; without their last entry where it is not listed."""
    others = index != rows[:, np.newaxis]
    is_missing = others.all(axis=1)
    others[is_missing, -1] = False
    shape = (len(rows), index.shape[1] - 1)
    return distance[others].reshape(shape), index[others].reshape(shape)
