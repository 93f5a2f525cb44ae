"""A table as read, some rows of it, and how messages name its rows, columns and roles."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.wording import listed, plural, repeated
from heldout.tables.column import RawColumn

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from heldout.core.arrays import Array, Booleans
    from heldout.core.dialect import Dialect
    from heldout.tables.column import Held, Kind, Label


@dataclass(frozen=True, slots=True)
class Written:
    """The tool that wrote a table, which roles it gives to its columns, and how it split rows."""

    tool: str = ""
    roles: Mapping[str, Any] = field(default_factory=dict)
    procedure: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class RawTable:
    """A table as read: its columns in order, where it came from, its number of rows.

    ``first_row`` is what the first data row is called in messages (2 for a CSV with a
    header line, as an editor shows it; 1 elsewhere; 0 for Python arrays).
    """

    columns: dict[str, RawColumn]
    source: str
    rows: int
    first_row: int = 1
    row_word: str = "row"
    #: a table made of several files: how many rows each of them brought
    parts: tuple[tuple[str, int], ...] = ()
    written: Written = Written()

    def place(self, position: int) -> str:
        """How a message names the row at a position: ``line 17 of a.csv``."""
        start = 0
        for name, rows in self.parts:
            if position < start + rows:
                return f"{self.row_word} {position - start + self.first_row} of {name}"
            start += rows
        return f"{self.row_word} {position + self.first_row} of {self.source}"


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some rows of a table; positions count within the part, messages name the table's rows."""

    table: RawTable
    dialect: Dialect = "flags"
    rows: Array | None = None

    def __len__(self) -> int:
        return self.table.rows if self.rows is None else len(self.rows)

    def column(self, name: str) -> RawColumn:
        """The column of that name, these rows only; one of no one kind is an error."""
        column = self.table.columns[name]
        if column.fault:
            raise InputError(column.fault)
        return column if self.rows is None else column.take(self.rows)

    def take(self, rows: Array) -> Part:
        """Some of these rows, by their positions."""
        return replace(self, rows=rows if self.rows is None else self.rows[rows])

    def place(self, position: int) -> str:
        """How a message names the row at a position."""
        if self.rows is not None:
            position = int(self.rows[position])
        return f"position {position}" if self.dialect == "arrays" else self.table.place(position)

    def called(self, *names: str) -> str:
        """How a message names a column, or several."""
        if self.dialect == "arrays":
            # the columns of one two-dimensional argument are called by its name
            return ", ".join(names) if len(names) == 1 else names[0].partition("[")[0]
        if len(names) == 1:
            return f"column {names[0]!r}"
        return f"columns {listed(names, most=6)}"

    def flag(self, role: str, value: Any = None) -> str:
        """How the reader states a role: ``--positive a``, ``positive='a'``, ``pos_label='a'``."""
        return argument(role, value, dialect=self.dialect)

    def refuse(self, names: str | tuple[str, ...], bad: Booleans, problem: str, fix: str) -> None:
        """Raise if a row is bad: the column, the number of such rows, the first, and the fix."""
        if bad.any():
            raise InputError(f"{self.complaint(names, bad, problem)}; {fix}")

    def complaint(self, names: str | tuple[str, ...], bad: Booleans, problem: str) -> str:
        """What is wrong with a column, in how many rows, and in which first."""
        names = (names,) if isinstance(names, str) else names
        count, first = int(np.count_nonzero(bad)), int(np.argmax(bad))
        rows = plural(count, "row")
        return f"{self.called(*names)}: {problem} in {rows} (first: {self.place(first)})"


def refuse_repeated(source: str, names: Iterable[str]) -> None:
    """An error where two columns have one name."""
    if twice := repeated(names):
        raise InputError(f"{source} has two columns named {twice[0]!r}; rename one of them")


def refuse_lacking(tables: Sequence[tuple[str, Collection[str]]]) -> None:
    """An error where files that are read as one table, by name and columns, have not the same."""
    first = tables[0]
    for table in tables[1:]:
        for (name, columns), (other, others) in ((first, table), (table, first)):
            lacking = [column for column in columns if column not in others]
            if lacking:
                raise InputError(
                    f"{other} has no column {lacking[0]!r}, but {name} has; "
                    "files read as one table need the same columns"
                )


def join(tables: Sequence[RawTable]) -> RawTable:
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
        values = [_recode(column, levels) for column in columns]
    elif kinds == {"text", "category"}:
        kind, levels = "text", ()
        values = [_texts(column) for column in columns]
    elif len(kinds) > 1:
        first = pieces[0]
        source, other = next(piece for piece in pieces if piece[1].kind != first[1].kind)
        raise InputError(
            f"column {other.name!r} is {first[1].kind} in {first[0]} and {other.kind} in {source}; "
            "write both in one way"
        )
    missing = None
    if any(column.missing is not None for column in columns):
        missing = np.concatenate(
            [np.zeros(len(c), bool) if c.missing is None else c.missing for c in columns]
        )
    held: Held = next((column.held for column in columns if column.held), "")
    fault = next((column.fault for column in columns if column.fault), "")
    return RawColumn(columns[0].name, kind, np.concatenate(values), missing, levels, held, fault)


def _levels(columns: list[RawColumn]) -> tuple[Label, ...]:
    """All levels: sorted if they are in each column (as those of plain texts), else in order."""
    union: list[Any] = list(dict.fromkeys(level for c in columns for level in c.levels))
    kinds = {type(level) for level in union}
    if len(kinds) == 1 and all(list(c.levels) == sorted(c.levels) for c in columns):
        union.sort()
    return tuple(union)


def _recode(column: RawColumn, levels: tuple[Any, ...]) -> Array:
    code_of = {level: i for i, level in enumerate(levels)}
    # the code of a missing value means nothing, and may point outside the levels
    codes = np.array([code_of[level] for level in column.levels] or [0], np.int64)
    return codes.take(column.values, mode="clip")


def _texts(column: RawColumn) -> Array:
    if column.kind == "text":
        return column.values.astype(object)
    levels = np.array([str(level) for level in column.levels] or [""], object)
    return levels.take(column.values, mode="clip")
