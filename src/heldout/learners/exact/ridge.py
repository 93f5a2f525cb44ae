"""Linear and ridge regression, and the ridge classifier, without some rows: by the hat matrix."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.learners.exact.basis import whitening
from heldout.learners.exact.problem import (
    Refit,
    by_target,
    refuse_far_from_zero,
    refuse_other_settings,
    refuse_single_class,
)

if TYPE_CHECKING:
    from heldout.core.arrays import Booleans, Floats, Integers
    from heldout.learners.exact.problem import Answer, Problem
    from heldout.learners.outcome import ScoreKind

#: share of a feature's variance, and of the equations, that must be left
LEAST_SCALED_LEFT = 1e-5
LEAST_SCALED_EIGENVALUE = 1e-6
ROUNDS = 40
SETTLED = 1e-13


def scaled_ridge(problem: Problem, alpha: float, targets: Floats) -> ScaledRidge:
    """The exact path: a penalty on scaled features is one in proportion to their variances."""
    # a constant feature is centred to zero: it has no part in any prediction
    X = problem.centred()[:, ~problem.is_constant]
    if not X.shape[1]:
        raise Refit("all features are constant")
    X = X / np.sqrt(np.mean(X**2, axis=0))
    if X.shape[1] > len(X):
        raise Refit("there are more scaled features than rows")
    gram = X.T @ X
    penalty = alpha / (len(X) - 1) * np.diag(gram)
    equations = gram + np.diag(penalty)
    values = np.linalg.eigvalsh(equations)
    if not values[0] > LEAST_SCALED_EIGENVALUE * values[-1]:
        raise Refit("features are nearly collinear")
    return ScaledRidge(problem, X, alpha, targets, np.linalg.inv(equations))


class ScaledRidge:
    """The normal equations of all rows; a row takes a rank-one part and some penalty away."""

    least = 2

    def __init__(
        self, problem: Problem, X: Floats, alpha: float, targets: Floats, inverse: Floats
    ) -> None:
        self.name = "scaled least squares: updated normal equations"
        self.score_kind: ScoreKind = "decision" if problem.classes else ""
        self.problem, self.X, self.alpha = problem, X - X.mean(axis=0), alpha
        self.centre = targets.mean(axis=0)
        self.targets = targets - self.centre
        self.gram = self.X.T @ self.X
        self.inverse = inverse
        self.moments = self.X.T @ self.targets
        self.width = 6 * X.shape[1] * targets.shape[1]

    def one_out(self, rows: Integers) -> Answer:
        """Each row predicted by the model of all others, by a fixed point that is reached fast."""
        total = len(self.X)
        grow = total / (total - 1.0)
        seen, target = self.X[rows], self.targets[rows]
        turned = seen @ self.inverse
        left = 1.0 - grow * np.einsum("ij,ij->i", seen, turned)
        lost = grow * seen**2
        whole = np.diag(self.gram)
        doubtful = ~(left > LEAST_SCALED_LEFT) | ((whole - lost) < LEAST_SCALED_LEFT * whole).any(
            axis=1
        )
        left = np.where(doubtful, 1.0, left)
        lost *= self.alpha / (total - 1)
        values = np.empty(target.shape)
        for k in range(target.shape[1]):
            wanted = self.moments[:, k] - grow * seen * target[:, k : k + 1]
            solution, unsettled = self._solve(wanted, turned, grow / left, lost)
            doubtful |= unsettled
            values[:, k] = grow * np.einsum("ij,ij->i", seen, solution)
        values += self.centre - target / (total - 1)
        return by_target(self.problem, values, doubtful)

    def _solve(
        self, wanted: Floats, turned: Floats, factor: Floats, lost: Floats
    ) -> tuple[Floats, Booleans]:
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

    def fold_out(self, rows: Integers) -> Answer | None:
        """The rows predicted by the model of the rest."""
        seen, target = self.X[rows], self.targets[rows]
        count = len(self.X) - len(rows)
        gone, gone_target = seen.sum(axis=0), target.sum(axis=0)
        gram = self.gram - seen.T @ seen - np.outer(gone, gone) / count
        variance = np.diag(gram)
        if (variance < LEAST_SCALED_LEFT * np.diag(self.gram)).any():
            return None
        equations = gram + np.diag(self.alpha * variance / count)
        scale = np.sqrt(np.diag(equations))
        if (
            not np.linalg.eigvalsh(equations / scale / scale[:, np.newaxis])[0]
            > LEAST_SCALED_EIGENVALUE
        ):
            return None
        moments = self.moments - seen.T @ target - np.outer(gone, gone_target) / count
        solution = np.linalg.solve(equations, moments)
        values = self.centre - gone_target / count + (seen + gone / count) @ solution
        return by_target(self.problem, values)


#: share of the weight of the remaining rows that must be left
LEAST_LEFT = 1e-6
#: smallest eigenvalue of the scaled normal equations that keeps 1e-8
LEAST_EIGENVALUE = 1e-7
#: smallest ratio of squared singular values; least squares drops directions below 1e-12
LEAST_RATIO = 1e-10


def linear(estimator: Any, problem: Problem) -> Hat:
    """The exact path of LinearRegression."""
    refuse_other_settings(estimator, "fit_intercept copy_X n_jobs", tol=(1e-6,), positive=(False,))
    if problem.is_scaled and not estimator.fit_intercept:
        raise Refit("scaled features without an intercept")
    return _hat(problem, 0.0, targets_of(problem), bool(estimator.fit_intercept), by_values=True)


def ridge(estimator: Any, problem: Problem) -> Hat | ScaledRidge:
    """The exact path of Ridge and of RidgeClassifier."""
    refuse_other_ridge(estimator)
    alpha, intercept = estimator.alpha, bool(estimator.fit_intercept)
    if isinstance(alpha, bool) or not isinstance(alpha, Real) or not 0 < float(alpha) < 1e300:
        raise Refit(f"{type(estimator).__name__} has alpha={alpha!r}")
    if problem.classes:
        refuse_single_class(problem)
    if not problem.is_scaled:
        by_values = estimator.solver == "svd"
        return _hat(problem, float(alpha), targets_of(problem), intercept, by_values=by_values)
    if not intercept:
        raise Refit("scaled features without an intercept")
    return scaled_ridge(problem, float(alpha), targets_of(problem))


def refuse_other_ridge(estimator: Any, free: str = "alpha fit_intercept", **allowed: Any) -> None:
    """``Refit`` where a setting has influence on the solution of the direct solvers."""
    if type(estimator).__name__ == "RidgeClassifier":
        allowed["class_weight"] = (None,)
    solvers = ("auto", "cholesky", "svd")
    free += " copy_X max_iter tol random_state"
    refuse_other_settings(estimator, free, solver=solvers, positive=(False,), **allowed)


def targets_of(problem: Problem) -> Floats:
    """What is regressed on: the values, or -1 and 1 for each class (one column for two)."""
    if not problem.classes:
        return np.asarray(problem.y[:, np.newaxis], np.float64)
    signs = 2.0 * problem.members - 1.0
    return signs[:, 1:] if problem.classes == 2 else signs


def _hat(
    problem: Problem, alpha: float, targets: Floats, intercept: bool, *, by_values: bool
) -> Hat:
    """The path; ``by_values`` of a solver by singular values, which heed the features' scale."""
    X = _features(problem, alpha, intercept)
    gram = X.T @ X
    gram.flat[:: len(gram) + 1] += alpha
    ratio = 1.0
    if by_values:
        values = np.linalg.eigvalsh(gram)
        ratio = float(values[0] / values[-1]) if values[-1] > 0 else 0.0
        if not ratio > LEAST_RATIO:
            raise Refit("features are collinear or of very different scale")
    scale = np.sqrt(np.diag(gram))

    def stacked() -> Floats:
        return np.concatenate([X / scale, np.diag(np.sqrt(alpha) / scale)])

    matrix, least = whitening(gram / scale / scale[:, np.newaxis], stacked)
    if not least > LEAST_EIGENVALUE:
        raise Refit("features are nearly collinear")
    return Hat(problem, X @ (matrix / scale[:, np.newaxis]), targets, intercept, ratio)


