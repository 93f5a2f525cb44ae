"""An exact path: outcomes of many splits at once, without those it cannot vouch for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.learners.exact.answer import Answer
from heldout.learners.exact.one_thread import one_thread_if_small
from heldout.learners.exact.parts import TestParts
from heldout.learners.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from heldout.learners.exact.answer import Learner
    from heldout.learners.exact.problem import Problem
    from heldout.procedures.splits import Splits

__all__ = ["ExactPath"]


@dataclass(frozen=True, eq=False)
class ExactPath:
    """Predictions of all splits from sums over all rows.

    Splits of which refitting might say something else (a tie, a class that the training part
    lacks, features that are nearly collinear in it) are left out of the outcomes: whoever
    runs the path refits them.
    """

    learner: Learner
    problem: Problem
    splits: Splits
    #: the data set's code of each class, in the estimator's order
    codes: NDArray[np.int64]
    #: classes of the data set
    classes: int

    @property
    def name(self) -> str:
        """What the result says of how it was come by."""
        return self.learner.name

    @cached_property
    def parts(self) -> TestParts:
        """The test parts of the splits."""
        return TestParts(self.splits)

    @cached_property
    def _design(self) -> Callable[[int, int], _Design]:
        """What a block of splits holds; paths that share their data ask for the same again."""
        return lru_cache(maxsize=2)(partial(_Design, self.problem, self.parts))

    def with_learner(self, learner: Learner) -> ExactPath:
        """The same data and test parts, for another learner."""
        own = replace(self, learner=learner)
        vars(own).update(parts=self.parts, _design=self._design)
        return own

    def run(self, positions: slice | None = None) -> Iterator[Outcome]:
        """Outcomes of the splits at these positions, in blocks."""
        start, stop, _ = (positions or slice(None)).indices(len(self.splits))
        for first, last in self.parts.blocks(start, stop, self.learner.width):
            # what cannot be computed is NaN, and refitted
            quiet = np.errstate(divide="ignore", invalid="ignore", over="ignore")
            with one_thread_if_small(self.problem), quiet:
                made = self._block(first, last)
            if made is not None:
                yield made

    def _block(self, first: int, last: int) -> Outcome | None:
        design = self._design(first, last)
        rows, sizes = design.rows, design.sizes
        # a class too small in the training part, or none to train on: refit
        usable = (sizes > 0) & design.is_trainable(self.learner.least)
        if not usable.all():
            rows = rows[np.repeat(usable, sizes)]
        answer, doubtful = self._answer(rows, sizes[usable])
        kept = usable.copy()
        kept[usable] = ~doubtful
        if not kept.any():
            return None
        if doubtful.any():
            sure = np.repeat(~doubtful, sizes[usable])
            rows, answer = rows[sure], _only(answer, sure)
        count = int(np.count_nonzero(kept))
        return Outcome(
            splits=np.arange(first, last)[kept],
            split_of=np.repeat(np.arange(count, dtype=np.int32), sizes[kept]),
            rows=rows,
            predicted=self._codes(answer.predicted),
            scores=self._columns(answer.scores),
            score_kind=self.learner.score_kind if answer.scores is not None else "",
            train_counts=self._counts(design, kept),
            train_mean=None if self.problem.classes else design.means[kept],
            train_rows=design.train_rows[kept],
            fit_seconds=np.full(count, np.nan),
            predict_seconds=np.full(count, np.nan),
            path=self.learner.name,
        )

    def _answer(
        self, rows: NDArray[np.int64], sizes: NDArray[np.int64]
    ) -> tuple[Answer, NDArray[np.bool_]]:
        """Predictions of the rows, and which splits are doubtful."""
        if not len(sizes):
            return Answer(rows, None, np.zeros(0, dtype=bool)), np.zeros(0, dtype=bool)
        if sizes.max() == 1:
            answer = self.learner.one_out(rows)
            return answer, answer.doubtful | ~_is_finite(answer)
        ends = np.cumsum(sizes)
        spans = zip(ends - sizes, ends, strict=True)
        found = [self.learner.fold_out(rows[start:end]) for start, end in spans]
        doubtful = np.array(
            [one is None or bool((one.doubtful | ~_is_finite(one)).any()) for one in found]
        )
        width = next((np.shape(a.scores)[1:] for a in found if a and a.scores is not None), None)
        pieces = [
            one if one is not None else _unknown(int(size), width)
            for one, size in zip(found, sizes, strict=True)
        ]
        scores = None if width is None else np.concatenate([a.scores for a in pieces])
        predicted = np.concatenate([a.predicted for a in pieces])
        return Answer(predicted, scores, np.repeat(doubtful, sizes)), doubtful

    @cached_property
    def _is_in_order(self) -> bool:
        """Whether the estimator numbers the classes as the data set does."""
        return np.array_equal(self.codes, np.arange(self.classes))

    def _codes(self, predicted: NDArray[Any]) -> NDArray[Any]:
        has_codes = self.problem.classes and not self._is_in_order
        return self.codes[predicted] if has_codes else predicted

    def _columns(self, scores: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
        """Scores in the order of the data set's classes."""
        if scores is None or self._is_in_order:
            return scores
        if scores.shape[1] == 1:
            if self.classes == 2:
                return scores if self.codes[1] == 1 else -scores
            scores = np.column_stack([-scores, scores])
        absent = 0.0 if self.learner.score_kind == "probability" else -np.inf
        whole = np.full((len(scores), self.classes), absent)
        whole[:, self.codes] = scores
        return whole

    def _counts(self, design: _Design, kept: NDArray[np.bool_]) -> NDArray[np.int64] | None:
        if not self.problem.classes:
            return None
        counts = design.counts if kept.all() else design.counts[kept]
        if self._is_in_order:
            return counts
        whole = np.zeros((len(counts), self.classes), dtype=np.int64)
        whole[:, self.codes] = counts
        return whole


