"""Arguments of Python functions that are no rows: each of the kind it must be, or an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.wording import shown
from heldout.tables.labels import plain_label, plain_labels

if TYPE_CHECKING:
    from heldout.tables.column import Label


def text_of(argument: str, value: Any, what: str) -> str | None:
    """A text, or None where nothing was given."""
    if value is None or type(value) is str:
        return value
    if isinstance(value, str):  # a subclass may print otherwise
        return str.__str__(value)
    raise InputError(f"{argument}={shown(value)}: give {what}")


def number_of(argument: str, value: Any, what: str = "a finite number") -> float | None:
    """A finite number, or None where nothing was given."""
    if value is None:
        return None
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, Real) and not isinstance(value, bool | np.bool_):
        try:
            number = float(value)
        except OverflowError:
            number = np.inf
        if np.isfinite(number):
            return number
    raise InputError(f"{argument}={shown(value)}: give {what}")


def whole_of(argument: str, value: Any, what: str = "a whole number") -> int | None:
    """A whole number, or None where nothing was given."""
    number = number_of(argument, value, what)
    if number is None:
        return None
    if number != int(number):
        raise InputError(f"{argument}={shown(value)}: give {what}")
    return int(value)


def switch_of(argument: str, value: Any) -> bool:
    """True or False, and nothing that merely counts as one of them."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise InputError(f"{argument}={shown(value)}: give True or False")


def label_of(argument: str, value: Any) -> Label | None:
    """A class, or None where nothing was given."""
    try:
        return None if value is None else plain_label(value)
    except InputError as error:
        raise InputError(f"{argument}=: {error}") from None


def labels_of(argument: str, value: Any) -> tuple[Label, ...] | None:
    """The classes in order, or None where nothing was given."""
    if value is None:
        return None
    what = "give all classes in order, as a list: ['ham', 'spam']"
    if isinstance(value, bytes | Mapping | set | frozenset) or not hasattr(value, "__iter__"):
        raise InputError(f"{argument}={shown(value)}: {what}")
    try:
        labels = plain_labels(value)
    except InputError as error:
        raise InputError(f"{argument}=: {error}") from None
    except TypeError:  # an array without dimensions is iterable by its looks only
        raise InputError(f"{argument}={shown(value)}: {what}") from None
    if not labels:
        raise InputError(f"{argument}= is empty; {what}, or leave it out")
    return labels


def names_of(argument: str, value: Any) -> tuple[str, ...]:
    """Names of columns: one, or several in a sequence."""
    if value is None:
        return ()
    names = (value,) if isinstance(value, str) else value
    is_list = isinstance(names, Sequence) or (isinstance(names, np.ndarray) and names.ndim == 1)
    if is_list and all(isinstance(name, str) for name in names):
        return tuple(dict.fromkeys(str(name) for name in names))
    raise InputError(f"{argument}={shown(value)}: give the name of a column, or a list of names")


def mapping_of(argument: str, value: Any, what: str) -> dict[Any, Any] | None:
    """A mapping as a dict, or None where nothing was given."""
    if value is None:
        return None
    if isinstance(value, Mapping):
        return dict(value)
    raise InputError(f"{argument}={shown(value)}: give {what}")
