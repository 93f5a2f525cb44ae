"""JSON Lines, and JSON arrays of objects, through DuckDB: typed by what JSON itself says."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.tables.duck import (
    MOST_COLUMNS,
    Wanted,
    by_column,
    cause_of,
    connection,
    identifier,
    table_columns,
)
from heldout.tables.files import check_whole, head_of, scanned_path, text_lines
from heldout.tables.table import RawTable
from heldout.tables.text_files import BOM, HEAD, decode_head

if TYPE_CHECKING:
    from heldout.tables.files import SourceFile

#: what JSON calls the kinds of its values, and what we call them
KINDS = {
    "VARCHAR": "text",
    "UBIGINT": "integers",
    "BIGINT": "integers",
    "HUGEINT": "integers",
    "DOUBLE": "floats",
    "BOOLEAN": "booleans",
    "ARRAY": "lists",
    "OBJECT": "objects",
}


def json_of(text: str) -> Any:
    """What a JSON text holds; one that Python cannot take is a ValueError, whatever the reason."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError as error:
        if isinstance(error, json.JSONDecodeError):
            raise
        raise ValueError("it holds a number of thousands of digits") from None


def read_json(file: SourceFile) -> RawTable:
    """A table from a file with one JSON object a row.

    A key that a row lacks, or whose value is null, is missing there. Lists and objects are
    kept as their JSON text, integers beyond 64 bits as their digits. Rows count from 1.
    """
    import duckdb

    check_whole(file)
    head = head_of(file, HEAD)
    if not decode_head(file, head).strip():
        raise InputError(f"{file.name} is empty; it must hold one JSON object per line")
    with connection() as database:
        try:
            return _read(database, file)
        except duckdb.Error as error:
            if head.startswith(BOM):  # which is passed over before objects, and not before a list
                raise InputError(
                    f"{file.name} starts with a byte order mark; save it without one"
                ) from None
            raise InputError(_trouble(file, str(error), cause_of(error))) from None


def _read(database: Any, file: SourceFile) -> RawTable:
    packing = "" if file.compression == "none" else f"compression = '{file.compression}', "
    database.execute(
        f"CREATE TEMP TABLE rows AS SELECT * FROM read_json({scanned_path(file)}, "
        f"{packing}records = true, maximum_depth = 1, "
        "sample_size = -1, map_inference_threshold = -1, field_appearance_threshold = 0, "
        "hive_partitioning = false)"
    )
    names = database.sql("SELECT * FROM rows").columns
    rows = database.sql("SELECT count(*) FROM rows").fetchall()[0][0]
    if not rows:
        raise InputError(f"{file.name} has no rows")
    folded: dict[str, str] = {}
    for name in names:
        # DuckDB calls a second key that differs in case alone by the name with a number
        base, _, number = name.rpartition("_")
        other = folded.get(base.lower()) if number.isdigit() else None
        if other is not None and base != other:
            raise InputError(
                f"{file.name} has keys {other!r} and {base!r}, which differ only in case; "
                "rename one of them"
            )
        folded[name.lower()] = name
    wanted: list[Wanted] = []
    for start in range(0, len(names), MOST_COLUMNS):
        part = names[start : start + MOST_COLUMNS]
        facts = by_column(database, "rows", [_value(name) for name in part], FACTS)
        for name, (kinds, are_digits, are_fitting) in zip(part, facts, strict=True):
            known = {KINDS[kind] for kind in kinds if kind not in (None, "NULL")}
            if len(known) > 1 and known != {"integers", "floats"}:
                raise _mixture(database, file, name)
            wanted.append(_column_to_fetch(name, known, are_digits, are_fitting))
    return RawTable(table_columns(database, "rows", wanted), file.name, rows)


#: SQL: the kinds of the values of a key, whether all are whole numbers, and of 64 bits.
#: JSON gives integers beyond 64 bits as floats, but keeps their digits.
FACTS = (
    "row(list(DISTINCT json_type(val)), "
    "bool_and(regexp_full_match(val ->> '$', '-?[0-9]+')), "
    "count(val ->> '$') = count(TRY_CAST(val ->> '$' AS BIGINT)))"
)


def _value(name: str) -> str:
    return f"CAST({identifier(name)} AS JSON)"


def _column_to_fetch(name: str, kinds: set[str], are_digits: bool, are_fitting: bool) -> Wanted:
    """What to fetch of a key: its values are of one kind (integers and floats are numbers)."""
    text = f"({_value(name)} ->> '$')"
    if kinds == {"booleans"}:
        return Wanted(name, f"CAST({text} AS BOOLEAN)", "boolean")
    if kinds and kinds <= {"integers", "floats"} and not are_digits:
        return Wanted(name, f"CAST({text} AS DOUBLE)", "float")
    if kinds and kinds <= {"integers", "floats"} and are_fitting:
        return Wanted(name, f"CAST({text} AS BIGINT)", "integer")
    return Wanted(name, text, "text", held="nested" if kinds & {"lists", "objects"} else "")


def _mixture(database: Any, file: SourceFile, name: str) -> InputError:
    """The error of a key with values of several kinds: the first rows of two of them."""
    query = f"SELECT json_type({_value(name)}), min(rowid) + 1 FROM rows GROUP BY ALL ORDER BY 2"
    first_rows: dict[str, int] = {}
    for kind, row in database.sql(query).fetchall():
        if kind not in (None, "NULL"):
            first_rows.setdefault(KINDS[kind], row)
    (kind_of_first, first), (other, row) = list(first_rows.items())[:2]
    if {kind_of_first, other} == {"integers", "floats"}:
        other, row = list(first_rows.items())[2]
    return InputError(
        f"{file.name}: {name!r} holds {kind_of_first} in row {first} and {other} in row {row}; "
        "make all of them one kind"
    )


def _trouble(file: SourceFile, message: str, cause: str) -> str:
    """What is wrong with a file that DuckDB refuses; its lines are counted by us."""
    if "expected records" in message:
        return (
            f"{file.name} does not hold JSON objects; write one object per line, one key per column"
        )
    if twice := re.search(r'has duplicate key "(.*?)"', message):
        return f"{file.name} has the key {twice[1]!r} twice in one object; rename one of them"
    for number, line in enumerate(text_lines(file), start=1):
        if number == 1 and not line.lstrip().startswith("{"):
            break  # not one object a line
        try:
            json_of(line.strip() or "null")
        except json.JSONDecodeError as error:
            where = f"{error.msg} at character {error.colno}"
            return f"{file.name} line {number} is not valid JSON: {where}"
        except ValueError as error:
            return f"{file.name} line {number} cannot be read: {error}"
    return f"{file.name} is not valid JSON: {re.sub('in file .*?, ', '', cause)}"
