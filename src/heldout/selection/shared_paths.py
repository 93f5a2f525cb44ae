"""Exact paths that many settings share: neighbours searched once, ridge equations solved once."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, cast

from heldout.core.threads import in_threads, workers
from heldout.learners.exact.neighbours import Neighbours
from heldout.learners.exact.paths import exact_path
from heldout.learners.exact.problem import Refit
from heldout.learners.one_thread import one_thread
from heldout.selection.decomposed_paths import (
    MOST_KEPT,
    ByRows,
    paths_with,
    shared_discriminants,
    shared_ridge,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.learners.exact.neighbour_search import Near
    from heldout.learners.exact.path import ExactPath, TestParts
    from heldout.learners.exact.problem import Answer
    from heldout.procedures.splits import Splits
    from heldout.selection.settings import Setting

    Search = Callable[[NDArray[np.int64], int], Near | None]


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
            with suppress(Refit):
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
        self.known = ByRows()
        self.is_begun = False

    def one_out(self, rows: NDArray[np.int64], count: int) -> Answer:
        """Each row predicted by so many neighbours among all others."""
        answer = self._answer(rows, count, self.learner.search.beside)
        return self.learner.one_out(rows) if answer is None else answer

    def fold_out(self, rows: NDArray[np.int64], count: int) -> Answer | None:
        """The rows predicted by so many neighbours among the rest."""
        if not self.is_begun:
            self.is_begun = True
            self._search_ahead()
        return self._answer(rows, count, self.learner.search.outside)

    def _answer(self, rows: NDArray[np.int64], count: int, search: Search) -> Answer | None:
        """The answer of one number for rows left out together, or one by one."""
        answers, room = None, self._room(len(rows))
        if self.known.has_room(rows, room):
            answers = self.known.get(rows, lambda: self._all(rows, search), room)
        if answers is not None:
            return cast("Answer", answers[count])
        # no room, or the largest number is more than there are rows
        near = search(rows, count)
        return None if near is None else next(self.learner.answers(near, [count]))

    def _all(self, rows: NDArray[np.int64], search: Search) -> dict[int, Answer] | None:
        near = search(rows, self.counts[-1])
        if near is None:
            return None
        return dict(zip(self.counts, self.learner.answers(near, self.counts), strict=True))

    def _room(self, rows: int) -> int:
        return len(self.counts) * rows * (2 + self.learner.problem.classes)

    def _search_ahead(self) -> None:
        """Search all splits at once, each in a thread of its own that starts no others.

        Threads within one search wait for each other, which costs seconds on a busy machine.
        """
        count = len(self.parts.sizes)
        if count < 2 or self._room(int(self.parts.sizes.sum())) > MOST_KEPT or workers() < 2:
            return

        def search(position: int) -> None:
            rows = self.parts.rows(position, position + 1)
            with one_thread():
                self._answer(rows, self.counts[0], self.learner.search.outside)

        in_threads(search, range(count))


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
