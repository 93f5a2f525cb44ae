"""All penalties of a ridge regression from one decomposition of each training part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.learners.exact.problem import (
    Answer,
    by_decision,
    is_exactly,
    one_thread_if_small,
    settings_refusal,
)
from heldout.learners.exact.ridge import RIDGE
from heldout.selection.waiting_path import paths_with, rounds_otherwise, waiting_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.learners.exact.path import ExactPath
    from heldout.learners.exact.problem import Problem
    from heldout.procedures.splits import Splits
    from heldout.selection.settings import Setting

__all__ = ["RidgeOfMany", "SharedRidge", "shared_ridge"]

#: smallest ratio of the penalised eigenvalues to the largest that keeps predictions to 1e-8
LEAST_RATIO = 1e-6
#: numbers that predictions of all penalties may take, all splits together
MOST_KEPT = 50_000_000


class SharedRidge:
    """Predictions of left-out rows for all penalties at once.

    Cross-products of a training part are those of all rows less those of the rows left out;
    in the axes of their eigenvectors a penalty is a division.
    """

    def __init__(
        self, problem: Problem, targets: NDArray[np.float64], penalties: Sequence[float]
    ) -> None:
        self.problem, self.penalties = problem, np.asarray(penalties, np.float64)
        # around the mean of all rows little is lost when sums are subtracted
        self.X = problem.X - problem.centre
        self.centre = targets.mean(axis=0)
        self.targets = targets - self.centre
        self.gram = self.X.T @ self.X
        self.cross = self.X.T @ self.targets
        self.known: dict[bytes, Any] = {}
        self.kept = 0

    def predictions(self, rows: NDArray[np.int64]) -> tuple[Any, NDArray[np.bool_]]:
        """Values of the rows by target and penalty, and which penalties can be vouched for."""
        key = rows.tobytes()
        if key in self.known:
            return self.known[key]
        made = self._made(rows)
        if self.kept <= MOST_KEPT:
            self.kept += made[0].size
            self.known[key] = made
        return made

    def _made(self, rows: NDArray[np.int64]) -> tuple[Any, NDArray[np.bool_]]:
        seen, targets = self.X[rows], self.targets[rows]
        left = len(self.X) - len(rows)
        mean = -seen.sum(axis=0) / left
        level = -targets.sum(axis=0) / left
        gram = self.gram - seen.T @ seen - left * np.outer(mean, mean)
        cross = self.cross - seen.T @ targets - left * np.outer(mean, level)
        scale = np.ones(len(gram))
        variance = np.diag(gram) / left
        is_safe = True
        if self.problem.is_scaled:
            whole = np.diag(self.gram) / len(self.X)
            # a feature that hardly varies in the training part is scaled by rounding
            is_safe = bool((variance > 1e-6 * whole).all() and (whole > 0).all())
            scale = np.sqrt(np.where(variance > 0, variance, 1.0))
            gram = gram / scale / scale[:, np.newaxis]
            cross = cross / scale[:, np.newaxis]
        values, axes = np.linalg.eigh(gram)
        within = (seen - mean) / scale @ axes
        along = axes.T @ cross
        divided = values[:, np.newaxis] + self.penalties
        ratio = divided.min(axis=0) / divided.max(axis=0)
        certain = (ratio > LEAST_RATIO) & is_safe
        divided = np.where(certain, divided, 1.0)
        made = np.stack(
            [within @ (along[:, [column]] / divided) for column in range(along.shape[1])]
        )
        made += (level + self.centre)[:, np.newaxis, np.newaxis]
        return made, np.asarray(certain)


class RidgeOfMany:
    """One penalty of those that share their work."""

    least = 1
    name = "ridge: one decomposition for all penalties"

    def __init__(self, shared: SharedRidge, place: int) -> None:
        self.shared, self.place = shared, place
        self.score_kind: Any = "decision" if shared.problem.classes else ""
        self.width = 2 * shared.X.shape[1]

    def one_out(self, rows: NDArray[np.int64]) -> Answer:
        """Each row predicted by the model of all others, one after the other."""
        answers = [self.fold_out(rows[[place]]) for place in range(len(rows))]
        values = np.array([np.nan if a is None else a.predicted[0] for a in answers])
        return Answer(values, None, np.isnan(values))

    def fold_out(self, rows: NDArray[np.int64]) -> Answer | None:
        """The rows predicted by the model of the rest."""
        values, certain = self.shared.predictions(rows)
        if not certain[self.place]:
            return None
        own = np.ascontiguousarray(values[:, :, self.place].T)
        doubtful = np.zeros(len(rows), dtype=bool)
        if self.shared.problem.classes:
            return by_decision(own, doubtful)
        return Answer(own[:, 0], None, doubtful)


def shared_ridge(
    members: Sequence[Setting], name: str, dataset: Dataset, splits: Splits
) -> dict[str, ExactPath]:
    """The paths of settings that differ in their penalty alone; none where there is no such path.

    Rows left out one by one have a faster path of their own.
    """
    penalties = [one.parameters[name] for one in members]
    if not all(isinstance(one, int | float) and 0 < one < 1e300 for one in penalties):
        return {}
    path = waiting_path(members[0].model, dataset, splits, _is_known)
    if path is None or path.parts.sizes.max(initial=0) == 1:
        return {}
    problem = path.problem
    if problem.X.shape[1] >= len(problem.X) // 2:
        return {}
    targets = problem.y[:, np.newaxis].astype(np.float64)
    if problem.classes:
        signs = 2.0 * problem.members - 1.0
        targets = signs[:, 1:] if problem.classes == 2 else signs
    with one_thread_if_small(problem):
        shared = SharedRidge(problem, targets, penalties)
    if rounds_otherwise(problem, np.diag(shared.gram)):
        return {}
    return paths_with(path, members, [RidgeOfMany(shared, at) for at in range(len(members))])


def _is_known(estimator: Any, is_class: bool) -> bool:
    """Whether this is a ridge regression whose settings are all known."""
    kind = "RidgeClassifier" if is_class else "Ridge"
    if not is_exactly(estimator, "sklearn.linear_model._ridge", kind):
        return False
    allowed = {**RIDGE, "fit_intercept": (True,), **({"class_weight": (None,)} if is_class else {})}
    return settings_refusal(estimator, allowed) is None
