"""Models that ignore the features: the majority, the priors, the mean and the median."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.learners.exact.problem import Answer, refuse_other_settings

if TYPE_CHECKING:
    from heldout.core.arrays import Floats, Integers
    from heldout.learners.exact.problem import Problem
    from heldout.learners.outcome import ScoreKind


def constant_class(estimator: Any, problem: Problem) -> ConstantClass:
    """The exact path of DummyClassifier."""
    strategies = ("prior", "most_frequent")
    refuse_other_settings(estimator, "random_state", strategy=strategies, constant=(None,))
    return ConstantClass(problem, is_prior=estimator.strategy == "prior")


def constant_value(estimator: Any, problem: Problem) -> ConstantValue:
    """The exact path of DummyRegressor."""
    strategies = ("mean", "median")
    refuse_other_settings(estimator, strategy=strategies, constant=(None,), quantile=(None,))
    return ConstantValue(problem, is_mean=estimator.strategy == "mean")


class ConstantClass:
    """Counts of the classes."""

    score_kind: ScoreKind = "probability"
    least = 1

    def __init__(self, problem: Problem, *, is_prior: bool) -> None:
        self.name = "priors: updated class counts" if is_prior else "majority: updated class counts"
        self.problem, self.is_prior = problem, is_prior
        self.width = 4 * problem.classes

    def one_out(self, rows: Integers) -> Answer:
        """Each row predicted by the counts of all others."""
        counts = np.tile(self.problem.counts, (len(rows), 1))
        counts[np.arange(len(rows)), self.problem.y[rows]] -= 1
        return self._answer(counts)

    def fold_out(self, rows: Integers) -> Answer:
        """The rows predicted by the counts of the rest."""
        gone = np.bincount(self.problem.y[rows], minlength=self.problem.classes)
        return self._answer(np.tile(self.problem.counts - gone, (len(rows), 1)))

    def _answer(self, counts: Integers) -> Answer:
        predicted = counts.argmax(axis=1)
        if self.is_prior:
            scores = counts / counts.sum(axis=1, keepdims=True)
        else:
            scores = np.zeros(counts.shape)
            scores[np.arange(len(counts)), predicted] = 1.0
        return Answer(predicted, scores, np.zeros(len(counts), dtype=bool))


class ConstantValue:
    """Mean or median of the target."""

    score_kind: ScoreKind = ""
    least = 1
    width = 8

    def __init__(self, problem: Problem, *, is_mean: bool) -> None:
        self.name = "mean: updated sums" if is_mean else "median: sorted values"
        self.y, self.is_mean = problem.y, is_mean
        self.mean = problem.y.mean()
        self.order = np.argsort(problem.y, kind="stable")
        self.sorted = problem.y[self.order]
        self.rank = np.empty(len(self.order), dtype=np.int64)
        self.rank[self.order] = np.arange(len(self.order))

    def one_out(self, rows: Integers) -> Answer:
        """Each row predicted by the mean or median of all others."""
        left = len(self.y) - 1
        if self.is_mean:
            values = self.mean - (self.y[rows] - self.mean) / left
        else:
            values = 0.5 * (self._after(rows, (left - 1) // 2) + self._after(rows, left // 2))
        return Answer(values, None, np.zeros(len(rows), dtype=bool))

    def _after(self, rows: Integers, fold: int) -> Floats:
        """The value at a place of the sorted target without each of the rows."""
        return np.asarray(self.sorted[fold + (self.rank[rows] <= fold)])

    def fold_out(self, rows: Integers) -> Answer:
        """The rows predicted by the mean or median of the rest."""
        if self.is_mean:
            gone = (self.y[rows] - self.mean).sum()
            value = self.mean - gone / (len(self.y) - len(rows))
        else:
            value = np.median(np.delete(self.sorted, self.rank[rows]))
        return Answer(np.full(len(rows), value), None, np.zeros(len(rows), dtype=bool))
