"""DuckDB as a reader: a connection of one's own, and typed columns out of its tables."""

from __future__ import annotations

import errno
import re
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.core.disk import FULL, cause_of_system
from heldout.core.errors import InputError, MissingExtra
from heldout.tables.column import RawColumn, column_of_array, most_levels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from heldout.tables.column import Held

__all__ = [
    "Wanted",
    "cause_of",
    "columns_to_fetch",
    "connection",
    "copy_to",
    "fits_integers",
    "identifier",
    "literal",
    "table_columns",
    "table_of_stream",
]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A column to fetch: its name, an SQL expression, and what comes of it."""

    name: str
    expression: str
    kind: Literal["boolean", "integer", "float", "text", "date"]
    levels: tuple[str, ...] = ()
    held: Held = ""


@contextmanager
def connection() -> Iterator[Any]:
    """A connection to an empty database in memory that reaches no network."""
    import tempfile

    import duckdb

    settings: dict[str, Any] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "temp_directory": tempfile.gettempdir(),  # by default it would be in the working folder
    }
    database = duckdb.connect(":memory:", config=settings)
    try:
        database.execute("SET TimeZone = 'UTC'")
        yield database
    finally:
        database.close()


def cause_of(error: BaseException) -> str:
    """The heart of a long message of DuckDB or PyArrow: one short line."""
    line = str(error).strip().partition("\n")[0]
    line = re.sub(r"^[A-Z][\w ]* (Error|Exception): ", "", line)
    return line if len(line) <= 160 else line[:157] + "..."


def copy_to(database: Any, query: str, path: Path, form: str) -> None:
    """The rows of a query as a file; what fails is said as every other writer says it."""
    import duckdb

    try:
        database.execute(f"COPY ({query}) TO {literal(str(path))} ({form})")
    except duckdb.Error as error:
        is_full = cause_of_system(error) == FULL  # which a short line may leave out
        raise OSError(errno.EIO, FULL if is_full else cause_of(error)) from error


def literal(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """A column name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


INTEGERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}
#: whole numbers that may be too large for 64 bits
HUGE = re.compile(r"(UBIGINT|HUGEINT|UHUGEINT|DECIMAL\(\d+,0\))$")
NESTED = re.compile(r".*\[\d*\]$|(STRUCT|MAP|UNION)\(", re.DOTALL)
DATES = {"DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"}


def columns_to_fetch(
    database: Any,
    origin: str,
    names: Sequence[str],
    levels: Sequence[tuple[str, ...]] | None = None,
) -> list[Wanted]:
    """What to fetch of each column of a relation, by the type it has there.

    ``names`` are what the columns are called in the source: DuckDB itself renames those
    that differ only in case. ``levels`` are those a column declares, if it does.

    Decimals with a fraction are floats, and so are durations, in seconds; integers beyond 64
    bits, times and anything nested are text.
    """
    columns: list[Wanted] = []
    described = database.sql(f"SELECT * FROM {origin}")
    for i, (name, column) in enumerate(zip(names, described.columns, strict=True)):
        expression, kind = identifier(column), str(described.types[i])
        if kind == "BOOLEAN":
            columns.append(Wanted(name, expression, "boolean"))
        elif kind in INTEGERS or (HUGE.match(kind) and fits_integers(database, origin, expression)):
            columns.append(Wanted(name, f"CAST({expression} AS BIGINT)", "integer"))
        elif kind in ("FLOAT", "DOUBLE") or (kind.startswith("DECIMAL") and not HUGE.match(kind)):
            columns.append(Wanted(name, f"CAST({expression} AS DOUBLE)", "float"))
        elif kind in DATES:
            columns.append(Wanted(name, expression, "date"))
        elif kind == "INTERVAL":
            # a month counts as 30 days
            columns.append(Wanted(name, f"epoch({expression})", "float", held="durations"))
        elif kind == "TIMESTAMP WITH TIME ZONE":
            columns.append(Wanted(name, f"CAST({expression} AS TIMESTAMP)", "date"))
        else:
            declared = levels[i] if levels else ()
            held: Held = "nested" if NESTED.match(kind) else ""
            columns.append(Wanted(name, f"CAST({expression} AS VARCHAR)", "text", declared, held))
    return columns


def fits_integers(database: Any, origin: str, expression: str) -> bool:
    """Whether every value that an expression gives is a whole number of 64 bits."""
    query = f"SELECT count({expression}) = count(TRY_CAST({expression} AS BIGINT)) FROM {origin}"
    return bool(database.sql(query).fetchall()[0][0])


