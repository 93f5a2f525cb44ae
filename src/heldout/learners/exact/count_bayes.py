"""Naive Bayes on counts and on categories without some rows: sums are subtracted."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.learners.exact.problem import (
    Answer,
    Refit,
    by_log_posterior,
    refuse_other_settings,
    refuse_single_class,
)

if TYPE_CHECKING:
    from heldout.core.arrays import Booleans, Floats, Integers
    from heldout.learners.exact.problem import Problem
    from heldout.learners.outcome import ScoreKind

#: the smallest number added to counts for which logarithms keep their digits
LEAST_ADDED = 1e-6


def _refuse(estimator: Any, problem: Problem, free: str = "", **allowed: tuple[Any, ...]) -> None:
    """``Refit`` where settings, priors or the number added to counts cannot be used."""
    free += " alpha fit_prior class_prior"
    refuse_other_settings(estimator, free, force_alpha=(True,), **allowed)
    refuse_single_class(problem)
    if problem.is_scaled:
        raise Refit("scaled features are no counts")
    alpha = estimator.alpha
    if isinstance(alpha, bool) or not isinstance(alpha, Real) or float(alpha) < LEAST_ADDED:
        raise Refit(f"{type(estimator).__name__} has alpha={alpha!r}")
    if estimator.class_prior is not None:
        given = np.asarray(estimator.class_prior, dtype=np.float64)
        if given.shape != (problem.classes,) or not (given > 0).all():
            raise Refit("the given priors are not a positive number for each class")


def log_class_priors(estimator: Any, counts: Floats) -> Floats:
    """Logarithms of the priors, of counts in the last axis."""
    if estimator.class_prior is not None:
        given = np.log(np.asarray(estimator.class_prior, dtype=np.float64))
        return np.asarray(np.broadcast_to(given, counts.shape))
    if not estimator.fit_prior:
        return np.full(counts.shape, -np.log(counts.shape[-1]))
    return np.asarray(np.log(counts) - np.log(counts.sum(axis=-1, keepdims=True)))


def multinomial_bayes(estimator: Any, problem: Problem) -> CountBayes:
    """The exact path of MultinomialNB."""
    _refuse(estimator, problem)
    return _of_counts(estimator, problem, "multinomial")


def complement_bayes(estimator: Any, problem: Problem) -> CountBayes:
    """The exact path of ComplementNB."""
    _refuse(estimator, problem, norm=(True, False))
    kind = "normalised complement" if estimator.norm else "complement"
    return _of_counts(estimator, problem, kind)


def _of_counts(estimator: Any, problem: Problem, kind: str) -> CountBayes:
    if (problem.X < 0).any():
        raise Refit("some counts are negative")
    return CountBayes(estimator, problem, problem.X, kind)


def bernoulli_bayes(estimator: Any, problem: Problem) -> CountBayes:
    """The exact path of BernoulliNB."""
    _refuse(estimator, problem, "binarize")
    threshold = estimator.binarize
    X = problem.X
    if threshold is not None:
        X = (threshold < X).astype(np.float64)
    elif not ((X == 0) | (X == 1)).all():
        raise Refit("some features are not 0 or 1")
    if not estimator.alpha > LEAST_ADDED * len(X):
        raise Refit(f"BernoulliNB has alpha={estimator.alpha!r}")
    return CountBayes(estimator, problem, X, "Bernoulli")


class CountBayes:
    """Sums of the features in each class, and what each row takes from them."""

    score_kind: ScoreKind = "probability"
    least = 1

    def __init__(self, estimator: Any, problem: Problem, X: Floats, kind: str) -> None:
        self.name = f"{kind} naive Bayes: updated sums"
        self.estimator, self.problem, self.X, self.kind = estimator, problem, X, kind
        self.alpha = float(estimator.alpha)
        self.sums = problem.members.T @ X
        self.is_whole = bool((np.floor(X) == X).all()) and float(X.sum()) < 2**53
        self.width = 4 * (problem.classes + 1) * X.shape[1]

    def one_out(self, rows: Integers) -> Answer:
        """Each row predicted by the model of all others."""
        problem = self.problem
        own, seen = problem.y[rows], self.X[rows]
        each = np.arange(len(rows))
        counts = np.tile(problem.counts.astype(np.float64), (len(rows), 1))
        counts[each, own] -= 1.0
        if self.kind in ("multinomial", "Bernoulli"):
            # all classes but a row's own stay what they are
            weights, constants = self._weights(self.sums, problem.counts.astype(np.float64))
            scores = seen @ weights.T + constants
            left = self.sums[own] - seen
            mine, constant = self._weights(left, counts[each, own])
            scores[each, own] = np.einsum("ij,ij->i", mine, seen) + constant
        else:
            sums = np.repeat(self.sums[np.newaxis], len(rows), axis=0)
            sums[each, own] -= seen
            left = sums[each, own]
            weights, constants = self._weights(sums, counts)
            scores = np.einsum("ikj,ij->ik", weights, seen) + constants
        doubtful = np.asarray(self._is_rounded(left, self.sums[own]).any(axis=1))
        if "complement" not in self.kind:
            scores += log_class_priors(self.estimator, counts)
        return by_log_posterior(scores, doubtful)

    def _is_rounded(self, left: Floats, whole: Floats) -> Booleans:
        """Where a difference of sums that are not whole has lost its digits."""
        if self.is_whole:
            return np.zeros(left.shape, dtype=bool)
        return np.asarray(left + self.alpha < 1e-4 * whole)

    def _weights(self, sums: Floats, counts: Floats) -> tuple[Floats, Floats]:
        """What each unit of a feature adds to the log score of a class, and a constant."""
        if self.kind == "multinomial":
            added = np.maximum(sums, 0.0) + self.alpha
            constants = np.zeros(counts.shape)
            return np.log(added) - np.log(added.sum(axis=-1, keepdims=True)), constants
        if self.kind == "Bernoulli":
            present = np.log(sums + self.alpha)
            present -= np.log(counts + 2.0 * self.alpha)[..., np.newaxis]
            absent = np.log(1.0 - np.exp(present))
            return present - absent, np.asarray(absent.sum(axis=-1))
        others = np.maximum(sums.sum(axis=-2, keepdims=True) - sums, 0.0) + self.alpha
        logs = np.log(others / others.sum(axis=-1, keepdims=True))
        constants = np.zeros(counts.shape)
        if self.kind == "complement":
            return -logs, constants
        return logs / logs.sum(axis=-1, keepdims=True), constants

    def fold_out(self, rows: Integers) -> Answer | None:
        """The rows predicted by the model of the rest."""
        problem, seen = self.problem, self.X[rows]
        members = problem.members[rows]
        left = self.sums - members.T @ seen
        if self._is_rounded(left, self.sums).any():
            return None
        counts = problem.counts - members.sum(axis=0)
        weights, constants = self._weights(left, counts)
        scores = seen @ weights.T + constants
        if "complement" not in self.kind:
            scores += log_class_priors(self.estimator, counts)
        return by_log_posterior(scores)


#: categories of a feature, at most
MOST_CATEGORIES = 10_000


def categorical_bayes(estimator: Any, problem: Problem) -> CategoricalBayes:
    """The exact path of CategoricalNB."""
    _refuse(estimator, problem, "min_categories")
    X = problem.X
    if (X < 0).any() or (np.floor(X) != X).any():
        raise Refit("some categories are not whole numbers from 0")
    if X.max() >= MOST_CATEGORIES:
        raise Refit(f"a feature has more than {MOST_CATEGORIES:,} categories")
    least = estimator.min_categories
    if least is not None:
        given = np.asarray(least)
        if given.dtype.kind != "i" or given.shape not in ((), (X.shape[1],)):
            raise Refit(f"CategoricalNB has min_categories={least!r}")
    return CategoricalBayes(estimator, problem)


class CategoricalBayes:
    """Counts of each feature's categories in each class."""

    score_kind: ScoreKind = "probability"
    least = 1

    def __init__(self, estimator: Any, problem: Problem) -> None:
        self.name = "categorical naive Bayes: updated counts"
        self.estimator, self.problem = estimator, problem
        self.alpha = float(estimator.alpha)
        self.X = problem.X.astype(np.int64)
        self.width = 8 * problem.classes + self.X.shape[1]
        self.largest = self.X.max(axis=0)
        least = estimator.min_categories
        floor = np.zeros(len(self.largest), dtype=np.int64) if least is None else np.asarray(least)
        self.categories = np.maximum(self.largest + 1, floor)
        #: features whose number of categories the rows decide, and who has the last category
        self.is_open = self.categories == self.largest + 1
        if least is not None:
            self.is_open &= self.largest + 1 > floor
        self.at_end = (self.largest == self.X) & self.is_open
        self.holders = self.at_end.sum(axis=0)
        self.counts = [self._count(problem.y, feature) for feature in range(self.X.shape[1])]

    def _count(self, own: Integers, feature: int, rows: Integers | None = None) -> Integers:
        """Rows of each class in each category of a feature."""
        size = int(self.categories[feature])
        values = self.X[:, feature] if rows is None else self.X[rows, feature]
        flat = np.bincount(own * size + values, minlength=size * self.problem.classes)
        return flat.reshape(self.problem.classes, size)

    def one_out(self, rows: Integers) -> Answer:
        """Each row predicted by the model of all others."""
        problem = self.problem
        own = problem.y[rows]
        each = np.arange(len(rows))
        counts = np.tile(problem.counts.astype(np.float64), (len(rows), 1))
        counts[each, own] -= 1.0
        scores = log_class_priors(self.estimator, counts).copy()
        for feature, table in enumerate(self.counts):
            seen = table[:, self.X[rows, feature]].T + self.alpha
            seen[each, own] -= 1.0
            scores += np.log(seen) - np.log(counts + self.alpha * self.categories[feature])
        # the only row of the last category decides how many there are
        alone = (self.at_end[rows] & (self.holders == 1)).any(axis=1)
        return by_log_posterior(scores, alone)

    def fold_out(self, rows: Integers) -> Answer | None:
        """The rows predicted by the model of the rest."""
        problem = self.problem
        own = problem.y[rows]
        if ((self.at_end[rows].sum(axis=0) == self.holders) & self.is_open).any():
            return None
        counts = (problem.counts - np.bincount(own, minlength=problem.classes)).astype(np.float64)
        scores = np.tile(log_class_priors(self.estimator, counts), (len(rows), 1))
        for feature, table in enumerate(self.counts):
            left = table - self._count(own, feature, rows) + self.alpha
            logs = (
                np.log(left) - np.log(counts + self.alpha * self.categories[feature])[:, np.newaxis]
            )
            scores += logs[:, self.X[rows, feature]].T
        return by_log_posterior(scores)