class _Design:
    """What the test and the training parts of some splits hold."""

    def __init__(self, problem: Problem, parts: TestParts, first: int, last: int) -> None:
        self.rows, self.sizes = parts.rows(first, last), parts.sizes[first:last]
        rows, sizes = self.rows, self.sizes
        self.train_rows = len(problem.y) - sizes
        self.classes = problem.classes
        split_of = np.repeat(np.arange(len(sizes)), sizes)
        if self.classes:
            flat = np.bincount(
                split_of * self.classes + problem.y[rows], minlength=len(sizes) * self.classes
            )
            self.counts = problem.counts - flat.reshape(len(sizes), self.classes)
        else:
            centre = problem.y.mean()
            out = np.bincount(split_of, weights=problem.y[rows] - centre, minlength=len(sizes))
            self.means = centre - out / np.maximum(self.train_rows, 1)

    def is_trainable(self, least: int) -> NDArray[np.bool_]:
        if not self.classes:
            return np.asarray(self.train_rows >= max(least, 1))
        enough = self.train_rows > self.classes
        if self.counts.min(initial=least) < least:
            enough &= (self.counts >= least).all(axis=1)
        return np.asarray(enough)


def _is_finite(answer: Answer) -> NDArray[np.bool_]:
    """Of each row: whether all that is said of it is a number."""
    values = answer.predicted if answer.scores is None else answer.scores
    found = np.isfinite(values)
    return np.asarray(found if found.ndim == 1 else found.all(axis=1))


def _only(answer: Answer, rows: NDArray[np.bool_]) -> Answer:
    scores = None if answer.scores is None else answer.scores[rows]
    return Answer(answer.predicted[rows], scores, answer.doubtful[rows])


def _unknown(size: int, width: tuple[int, ...] | None) -> Answer:
    scores = None if width is None else np.full((size, *width), np.nan)
    return Answer(np.zeros(size, dtype=np.int64), scores, np.ones(size, dtype=bool))
