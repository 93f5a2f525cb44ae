"""What a class label says, however it is written: 1, 1.0, "1" and true are one class."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.core.errors import InputError
from heldout.core.wording import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from heldout.tables.column import Label

Family = Literal["boolean", "number", "text"]
NUMBER = re.compile(r"\s*[+-]?(\d{1,4000}(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
#: beyond this a float stands for more than one whole number
EXACT = 2.0**53
WORDS = {"true": True, "false": False}


def number_or_none(value: Any) -> float | None:
    """A number, also as text or as an array without dimensions; None where it is none."""
    if isinstance(value, bytes | np.complexfloating | np.ma.MaskedArray):
        return None
    if isinstance(value, np.ndarray) and (value.ndim or value.dtype.kind not in "biuf"):
        return None
    try:
        return float(value)
    except (OverflowError, TypeError, ValueError):
        return None


def plain_label(label: Any) -> Label:
    """A label the reader gives, as Python's own text, number or truth value."""
    if isinstance(label, np.generic):
        label = label.item()
    if not isinstance(label, (str, int, float)):
        raise InputError(
            f"{shown(label)} is not a label; a label is a text, a number, or true or false"
        )
    return label


def plain_labels(labels: Iterable[Any]) -> tuple[Label, ...]:
    """Labels the reader gives, in a sequence or apart by commas.

    Examples
    --------
    >>> plain_labels("ham,spam"), plain_labels(np.array([0, 1]))
    (('ham', 'spam'), (0, 1))
    """
    items = labels.split(",") if isinstance(labels, str) else labels
    return tuple(plain_label(label) for label in items)


def small_code(classes: int) -> type[np.signedinteger[Any]]:
    """The smallest type that holds a code of each of so many classes."""
    return np.int8 if classes <= 2**7 else np.int16 if classes <= 2**15 else np.int32


def value_of(label: Label) -> Label:
    """What a label says, however it is written: a number, or else its text.

    Examples
    --------
    >>> [value_of(label) for label in (1, 1.0, "1", "1.0", True, "True", "spam")]
    [1, 1, 1, 1, 1, 1, 'spam']
    """
    if isinstance(label, str):
        if NUMBER.fullmatch(label):
            whole = label.strip().lstrip("+-").isdigit()
            return value_of(int(label) if whole else float(label))
        word = WORDS.get(label.strip().casefold())
        return label if word is None else int(word)
    if isinstance(label, float):
        return int(label) if label.is_integer() and abs(label) <= EXACT else label
    return int(label)


def in_family(label: Label, family: Family) -> Label | None:
    """A label as a class of a family, or None if it cannot be one.

    Examples
    --------
    >>> in_family("1.0", "number"), in_family(0, "boolean"), in_family("spam", "number")
    (1, False, None)
    """
    if family == "text":
        return label if isinstance(label, str) else str(label)
    value = value_of(label)
    if isinstance(value, str):
        return None
    if family == "number":
        return value
    return bool(value) if value in (0, 1) else None
