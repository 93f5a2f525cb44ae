"""Gaussian naive Bayes without some rows: means and variances are downdated."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.learners.exact.answer import Answer, by_log_posterior
from karat.learners.exact.linear_discriminant import given_priors
from karat.learners.exact.problem import settings_refusal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.learners.exact.problem import Problem
    from karat.learners.outcome import ScoreKind

__all__ = ["GaussianBayes", "gaussian_bayes"]

#: share of a variance that must be left for its downdate to keep its digits
LEAST_SHARE = 1e-3
#: change of a variance, relative to it, whose square does not show
SMALL_CHANGE = 1e-7


def gaussian_bayes(estimator: Any, problem: Problem) -> GaussianBayes | str:
    """The exact path of GaussianNB, or why it must be refitted."""
    refused = settings_refusal(estimator, {"priors": (), "var_smoothing": ()})
    if refused:
        return refused
    priors = given_priors(estimator.priors, problem.classes)
    if isinstance(priors, str):
        return priors
    if problem.classes < 2:
        return "there is only one class"
    smoothing = estimator.var_smoothing
    if isinstance(smoothing, bool) or not isinstance(smoothing, Real) or float(smoothing) < 0:
        return f"GaussianNB has var_smoothing={smoothing!r}"
    made = GaussianBayes(problem, priors, float(smoothing))
    spread = made.variances + made.smoothed(made.variance)
    reach = np.abs(made.centred).max(axis=0) if problem.is_scaled else problem.reach
    # a variance of nothing but rounding is 0 to the estimator
    least = (1e-12 * reach) ** 2
    if not (spread > least).all():
        return "a feature is constant within a class and next to nothing is added to its variance"
    rounding = np.finfo(np.float64).eps * np.sqrt(len(problem.X))
    is_varied = made.variances > least
    if (is_varied & (rounding * reach > 2e-9 * np.sqrt(spread))).any():
        return "features lie so far from zero that refitting rounds differently"
    return made


class GaussianBayes:
    """Means and variances of each class, and of all rows, whose largest one is added."""

    score_kind: ScoreKind = "probability"
    least = 1

    def __init__(
        self, problem: Problem, priors: NDArray[np.float64] | None, smoothing: float
    ) -> None:
        self.name = "Gaussian naive Bayes: sums downdated"
        self.problem, self.priors, self.smoothing = problem, priors, smoothing
        self.width = 6 * problem.X.shape[1] + 4 * problem.classes
        self.centred = problem.X - problem.centre
        # what is left of the mean by rounding
        self.middle = self.centred.mean(axis=0)
        self.centred -= self.middle
        self.variance = np.mean(self.centred**2, axis=0)
        if problem.is_scaled:
            # a constant feature is divided by 1
            self.is_constant = np.abs(self.centred).max(axis=0) <= 1e-12 * problem.reach
        counts = problem.counts[:, np.newaxis]
        self.means = (problem.members.T @ self.centred) / counts
        self.apart = self.centred - self.means[problem.y]
        self.variances = (problem.members.T @ self.apart**2) / counts

    def smoothed(self, variance: NDArray[np.float64]) -> NDArray[np.float64]:
        """What is added to the variances of classes, given those of the training parts."""
        if not self.problem.is_scaled:
            return np.asarray(self.smoothing * variance.max(axis=-1, keepdims=True))
        return np.asarray(self.smoothing * np.where(self.is_constant, 1.0, variance))

    def _is_doubtful(
        self, variance: NDArray[np.float64], whole: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        return np.asarray((~(variance > LEAST_SHARE * whole) & (whole > 0)).any(axis=-1))

    def one_out(self, rows: NDArray[np.int64]) -> Answer:
        """Each row predicted by the model of all others."""
        problem = self.problem
        own = problem.y[rows]
        total = len(problem.y) - 1
        # rows one by one are often all of them, in order
        is_every = len(rows) == total + 1 and bool((np.diff(rows) == 1).all())
        seen = self.centred if is_every else self.centred[rows]
        squared = np.square(self.apart if is_every else self.apart[rows])
        all_left = np.square(seen)
        all_left *= -(total + 1) / total**2
        all_left += (total + 1) / total * self.variance
        added = self.smoothed(all_left)
        count = problem.counts.astype(np.float64)[:, np.newaxis]
        with np.errstate(divide="ignore", invalid="ignore"):
            # a class of one row has nothing left; its splits are not asked for
            grow = (count / (count - 1.0))[own]
            whole = count * self.variances / (count - 1.0)
            squared *= grow
            left = squared / (1.0 - count[own])
        left += whole[own]
        left += added
        most = self.variances.max(axis=0) + added.max(axis=0)
        if (left.min(axis=0) > LEAST_SHARE * most).all():
            doubtful = np.zeros(len(rows), dtype=bool)
        else:
            doubtful = self._is_doubtful(left, self.variances[own] + added)
        if problem.is_scaled:
            varied = np.where(self.is_constant, 0.0, self.variance)
            doubtful |= self._is_doubtful(all_left, varied)
        if doubtful.any():
            left[~(left > 0)] = 1.0
        scores = self._with_all(seen, added)
        squared *= grow
        squared /= left
        squared += np.log(left, out=left)
        # a product with ones adds lines several times as fast as a sum of short lines
        scores[np.arange(len(rows)), own] = squared @ np.ones(squared.shape[1])
        scores *= -0.5
        scores += self._log_priors(own, total)
        return by_log_posterior(scores, doubtful)

    def _with_all(
        self, seen: NDArray[np.float64], added: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Sums of squares and of log variances in the classes as they are with all rows.

        What is added to the variances changes little from row to row: a first-order step from
        its middle is exact to the square of that change.
        """
        scores = np.empty((len(seen), self.problem.classes))
        middle = np.mean(added, axis=0)
        change = added - middle
        # new memory for every class would cost more than the sums themselves
        squared = np.empty_like(seen)
        for k in range(self.problem.classes):
            np.square(np.subtract(seen, self.means[k], out=squared), out=squared)
            variance = self.variances[k] + middle
            if np.abs(change).max(initial=0.0) < SMALL_CHANGE * variance.min():
                inverse = 1.0 / variance
                first, second = (squared @ np.column_stack([inverse, inverse**2])).T
                scores[:, k] = first + np.log(variance).sum()
                if change.shape[1] == 1:
                    scores[:, k] += change[:, 0] * (inverse.sum() - second)
                else:
                    squared *= inverse
                    scores[:, k] += ((1.0 - squared) * inverse * change).sum(axis=1)
            else:
                whole = self.variances[k] + added
                squared /= whole
                scores[:, k] = (squared + np.log(whole)).sum(axis=1)
        return scores

    def _log_priors(self, own: NDArray[np.int64], total: int) -> NDArray[np.float64]:
        if self.priors is not None:
            return np.asarray(np.log(self.priors))
        made = np.tile(np.log(self.problem.counts / total), (len(own), 1))
        made[np.arange(len(own)), own] = np.log((self.problem.counts[own] - 1) / total)
        return made

    def fold_out(self, rows: NDArray[np.int64]) -> Answer | None:
        """The rows predicted by the model of the rest."""
        problem = self.problem
        own, members = problem.y[rows], problem.members[rows]
        left = problem.counts - np.bincount(own, minlength=problem.classes)
        total = int(left.sum())
        count, whole = left[:, np.newaxis], problem.counts[:, np.newaxis]
        seen, apart = self.centred[rows], self.apart[rows]
        gone = seen.sum(axis=0)
        scatter = len(problem.y) * self.variance - (seen**2).sum(axis=0) - gone**2 / total
        added = self.smoothed(scatter / total)
        sums = members.T @ apart
        scatters = whole * self.variances - members.T @ apart**2 - sums**2 / count
        variances = scatters / count + added
        if self._is_doubtful(variances, self.variances + added).any():
            return None
        if problem.is_scaled:
            varied = np.where(self.is_constant, 0.0, self.variance)
            if self._is_doubtful(scatter / total, varied):
                return None
        means = self.means - sums / count
        scores = np.empty((len(rows), problem.classes))
        for k in range(problem.classes):
            scores[:, k] = ((seen - means[k]) ** 2 / variances[k]).sum(axis=1)
            scores[:, k] += np.log(variances[k]).sum()
        priors = self.priors if self.priors is not None else left / total
        return by_log_posterior(-0.5 * scores + np.log(priors))
