"""What is said, or refused, where series of pandas are joined by position by other indexes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.predictions.part import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["index_notes", "refuse_shuffled"]


def index_notes(
    first: Any, others: Iterable[tuple[str, Any]], *, name: str = "y_true"
) -> list[str]:
    """A note on the arguments whose index is another than that of the first, called ``name``.

    Arrays have no index, so rows are always matched by position; where pandas would match
    them otherwise, the reader is told. The same index in another order is an error.
    """
    others = list(others)
    refuse_shuffled(first, others, name=name)
    own = _index(first)
    other = [argument for argument, values in others if _differs(own, _index(values))]
    if not other:
        return []
    return [f"{_and(other)}: another index than {name}, and rows are matched by position"]


def refuse_shuffled(first: Any, others: Iterable[tuple[str, Any]], *, name: str) -> None:
    """An error where rows that are matched by position have one index in two orders."""
    own = _index(first)
    for argument, values in others:
        index = _index(values)
        if _differs(own, index) and own.is_unique and index.is_unique and index.isin(own).all():
            row = int((own != index).argmax())
            here, there = (shown(one.tolist()[row]) for one in (own, index))
            raise InputError(
                f"{argument} has the index of {name} in another order (first: position {row}, "
                f"{here} and {there}), and rows are matched by position: give "
                f"{argument}.reindex({name}.index), or reset the index of both where the rows are "
                "in the same order"
            )


def _differs(own: Any, index: Any) -> bool:
    known = own is not None and index is not None
    return known and len(index) == len(own) and not index.equals(own)


def _index(values: Any) -> Any:
    """The index of a series or data frame of pandas."""
    is_pandas = type(values).__module__.partition(".")[0] == "pandas"
    index = getattr(values, "index", None) if is_pandas else None
    return index if hasattr(index, "equals") else None


def _and(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
