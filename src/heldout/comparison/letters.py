"""Letters for models that cannot be told apart: those that share one do not differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["letters"]


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
