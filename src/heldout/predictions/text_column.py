"""Columns of text: codes into their distinct values where those repeat, else the texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.predictions.factorize import factorize_few
from heldout.predictions.raw import RawColumn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.predictions.table import Label

__all__ = ["coded_column", "most_levels", "sorted_column", "text_column"]


def most_levels(rows: int) -> int:
    """Up to how many distinct texts a column of text is kept as codes.

    Examples
    --------
    >>> most_levels(100), most_levels(1_000_000)
    (1024, 250000)
    """
    return max(1024, rows // 4)


def text_column(
    name: str, values: NDArray[Any], missing: NDArray[np.bool_] | None = None
) -> RawColumn:
    """A column of texts; where they repeat, a category whose levels are in ascending order.

    Values are an array of objects that are all strings (but for missing rows), or of
    fixed-width strings or bytes. A column without any value is text.
    """
    present = values if missing is None else values[~missing]
    if not len(present):
        return RawColumn(name, "text", np.full(len(values), "", object), missing)
    found = factorize_few(present, most_levels(len(values)))
    if found is None:
        return RawColumn(name, "text", _texts(values, missing), missing)
    codes, levels = found
    if missing is not None:
        spread = np.zeros(len(values), np.int32)
        spread[~missing] = codes
        codes = spread
    return RawColumn(name, "category", codes, missing, levels)


def coded_column(name: str, codes: NDArray[Any], levels: Sequence[Label]) -> RawColumn:
    """A category from codes (negative: missing) into levels, whose order is kept."""
    codes = codes.astype(np.int32, copy=False)
    missing = codes < 0
    if not missing.any():
        return RawColumn(name, "category", codes, None, tuple(levels))
    return RawColumn(name, "category", np.where(missing, 0, codes), missing, tuple(levels))


def sorted_column(name: str, codes: NDArray[Any], levels: Sequence[str]) -> RawColumn:
    """A category from codes (negative: missing) into texts, recoded to ascending order."""
    if not levels:
        return text_column(name, np.full(len(codes), "", object), np.ones(len(codes), bool))
    order = sorted(range(len(levels)), key=levels.__getitem__)
    rank = np.full(len(levels) + 1, -1, np.int32)
    rank[order] = np.arange(len(levels), dtype=np.int32)
    return coded_column(name, rank[codes], [levels[position] for position in order])


def _texts(values: NDArray[Any], missing: NDArray[np.bool_] | None) -> NDArray[Any]:
    if values.dtype.kind == "S":
        return np.char.decode(values, "utf-8")
    if missing is not None and values.dtype.kind == "O":
        return np.where(missing, "", values)
    return values
