"""Whole numbers too large for 64 bits, which are kept as digits: quantities all the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.predictions.factorize import factorize
from heldout.predictions.raw import RawColumn
from heldout.predictions.text_kinds import ABSENT as ABSENCES
from heldout.predictions.text_kinds import PATTERNS

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["in_floats", "merged_numbers"]

#: every whole number up to here, of either sign, is a float of its own
EXACT = 2**53
#: whole numbers from here on need more than 64 bits with a sign
LARGE = 2**63
DIGITS = len(str(LARGE))
WHOLE = re.compile(PATTERNS["integer"])
ABSENT = re.compile(f"({ABSENCES})?", re.IGNORECASE)
NUMBER = re.compile(PATTERNS["float"], re.IGNORECASE)


def in_floats(column: RawColumn) -> RawColumn | None:
    """The numbers of a column that is text only since some need more than 64 bits; else None.

    Examples
    --------
    >>> from heldout.predictions.values import column_of_list
    >>> in_floats(column_of_list("x", [2**63, 5])).values.tolist()
    [9.223372036854776e+18, 5.0]
    >>> in_floats(column_of_list("x", ["a", "b"])) is None
    True
    """
    if column.kind not in ("text", "category"):
        return None
    missing, codes, texts = _texts(column)
    if not any(_is_large(text) for text in texts):
        return None
    # what is missing among other numbers of a file is missing here, too
    spelled = ["nan" if ABSENT.fullmatch(text) else text for text in texts]
    if not all(NUMBER.fullmatch(text) for text in spelled):
        return None
    values = np.full(len(column), np.nan)
    values[~missing] = np.array([float(text) for text in spelled])[codes]
    return RawColumn(column.name, "float", values)


def merged_numbers(column: RawColumn) -> int:
    """How many different whole numbers of a column are the same float as another one."""
    if column.kind == "integer":
        values = column.values if column.missing is None else column.values[~column.missing]
        if not len(values) or (values.min() >= -EXACT and values.max() <= EXACT):
            return 0
        floats = np.unique(values).astype(np.float64)
    elif column.kind in ("text", "category"):
        # the digits of a number are written in one way only
        floats = np.array([float(t) for t in set(_texts(column)[2]) if WHOLE.fullmatch(t)])
    else:
        return 0
    _, counts = np.unique(floats, return_counts=True)
    return int(counts[counts > 1].sum())


def _texts(column: RawColumn) -> tuple[NDArray[np.bool_], NDArray[Any], list[str]]:
    """Which rows are missing; of the others their codes, and the texts behind them."""
    missing = np.zeros(len(column), bool) if column.missing is None else column.missing
    codes, levels = factorize(column.values[~missing])
    if column.kind == "category":
        assert column.levels is not None
        levels = tuple(column.levels[int(code)] for code in levels)
    return missing, codes, [str(level).strip() for level in levels]


def _is_large(text: str) -> bool:
    if len(text) < DIGITS or not WHOLE.fullmatch(text):
        return False
    return len(text) > DIGITS + 1 or not -LARGE <= int(text) < LARGE