def _features(problem: Problem, alpha: float, intercept: bool) -> Floats:
    """Centred features; where they are more than the rows, as many directions as rows."""
    X = problem.centred() if intercept else problem.X
    total, features = X.shape
    if intercept:
        # constant features take no part, so they may lie anywhere
        deviations = np.sqrt(np.mean(X**2, axis=0))
        refuse_far_from_zero(problem, np.where(problem.is_constant, np.inf, deviations))
    if alpha == 0 and features + intercept >= total:
        raise Refit("there are as many features as rows")
    if problem.is_scaled:
        # without a penalty the scale is of no influence but on the solver's tolerance
        if problem.is_constant.any():
            raise Refit("a feature is constant")
        return np.asarray(X / np.sqrt(np.mean(X**2, axis=0)))
    if features > total:
        axes, sizes, _ = np.linalg.svd(X, full_matrices=False)
        if not alpha > LEAST_EIGENVALUE * sizes[0] ** 2:
            raise Refit("the penalty is small beside the features")
        return np.asarray(axes * sizes)
    return X


class Hat:
    """Rows in coordinates in which the penalised normal equations are the identity."""

    least = 1

    def __init__(
        self, problem: Problem, rows: Floats, targets: Floats, intercept: bool, ratio: float
    ) -> None:
        self.name = "least squares: hat matrix"
        self.score_kind: ScoreKind = "decision" if problem.classes else ""
        self.problem, self.targets, self.ratio = problem, targets, ratio
        self.centre = targets.mean(axis=0) if intercept else np.zeros(targets.shape[1])
        self.centred = targets - self.centre
        # the intercept is a direction of its own
        constant = np.full((len(rows), 1), 1.0 / np.sqrt(len(rows)))
        self.rows = np.concatenate([rows, constant], axis=1) if intercept else rows
        self.solution = self.rows.T @ self.centred
        self.leverage = np.einsum("ij,ij->i", self.rows, self.rows)
        self.width = 2 * self.rows.shape[1] + 4 * targets.shape[1]

    def one_out(self, rows: Integers) -> Answer:
        """Each row predicted by the model of all others."""
        left = 1.0 - self.leverage[rows]
        doubtful = ~(left > LEAST_LEFT) | ~(left * self.ratio > LEAST_RATIO)
        left = np.where(doubtful, 1.0, left)
        missed = self.centred[rows] - self.rows[rows] @ self.solution
        return by_target(self.problem, self.targets[rows] - missed / left[:, np.newaxis], doubtful)

    def fold_out(self, rows: Integers) -> Answer | None:
        """The rows predicted by the model of the rest."""
        seen = self.rows[rows]
        left = np.eye(seen.shape[1]) - seen.T @ seen
        least = np.linalg.eigvalsh(left)[0]
        if not (least > LEAST_LEFT and least * self.ratio > LEAST_RATIO):
            return None
        solution = np.linalg.solve(left, self.solution - seen.T @ self.centred[rows])
        return by_target(self.problem, self.centre + seen @ solution)
