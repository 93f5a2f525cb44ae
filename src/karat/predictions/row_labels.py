"""Rows of pandas that carry labels: whether two columns hold the same ones in another order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["other_order"]


def other_order(given: Mapping[str, Any]) -> Iterator[str]:
    """A note for each argument whose index has the labels of the first one in another order.

    Rows are taken by position, as scikit-learn takes them; who shuffled one of two aligned
    objects would pair each row with the value of another without knowing it.
    """
    indexed = [(name, _index(values)) for name, values in given.items()]
    known = [(name, index) for name, index in indexed if index is not None]
    for name, index in known[1:]:
        first, labels = known[0]
        if len(index) != len(labels) or index.equals(labels):
            continue
        if index.is_unique and labels.is_unique and bool(index.isin(labels).all()):
            yield (
                f"{name} has the labels of {first} in its index, in another order; rows are paired "
                f"by position ({name}.loc[{first}.index] pairs them by label)"
            )


def _index(values: Any) -> Any:
    """The labels of the rows of a pandas object; None for anything else."""
    if type(values).__module__.partition(".")[0] != "pandas":
        return None
    return values.index if hasattr(values, "iloc") else None
