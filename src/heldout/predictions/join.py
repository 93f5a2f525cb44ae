"""Several tables as one: the rows of each after those of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.predictions.part import listed
from heldout.predictions.raw import RawColumn, RawTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.predictions.raw import Held, Kind
    from heldout.predictions.table import Label

__all__ = ["joined"]


def joined(tables: Sequence[RawTable]) -> RawTable:
    """The rows of all tables, which must have the same columns (in any order)."""
    first = tables[0]
    for table in tables[1:]:
        if table.columns.keys() != first.columns.keys():
            differing = sorted(table.columns.keys() ^ first.columns.keys())
            raise InputError(
                f"{first.source} and {table.source} have different columns ({listed(differing)} in "
                "only one of them); tables that are joined need the same"
            )
    words = {(table.first_row, table.row_word) for table in tables}
    # where sources count their rows differently, the count is of data rows
    first_row, word = words.pop() if len(words) == 1 else (1, "row")
    parts = [part for t in tables for part in (t.parts or ((t.source, t.rows),))]
    return RawTable(
        {name: _column([(t.source, t.columns[name]) for t in tables]) for name in first.columns},
        f"{first.source} and {len(tables) - 1} more",
        sum(table.rows for table in tables),
        first_row,
        word,
        tuple(parts),
    )


def _column(pieces: list[tuple[str, RawColumn]]) -> RawColumn:
    """One column of all pieces: numbers as floats if some are, categories by their levels."""
    columns = [column for _, column in pieces]
    kinds = {column.kind for column in columns}
    kind: Kind = columns[0].kind
    levels = columns[0].levels
    values = [column.values for column in columns]
    if kinds == {"integer", "float"}:
        kind = "float"
    elif kinds == {"category"}:
        levels = _levels(columns)
        values = [_recoded(column, levels) for column in columns]
    elif kinds == {"text", "category"}:
        kind, levels = "text", ()
        values = [_texts(column) for column in columns]
    elif len(kinds) > 1:
        one = pieces[0]
        source, other = next(piece for piece in pieces if piece[1].kind != one[1].kind)
        raise InputError(
            f"column {other.name!r} is {one[1].kind} in {one[0]} and {other.kind} in {source}; "
            "write both in one way"
        )
    missing = None
    if any(column.missing is not None for column in columns):
        missing = np.concatenate(
            [np.zeros(len(c), bool) if c.missing is None else c.missing for c in columns]
        )
    held: Held = next((column.held for column in columns if column.held), "")
    return RawColumn(columns[0].name, kind, np.concatenate(values), missing, levels, held)


def _levels(columns: list[RawColumn]) -> tuple[Label, ...]:
    """All levels: sorted if they are in each column (as those of plain texts), else in order."""
    union: list[Any] = list(dict.fromkeys(level for c in columns for level in c.levels))
    kinds = {type(level) for level in union}
    if len(kinds) == 1 and all(list(c.levels) == sorted(c.levels) for c in columns):
        union.sort()
    return tuple(union)


def _recoded(column: RawColumn, levels: tuple[Any, ...]) -> NDArray[Any]:
    place = {level: i for i, level in enumerate(levels)}
    # the code of a missing value means nothing, and may point outside the levels
    codes = np.array([place[level] for level in column.levels] or [0], np.int64)
    return codes.take(column.values, mode="clip")


def _texts(column: RawColumn) -> NDArray[Any]:
    if column.kind == "text":
        return column.values.astype(object)
    levels = np.array([str(level) for level in column.levels] or [""], object)
    return levels.take(column.values, mode="clip")
