"""Nearest neighbours without some rows: one search for every number of neighbours."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.learners.exact.neighbour_search import Near, Search
from heldout.learners.exact.problem import Answer, Refit, gaps, refuse_other_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heldout.core.arrays import Array, Booleans, Floats, Integers
    from heldout.learners.exact.problem import Problem
    from heldout.learners.outcome import ScoreKind

METRICS = ("minkowski", "euclidean", "l2", "manhattan", "l1", "cityblock", "chebyshev")


def neighbours(estimator: Any, problem: Problem) -> Neighbours:
    """The exact path of KNeighborsClassifier and KNeighborsRegressor."""
    refuse_other_settings(
        estimator,
        "n_neighbors leaf_size p n_jobs",
        weights=("uniform", "distance"),
        algorithm=("auto", "brute", "kd_tree", "ball_tree"),
        metric=METRICS,
        metric_params=(None,),
    )
    wanted, power = estimator.n_neighbors, estimator.p
    if isinstance(wanted, bool) or not isinstance(wanted, Integral) or wanted < 1:
        raise Refit(f"{type(estimator).__name__} has n_neighbors={wanted!r}")
    if estimator.metric == "minkowski" and not (power is not None and power >= 1):
        raise Refit(f"{type(estimator).__name__} has p={power!r}")
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

    def one_out(self, rows: Integers) -> Answer:
        """Each row predicted by its neighbours among all others."""
        near = self.search.beside(rows, self.wanted)
        if near is None:
            return Answer.unknown(
                len(rows), (classes,) if (classes := self.problem.classes) else None
            )
        return self._last(near)

    def fold_out(self, rows: Integers) -> Answer | None:
        """The rows predicted by their neighbours among the rest."""
        near = self.search.outside(rows, self.wanted)
        return None if near is None else self._last(near)

    def _last(self, near: Near) -> Answer:
        return next(self.answers(near, (self.wanted,)))

    def answers(self, near: Near, counts: Sequence[int]) -> Iterator[Answer]:
        """The answer of each number of neighbours, from the same list."""
        targets = self.problem.y[near.index]
        doubts = self._doubts(near, targets, counts)
        if self.is_weighted:
            yield from self._weighted(near, targets, counts, doubts)
            return
        last = np.asarray(counts) - 1
        targets = targets[:, : last.max() + 1]
        if not self.problem.classes:
            sums = np.cumsum(targets, axis=1)[:, last]
            for values, doubtful in zip((sums / (last + 1.0)).T, doubts, strict=True):
                yield Answer(values, None, doubtful)
            return
        votes = np.empty((len(last), len(targets), self.problem.classes))
        for label in range(self.problem.classes):
            votes[:, :, label] = np.cumsum(targets == label, axis=1)[:, last].T
        for count, own, doubtful in zip(counts, votes, doubts, strict=True):
            yield Answer(own.argmax(axis=1), own / count, doubtful)

    def _weighted(
        self, near: Near, targets: Array, counts: Sequence[int], doubts: Booleans
    ) -> Iterator[Answer]:
        """The same where nearer neighbours weigh more."""
        weights, rounded = self._weights(near)
        classes, lines = self.problem.classes, np.arange(len(targets))[:, np.newaxis]
        for count, doubtful in zip(counts, doubts | rounded, strict=True):
            part, own = weights[:, :count], targets[:, :count]
            if not classes:
                yield Answer((own * part).sum(axis=1) / part.sum(axis=1), None, doubtful)
                continue
            flat = (own + classes * lines).ravel()
            votes = np.bincount(flat, weights=part.ravel(), minlength=len(targets) * classes)
            shares = votes.reshape(-1, classes)
            predicted = shares.argmax(axis=1)
            shares = shares / shares.sum(axis=1, keepdims=True)
            if classes > 1:
                doubtful = doubtful | ~(gaps(shares) > 1e-10)
            yield Answer(predicted, shares, doubtful)

    def _doubts(self, near: Near, targets: Array, counts: Sequence[int]) -> Booleans:
        """Of each number of neighbours (a line), rows of which it is not certain who they are."""
        edges = near.distance[:, np.asarray(counts) - 1]
        far = edges + near.slack(edges) >= near.limit[:, np.newaxis]
        doubts = np.ascontiguousarray((far | near.doubtful[:, np.newaxis]).T)
        between = near.distance[:, 1:] - near.distance[:, :-1]
        is_close = np.any(between <= 2.0 * near.slack(near.distance[:, :-1]), axis=0).tolist()
        for line, count in enumerate(counts):
            if count <= len(is_close) and is_close[count - 1]:
                doubts[line] |= self._is_tied(near, targets, count)
        return doubts

    def _weights(self, near: Near) -> tuple[Floats, Booleans]:
        """Inverse distances, and rows whose smallest distance is mostly rounding."""
        nearest = near.distance[:, 0]
        is_zero = near.distance == 0
        weights = 1.0 / np.where(is_zero, 1.0, near.distance)
        at_zero = nearest == 0
        weights[at_zero] = is_zero[at_zero]
        rounded = (near.off_squared > 0) & ~(near.off_squared < 1e-9 * nearest**2)
        rounded |= (near.off > 0) & (nearest > 0) & ~(near.off < 1e-9 * nearest)
        return weights, np.asarray(rounded)

    def _is_tied(self, near: Near, targets: Array, count: int) -> Booleans:
        """Rows for which a tie at the last neighbour decides about different targets."""
        edge = near.distance[:, count - 1]
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
