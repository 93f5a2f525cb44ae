"""Delimited text through DuckDB, each column typed by the text of all its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.predictions.duck import Wanted, cause_of, connection, literal, table_columns
from heldout.predictions.header import header_of
from heldout.predictions.packed import check_whole, scanned_path
from heldout.predictions.raw import RawTable
from heldout.predictions.text_checks import examine, scan
from heldout.predictions.text_kinds import column_kinds, is_surely, value_of_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.predictions.formats import SourceFile
    from heldout.predictions.header import Header
    from heldout.predictions.raw import RawColumn
    from heldout.predictions.text_kinds import TextKind

__all__ = ["read_text"]

#: rows by which the kind of a column is first guessed
SAMPLE = 500


@dataclass(frozen=True, slots=True)
class _Text:
    """A text file that is about to be read."""

    file: SourceFile
    header: Header

    def scanner(self) -> str:
        """The SQL that reads all columns as text, named c0, c1, ..."""
        columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(self.header.names)))
        return (
            f"read_csv({scanned_path(self.file)}, compression = '{self.file.compression}', "
            f"delim = {literal(self.header.delimiter)}, quote = '\"', escape = '\"', "
            "header = true, auto_detect = false, strict_mode = true, comment = '', "
            "nullstr = '', allow_quoted_nulls = false, "
            f"columns = {{{columns}}})"
        )

    def place(self, name: str) -> str:
        """The SQL name of a column of this file."""
        return f"c{self.header.places[name]}"


def read_text(files: Sequence[SourceFile], source: str) -> RawTable:
    """One table of one or several text files with the same columns.

    A column is of integers if every text in it is ``-?(0|[1-9][0-9]*)`` and fits 64 bits,
    else of floats if every text is a number (without leading zeros: 007 is a code), else of
    booleans if all are true or false in any case, else of texts. An empty field is missing,
    in a text column only if it is not quoted; NA and NULL (any case) are missing among
    numbers and booleans. Rows are named by the line an editor shows; where fields contain
    line ends or lines are blank, by the number of the row instead.
    """
    import duckdb

    texts = [_Text(file, header_of(file)) for file in files]
    _same_columns(texts)
    for file in files:
        if file.compression == "zstd":  # gzip is unpacked to its end by the scan
            check_whole(file)
    scans = [scan(file) for file in files]
    with connection() as database:
        try:
            columns, counts = _load(database, texts)
        except duckdb.Error as error:
            trouble = InputError(f"{source} cannot be read: {cause_of(error)}")
            for text in texts:
                examine(text.file, text.header)
            raise trouble from None
    by_line = True
    for text, count, found in zip(texts, counts, scans, strict=True):
        # an empty line is a row where there is one column, and none elsewhere
        empty = found.empty_at_end if len(text.header.names) > 1 else 0
        exact = count + 1 in (found.lines, found.lines - empty)
        by_line = by_line and exact
        if not exact:
            _check_count(text, count)
    parts = tuple((file.name, count) for file, count in zip(files, counts, strict=True))
    first_row, word = (2, "line") if by_line else (1, "row")
    return RawTable(columns, source, sum(counts), first_row, word, parts if len(files) > 1 else ())


def _check_count(text: _Text, count: int) -> None:
    """Refuse a table that lost rows: DuckDB skips a faulty one where a thread starts with it."""
    rows = examine(text.file, text.header)
    if rows != count:
        raise InputError(
            f"{text.file.name} has {rows} rows, but {count} could be read; write it anew"
        )


def _same_columns(texts: Sequence[_Text]) -> None:
    first = texts[0]
    for text in texts[1:]:
        for one, other in ((first, text), (text, first)):
            lacking = [name for name in one.header.names if name not in other.header.names]
            if lacking:
                raise InputError(
                    f"{other.file.name} has no column {lacking[0]!r}, but {one.file.name} has; "
                    "files read as one table need the same columns"
                )


def _load(database: Any, texts: Sequence[_Text]) -> tuple[dict[str, RawColumn], list[int]]:
    """All columns, and the number of rows of each file.

    The first rows suggest the kind of each column: every kind tried before it is refuted by
    them. A column is read again only if a later row refutes the suggestion too.
    """
    names = texts[0].header.names
    head = f"SELECT * FROM {texts[0].scanner()} LIMIT {SAMPLE}"
    database.execute(f"CREATE TEMP TABLE sample AS {head}")
    places = [f"c{i}" for i in range(len(names))]
    kinds = dict(zip(names, column_kinds(database, "sample", places), strict=True))
    counts = _fill(database, "rows", texts, kinds)
    for text, count in zip(texts, counts, strict=True):
        if not count:
            _check_count(text, count)
            raise InputError(f"{text.file.name} has a header but no rows")
    doubtful = {name for name, kind in kinds.items() if kind is None}
    checked = [i for i, name in enumerate(names) if kinds[name] not in (None, "text")]
    if checked:
        query = f"SELECT {', '.join(f'bool_and(sure{i})' for i in checked)} FROM rows"
        sure = database.sql(query).fetchall()[0]
        doubtful |= {names[i] for i, fine in zip(checked, sure, strict=True) if fine is False}
    certain = [
        Wanted(name, f"v{i}", kinds[name] or "text")
        for i, name in enumerate(names)
        if name not in doubtful
    ]
    columns = table_columns(database, "rows", certain)
    columns |= _again(database, texts, [name for name in names if name in doubtful])
    return {name: columns[name] for name in names}, counts


def _fill(
    database: Any, table: str, texts: Sequence[_Text], kinds: dict[str, TextKind | None]
) -> list[int]:
    """A table with the value of each field, and for numbers and booleans whether it is sure."""
    counts: list[int] = []
    total = 0
    for text in texts:
        selected = []
        for i, (name, kind) in enumerate(kinds.items()):
            place = text.place(name)
            selected.append(f"{value_of_text(kind or 'text', place)} AS v{i}")
            if kind is not None and kind != "text":
                selected.append(f"{is_surely(kind, place)} AS sure{i}")
        verb = f"INSERT INTO {table}" if counts else f"CREATE TEMP TABLE {table} AS"
        database.execute(f"{verb} SELECT {', '.join(selected)} FROM {text.scanner()}")
        before, total = total, database.sql(f"SELECT count(*) FROM {table}").fetchall()[0][0]
        counts.append(total - before)
    return counts


def _again(database: Any, texts: Sequence[_Text], names: Sequence[str]) -> dict[str, RawColumn]:
    """Columns whose first rows did not tell their kind, typed by all their rows."""
    if not names:
        return {}
    _fill(database, "again", texts, dict.fromkeys(names))
    kinds = column_kinds(database, "again", [f"v{i}" for i in range(len(names))])
    wanted = [
        Wanted(name, value_of_text(kind or "text", f"v{i}"), kind or "text")
        for i, (name, kind) in enumerate(zip(names, kinds, strict=True))
    ]
    return table_columns(database, "again", wanted)
