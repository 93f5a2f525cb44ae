"""Exact paths that many settings share: neighbours searched once, ridge equations solved once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.threads import in_threads, workers
from heldout.learners.exact.neighbours import Neighbours
from heldout.learners.exact.paths import exact_path
from heldout.learners.exact.problem import Answer
from heldout.learners.one_thread import one_thread
from heldout.selection.decomposed_paths import paths_with, shared_discriminants, shared_ridge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.learners.exact.neighbour_search import Near
    from heldout.learners.exact.path import ExactPath, TestParts
    from heldout.procedures.splits import Splits
    from heldout.selection.settings import Setting

__all__ = ["shared_paths"]

#: numbers that answers may take, all splits together
MOST = 50_000_000


def shared_paths(
    settings: Sequence[Setting], dataset: Dataset, splits: Splits
) -> dict[str, ExactPath]:
    """Exact paths by the settings' names, for those that share work with others."""
    families: dict[tuple[str, ...], list[Setting]] = {}
    for setting in settings:
        if (key := _family(setting)) is not None:
            families.setdefault(key, []).append(setting)
    paths: dict[str, ExactPath] = {}
    for key, members in families.items():
        if len(members) > 1:
            find = {
                "n_neighbors": _neighbours,
                "alpha": shared_ridge,
                "shrinkage": shared_discriminants,
            }[key[0].rsplit("__", 1)[-1]]
            paths |= find(members, key[0], dataset, splits)
    return paths


def _family(setting: Setting) -> tuple[str, ...] | None:
    """Settings of one family differ in the one parameter that a shared path knows."""
    for name in setting.parameters:
        if name.rsplit("__", 1)[-1] in ("n_neighbors", "alpha", "shrinkage"):
            rest = sorted(f"{k}={v!r}" for k, v in setting.parameters.items() if k != name)
            return name, setting.base, *rest
    return None


class _Together:
    """Answers of all numbers of neighbours, from one search for the largest of them."""

    def __init__(self, learner: Neighbours, counts: Sequence[int], parts: TestParts) -> None:
        self.learner, self.counts, self.parts = learner, sorted(set(counts)), parts
        self.name, self.score_kind, self.width = learner.name, learner.score_kind, learner.width
        self.least = Neighbours.least
        self.known: dict[bytes, dict[int, Answer] | None] = {}
        self.kept = 0
        self.is_begun = False

    def one_out(self, rows: NDArray[np.int64], count: int) -> Answer:
        """Each row predicted by so many neighbours among all others."""
        answer = self._answer(rows, count, is_single=True)
        return self.learner.one_out(rows) if answer is None else answer

    def fold_out(self, rows: NDArray[np.int64], count: int) -> Answer | None:
        """The rows predicted by so many neighbours among the rest."""
        return self._answer(rows, count, is_single=False)

    def _answer(self, rows: NDArray[np.int64], count: int, *, is_single: bool) -> Answer | None:
        """The answer of one number for rows left out together, or one by one."""
        key = rows.tobytes()
        if not is_single and not self.is_begun:
            self.is_begun = True
            self._search_ahead()
        if key not in self.known:
            room = self._room(len(rows))
            near = self._near(rows, self.counts[-1], is_single) if self.kept + room < MOST else None
            if near is None:
                alone = self._near(rows, count, is_single)
                return None if alone is None else self._all(alone, [count])[count]
            self.kept += room
            self.known[key] = self._all(near, self.counts)
        answers = self.known[key]
        return None if answers is None else answers[count]

    def _near(self, rows: NDArray[np.int64], count: int, is_single: bool) -> Near | None:
        search = self.learner.search
        return search.beside(rows, count) if is_single else search.outside(rows, count)

    def _room(self, rows: int) -> int:
        return len(self.counts) * rows * (2 + self.learner.problem.classes)

    def _search_ahead(self) -> None:
        """Search all splits at once, each in a thread of its own that starts no others.

        Threads within one search wait for each other, which costs seconds on a busy machine.
        """
        room = self._room(int(self.parts.sizes.sum()))
        count = len(self.parts.sizes)
        if count < 2 or room > MOST or workers() < 2:
            return

        def search(position: int) -> tuple[bytes, dict[int, Answer] | None]:
            rows = self.parts.rows(position, position + 1)
            with one_thread():
                near = self._near(rows, self.counts[-1], is_single=False)
            return rows.tobytes(), None if near is None else self._all(near, self.counts)

        searched = in_threads(search, range(count))
        self.known.update({key: answers for key, answers in searched if answers is not None})
        self.kept += room

    def _all(self, near: Near, counts: Sequence[int]) -> dict[int, Answer]:
        if self.learner.is_weighted:
            return dict(zip(counts, self.learner.answers(near, counts), strict=True))
        targets = self.learner.problem.y[near.index]
        last = np.asarray(counts) - 1
        edges = near.distance[:, last]
        far = edges + near.slack(edges) >= near.limit[:, np.newaxis]
        doubtful = np.ascontiguousarray((far | near.doubtful[:, np.newaxis]).T)
        gaps = near.distance[:, 1:] - near.distance[:, :-1]
        is_close = np.any(gaps <= 2.0 * near.slack(near.distance[:, :-1]), axis=0).tolist()
        for line, count in enumerate(counts):
            if count <= len(is_close) and is_close[count - 1]:
                doubtful[line] |= self.learner._is_tied(near, targets, count)
        classes = self.learner.problem.classes
        answers = _votes(targets, last, classes) if classes else _means(targets, last)
        return {
            count: Answer(predicted, shares, unsure)
            for count, (predicted, shares), unsure in zip(counts, answers, doubtful, strict=True)
        }