def table_columns(database: Any, origin: str, columns: Sequence[Wanted]) -> dict[str, RawColumn]:
    """Columns of a relation in the order of its rows.

    Texts that repeat come out as a category: levels in ascending order, or as declared.
    """
    if not columns:
        return {}
    levels = {i: column.levels for i, column in enumerate(columns) if column.levels}
    for i, declared in levels.items():
        _enumerate(database, i, f"SELECT unnest([{', '.join(map(literal, declared))}])")
    levels |= _repeated_levels(database, origin, columns)
    coded = [f"enum_code(CAST({c.expression} AS heldout_{i}))" for i, c in enumerate(columns)]
    selected = [
        f"{coded[i] if i in levels else column.expression} AS c{i}"
        for i, column in enumerate(columns)
    ]
    fetched = database.sql(f"SELECT {', '.join(selected)} FROM {origin}").fetchnumpy()
    for i in levels:
        database.execute(f"DROP TYPE heldout_{i}")
    return {
        column.name: replace(_column(column, fetched[f"c{i}"], levels.get(i)), held=column.held)
        for i, column in enumerate(columns)
    }


def _enumerate(database: Any, number: int, query: str) -> None:
    database.execute(f"CREATE TYPE heldout_{number} AS ENUM ({query})")


def _repeated_levels(
    database: Any, origin: str, columns: Sequence[Wanted]
) -> dict[int, tuple[str, ...]]:
    """The levels of each column of text that has few, by its place; a type is made of them."""
    levels: dict[int, tuple[str, ...]] = {}
    texts = {i: c.expression for i, c in enumerate(columns) if c.kind == "text" and not c.levels}
    if not texts:
        return levels
    counts = ", ".join(f"approx_count_distinct({expression})" for expression in texts.values())
    rows, *about = database.sql(f"SELECT count(*), {counts} FROM {origin}").fetchall()[0]
    for (i, expression), count in zip(texts.items(), about, strict=True):
        if not 0 < count <= 1.25 * most_levels(rows):
            continue
        distinct = f"SELECT DISTINCT {expression} AS level FROM {origin}"
        database.execute(f"CREATE OR REPLACE TEMP TABLE levels AS {distinct}")
        ordered = "SELECT level FROM levels WHERE level IS NOT NULL ORDER BY level"
        rows_of_levels = database.sql(ordered).fetchall()
        if len(rows_of_levels) <= most_levels(rows):
            levels[i] = tuple(row[0] for row in rows_of_levels)
            _enumerate(database, i, ordered)
    return levels


def _column(column: Wanted, values: Any, levels: tuple[str, ...] | None) -> RawColumn:
    missing: NDArray[np.bool_] | None = None
    if isinstance(values, np.ma.MaskedArray):
        missing = np.ma.getmaskarray(values)
        values = np.ma.getdata(values)
        missing = missing if missing.any() else None
    if levels is not None:
        return RawColumn(column.name, "category", values.astype(np.int32), missing, levels)
    if column.kind == "text":
        texts = values.astype(object) if missing is None else np.where(missing, "", values)
        return RawColumn(column.name, "text", texts, missing)
    return column_of_array(column.name, values, missing)


def table_of_stream(
    source: Any,
    label: str,
    names: Sequence[str] | None = None,
    levels: Sequence[tuple[str, ...]] | None = None,
) -> list[tuple[str, RawColumn]]:
    """The columns of anything with the Arrow PyCapsule interface, read once."""
    import duckdb

    try:
        with connection() as database:
            stream = database.from_arrow(_Stream(source))
            stream.create("heldout_stream")
            columns = columns_to_fetch(database, "heldout_stream", names or stream.columns, levels)
            return list(table_columns(database, "heldout_stream", columns).items())
    except duckdb.Error as error:
        if "pyarrow" in str(error):  # DuckDB before 2.0 hands out streams by way of PyArrow
            raise MissingExtra("pyarrow", "reading Arrow streams", "arrow") from None
        raise InputError(f"{label} cannot be read: {cause_of(error)}") from None


class _Stream:
    """The stream of an object and nothing else of it, which DuckDB takes without PyArrow."""

    def __init__(self, source: Any) -> None:
        self.source = source

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.source.__arrow_c_stream__(requested_schema)
