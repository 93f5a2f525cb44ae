"""An exact path: outcomes of many splits at once, without those it cannot vouch for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from heldout.learners.exact.problem import Answer, Refit, one_thread_if_quick
from heldout.learners.outcome import Outcome
from heldout.procedures.splits import PartitionSplits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from heldout.core.arrays import Array, Booleans, Floats, Integers
    from heldout.learners.exact.problem import Learner, Problem
    from heldout.procedures.splits import Splits

#: rows of one block of splits, at most (one split may be larger)
ROWS = 65_536
#: floats that a block of rows left out one by one may need
FLOATS = 4_000_000


def refuse_splits(splits: Splits) -> None:
    """``Refit`` where a training part is not all rows but the test part."""
    if isinstance(splits, PartitionSplits):
        return
    for split in splits:
        if split.validation is not None:
            raise Refit("a part of the rows is kept for choosing settings")
        both = np.concatenate([split.train, split.test])
        if len(both) != splits.rows or (np.bincount(both, minlength=splits.rows) != 1).any():
            raise Refit("the training parts are not all rows but the test part")


@dataclass(frozen=True, eq=False)
class TestParts:
    """Rows of the test parts, in the order of the splits."""

    # pytest would take the name for a test case
    __test__ = False

    splits: Splits

    @cached_property
    def sizes(self) -> Integers:
        """Rows of each split's test part."""
        splits = self.splits
        if isinstance(splits, PartitionSplits):
            counts = [np.bincount(folds, minlength=splits.folds) for folds in splits.assignment]
            return np.concatenate(counts)
        return np.array([len(split.test) for split in splits], dtype=np.int64)

    @cached_property
    def _order(self) -> Callable[[int], Integers]:
        assignment = getattr(self.splits, "assignment", None)

        @lru_cache(maxsize=2)
        def order(repeat: int) -> Integers:
            assert assignment is not None
            return np.argsort(assignment[repeat], kind="stable")

        return order

    def rows(self, start: int, stop: int) -> Integers:
        """Rows tested in the splits from ``start`` up to ``stop``, below each other."""
        splits = self.splits
        if not isinstance(splits, PartitionSplits):
            tests = [splits.split(position).test for position in range(start, stop)]
            return np.concatenate(tests) if tests else np.zeros(0, dtype=np.int64)
        pieces = []
        for repeat in range(start // splits.folds, -(-stop // splits.folds)):
            first = repeat * splits.folds
            edges = np.concatenate([[0], np.cumsum(self.sizes[first : first + splits.folds])])
            low = edges[max(start - first, 0)]
            high = edges[min(stop - first, splits.folds)]
            pieces.append(self._order(repeat)[low:high])
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)

    def blocks(self, start: int, stop: int, width: int) -> Iterator[tuple[int, int]]:
        """Spans of splits that need little memory at a time."""
        limit = max(1, min(ROWS, FLOATS // max(width, 1)))
        ends = np.cumsum(self.sizes[start:stop])
        done, position = 0, start
        while position < stop:
            after = start + int(np.searchsorted(ends, done + limit, side="right"))
            after = max(after, position + 1)
            yield position, after
            done, position = int(ends[after - start - 1]), after


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
    codes: Integers
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
            with one_thread_if_quick(self.problem), quiet:
                outcomes = self._block(first, last)
            if outcomes is not None:
                yield outcomes

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

    def _answer(self, rows: Integers, sizes: Integers) -> tuple[Answer, Booleans]:
        """Predictions of the rows, and which splits are doubtful."""
        if not len(sizes):
            return Answer(rows, None, np.zeros(0, dtype=bool)), np.zeros(0, dtype=bool)
        if self.parts.sizes.max() == 1:
            answer = self.learner.one_out(rows)
            return answer, answer.doubtful | ~_is_finite(answer)
        ends = np.cumsum(sizes)
        spans = zip(ends - sizes, ends, strict=True)
        answers = [self.learner.fold_out(rows[start:end]) for start, end in spans]
        doubtful = np.array(
            [
                answer is None or bool((answer.doubtful | ~_is_finite(answer)).any())
                for answer in answers
            ]
        )
        width = next((np.shape(a.scores)[1:] for a in answers if a and a.scores is not None), None)
        pieces = [
            answer if answer is not None else Answer.unknown(int(size), width)
            for answer, size in zip(answers, sizes, strict=True)
        ]
        scores = None if width is None else np.concatenate([a.scores for a in pieces])
        predicted = np.concatenate([a.predicted for a in pieces])
        return Answer(predicted, scores, np.repeat(doubtful, sizes)), doubtful

    @cached_property
    def _is_in_order(self) -> bool:
        """Whether the estimator numbers the classes as the data set does."""
        return np.array_equal(self.codes, np.arange(self.classes))

    def _codes(self, predicted: Array) -> Array:
        has_codes = self.problem.classes and not self._is_in_order
        return self.codes[predicted] if has_codes else predicted

    def _columns(self, scores: Floats | None) -> Floats | None:
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

    def _counts(self, design: _Design, kept: Booleans) -> Integers | None:
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

    def is_trainable(self, least: int) -> Booleans:
        if not self.classes:
            return np.asarray(self.train_rows >= max(least, 1))
        enough = self.train_rows > self.classes
        if self.counts.min(initial=least) < least:
            enough &= (self.counts >= least).all(axis=1)
        return np.asarray(enough)


def _is_finite(answer: Answer) -> Booleans:
    """Of each row: whether all that is said of it is a number."""
    values = answer.predicted if answer.scores is None else answer.scores
    is_finite = np.isfinite(values)
    return np.asarray(is_finite if is_finite.ndim == 1 else is_finite.all(axis=1))


def _only(answer: Answer, rows: Booleans) -> Answer:
    scores = None if answer.scores is None else answer.scores[rows]
    return Answer(answer.predicted[rows], scores, answer.doubtful[rows])
