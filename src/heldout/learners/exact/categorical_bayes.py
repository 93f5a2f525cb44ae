"""Categorical naive Bayes without some rows: counts of categories subtracted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.learners.exact.answer import Answer, by_log_posterior
from heldout.learners.exact.count_bayes import log_class_priors, prior_refusal
from heldout.learners.exact.problem import settings_refusal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.learners.exact.problem import Problem
    from heldout.learners.outcome import ScoreKind

__all__ = ["CategoricalBayes", "categorical_bayes"]

#: categories of a feature, at most
MOST_CATEGORIES = 10_000


def categorical_bayes(estimator: Any, problem: Problem) -> CategoricalBayes | str:
    """The exact path of CategoricalNB, or why it must be refitted."""
    refused = settings_refusal(
        estimator,
        {
            "alpha": (),
            "force_alpha": (True,),
            "fit_prior": (),
            "class_prior": (),
            "min_categories": (),
        },
    )
    refused = refused or prior_refusal(estimator, problem)
    if refused:
        return refused
    X = problem.X
    if (X < 0).any() or (np.floor(X) != X).any():
        return "some categories are not whole numbers from 0"
    if X.max() >= MOST_CATEGORIES:
        return f"a feature has more than {MOST_CATEGORIES:,} categories"
    least = estimator.min_categories
    if least is not None:
        given = np.asarray(least)
        if given.dtype.kind != "i" or given.shape not in ((), (X.shape[1],)):
            return f"CategoricalNB has min_categories={least!r}"
    return CategoricalBayes(estimator, problem)


class CategoricalBayes:
    """Counts of each feature's categories in each class."""

    score_kind: ScoreKind = "probability"
    least = 1

    def __init__(self, estimator: Any, problem: Problem) -> None:
        self.name = "categorical naive Bayes: counts downdated"
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

    def _count(
        self, own: NDArray[np.int64], feature: int, rows: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """Rows of each class in each category of a feature."""
        size = int(self.categories[feature])
        values = self.X[:, feature] if rows is None else self.X[rows, feature]
        flat = np.bincount(own * size + values, minlength=size * self.problem.classes)
        return flat.reshape(self.problem.classes, size)

    def one_out(self, rows: NDArray[np.int64]) -> Answer:
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

    def fold_out(self, rows: NDArray[np.int64]) -> Answer | None:
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
