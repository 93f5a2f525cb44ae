"""A score column a class with the true class of each row: what several-class rankings need."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from heldout.core.threads import WORTH_A_THREAD, in_threads
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class ClassScores:
    """Rows of scores, one column per class, with their true class; adding joins the rows.

    Rankings between classes need the joint order of truth and score in each column, which
    has no smaller exact form than the rows themselves: this tally grows with them.
    """

    truth: NDArray[Any] = field(default_factory=lambda: np.zeros(0, np.int64))
    scores: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    weight: NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls,
        truth: NDArray[Any],
        scores: NDArray[np.float64],
        weight: NDArray[np.float64] | None = None,
    ) -> ClassScores:
        """The tally of rows given as class codes and a score matrix."""
        return cls(truth, scores, weight)

    def __add__(self, other: ClassScores) -> ClassScores:
        if not len(self.truth) or not len(other.truth):
            return self if len(self.truth) else other
        weight = None
        if self.weight is not None or other.weight is not None:
            parts = [np.ones(len(t.truth)) if t.weight is None else t.weight for t in (self, other)]
            weight = np.concatenate(parts)
        return ClassScores(
            np.concatenate([self.truth, other.truth]),
            np.concatenate([self.scores, other.scores]),
            weight,
        )

    @property
    def rows(self) -> int:
        """How many rows were counted."""
        return len(self.truth)

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return int(self.scores.shape[1])

    @cached_property
    def actual(self) -> NDArray[Any]:
        """Rows (or weight) of each true class."""
        return np.bincount(self.truth, self.weight, minlength=self.classes)

    @cached_property
    def versus_rest(self) -> tuple[ScoreCounts, ...]:
        """Each class's column as a ranking of that class against all others."""
        return tuple(self._each(self._versus))

    def _versus(self, column: int) -> ScoreCounts:
        return ScoreCounts.of(self.truth == column, self.scores[:, column], self.weight)

    def _each(self, work: Callable[[int], T]) -> list[T]:
        """The same work for each column, in threads where there is enough of it."""
        if self.rows * self.classes < WORTH_A_THREAD:
            return [work(column) for column in range(self.classes)]
        return in_threads(work, range(self.classes))

    @cached_property
    def pairwise(self) -> NDArray[np.float64]:
        """``[j, i]``: how often a row of class j has a larger score j than a row of class i.

        Ties count one half. NaN where one of the two classes has no rows, and on the diagonal.
        """
        return np.vstack(self._each(self._against_each))

    def _against_each(self, column: int) -> NDArray[np.float64]:
        """AUC of one class's column against each other class, from one sort of it."""
        weight = np.ones(self.rows) if self.weight is None else self.weight
        order = np.argsort(-self.scores[:, column], kind="stable")
        score, truth, weight = self.scores[order, column], self.truth[order], weight[order]
        first = np.flatnonzero(np.concatenate([[True], score[1:] != score[:-1]]))
        level = np.repeat(np.arange(len(first)), np.diff(first, append=len(score)))
        here = np.add.reduceat(np.where(truth == column, weight, 0.0), first)
        above = np.cumsum(here) - here / 2  # own rows above, and half of those tied
        wins = np.bincount(truth, weight * above[level], minlength=self.classes)
        actual = np.asarray(self.actual, float)
        pairs = actual * actual[column]
        share = np.divide(wins, pairs, out=np.full(self.classes, np.nan), where=pairs > 0)
        share[column] = np.nan
        return share
