"""Quadratic discriminant analysis without some rows: only their own classes change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.learners.exact.basis import whitening
from heldout.learners.exact.linear_discriminant import LEAST_CORRELATION, LEAST_LEFT, given_priors
from heldout.learners.exact.problem import (
    Answer,
    Refit,
    by_log_posterior,
    refuse_far_from_zero,
    refuse_other_settings,
    refuse_single_class,
)

if TYPE_CHECKING:
    from heldout.core.arrays import Floats, Integers
    from heldout.learners.exact.problem import Problem
    from heldout.learners.outcome import ScoreKind


def quadratic_discriminant(estimator: Any, problem: Problem) -> QuadraticDiscriminant:
    """The exact path of QuadraticDiscriminantAnalysis."""
    refuse_other_settings(
        estimator,
        "priors reg_param store_covariance tol",
        solver=("svd",),
        shrinkage=(None,),
        covariance_estimator=(None,),
    )
    refuse_single_class(problem)
    mixed, tolerance = float(estimator.reg_param), float(estimator.tol)
    if not 0 <= mixed < 1:
        raise Refit(f"QuadraticDiscriminantAnalysis has reg_param={mixed!r}")
    if mixed and problem.is_scaled:
        raise Refit("reg_param depends on the scale of each training part")
    if problem.counts.min() <= problem.X.shape[1] + 1:
        raise Refit("a class has too few rows for its covariance")
    priors = given_priors(estimator.priors, problem.classes)
    centred = problem.centred()
    if problem.is_scaled:
        if problem.is_constant.any():
            raise Refit("a feature is constant")
        centred /= np.sqrt(np.mean(centred**2, axis=0))
    classes = [
        _class_of(centred[problem.y == k], mixed, tolerance, problem)
        for k in range(problem.classes)
    ]
    return QuadraticDiscriminant(problem, centred, classes, priors, mixed, tolerance)


@dataclass(frozen=True, slots=True, eq=False)
class _Root:
    """A covariance: the matrix that makes it the identity, its determinant and smallest value."""

    to_white: Floats
    log_determinant: float
    #: smallest eigenvalue of the covariance, and of the correlations
    least: float
    least_correlation: float


@dataclass(frozen=True, slots=True, eq=False)
class _Class:
    count: int
    mean: Floats
    root: _Root
    #: of the same scatter divided by one row less
    root_of_one_less: _Root


def _class_of(rows: Floats, mixed: float, tolerance: float, problem: Problem) -> _Class:
    count = len(rows)
    mean = rows.mean(axis=0)
    apart = rows - mean
    variance = np.mean(apart**2, axis=0)
    if not mixed and not (np.sqrt(variance) > 1e-10 * problem.reach).all():
        raise Refit("a feature is constant within a class")
    refuse_far_from_zero(problem, np.sqrt((1.0 - mixed) * variance + mixed))
    root = _root(apart, mixed, count)
    if not (root.least > tolerance and root.least_correlation > LEAST_CORRELATION):
        raise Refit("the covariance of a class is not of full rank")
    less = _root(apart, mixed, count - 1) if mixed else _larger(root, count / (count - 1.0))
    return _Class(count, mean, root, less)


def _larger(root: _Root, factor: float) -> _Root:
    """The same of a covariance that is some times as large."""
    determinant = root.log_determinant + len(root.to_white) * np.log(factor)
    white = root.to_white / np.sqrt(factor)
    return _Root(white, float(determinant), factor * root.least, root.least_correlation)


def _root(apart: Floats, mixed: float, divisor: int) -> _Root:
    covariance = (1.0 - mixed) * (apart.T @ apart) / divisor
    covariance.flat[:: len(covariance) + 1] += mixed
    scale = np.sqrt(np.diag(covariance))
    if not (scale > 0).all():
        raise Refit("a feature is constant within a class")

    def stacked() -> Floats:
        rows = np.sqrt((1.0 - mixed) / divisor) * apart / scale
        return np.concatenate([rows, np.diag(np.sqrt(mixed) / scale)])

    matrix, least = whitening(covariance / scale / scale[:, np.newaxis], stacked)
    determinant = -2.0 * np.log(np.abs(np.diag(matrix))).sum() + 2.0 * np.log(scale).sum()
    smallest = float(np.linalg.eigvalsh(covariance)[0])
    return _Root(matrix / scale[:, np.newaxis], float(determinant), smallest, least)


class QuadraticDiscriminant:
    """Mean and covariance of each class, and their change when rows go."""

    score_kind: ScoreKind = "probability"

    def __init__(
        self,
        problem: Problem,
        centred: Floats,
        classes: list[_Class],
        priors: Floats | None,
        mixed: float,
        tolerance: float,
    ) -> None:
        self.name = "quadratic discriminants: updated covariances"
        self.problem, self.centred, self.classes = problem, centred, classes
        self.priors, self.mixed, self.tolerance = priors, mixed, tolerance
        # with fewer rows than features scikit-learn refuses, whatever is added
        self.least = max(2, centred.shape[1])
        self.width = 4 * centred.shape[1] + 4 * problem.classes

    def one_out(self, rows: Integers) -> Answer:
        """Each row predicted by the model of all others."""
        problem = self.problem
        own = problem.y[rows]
        total = len(problem.y) - 1
        lengths = self._lengths(rows)
        scores = self._densities(lengths)
        doubtful = np.zeros(len(rows), dtype=bool)
        for k, of_class in enumerate(self.classes):
            mine = np.flatnonzero(own == k)
            root = of_class.root_of_one_less
            grow = of_class.count / (of_class.count - 1.0)
            if self.mixed:
                white = (self.centred[rows[mine]] - of_class.mean) @ root.to_white
                length = np.einsum("ij,ij->i", white, white)
            else:
                # the same scatter, divided by one row less
                length = lengths[mine, k] / grow
            left = 1.0 - (1.0 - self.mixed) * grow / (of_class.count - 1.0) * length
            # scaled features may grow by one row's share of the variance
            smallest = root.least * (total / (total + 1.0) if problem.is_scaled else 1.0)
            unsure = ~(left > LEAST_LEFT) | ~(left * smallest > 1.0001 * self.tolerance)
            doubtful[mine] = unsure
            left = np.where(unsure, 1.0, left)
            change = grow**2 * length / left + root.log_determinant + np.log(left)
            scores[mine, k] = -0.5 * change
        return by_log_posterior(scores + self.problem.log_priors(self.priors, own, total), doubtful)

    def _lengths(self, rows: Integers) -> Floats:
        """Squared distances of the rows from the classes as they are with all rows."""
        scores = np.empty((len(rows), len(self.classes)))
        seen = self.centred[rows]
        for k, own in enumerate(self.classes):
            white = (seen - own.mean) @ own.root.to_white
            np.einsum("ij,ij->i", white, white, out=scores[:, k])
        return scores

    def _densities(self, lengths: Floats) -> Floats:
        """Log densities, but for a constant, at these squared distances from the classes."""
        spread = np.array([own.root.log_determinant for own in self.classes])
        return -0.5 * (lengths + spread)

    def fold_out(self, rows: Integers) -> Answer | None:
        """The rows predicted by the model of the rest."""
        problem = self.problem
        own = problem.y[rows]
        left = problem.counts - np.bincount(own, minlength=problem.classes)
        total = int(left.sum())
        scores = self._densities(self._lengths(rows))
        shrinks = total / len(problem.y) if problem.is_scaled else 1.0
        for k in np.unique(own):
            changed = self._change(rows, rows[own == k], self.classes[k], shrinks)
            if changed is None:
                return None
            scores[:, k] = changed
        priors = self.priors if self.priors is not None else left / total
        return by_log_posterior(scores + np.log(priors))

    def _change(self, rows: Integers, gone: Integers, own: _Class, shrinks: float) -> Floats | None:
        """Log densities of the rows in a class without some of its rows."""
        root = own.root.to_white
        count = own.count - len(gone)
        white = (self.centred[gone] - own.mean) @ root
        sums = white.sum(axis=0)
        identity = np.eye(len(sums))
        plain = self.mixed * (root.T @ root)
        scatter = white.T @ white + np.outer(sums, sums) / count
        covariance = own.count * (identity - plain) - (1.0 - self.mixed) * scatter
        covariance = covariance / count + plain
        least = np.linalg.eigvalsh(covariance)[0]
        if not (least > LEAST_LEFT and least * own.root.least * shrinks > 1.0001 * self.tolerance):
            return None
        lower = np.linalg.cholesky(covariance)
        determinant = own.root.log_determinant + 2.0 * np.log(np.diag(lower)).sum()
        away = (self.centred[rows] - own.mean) @ root + sums / count
        away = away @ np.linalg.inv(lower).T
        return np.asarray(-0.5 * (np.einsum("ij,ij->i", away, away) + determinant))
