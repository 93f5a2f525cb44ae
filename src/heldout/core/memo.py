"""What is made of a value and may be needed again, kept with the value itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

__all__ = ["once"]

Owner = TypeVar("Owner")
T = TypeVar("T")


def once(owner: Owner, key: Hashable, make: Callable[[Owner], T]) -> T:
    """``make(owner)``, kept with the owner under a key so that all who need it pay for it once.

    For what a ``cached_property`` cannot hold: what a later stage makes, or what depends on more
    than the owner, which the key then says.

    Examples
    --------
    >>> class Rows:
    ...     count = 3
    >>> rows = Rows()
    >>> once(rows, "squared", lambda r: r.count**2), once(rows, "squared", lambda r: 0)
    (9, 9)
    """
    memory: dict[Hashable, Any] = owner.__dict__  # type: ignore[assignment]
    if key not in memory:
        memory[key] = make(owner)
    value: T = memory[key]
    return value
