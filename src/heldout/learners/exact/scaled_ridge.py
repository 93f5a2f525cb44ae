"""Ridge regression on features standardised in each training part, without some rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.learners.exact.answer import Answer, by_decision

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.learners.exact.problem import Problem
    from heldout.learners.outcome import ScoreKind

__all__ = ["ScaledRidge", "scaled_ridge"]

#: share of a feature's variance, and of the equations, that must be left
LEAST_LEFT = 1e-5
LEAST_EIGENVALUE = 1e-6
ROUNDS = 40
SETTLED = 1e-13


def scaled_ridge(problem: Problem, alpha: float, targets: NDArray[np.float64]) -> ScaledRidge | str:
    """The exact path: a penalty on scaled features is one in proportion to their variances."""
    # a constant feature is centred to zero: it has no part in any prediction
    X = problem.centred()[:, ~problem.is_constant]
    if not X.shape[1]:
        return "all features are constant"
    X = X / np.sqrt(np.mean(X**2, axis=0))
    if X.shape[1] > len(X):
        return "there are more scaled features than rows"
    gram = X.T @ X
    penalty = alpha / (len(X) - 1) * np.diag(gram)
    equations = gram + np.diag(penalty)
    values = np.linalg.eigvalsh(equations)
    if not values[0] > LEAST_EIGENVALUE * values[-1]:
        return "features are nearly collinear"
    return ScaledRidge(problem, X, alpha, targets, np.linalg.inv(equations))


class ScaledRidge:
    """The normal equations of all rows; a row takes a rank-one part and some penalty away."""

    least = 2

    def __init__(
        self,
        problem: Problem,
        X: NDArray[np.float64],
        alpha: float,
        targets: NDArray[np.float64],
        inverse: NDArray[np.float64],
    ) -> None:
        self.name = "scaled least squares: normal equations downdated"
        self.score_kind: ScoreKind = "decision" if problem.classes else ""
        self.problem, self.X, self.alpha = problem, X - X.mean(axis=0), alpha
        self.centre = targets.mean(axis=0)
        self.targets = targets - self.centre
        self.gram = self.X.T @ self.X
        self.inverse = inverse
        self.moments = self.X.T @ self.targets
        self.width = 6 * X.shape[1] * targets.shape[1]

    def one_out(self, rows: NDArray[np.int64]) -> Answer:
        """Each row predicted by the model of all others, by a fixed point that is reached fast."""
        total = len(self.X)
        grow = total / (total - 1.0)
        seen, target = self.X[rows], self.targets[rows]
        turned = seen @ self.inverse
        left = 1.0 - grow * np.einsum("ij,ij->i", seen, turned)
        lost = grow * seen**2
        whole = np.diag(self.gram)
        doubtful = ~(left > LEAST_LEFT) | ((whole - lost) < LEAST_LEFT * whole).any(axis=1)
        left = np.where(doubtful, 1.0, left)
        lost *= self.alpha / (total - 1)
        values = np.empty(target.shape)
        for k in range(target.shape[1]):
            wanted = self.moments[:, k] - grow * seen * target[:, k : k + 1]
            solution, unsettled = self._settled(wanted, seen, turned, grow / left, lost)
            doubtful |= unsettled
            values[:, k] = grow * np.einsum("ij,ij->i", seen, solution)
        values += self.centre - target / (total - 1)
        return self._answer(values, doubtful)

    def _settled(
        self,
        wanted: NDArray[np.float64],
        seen: NDArray[np.float64],
        turned: NDArray[np.float64],
        factor: NDArray[np.float64],
        lost: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Solutions of the equations without each row, and which did not settle."""
        solution = np.zeros(wanted.shape)
        unsettled = np.ones(len(wanted), dtype=bool)
        for _ in range(ROUNDS):
            plain = (wanted + lost * solution) @ self.inverse
            along = factor * np.einsum("ij,ij->i", turned, wanted + lost * solution)
            after = plain + along[:, np.newaxis] * turned
            step = np.abs(after - solution).max(axis=1)
            unsettled = ~(step <= SETTLED * np.abs(after).max(axis=1))
            solution = after
            if not unsettled.any():
                break
        return solution, unsettled

    def fold_out(self, rows: NDArray[np.int64]) -> Answer | None:
        """The rows predicted by the model of the rest."""
        seen, target = self.X[rows], self.targets[rows]
        count = len(self.X) - len(rows)
        gone, gone_target = seen.sum(axis=0), target.sum(axis=0)
        gram = self.gram - seen.T @ seen - np.outer(gone, gone) / count
        variance = np.diag(gram)
        if (variance < LEAST_LEFT * np.diag(self.gram)).any():
            return None
        equations = gram + np.diag(self.alpha * variance / count)
        scale = np.sqrt(np.diag(equations))
        if not np.linalg.eigvalsh(equations / scale / scale[:, np.newaxis])[0] > LEAST_EIGENVALUE:
            return None
        moments = self.moments - seen.T @ target - np.outer(gone, gone_target) / count
        solution = np.linalg.solve(equations, moments)
        values = self.centre - gone_target / count + (seen + gone / count) @ solution
        return self._answer(values, np.zeros(len(rows), dtype=bool))

    def _answer(self, values: NDArray[np.float64], doubtful: NDArray[np.bool_]) -> Answer:
        if self.problem.classes:
            return by_decision(values, doubtful)
        return Answer(values[:, 0], None, doubtful)
