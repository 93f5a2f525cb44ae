"""Many settings of a learner from one pass: numbers of neighbours, ridge penalties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.errors import InputError
from karat.learners.exact.arrays import refitted
from karat.learners.exact.neighbours import Neighbours
from karat.learners.exact.parts import TestParts
from karat.learners.exact.paths import path_of_arrays

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from karat.learners.exact.neighbour_search import Near
    from karat.procedures.splits import Splits

__all__ = ["Grid", "knn_grid", "ridge_grid"]


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Predictions of every tested row by every setting."""

    settings: tuple[Any, ...]
    rows: NDArray[np.int64]
    #: position of the split in which each row was tested
    split_of: NDArray[np.int64]
    #: labels or values, a line a setting
    predicted: NDArray[Any]
    #: a line a setting and a column a split: what had to be refitted
    refitted: NDArray[np.bool_]


def knn_grid(estimator: Any, ks: Sequence[int], X: Any, y: Any, splits: Splits) -> Grid:
    """Predictions for all numbers of neighbours from one search a split.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from karat.procedures.splits import PartitionSplits
    >>> each = np.arange(6, dtype=np.int32)[np.newaxis]
    >>> splits = PartitionSplits("loo", 6, 0, (), each, 6)
    >>> X, y = np.array([[0.0], [1.1], [2.0], [7.0], [8.2], [9.0]]), [0, 0, 0, 1, 1, 1]
    >>> knn_grid(KNeighborsClassifier(), [1, 4], X, y, splits).predicted
    array([[0, 0, 0, 1, 1, 1],
           [0, 0, 0, 0, 0, 0]])
    """
    counts = sorted({int(k) for k in ks})
    if not counts or counts[0] < 1:
        raise InputError("ks: give one or more numbers of neighbours from 1")
    X, y = np.asarray(X), np.asarray(y)
    from sklearn.base import clone

    largest = _with_setting(clone(estimator), "n_neighbors", counts[-1])
    path = path_of_arrays(largest, X, y, splits)
    made = _Made(tuple(counts), y, splits, is_class=not isinstance(path, str) and path.classes > 0)
    if not isinstance(path, str) and isinstance(path.learner, Neighbours):
        for first, last, near in _lists(path.learner, made.parts, len(splits)):
            made.take(first, last, list(path.learner.answers(near, counts)))
    made.refit(estimator, "n_neighbors", X)
    return made.grid()


def _lists(learner: Neighbours, parts: TestParts, count: int) -> Iterator[tuple[int, int, Near]]:
    """Neighbours of the rows of some splits: of all that leave out single rows at once."""
    is_single = bool(parts.sizes.max(initial=0) == 1)
    spans = (
        parts.blocks(0, count, learner.width) if is_single else ((i, i + 1) for i in range(count))
    )
    for first, last in spans:
        rows = parts.rows(first, last)
        search = learner.search.beside if is_single else learner.search.outside
        near = search(rows, learner.wanted) if len(rows) else None
        if near is not None:
            yield first, last, near


def ridge_grid(estimator: Any, alphas: Sequence[float], X: Any, y: Any, splits: Splits) -> Grid:
    """Predictions for all penalties of a ridge regression; each costs one downdate a split."""
    penalties = tuple(float(alpha) for alpha in alphas)
    if not penalties or min(penalties) <= 0:
        raise InputError("alphas: give one or more penalties above 0")
    X, y = np.asarray(X), np.asarray(y)
    from sklearn.base import clone

    made = _Made(penalties, y, splits, is_class=False)
    for line, alpha in enumerate(penalties):
        path = path_of_arrays(_with_setting(clone(estimator), "alpha", alpha), X, y, splits)
        if isinstance(path, str):
            continue
        made.is_class = path.classes > 0
        for outcome in path.run():
            made.put(line, outcome.splits, outcome.predicted)
    made.refit(estimator, "alpha", X)
    return made.grid()


def _with_setting(estimator: Any, name: str, value: Any) -> Any:
    """The estimator with a setting of its last step changed."""
    steps = getattr(estimator, "steps", None)
    if steps:
        _with_setting(steps[-1][1], name, value)
    else:
        estimator.set_params(**{name: value})
    return estimator


class _Made:
    """Predictions that are being collected."""

    def __init__(
        self, settings: tuple[Any, ...], y: NDArray[Any], splits: Splits, *, is_class: bool
    ) -> None:
        self.settings, self.y, self.splits, self.is_class = settings, y, splits, is_class
        self.parts = TestParts(splits)
        self.rows = self.parts.rows(0, len(splits))
        self.ends = np.cumsum(self.parts.sizes)
        self.split_of = np.repeat(np.arange(len(splits)), self.parts.sizes)
        self.labels = np.unique(y)
        self.known = np.zeros((len(settings), len(splits)), dtype=bool)
        self.predicted: NDArray[Any] = np.zeros((len(settings), len(self.rows)))

    def take(self, first: int, last: int, answers: Sequence[Any]) -> None:
        """Answers of all settings for some neighbouring splits."""
        low, high = self.ends[first] - self.parts.sizes[first], self.ends[last - 1]
        inside = self.split_of[low:high] - first
        for line, answer in enumerate(answers):
            unsure = np.bincount(inside, weights=answer.doubtful, minlength=last - first)
            self.known[line, first:last] = unsure == 0
            self.predicted[line, low:high] = answer.predicted

    def put(self, line: int, positions: NDArray[np.int64], predicted: NDArray[Any]) -> None:
        """Predictions of one setting in some splits."""
        self.known[line, positions] = True
        self.predicted[
            line, self.known[line][self.split_of] & np.isin(self.split_of, positions)
        ] = predicted

    def refit(self, estimator: Any, name: str, X: NDArray[Any]) -> None:
        """Fit what is not known yet."""
        from sklearn.base import clone

        if self.is_class:
            self.predicted = self.labels[self.predicted.astype(np.int64)]
        elif not self.known.any():
            self.predicted = (
                self.predicted.astype(np.result_type(self.y, np.float64))
                if (self.y.dtype.kind in "iuf")
                else self.predicted.astype(self.y.dtype)
            )
        for line, position in np.argwhere(~self.known):
            split = self.splits.split(int(position))
            one = _with_setting(clone(estimator), name, self.settings[line])
            found, _ = refitted(one, X, self.y, split.train, split.test)
            end = self.ends[position]
            self.predicted[line, end - self.parts.sizes[position] : end] = found

    def grid(self) -> Grid:
        """All of it."""
        return Grid(self.settings, self.rows, self.split_of, self.predicted, ~self.known)
