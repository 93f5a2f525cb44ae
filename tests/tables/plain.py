"""Columns and tables as plain Python values, for tests to compare."""

from __future__ import annotations

from typing import Any

from heldout.tables.column import RawColumn
from heldout.tables.table import RawTable


def plain(column: RawColumn) -> list[Any]:
    """The values of a column, None where one is missing."""
    values = column.values.tolist()
    if column.kind == "category":
        values = [column.levels[code] if column.levels else None for code in values]
    if column.missing is not None:
        pairs = zip(values, column.missing, strict=True)
        values = [None if missing else value for value, missing in pairs]
    return values


def kinds(table: RawTable) -> dict[str, str]:
    """The kind of each column; a category of texts is text."""
    return {name: kind_of(column) for name, column in table.columns.items()}


def kind_of(column: RawColumn) -> str:
    """The kind of a column; whether texts are kept as codes is a matter of speed."""
    texts = column.kind == "category" and all(isinstance(level, str) for level in column.levels)
    return "text" if texts else column.kind
