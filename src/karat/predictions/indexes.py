"""What is said where series of pandas are joined by position though their indexes differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["index_notes"]


def index_notes(
    first: Any, others: Iterable[tuple[str, Any]], *, name: str = "y_true"
) -> list[str]:
    """A note on the arguments whose index is another than that of the first, called ``name``.

    Arrays have no index, so rows are always matched by position; where pandas would match
    them otherwise, the reader is told.
    """
    own = _index(first)
    if own is None:
        return []
    shuffled: list[str] = []
    other: list[str] = []
    for argument, values in others:
        index = _index(values)
        if index is None or len(index) != len(own) or index.equals(own):
            continue
        is_shuffled = own.is_unique and index.is_unique and index.isin(own).all()
        (shuffled if is_shuffled else other).append(argument)
    notes = []
    if shuffled:
        notes.append(
            f"{_and(shuffled)}: the index of {name} in another order, and rows are matched by "
            f"position (to match by index: {shuffled[0]}.reindex({name}.index))"
        )
    if other:
        notes.append(f"{_and(other)}: another index than {name}, and rows are matched by position")
    return notes


def _index(values: Any) -> Any:
    """The index of a series or data frame of pandas."""
    is_pandas = type(values).__module__.partition(".")[0] == "pandas"
    index = getattr(values, "index", None) if is_pandas else None
    return index if hasattr(index, "equals") else None


def _and(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
