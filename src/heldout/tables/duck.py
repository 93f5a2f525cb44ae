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
from heldout.core.memory import address_limit
from heldout.tables.column import RawColumn, column_of_array, most_levels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from heldout.core.arrays import Booleans
    from heldout.tables.column import Held

    #: the values of columns of a relation in the order of its rows, as expressions select them:
    #: arrays, masked where values are missing. Codes are selected where an expression is not that
    #: of its column.
    Fetch = Callable[[Any, str, Sequence["Wanted"], Sequence[str]], Sequence[Any]]

#: columns of one query: the time to plan it, and its memory, grow faster than their number
MOST_COLUMNS = 300
#: queries for the columns of one relation, each of which is planned with all that it has
MOST_QUERIES = 10
#: addresses with which DuckDB may take as many threads as there are processors
MANY_ADDRESSES = 8 * 2**30
#: levels that are written into a query
MOST_WRITTEN = 1024


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
        **_within(address_limit()),
    }
    database = duckdb.connect(":memory:", config=settings)
    try:
        database.execute("SET TimeZone = 'UTC'")
        # DuckDB 2.0 would print one among the results
        database.execute("SET enable_progress_bar = false")
        yield database
    finally:
        database.close()


def _within(limit: int | None) -> dict[str, Any]:
    """The settings for a process whose addresses are limited, of which DuckDB does not know.

    Each of its threads reserves addresses of its own.
    """
    if limit is None or limit > MANY_ADDRESSES:
        return {}
    return {"threads": 1, "memory_limit": f"{limit // 2**21}MiB"}


def cause_of(error: BaseException) -> str:
    """The heart of a long message of DuckDB or PyArrow: one short line.

    That there is too little memory says nothing of a file: it is raised as what it is.
    """
    if type(error).__name__ == "OutOfMemoryException":
        raise MemoryError from error
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
    known = zip(names, described.columns, described.types, strict=True)
    for i, (name, column, type_) in enumerate(known):
        expression, kind = identifier(column), str(type_)
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


def _fetched(
    database: Any, origin: str, columns: Sequence[Wanted], selected: Sequence[str]
) -> Sequence[Any]:
    named = ", ".join(f"{expression} AS c{i}" for i, expression in enumerate(selected))
    values = database.sql(f"SELECT {named} FROM {origin}").fetchnumpy()
    return [values[f"c{i}"] for i in range(len(columns))]


def table_columns(
    database: Any, origin: str, columns: Sequence[Wanted], *, fetch: Fetch = _fetched
) -> dict[str, RawColumn]:
    """Columns of a relation in the order of its rows.

    Texts that repeat come out as a category: levels in ascending order, or as declared.
    """
    fetched: dict[str, RawColumn] = {}
    step = max(MOST_COLUMNS, -(-len(columns) // MOST_QUERIES))
    for start in range(0, len(columns), step):
        part = columns[start : start + step]
        levels = {i: column.levels for i, column in enumerate(part) if column.levels}
        levels |= _repeated_levels(database, origin, part)
        selected = [column.expression for column in part]
        for i, known in levels.items():
            selected[i] = f"enum_code(CAST({selected[i]} AS {_enumeration(database, i, known)}))"
        values = fetch(database, origin, part, selected)
        for i, column in enumerate(part):
            typed = _column(column, values[i], levels.get(i))
            fetched[column.name] = replace(typed, held=column.held) if column.held else typed
    return fetched


def _enumeration(database: Any, number: int, levels: tuple[str, ...]) -> str:
    """The SQL of an enumeration; one of very many levels is made a type, which takes no parsing."""
    if len(levels) <= MOST_WRITTEN:
        return f"ENUM ({', '.join(map(literal, levels))})"
    database.register("heldout_levels", {"level": np.array(levels, object)})
    name = f"heldout_{number}"
    database.execute(f"DROP TYPE IF EXISTS {name}")
    database.execute(f"CREATE TYPE {name} AS ENUM (SELECT level FROM heldout_levels)")
    return name


def _repeated_levels(
    database: Any, origin: str, columns: Sequence[Wanted]
) -> dict[int, tuple[str, ...]]:
    """The levels of each column of text that has few, in ascending order, by its place."""
    texts = {i: c.expression for i, c in enumerate(columns) if c.kind == "text" and not c.levels}
    if not texts:
        return {}
    rows = database.sql(f"SELECT count(*) FROM {origin}").fetchall()[0][0]
    most = most_levels(rows)
    about = by_column(database, origin, list(texts.values()), "approx_count_distinct(val)")
    few = [i for i, count in zip(texts, about, strict=True) if 0 < count <= 1.25 * most]
    distinct = "list_sort(list(DISTINCT val) FILTER (val IS NOT NULL))"
    levels = by_column(database, origin, [texts[i] for i in few], distinct)
    return {i: tuple(known) for i, known in zip(few, levels, strict=True) if len(known) <= most}


def by_column(database: Any, origin: str, expressions: Sequence[str], aggregate: str) -> list[Any]:
    """An aggregate, of ``val``, of each of some expressions of one type."""
    if not expressions:
        return []
    # turned to one long column, a thousand columns need no more plan than one
    query = (
        f"SELECT {aggregate} FROM (SELECT unnest([{', '.join(expressions)}]) AS val, "
        f"unnest(range({len(expressions)})) AS place FROM {origin}) GROUP BY place ORDER BY place"
    )
    return [value for (value,) in database.sql(query).fetchall()]


def _column(column: Wanted, values: Any, levels: tuple[str, ...] | None) -> RawColumn:
    missing: Booleans | None = None
    if isinstance(values, np.ma.MaskedArray):
        missing = np.ma.getmaskarray(values)
        values = np.ma.getdata(values)
        missing = missing if missing.any() else None
    if levels is not None:
        return RawColumn(
            column.name, "category", values.astype(np.int32, copy=False), missing, levels
        )
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
            stream = database.from_arrow(ArrowStream(source))
            stream.create("heldout_stream")
            columns = columns_to_fetch(database, "heldout_stream", names or stream.columns, levels)
            return list(table_columns(database, "heldout_stream", columns).items())
    except duckdb.Error as error:
        if "pyarrow" in str(error):  # DuckDB before 2.0 hands out streams by way of PyArrow
            raise MissingExtra("pyarrow", "reading Arrow streams", "arrow") from None
        raise InputError(f"{label} cannot be read: {cause_of(error)}") from None


class ArrowStream:
    """The stream of an object and nothing else of it, which DuckDB takes without PyArrow."""

    def __init__(self, source: Any) -> None:
        self.source = source

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.source.__arrow_c_stream__(requested_schema)
