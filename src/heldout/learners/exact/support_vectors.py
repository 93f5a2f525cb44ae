"""Support vector machines without single rows: only machines a row supports are refitted."""

from __future__ import annotations

from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.threads import in_threads
from heldout.learners.exact.problem import (
    Answer,
    Refit,
    refuse_other_settings,
    refuse_single_class,
)

if TYPE_CHECKING:
    from heldout.core.arrays import Booleans, Floats, Integers
    from heldout.learners.exact.problem import Problem
    from heldout.learners.outcome import ScoreKind


#: the share of the largest weight below which a weight is free, and fixes the intercept
BELOW = 1 - 1e-6


def support_vectors(estimator: Any, problem: Problem) -> SupportVectors:
    """The path of SVC under leave-one-out."""
    refuse_other_settings(
        estimator,
        "C degree gamma coef0 shrinking tol cache_size random_state",
        kernel=("linear", "poly", "rbf", "sigmoid"),
        probability=(False, "deprecated"),
        class_weight=(None,),
        verbose=(False,),
        max_iter=(-1,),
        decision_function_shape=("ovr", "ovo"),
        break_ties=(False,),
    )
    refuse_single_class(problem)
    if problem.is_scaled:
        raise Refit("scaled features change the kernel in every training part")
    if estimator.kernel != "linear" and estimator.gamma == "scale":
        raise Refit("gamma='scale' changes the kernel in every training part")
    if not isinstance(estimator.tol, Real) or not estimator.tol <= 1e-2:
        raise Refit(f"SVC has tol={estimator.tol!r}")
    return SupportVectors(estimator, problem)


class SupportVectors:
    """A machine for each pair of classes; a row without weight in it leaves it as it is.

    A row without weight is outside the margin on its own side, so that its label is certain;
    its decision value is that of the fit with all rows, which equals the one without the row
    within the solver's tolerance. Where all weights are as large as they may be, no row fixes the
    intercept, and rows without weight bound it: such a machine is refitted for every row.
    """

    least = 1
    #: larger test parts change the machines of all pairs
    largest_part = 1
    #: small blocks, since rows with weight take a fit each
    width = 60_000

    def __init__(self, estimator: Any, problem: Problem) -> None:
        self.name = (
            "support vectors refitted, other rows from one fit "
            "(their decision values to the solver's tolerance)"
        )
        self.estimator, self.problem = estimator, problem
        has_scores = problem.classes == 2 or estimator.decision_function_shape == "ovr"
        self.score_kind: ScoreKind = "decision" if has_scores else ""
        self.pairs = [(i, j) for i in range(problem.classes) for j in range(i + 1, problem.classes)]

    @cached_property
    def _whole(self) -> tuple[Floats, Booleans]:
        """Decisions of all pairs for all rows, and which rows support which pair."""
        from sklearn.base import clone

        fitted = clone(self.estimator).set_params(decision_function_shape="ovo")
        fitted.fit(self.problem.X, self.problem.y)
        values = np.asarray(fitted.decision_function(self.problem.X))
        # scikit-learn turns the sign of a single pair
        decisions = -values[:, np.newaxis] if values.ndim == 1 else values
        supports = np.zeros((len(self.problem.X), len(self.pairs)), dtype=bool)
        own = self.problem.y[fitted.support_]
        for index, (i, j) in enumerate(self.pairs):
            is_fixed = False
            for winner, other in ((i, j), (j, i)):
                line = other if other < winner else other - 1
                mine = own == winner
                weight = np.abs(fitted.dual_coef_[line, mine])
                supports[fitted.support_[mine], index] = weight > 0
                is_fixed |= bool(((weight > 0) & (weight < BELOW * self.estimator.C)).any())
            if not is_fixed:
                supports[self._members[index], index] = True
        return decisions, supports

    def one_out(self, rows: Integers) -> Answer:
        """Each row predicted by the machines of all others."""
        decisions, supports = self._whole
        answers = decisions[rows]
        jobs = [(index, pair) for index, pair in np.argwhere(supports[rows])]
        refitted = in_threads(lambda job: self._refit(int(rows[job[0]]), int(job[1])), jobs)
        for (index, pair), value in zip(jobs, refitted, strict=True):
            answers[index, pair] = value
        votes = np.zeros((len(rows), self.problem.classes))
        for index, (i, j) in enumerate(self.pairs):
            votes[:, i] += answers[:, index] > 0
            votes[:, j] += answers[:, index] <= 0
        doubtful = np.asarray((np.abs(answers) < 1e-9).any(axis=1))
        return Answer(votes.argmax(axis=1), self._scores(answers, votes), doubtful)

    def _refit(self, row: int, pair: int) -> float:
        """The decision of a pair of classes about a row that took part in it."""
        from sklearn.base import clone

        chosen = self._members[pair]
        kept = chosen[chosen != row]
        # with two classes in play, the machine of a pair is the one of all classes for them
        fitted = clone(self.estimator).fit(self.problem.X[kept], self.problem.y[kept])
        return -float(fitted.decision_function(self.problem.X[row : row + 1])[0])

    @cached_property
    def _members(self) -> list[Integers]:
        y = self.problem.y
        return [np.flatnonzero((y == i) | (y == j)) for i, j in self.pairs]

    def _scores(self, decisions: Floats, votes: Floats) -> Floats | None:
        if not self.score_kind:
            return None
        if self.problem.classes == 2:
            return -decisions
        sums = np.zeros(votes.shape)
        for index, (i, j) in enumerate(self.pairs):
            sums[:, i] += decisions[:, index]
            sums[:, j] -= decisions[:, index]
        return np.asarray(votes + sums / (3.0 * (np.abs(sums) + 1.0)))

    def fold_out(self, rows: Integers) -> Answer | None:
        """A part of several rows is left to be refitted."""
        return None
