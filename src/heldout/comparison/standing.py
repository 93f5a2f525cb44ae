"""Which pairs are compared, and how models stand: beside a control, or by shared letters."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from heldout.comparison.difference import Difference
    from heldout.comparison.results_comparison import SetsDifference
    from heldout.comparison.results_table import ResultsTable

    Pair = TypeVar("Pair", Difference, SetsDifference)

__all__ = ["cliques", "control_first", "letters", "pairs_of", "standing", "with_control"]


def pairs_of(models: Sequence[str], control: str = "") -> list[tuple[int, int]]:
    """Places of the two models of each pair; with a control, that one is the first of each.

    Examples
    --------
    >>> pairs_of("abc"), pairs_of("abc", "b")
    ([(0, 1), (0, 2), (1, 2)], [(1, 0), (1, 2)])
    """
    if not control:
        return list(combinations(range(len(models)), 2))
    place = _place(models, control)
    return [(place, other) for other in range(len(models)) if other != place]


def control_first(results: ResultsTable, control: str) -> ResultsTable:
    """The same results with the control as the first model."""
    if not control:
        return results
    place = _place(results.models, control)
    order = [place, *(i for i in range(len(results.models)) if i != place)]
    return replace(
        results,
        models=tuple(results.models[i] for i in order),
        values=np.ascontiguousarray(results.values[:, order]),
    )


def with_control(difference: Pair, control: str) -> Pair:
    """The same difference with the control called so, for sentences."""
    if not control:
        return difference
    first, second = (
        f"the control {name}" if name == control else name
        for name in (difference.first, difference.second)
    )
    return replace(difference, first=first, second=second)


def standing(difference: Difference | SetsDifference, *, is_different: bool) -> str:
    """How the second model stands to the control, the first: better, worse, apart, or nothing."""
    if not is_different:
        return ""
    return {difference.first: "worse", difference.second: "better"}.get(difference.better, "apart")


def _place(models: Sequence[str], control: str) -> int:
    if control not in models:
        hint = did_you_mean(control, models) or f"; the models are {', '.join(models)}"
        raise InputError(f"no model is called {control!r}, so it cannot be the control{hint}")
    return list(models).index(control)


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
    for one, other in different:
        parted: list[frozenset[str]] = []
        for column in columns:
            if one in column and other in column:
                parted += [column - {one}, column - {other}]
            else:
                parted.append(column)
        columns = _absorbed(parted)
    place = {model: i for i, model in enumerate(models)}
    columns.sort(key=lambda column: sorted(place[model] for model in column))
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
    found: list[tuple[int, int]] = []
    for start in range(count):
        end = start
        while end + 1 < count and all((at, end + 1) not in apart for at in range(start, end + 1)):
            end += 1
        if end > start and (not found or end > found[-1][1]):
            found.append((start, end))
    return found
