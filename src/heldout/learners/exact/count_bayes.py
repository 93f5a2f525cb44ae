"""Naive Bayes on counts (multinomial, Bernoulli, complement) without some rows: sums subtracted."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.learners.exact.answer import Answer, by_log_posterior
from heldout.learners.exact.problem import settings_refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from heldout.learners.exact.problem import Problem
    from heldout.learners.outcome import ScoreKind

__all__ = [
    "CountBayes",
    "bernoulli_bayes",
    "complement_bayes",
    "log_class_priors",
    "multinomial_bayes",
    "prior_refusal",
]

#: settings that the three have in common
COMMON: Mapping[str, tuple[Any, ...]] = {
    "alpha": (),
    "force_alpha": (True,),
    "fit_prior": (),
    "class_prior": (),
}
#: the smallest number added to counts for which logarithms keep their digits
LEAST_ADDED = 1e-6


def prior_refusal(estimator: Any, problem: Problem) -> str | None:
    """Why the priors or the number added to counts cannot be used."""
    if problem.classes < 2:
        return "there is only one class"
    if problem.is_scaled:
        return "scaled features are no counts"
    alpha = estimator.alpha
    if isinstance(alpha, bool) or not isinstance(alpha, Real) or float(alpha) < LEAST_ADDED:
        return f"{type(estimator).__name__} has alpha={alpha!r}"
    if estimator.class_prior is not None:
        given = np.asarray(estimator.class_prior, dtype=np.float64)
        if given.shape != (problem.classes,) or not (given > 0).all():
            return "the given priors are not a positive number for each class"
    return None


def log_class_priors(estimator: Any, counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithms of the priors, of counts in the last axis."""
    if estimator.class_prior is not None:
        given = np.log(np.asarray(estimator.class_prior, dtype=np.float64))
        return np.asarray(np.broadcast_to(given, counts.shape))
    if not estimator.fit_prior:
        return np.full(counts.shape, -np.log(counts.shape[-1]))
    return np.asarray(np.log(counts) - np.log(counts.sum(axis=-1, keepdims=True)))


def multinomial_bayes(estimator: Any, problem: Problem) -> CountBayes | str:
    """The exact path of MultinomialNB, or why it must be refitted."""
    refused = settings_refusal(estimator, COMMON) or prior_refusal(estimator, problem)
    if refused:
        return refused
    if (problem.X < 0).any():
        return "some counts are negative"
    return CountBayes(estimator, problem, problem.X, "multinomial")


def complement_bayes(estimator: Any, problem: Problem) -> CountBayes | str:
    """The exact path of ComplementNB, or why it must be refitted."""
    refused = settings_refusal(estimator, {**COMMON, "norm": (True, False)})
    refused = refused or prior_refusal(estimator, problem)
    if refused:
        return refused
    if (problem.X < 0).any():
        return "some counts are negative"
    kind = "normalised complement" if estimator.norm else "complement"
    return CountBayes(estimator, problem, problem.X, kind)


def bernoulli_bayes(estimator: Any, problem: Problem) -> CountBayes | str:
    """The exact path of BernoulliNB, or why it must be refitted."""
    refused = settings_refusal(estimator, {**COMMON, "binarize": ()})
    refused = refused or prior_refusal(estimator, problem)
    if refused:
        return refused
    threshold = estimator.binarize
    X = problem.X
    if threshold is not None:
        X = (threshold < X).astype(np.float64)
    elif not ((X == 0) | (X == 1)).all():
        return "some features are not 0 or 1"
    if not estimator.alpha > LEAST_ADDED * len(X):
        return f"BernoulliNB has alpha={estimator.alpha!r}"
    return CountBayes(estimator, problem, X, "Bernoulli")


class CountBayes:
    """Sums of the features in each class, and what each row takes from them."""

    score_kind: ScoreKind = "probability"
    least = 1

    def __init__(self, estimator: Any, problem: Problem, X: NDArray[np.float64], kind: str) -> None:
        self.name = f"{kind} naive Bayes: sums downdated"
        self.estimator, self.problem, self.X, self.kind = estimator, problem, X, kind
        self.alpha = float(estimator.alpha)
        self.sums = problem.members.T @ X
        self.is_whole = bool((np.floor(X) == X).all()) and float(X.sum()) < 2**53
        self.width = 4 * (problem.classes + 1) * X.shape[1]

    def one_out(self, rows: NDArray[np.int64]) -> Answer:
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

    def _is_rounded(
        self, left: NDArray[np.float64], whole: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Where a difference of sums that are not whole has lost its digits."""
        if self.is_whole:
            return np.zeros(left.shape, dtype=bool)
        return np.asarray(left + self.alpha < 1e-4 * whole)

    def _weights(
        self, sums: NDArray[np.float64], counts: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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

    def fold_out(self, rows: NDArray[np.int64]) -> Answer | None:
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
