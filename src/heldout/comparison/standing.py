"""Which pairs are compared, and how models stand: beside a control, or by shared letters."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeVar

from heldout.core.errors import InputError
from heldout.core.nearest import hint_of
from heldout.core.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from heldout.comparison.difference import Difference
    from heldout.comparison.options import CompareOptions

D = TypeVar("D", bound="Difference")


def pairs_of(models: int, control: int | None = None) -> list[tuple[int, int]]:
    """Places of the two models of each pair; with a control, that one is the first of each.

    Examples
    --------
    >>> pairs_of(3), pairs_of(3, 1)
    ([(0, 1), (0, 2), (1, 2)], [(1, 0), (1, 2)])
    """
    if control is None:
        return list(combinations(range(models), 2))
    return [(control, other) for other in range(models) if other != control]


def place_of(models: Sequence[str], control: str) -> int | None:
    """The place of the control among the models; None where there is none."""
    if not control:
        return None
    if control not in models:
        hint = hint_of(control, models)
        raise InputError(f"no model is called {control!r}, so it cannot be the control{hint}")
    return list(models).index(control)


class Compared(Shown):
    """Models compared pair by pair, by one or several measures."""

    differences: tuple[Any, ...]
    options: CompareOptions
    reasoning: tuple[str, ...]

    @property
    def control(self) -> str:
        """The model with which each other one is compared; empty: every pair is."""
        return self.options.control

    @property
    def is_forced(self) -> bool:
        """Whether a test was run that the design does not admit."""
        return any(d.is_forced for d in self.differences)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of models that are compared, in their order."""
        return list(dict.fromkeys((d.first, d.second) for d in self.differences))

    @property
    def explanation(self) -> str:
        """Why these tests were made, line by line."""
        return "\n".join(self.reasoning)

    def standing_of(self, difference: Any) -> str:
        """How the second model stands to the control: better, worse, apart, or nothing."""
        d = difference
        if not d.is_significant:
            return ""
        return {d.first: "worse", d.second: "better"}.get(d.better, "apart")

    def _marks(self, differences: Iterable[Any], order: Sequence[str]) -> dict[str, str]:
        """How each model stands, best first: beside the control, or by the letters it shares."""
        if not self.control:
            return letters(order, [(d.first, d.second) for d in differences if d.is_significant])
        standings = {d.second: self.standing_of(d) for d in differences}
        return {model: standings.get(model, "control") for model in order}

    @property
    def _only(self) -> str:
        """A clause on the pairs that there are beside a control; empty: every pair."""
        return f"; each model is compared with the control {self.control!r}" if self.control else ""

    def _named(self, d: D) -> D:
        """The same difference with the control called so, for sentences."""
        if not self.control:
            return d
        first, second = (
            f"the control {name}" if name == self.control else name for name in (d.first, d.second)
        )
        return replace(d, first=first, second=second)


def as_pair(d: D, pair: Sequence[str]) -> D | None:
    """The difference if it is that of two models, mirrored where they are the other way round."""
    if (d.first, d.second) == tuple(pair):
        return d
    return d.mirrored if (d.second, d.first) == tuple(pair) else None


def letters(models: Sequence[str], different: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The letters of each model; two models share one just where they were not told apart.

    Parameters
    ----------
    models
        From best to worst, so that the best has an ``a``.
    different
        Pairs that were told apart, in either order.

    Notes
    -----
    Insert and absorb, after Piepho (2004), J. Comput. Graph. Stat. 13:456.

    Examples
    --------
    >>> letters(["x", "y", "z"], [("x", "z")])
    {'x': 'a', 'y': 'ab', 'z': 'b'}
    """
    columns: list[frozenset[str]] = [frozenset(models)]
    for first, second in different:
        parted: list[frozenset[str]] = []
        for column in columns:
            if first in column and second in column:
                parted += [column - {first}, column - {second}]
            else:
                parted.append(column)
        columns = _absorbed(parted)
    rank = {model: i for i, model in enumerate(models)}
    columns.sort(key=lambda column: sorted(rank[model] for model in column))
    return {
        model: "".join(_letter(i) for i, column in enumerate(columns) if model in column)
        for model in models
    }


def _absorbed(columns: list[frozenset[str]]) -> list[frozenset[str]]:
    """The columns without those that lie within another."""
    kept: list[frozenset[str]] = []
    for column in sorted(set(columns), key=lambda c: (-len(c), sorted(c))):
        if not any(column <= other for other in kept):
            kept.append(column)
    return kept


def _letter(index: int) -> str:
    return chr(ord("a") + index) if index < 26 else f"({index + 1})"


def cliques(count: int, apart: Collection[tuple[int, int]]) -> list[tuple[int, int]]:
    """First and last of each largest run of models of which no two are told apart.

    ``apart``: places of models that are, the lower first. Runs of a single model are left out.

    Examples
    --------
    >>> cliques(4, {(0, 2), (0, 3), (1, 3), (2, 3)})
    [(0, 1), (1, 2)]
    """
    runs: list[tuple[int, int]] = []
    for start in range(count):
        end = start
        while end + 1 < count and all((at, end + 1) not in apart for at in range(start, end + 1)):
            end += 1
        if end > start and (not runs or end > runs[-1][1]):
            runs.append((start, end))
    return runs