def _votes(
    targets: NDArray[np.int64], last: NDArray[np.int64], classes: int
) -> Iterator[tuple[NDArray[Any], NDArray[np.float64]]]:
    """The label that most of so many neighbours have, and the share of each label."""
    shape = (len(last), len(targets))
    shares = np.empty((*shape, classes))
    most, predicted = np.full(shape, -1, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for label in range(classes):
        votes = np.cumsum(targets == label, axis=1)[:, last].T
        is_more = votes > most
        predicted[is_more] = label
        np.maximum(most, votes, out=most)
        shares[:, :, label] = votes / (last + 1.0)[:, np.newaxis]
    return zip(predicted, shares, strict=True)


def _means(
    targets: NDArray[np.float64], last: NDArray[np.int64]
) -> Iterator[tuple[NDArray[Any], None]]:
    """The mean of so many neighbours' values."""
    sums = np.cumsum(targets, axis=1)[:, last]
    return ((line, None) for line in (sums / (last + 1.0)).T)


def _neighbours(
    members: Sequence[Setting], name: str, dataset: Dataset, splits: Splits
) -> dict[str, ExactPath]:
    if not all(isinstance(setting.parameters[name], int) for setting in members):
        return {}
    largest = max(members, key=lambda setting: setting.parameters[name])
    path = exact_path(largest.model, dataset, splits)
    if isinstance(path, str) or not isinstance(path.learner, Neighbours):
        return {}
    first = path.learner
    if first.search.algorithm == "auto" and 2 * first.wanted >= _least_trained(path) - 1:
        # scikit-learn searches for so many another way than for fewer, which share their search
        fewer = [
            setting
            for setting in members
            if 2 * setting.parameters[name] < _least_trained(path) - 1
        ]
        return _neighbours(fewer, name, dataset, splits) if len(fewer) > 1 else {}
    counts = [setting.parameters[name] for setting in members]
    together = _Together(first, counts, path.parts)
    return paths_with(path, members, together, counts)


def _least_trained(path: ExactPath) -> int:
    return path.splits.rows - int(path.parts.sizes.max(initial=0))
