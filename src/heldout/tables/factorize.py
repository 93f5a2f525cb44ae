"""Codes and distinct values of a long array, quickly where few values repeat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.tables.column import Label

#: rows by which few distinct values are recognised, and how many are few
BLOCK = 1 << 14
FEW = 8
#: integers whose range is at most this, or four times the rows, are counted instead
SMALL_RANGE = 1 << 16


def factorize(values: NDArray[Any]) -> tuple[NDArray[np.int32], tuple[Label, ...]]:
    """A code for each row and the distinct values behind the codes, in ascending order.

    The same answer as ``numpy.unique(values, return_inverse=True)``, without sorting the rows
    where values are few. Takes booleans, integers, floats (-0.0 is 0.0; every NaN is one value,
    the last), fixed-width strings, bytes (read as UTF-8) and objects that are all strings.
    There is no missing value here: leave those rows out.

    Examples
    --------
    >>> codes, levels = factorize(np.array(["spam", "ham", "spam"]))
    >>> codes.tolist(), levels
    ([1, 0, 1], ('ham', 'spam'))
    """
    coding = factorize_few(values, len(values))
    assert coding is not None, "no array has more distinct values than rows"
    return coding


def factorize_few(
    values: NDArray[Any], most: int
) -> tuple[NDArray[np.int32], tuple[Label, ...]] | None:
    """The same, or None where there are more than ``most`` distinct values.

    Examples
    --------
    >>> factorize_few(np.array(["a", "b", "c"]), 2) is None
    True
    """
    kind = values.dtype.kind
    if kind == "O":
        return _objects(values, most)
    if kind == "f":
        values = values.astype(np.float64, copy=False) + 0.0
    coding = _by_comparing(values) or _by_counting(values)
    if coding is None:
        distinct, inverse = np.unique(values, return_inverse=True)
        coding = inverse.astype(np.int32), distinct
    codes, distinct = coding
    if len(distinct) > most:
        return None
    return codes, tuple(np.char.decode(distinct).tolist() if kind == "S" else distinct.tolist())


def _objects(values: NDArray[Any], most: int) -> tuple[NDArray[np.int32], tuple[Label, ...]] | None:
    items = values.tolist()
    levels = set(items)
    if len(levels) > most:
        return None
    code = {level: position for position, level in enumerate(sorted(levels))}
    codes = np.fromiter(map(code.__getitem__, items), np.int32, len(items))
    return codes, tuple(map(str.__str__, code))


def _by_comparing(values: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[Any]] | None:
    """Codes by comparing all rows with the values of the first; None where these are not all."""
    distinct = np.unique(values[:BLOCK])
    if len(distinct) > FEW:
        return None
    codes = np.zeros(len(values), np.int32)
    rows = 0
    for code, value in enumerate(distinct):
        is_equal = values == value
        rows += int(np.count_nonzero(is_equal))
        if code:
            codes += is_equal if code == 1 else is_equal * np.int32(code)
    return (codes, distinct) if rows == len(values) else None


def _by_counting(values: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[Any]] | None:
    """Codes of whole numbers in a small range, each of which has a place; None for others."""
    if values.dtype.kind not in "iu":
        return None
    low, high = int(values.min()), int(values.max())
    if high - low > max(SMALL_RANGE, 4 * len(values)):
        return None
    wide = np.uint64 if high > np.iinfo(np.int64).max else np.int64
    places = (values.astype(wide, copy=False) - wide(low)).astype(np.intp, copy=False)
    present = np.bincount(places, minlength=high - low + 1) > 0
    code = np.cumsum(present, dtype=np.int32) - np.int32(1)
    return code[places], np.flatnonzero(present).astype(wide) + wide(low)
