"""Columns of 0 and 1 that are one nominal column in truth, taken together again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.auditing.side_columns import SideColumn

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["whole_columns"]

#: rows by which most columns are seen not to be marks, or not of one nominal column
FIRST = 1000


def whole_columns(columns: list[SideColumn]) -> list[SideColumn]:
    """The same columns, with marks that stand side by side and exclude each other as one.

    Two rows that differ in one nominal column differ in two of its marks, so that chance
    copies cannot be foretold from marks one by one.
    """
    made: list[SideColumn] = []
    block: list[SideColumn] = []
    for column in columns:
        if not _is_mark(column):
            made += _joined(block)
            block = []
            made.append(column)
            continue
        if block and not all(_exclude(one, column) for one in block):
            made += _joined(block)
            block = []
        block.append(column)
    return made + _joined(block)


def _is_mark(column: SideColumn) -> bool:
    if column.is_nominal:
        return False
    sides = (column.ours, column.theirs)
    return all(np.isin(values[:FIRST], (0, 1)).all() for values in sides) and all(
        np.isin(values, (0, 1)).all() for values in sides
    )


def _exclude(one: SideColumn, other: SideColumn) -> bool:
    pairs: tuple[tuple[NDArray[Any], NDArray[Any]], ...] = (
        (one.ours, other.ours),
        (one.theirs, other.theirs),
    )
    return not any(((a[:FIRST] == 1) & (b[:FIRST] == 1)).any() for a, b in pairs) and not any(
        ((a == 1) & (b == 1)).any() for a, b in pairs
    )


def _joined(block: list[SideColumn]) -> list[SideColumn]:
    if len(block) < 2:
        return block
    sides = []
    for values in ([c.ours for c in block], [c.theirs for c in block]):
        code = np.zeros(len(values[0]))
        for place, marks in enumerate(values, 1):
            code[marks == 1] = place
        sides.append(code)
    name = ", ".join(column.name for column in block)
    return [SideColumn(name, sides[0], sides[1], is_nominal=True)]
