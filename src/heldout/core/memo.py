"""What is made of a value and may be needed again, kept with the value itself."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

Owner = TypeVar("Owner")
P = ParamSpec("P")
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
    memory = _memory_of(owner)
    if key not in memory:
        memory[key] = make(owner)
    value: T = memory[key]
    return value


def keep(owner: object, key: Hashable, value: Any) -> None:
    """Have ``once`` of the same key find a value that was made with those of other owners."""
    _memory_of(owner)[key] = value


def is_kept(owner: object, key: Hashable) -> bool:
    """Whether ``once`` has the value of a key already.

    Examples
    --------
    >>> class Rows:
    ...     count = 3
    >>> rows = Rows()
    >>> keep(rows, "squared", 9)
    >>> is_kept(rows, "squared"), once(rows, "squared", lambda r: 0)
    (True, 9)
    """
    return key in _memory_of(owner)


def _memory_of(owner: object) -> dict[Hashable, Any]:
    """What a value keeps: its attributes, among which keys that are no names stand as well."""
    return owner.__dict__  # type: ignore[return-value]  # it takes any key, typed for names alone


def kept(function: Callable[Concatenate[Owner, P], T]) -> Callable[Concatenate[Owner, P], T]:
    """A function of a value, and of arguments by place, whose results are kept with the value.

    Examples
    --------
    >>> class Rows:
    ...     count = 3
    >>> rows, add = Rows(), kept(lambda rows, more: rows.count + more)
    >>> first = add(rows, 2)
    >>> rows.count = 0
    >>> first, add(rows, 2), add(rows, 1)
    (5, 5, 1)
    """

    @wraps(function)
    def first_or_kept(owner: Owner, /, *arguments: P.args, **named: P.kwargs) -> T:
        key = (function.__qualname__, *arguments)
        return once(owner, key, lambda value: function(value, *arguments, **named))

    return first_or_kept
