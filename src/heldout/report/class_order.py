"""The order of the classes, said where a measure depends on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout.report.names import label_text, request_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["is_ordered", "order_note", "order_text"]

#: so many classes are named one by one
NAMED = 8


def is_ordered(name: str) -> bool:
    """Whether the order of the classes changes a measure.

    Examples
    --------
    >>> is_ordered("rps"), is_ordered("cohen_kappa[weights=linear]"), is_ordered("cohen_kappa")
    (True, True, False)
    """
    return request_of(name).is_ordered


def order_text(classes: Sequence[Any]) -> str:
    """The classes from the first to the last.

    Examples
    --------
    >>> order_text(["hi", "lo", "mid"])
    'hi < lo < mid'
    """
    names = [label_text(label) for label in classes]
    if len(names) > NAMED:
        names = [*names[: NAMED - 2], "...", names[-1]]
    return " < ".join(names)


def order_note(classes: Sequence[Any], measures: Iterable[str]) -> str:
    """What to say where nobody stated the order of texts, and measures depend on it.

    Numbers have an order; of two classes each is as far from the other either way.
    """
    if len(classes) < 3 or not all(isinstance(label, str) for label in classes):
        return ""
    found = [name for name in dict.fromkeys(measures) if is_ordered(name)]
    if not found or list(classes) != sorted(classes):
        return ""
    verb = "takes" if len(found) == 1 else "take"
    return (
        f"order of the classes: {order_text(classes)}, as the alphabet has it (--labels states "
        f"another); {', '.join(found)} {verb} distances from it"
    )
