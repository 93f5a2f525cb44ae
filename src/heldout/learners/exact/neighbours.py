"""Nearest neighbours without some rows: one search for every number of neighbours."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.learners.exact.neighbour_search import Near, Search
from heldout.learners.exact.problem import Answer, gaps, settings_refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.learners.exact.problem import Problem
    from heldout.learners.outcome import ScoreKind

__all__ = ["Neighbours", "neighbours"]

METRICS = ("minkowski", "euclidean", "l2", "manhattan", "l1", "cityblock", "chebyshev")


def neighbours(estimator: Any, problem: Problem) -> Neighbours | str:
    """The exact path of KNeighborsClassifier and KNeighborsRegressor, or why to refit."""
    refused = settings_refusal(
        estimator,
        {
            "n_neighbors": (),
            "weights": ("uniform", "distance"),
            "algorithm": ("auto", "brute", "kd_tree", "ball_tree"),
            "leaf_size": (),
            "p": (),
            "metric": METRICS,
            "metric_params": (None,),
            "n_jobs": (),
        },
    )
    if refused:
        return refused
    wanted, power = estimator.n_neighbors, estimator.p
    if isinstance(wanted, bool) or not isinstance(wanted, Integral) or wanted < 1:
        return f"{type(estimator).__name__} has n_neighbors={wanted!r}"
    if estimator.metric == "minkowski" and not (power is not None and power >= 1):
        return f"{type(estimator).__name__} has p={power!r}"
    return Neighbours(estimator, problem)


class Neighbours:
    """Labels or values of the nearest rows, for one or several numbers of neighbours."""

    #: a class that the training part lacks has no neighbours, but is missing in the answer
    least = 1

    def __init__(self, estimator: Any, problem: Problem) -> None:
        self.name = "nearest neighbours: one search"
        self.score_kind: ScoreKind = "probability" if problem.classes else ""
        self.problem, self.search = problem, Search(estimator, problem)
        self.wanted = int(estimator.n_neighbors)
        self.is_weighted = estimator.weights == "distance"
        listed = 2 * self.wanted + 16
        self.width = listed * (2 + (problem.X.shape[1] if problem.is_scaled else problem.classes))

    def one_out(self, rows: NDArray[np.int64]) -> Answer:
        """Each row predicted by its neighbours among all others."""
        near = self.search.beside(rows, self.wanted)
        return _nothing(len(rows), self.problem) if near is None else self._last(near)

    def fold_out(self, rows: NDArray[np.int64]) -> Answer | None:
        """The rows predicted by their neighbours among the rest."""
        near = self.search.outside(rows, self.wanted)
        return None if near is None else self._last(near)

    def _last(self, near: Near) -> Answer:
        return next(self.answers(near, (self.wanted,)))

    def answers(self, near: Near, counts: Sequence[int]) -> Iterator[Answer]:
        """The answer of each number of neighbours, from the same list."""
        targets = self.problem.y[near.index]
        weights, rounded = self._weights(near)
        for count in counts:
            doubtful = near.doubtful | self._is_tied(near, targets, count)
            if self.is_weighted:
                doubtful |= rounded
            edge = near.distance[:, count - 1]
            doubtful |= edge + near.slack(edge) >= near.limit
            part = None if weights is None else weights[:, :count]
            if self.problem.classes:
                yield self._vote(targets[:, :count], part, doubtful)
            elif part is None:
                yield Answer(targets[:, :count].mean(axis=1), None, doubtful)
            else:
                values = (targets[:, :count] * part).sum(axis=1) / part.sum(axis=1)
                yield Answer(values, None, doubtful)

    def _vote(
        self,
        labels: NDArray[np.int64],
        weights: NDArray[np.float64] | None,
        doubtful: NDArray[np.bool_],
    ) -> Answer:
        rows, classes = len(labels), self.problem.classes
        flat = (labels + classes * np.arange(rows)[:, np.newaxis]).ravel()
        given = None if weights is None else weights.ravel()
        votes = np.bincount(flat, weights=given, minlength=rows * classes)
        votes = votes.reshape(rows, classes).astype(np.float64)
        shares = votes / votes.sum(axis=1, keepdims=True)
        if weights is not None and classes > 1:
            doubtful = doubtful | ~(gaps(shares) > 1e-10)
        return Answer(votes.argmax(axis=1), shares, doubtful)

    def _weights(self, near: Near) -> tuple[NDArray[np.float64] | None, NDArray[np.bool_]]:
        """Inverse distances, and rows whose smallest distance is mostly rounding."""
        if not self.is_weighted:
            return None, near.doubtful
        nearest = near.distance[:, 0]
        is_zero = near.distance == 0
        weights = 1.0 / np.where(is_zero, 1.0, near.distance)
        at_zero = nearest == 0
        weights[at_zero] = is_zero[at_zero]
        rounded = (near.off_squared > 0) & ~(near.off_squared < 1e-9 * nearest**2)
        rounded |= (near.off > 0) & (nearest > 0) & ~(near.off < 1e-9 * nearest)
        return weights, np.asarray(rounded)

    def _is_tied(self, near: Near, targets: NDArray[Any], count: int) -> NDArray[np.bool_]:
        """Rows for which a tie at the last neighbour decides about different targets."""
        edge = near.distance[:, count - 1]
        if count >= near.distance.shape[1]:
            return np.zeros(len(edge), dtype=bool)
        slack = near.slack(edge)
        close = near.distance[:, count] - edge <= 2.0 * slack
        is_close = np.zeros(len(edge), dtype=bool)
        close_rows = np.flatnonzero(close)
        if len(close_rows):
            span = 3.0 * slack[close_rows][:, np.newaxis]
            tied = np.abs(near.distance[close_rows] - edge[close_rows][:, np.newaxis]) <= span
            last = targets[close_rows, count - 1][:, np.newaxis]
            differs = (tied & (targets[close_rows] != last)).any(axis=1)
            # ties may go on beyond the list
            is_close[close_rows] = differs | (tied[:, -1] & np.isfinite(near.limit[close_rows]))
        return is_close


def _nothing(rows: int, problem: Problem) -> Answer:
    scores = np.full((rows, problem.classes), np.nan) if problem.classes else None
    return Answer(np.zeros(rows, dtype=np.int64), scores, np.ones(rows, dtype=bool))
