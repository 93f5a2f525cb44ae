"""Linear discriminant analysis without some rows: the within-class scatter is downdated."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.learners.exact.basis import Basis, eigen_basis, white_basis
from heldout.learners.exact.problem import (
    FAR,
    Answer,
    Refit,
    by_log_posterior,
    refuse_far_from_zero,
    refuse_other_settings,
    refuse_single_class,
)

if TYPE_CHECKING:
    from heldout.core.arrays import Booleans, Floats, Integers
    from heldout.learners.exact.problem import Problem
    from heldout.learners.outcome import ScoreKind

#: smallest ratio of the eigenvalues of a covariance that the solver keeps exact
LEAST_RATIO = 1e-6
#: rounding of the scores that still leaves probabilities right to 1e-8
MOST_ROUNDING = 1e-9


def _refuse_solver(problem: Problem, means: Floats, gram: Floats, shrinkage: float) -> None:
    """``Refit`` where the solver's scores are not exact enough.

    ``means`` are those of the classes less that of all rows, ``gram`` is the covariance within
    classes. The solver leaves features where they are: with features far from zero its scores
    are small differences of numbers as large as the square of that distance.
    """
    features = len(gram)
    centre, reach, scale = problem.centre, problem.reach, np.ones(features)
    if problem.is_scaled:
        scale = problem.X.std(axis=0)
        reach, centre = reach + np.abs(centre), np.zeros(features)
        reach = np.minimum(reach, scale * np.sqrt(len(problem.X)))
    covariance = (1.0 - shrinkage) * gram / scale / scale[:, np.newaxis]
    covariance.flat[:: features + 1] += shrinkage * np.mean(np.diag(gram) / scale**2)
    values = np.linalg.eigvalsh(covariance)
    if not values[0] > LEAST_RATIO * values[-1]:
        raise Refit("features are nearly collinear or of very different scale")
    directions = np.linalg.solve(covariance, ((means + centre) / scale).T)
    size = (np.abs(directions) * (reach / scale)[:, np.newaxis]).sum(axis=0).max()
    rounding = np.finfo(np.float64).eps * size * values[-1] / values[0]
    if not rounding < MOST_ROUNDING:
        raise Refit(FAR)


#: smallest eigenvalue of the scatter without the rows, relative to the scatter with them
LEAST_LEFT = 1e-6
#: smallest eigenvalue of the correlations within classes
LEAST_CORRELATION = 1e-9


def linear_discriminant(estimator: Any, problem: Problem) -> LinearDiscriminant:
    """The exact path of LinearDiscriminantAnalysis."""
    refuse_other_settings(
        estimator,
        "shrinkage priors store_covariance tol",
        solver=("svd", "lsqr"),
        n_components=(None,),
        covariance_estimator=(None,),
    )
    refuse_single_class(problem)
    priors = given_priors(estimator.priors, problem.classes)
    shrinkage = _shrinkage(estimator, problem, priors)
    is_svd = estimator.solver == "svd"
    if is_svd and not estimator.tol > 1e-10:
        raise Refit(f"LinearDiscriminantAnalysis has tol={estimator.tol!r}")
    return _prepared(problem, priors, shrinkage, float(estimator.tol) if is_svd else None)


def given_priors(priors: Any, classes: int) -> Floats | None:
    """Priors as an array, None where they are to be counted."""
    if priors is None:
        return None
    values = np.asarray(priors, dtype=np.float64)
    if values.shape != (classes,) or not (values > 0).all() or abs(values.sum() - 1.0) > 1e-8:
        raise Refit("the given priors are not positive numbers that add up to 1")
    return values


def _shrinkage(estimator: Any, problem: Problem, priors: Floats | None) -> float:
    shrinkage = estimator.shrinkage
    if estimator.solver == "svd":
        if shrinkage is not None:
            raise Refit("the svd solver takes no shrinkage")
        return 0.0
    if priors is not None:
        raise Refit("the lsqr solver weights covariances by the given priors")
    if shrinkage is None:
        return 0.0
    if isinstance(shrinkage, bool) or not isinstance(shrinkage, Real):
        raise Refit(f"shrinkage={shrinkage!r} is chosen anew in every training part")
    share = float(shrinkage)
    if not 0 <= share <= 1:
        raise Refit(f"shrinkage={shrinkage!r} is no share")
    if problem.is_scaled and share > 0:
        raise Refit("shrinkage depends on the scale of each training part")
    return share


def _prepared(
    problem: Problem, priors: Floats | None, shrinkage: float, tolerance: float | None
) -> LinearDiscriminant:
    centred = problem.X - problem.centre
    means = (problem.members.T @ centred) / problem.counts[:, np.newaxis]
    within = centred - means[problem.y]
    gram = within.T @ within / len(within)
    spread = np.sqrt(np.diag(gram))
    if not (spread > 1e-10 * problem.reach).all():
        raise Refit("a feature is constant within the classes")
    refuse_far_from_zero(problem, spread)
    if shrinkage:
        basis = eigen_basis(centred, means, within)
    else:
        basis = white_basis(centred, means, within, gram)
    if basis.least <= (LEAST_CORRELATION if tolerance is None else max(1e-9, tolerance**2)):
        raise Refit("features are collinear")
    if tolerance is None:
        _refuse_solver(problem, means, gram, shrinkage)
    return LinearDiscriminant(problem, basis, priors, shrinkage, tolerance)


class LinearDiscriminant:
    """All rows in coordinates in which their scatter within classes is diagonal."""

    score_kind: ScoreKind = "probability"
    least = 1

    def __init__(
        self,
        problem: Problem,
        basis: Basis,
        priors: Floats | None,
        shrinkage: float,
        tolerance: float | None,
    ) -> None:
        self.name = "linear discriminants: updated scatter matrix"
        self.problem, self.basis, self.priors = problem, basis, priors
        self.shrinkage, self.tolerance = shrinkage, tolerance
        self.width = 6 * basis.rows.shape[1] + 4 * problem.classes
        self.centres = _Centres(problem, basis, priors, tolerance)

    def one_out(self, rows: Integers) -> Answer:
        """Each row predicted by the model of all others: rank-one downdates, a block at once."""
        problem, basis = self.problem, self.basis
        basis_rows, own = basis.rows[rows], problem.y[rows]
        total = len(problem.y) - 1
        count = problem.counts[own].astype(np.float64)
        grow = count / (count - 1.0)
        apart = basis_rows - basis.means[own]
        squared = np.einsum("ij,ij->i", apart, apart)
        inverse = self._inverse_diagonal(squared, grow, total)
        weighted = apart * inverse
        factor = (1.0 - self.shrinkage) * grow / total
        length = np.einsum("ij,ij->i", apart, weighted)
        left = 1.0 - factor * length
        doubtful = ~(left > LEAST_LEFT)
        left = np.where(doubtful, 1.0, left)
        scores = np.empty((len(rows), problem.classes))
        for k in range(problem.classes):
            away = basis_rows - basis.means[k]
            along = np.einsum("ij,ij->i", away, weighted)
            away *= away
            plain = away @ inverse if inverse.ndim == 1 else np.einsum("ij,ij->i", away, inverse)
            scores[:, k] = plain + factor / left * along**2
        each = np.arange(len(rows))
        scores[each, own] = grow**2 * length / left
        scores *= -0.5
        scores += self.problem.log_priors(self.priors, own, total)
        if self.tolerance is not None:
            doubtful |= ~(left * basis.least > 1.01 * self.tolerance**2)
            if not self.centres.are_flat:
                doubtful |= self.centres.one_out_doubts(own, apart, grow, left)
        return by_log_posterior(scores, doubtful)

    def _inverse_diagonal(self, squared: Floats, grow: Floats, total: int) -> Floats:
        scatter = self.basis.scatter
        if not self.shrinkage:
            return total / scatter
        trace = (scatter.sum() - grow * squared) / len(scatter)
        shrunk = (1.0 - self.shrinkage) * scatter + self.shrinkage * trace[:, np.newaxis]
        return np.asarray(total / shrunk)

    def fold_out(self, rows: Integers) -> Answer | None:
        """The rows predicted by the model of the rest."""
        problem, basis = self.problem, self.basis
        basis_rows, own = basis.rows[rows], problem.y[rows]
        left = problem.counts - np.bincount(own, minlength=problem.classes)
        total = int(left.sum())
        apart = basis_rows - basis.means[own]
        sums = problem.members[rows].T @ apart
        means = basis.means - sums / left[:, np.newaxis]
        scatter = np.diag(basis.scatter) - apart.T @ apart
        scatter -= (sums / left[:, np.newaxis]).T @ sums
        root = np.sqrt(basis.scatter)
        if not (root > 0).all():
            return None
        least = np.linalg.eigvalsh(scatter / root / root[:, np.newaxis])[0]
        if not least > LEAST_LEFT:
            return None
        features = len(scatter)
        covariance = (1.0 - self.shrinkage) * scatter
        covariance.flat[:: features + 1] += self.shrinkage * np.trace(scatter) / features
        to_white = np.linalg.inv(np.linalg.cholesky(covariance / total)).T
        priors = self.priors if self.priors is not None else left / total
        if self.tolerance is not None and (
            not least * basis.least > 1.01 * self.tolerance**2
            or not self.centres.are_apart(means @ to_white, priors)
        ):
            return None
        seen, middles = basis_rows @ to_white, means @ to_white
        scores = np.empty((len(rows), problem.classes))
        for k in range(problem.classes):
            away = seen - middles[k]
            scores[:, k] = np.einsum("ij,ij->i", away, away)
        return by_log_posterior(-0.5 * scores + np.log(priors))


class _Centres:
    """Whether class means span all they can: the svd solver drops directions it deems flat."""

    def __init__(
        self, problem: Problem, basis: Basis, priors: Floats | None, tolerance: float | None
    ) -> None:
        self.problem, self.basis, self.priors, self.tolerance = problem, basis, priors, tolerance
        self.rank = min(problem.classes - 1, basis.rows.shape[1])
        #: one direction is never dropped
        self.are_flat = self.rank < 2 or tolerance is None

    def are_apart(self, white: Floats, priors: Floats) -> bool:
        """Whether the smallest singular value stays clear of the solver's tolerance."""
        if self.are_flat or self.tolerance is None:
            return True
        middle = np.sqrt(priors)[:, np.newaxis] * (white - priors @ white)
        sizes = np.linalg.svd(middle, compute_uv=False)
        return bool(sizes[self.rank - 1] > 1.01 * self.tolerance * sizes[0])

    def one_out_doubts(self, own: Integers, apart: Floats, grow: Floats, left: Floats) -> Booleans:
        """Rows without which the means may be too flat: by a bound first, then one by one."""
        counts, total = self.problem.counts, len(self.problem.y)
        priors = counts / total if self.priors is None else self.priors
        means = self.basis.means
        middle = np.sqrt(priors)[:, np.newaxis] * (means - priors @ means)
        sizes = np.linalg.svd(middle, compute_uv=False)
        reach = np.sqrt(np.square(means - priors @ means).sum(axis=1)).max()
        moved = np.sqrt(np.square(apart).sum(axis=1)) * (grow - 1.0)
        share = 0.0 if self.priors is not None else 1.0 / (total - 1)
        rough = 2.0 * moved + share * reach * len(counts) * (1.0 + 1.0 / np.sqrt(priors.min()))
        low = sizes[self.rank - 1] - rough
        high = (sizes[0] + rough) / np.sqrt(np.maximum(left, LEAST_LEFT))
        assert self.tolerance is not None
        doubtful = ~(low > 1.01 * self.tolerance * high)
        for i in np.flatnonzero(doubtful):
            shares = priors
            if self.priors is None:
                shares = counts.astype(np.float64)
                shares[own[i]] -= 1
                shares /= total - 1
            shifted = means.copy()
            shifted[own[i]] -= apart[i] * (grow[i] - 1.0)
            # the inverse root of (identity - a d d'), along d
            length = apart[i] @ apart[i]
            if length > 0:
                along = shifted @ apart[i] / length
                shifted += np.outer(along * (1.0 / np.sqrt(left[i]) - 1.0), apart[i])
            doubtful[i] = not self.are_apart(shifted, shares)
        return np.asarray(doubtful)
