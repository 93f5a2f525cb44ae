"""Whole numbers as scores: refused where floats would merge some that differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.predictions.factorize import factorize

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.predictions.part import Part
    from heldout.predictions.raw import RawColumn

__all__ = ["FIX", "MERGED", "merged", "refuse_merged"]

#: every whole number up to here, of either sign, is a float of its own
EXACT = 2**53
MERGED = "whole numbers too large to be told apart as floats"
FIX = "subtract the same number from all scores, or give their ranks"


def refuse_merged(part: Part, name: str) -> None:
    """An error where a column of scores holds different whole numbers that make one float."""
    bad = _in_column(part.column(name))
    if bad is not None:
        part.refuse(name, bad, MERGED, FIX)


def _in_column(column: RawColumn) -> NDArray[np.bool_] | None:
    if column.kind == "integer":
        return merged(column.values)
    if column.kind not in ("text", "category"):
        return None
    # whole numbers beyond 64 bits are kept as the texts that spell them
    if column.kind == "category":
        codes, levels = column.values, list(column.levels)
    else:
        codes, found = factorize(column.values)
        levels = list(found)
    spelled = [_whole(level) for level in levels]
    if all(value is None for value in spelled):
        return None
    values: dict[float, set[int]] = {}
    for value in spelled:
        if value is not None:
            values.setdefault(_float(value), set()).add(value)
    bad = [value is not None and len(values[_float(value)]) > 1 for value in spelled]
    return np.array(bad)[codes] if any(bad) else None


def merged(values: NDArray[Any]) -> NDArray[np.bool_] | None:
    """Which whole numbers become the float of another one too; None where none does.

    Examples
    --------
    >>> merged(np.array([1, 2**60, 2**60 + 1])).tolist()
    [False, True, True]
    >>> merged(np.array([1, 2, 2**60])) is None
    True
    """
    if values.dtype.kind not in "iu" or not values.size:
        return None
    if int(values.min()) >= -EXACT and int(values.max()) <= EXACT:
        return None
    whole = np.unique(values)
    floats = whole.astype(np.float64)
    same = floats[1:][np.diff(floats) == 0]
    return np.isin(values.astype(np.float64), same) if len(same) else None


def _whole(text: Any) -> int | None:
    try:
        return int(text)
    except (TypeError, ValueError):
        return None


def _float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf
