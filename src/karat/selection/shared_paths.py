"""Exact paths that many settings share: neighbours searched once, ridge equations solved once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from karat.learners.exact.neighbours import Neighbours
from karat.learners.exact.paths import exact_path
from karat.selection.ridge_paths import shared_ridge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from karat.datasets.dataset import Dataset
    from karat.learners.exact.neighbour_search import Near, Search
    from karat.learners.exact.path import ExactPath
    from karat.procedures.splits import Splits
    from karat.selection.settings import Setting

__all__ = ["shared_paths"]

#: numbers that lists of neighbours may take, all splits together
MOST_KEPT = 50_000_000


def shared_paths(
    settings: Sequence[Setting], dataset: Dataset, splits: Splits
) -> dict[str, ExactPath]:
    """Exact paths by the settings' names, for those that share work with others."""
    families: dict[str, list[Setting]] = {}
    for setting in settings:
        if (key := _family(setting)) is not None:
            families.setdefault(key, []).append(setting)
    made: dict[str, ExactPath] = {}
    for key, members in families.items():
        if len(members) > 1:
            find = _neighbours if key.startswith("n_neighbors") else shared_ridge
            made |= find(members, dataset, splits)
    return made


def _family(setting: Setting) -> str | None:
    """Settings of one family differ in the one parameter that a shared path knows."""
    for name in ("n_neighbors", "alpha"):
        if name in setting.parameters:
            rest = {k: v for k, v in setting.parameters.items() if k != name}
            return f"{name};{setting.base};{sorted(rest.items(), key=lambda pair: pair[0])!r}"
    return None


class _SearchOnce:
    """A search for the largest number of neighbours, whose lists all smaller numbers share."""

    def __init__(self, search: Search, wanted: int) -> None:
        self.search, self.wanted = search, wanted
        self.known: dict[bytes, Near | None] = {}
        self.kept = 0

    def outside(self, rows: NDArray[Any], wanted: int) -> Near | None:
        """Neighbours of the rows among all rows that are not one of them."""
        key = rows.tobytes()
        if key not in self.known:
            found = self.search.outside(rows, self.wanted)
            if found is None or self.kept > MOST_KEPT:
                return self.search.outside(rows, wanted)
            self.kept += 2 * found.index.size
            self.known[key] = found
        return self.known[key]

    def beside(self, rows: NDArray[Any], wanted: int) -> Near | None:
        """Neighbours of each row among all others."""
        key = b"beside" + rows.tobytes()
        if key not in self.known:
            found = self.search.beside(rows, self.wanted)
            if found is None or self.kept > MOST_KEPT:
                return self.search.beside(rows, wanted)
            self.kept += 2 * found.index.size
            self.known[key] = found
        return self.known[key]


def _neighbours(
    members: Sequence[Setting], dataset: Dataset, splits: Splits
) -> dict[str, ExactPath]:
    largest = max(members, key=lambda one: one.parameters["n_neighbors"])
    path = exact_path(largest.model, dataset, splits)
    if isinstance(path, str) or not isinstance(path.learner, Neighbours):
        return {}
    first = path.learner
    if first.search.algorithm == "auto" and first.wanted >= 0.5 * _least_trained(path):
        # scikit-learn would search these another way than smaller numbers
        return {}
    shared = _SearchOnce(first.search, first.wanted)
    made = {}
    for setting in members:
        learner = object.__new__(Neighbours)
        learner.__dict__.update(first.__dict__)
        learner.wanted = int(setting.parameters["n_neighbors"])
        learner.search = shared  # type: ignore[assignment]
        own = replace(path, learner=learner)
        # the test parts are the same for all
        own.__dict__["parts"] = path.parts
        made[setting.name] = own
    return made


def _least_trained(path: ExactPath) -> int:
    return path.splits.rows - int(path.parts.sizes.max(initial=0))
