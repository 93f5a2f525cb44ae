"""Files as typed tables: each format by its reader, none of whose own errors comes through."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError, MissingExtra
from heldout.predictions.duck import cause_of, connection, table_columns, wanted
from heldout.predictions.formats import real_format
from heldout.predictions.header import refuse_repeated
from heldout.predictions.json_files import read_json
from heldout.predictions.objects import table_of_object
from heldout.predictions.packed import opened, scanned_path
from heldout.predictions.raw import RawTable
from heldout.predictions.text_files import read_text
from heldout.predictions.values import column_of_array

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.predictions.formats import SourceFile
    from heldout.predictions.raw import RawColumn

__all__ = ["read_file"]


def read_file(file: SourceFile) -> RawTable:
    """The table in a file."""
    if file.format == "text":
        return read_text([file], file.name)
    if file.format == "json":
        return read_json(file)
    return read_parquet(file) if file.format == "parquet" else read_arrow(file)


def read_parquet(file: SourceFile) -> RawTable:
    """The table in a Parquet file; rows count from 1.

    Parquet itself has no categories, so the levels of texts are in ascending order.
    """
    import duckdb

    _check_magic(file, b"PAR1", "Parquet")
    path = scanned_path(file)
    origin = f"read_parquet({path}, hive_partitioning = false)"
    with connection() as database:
        try:
            names = _top_names(database, path)
            refuse_repeated(file.name, names)
            rows = database.sql(f"SELECT count(*) FROM {origin}").fetchall()[0][0]
            if not rows:
                raise InputError(f"{file.name} has no rows")
            columns = table_columns(database, origin, wanted(database, origin, names))
            columns |= _durations(database, path, columns)
        except duckdb.Error as error:
            raise InputError(f"{file.name} is damaged: {cause_of(error)}; make it again") from None
    return RawTable(columns, file.name, rows)


def _durations(
    database: Any, path: str, columns: dict[str, RawColumn]
) -> Iterator[tuple[str, RawColumn]]:
    """The columns that an Arrow library wrote as durations, for which Parquet has only integers.

    The file keeps Arrow's own types beside, which PyArrow reads where it is installed.
    """
    query = f"SELECT value FROM parquet_kv_metadata({path}) WHERE key = 'ARROW:schema'"
    found = database.sql(query).fetchall()
    if not found or find_spec("pyarrow") is None:
        return
    import base64

    import pyarrow as pa

    try:
        schema = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(found[0][0])))
    except (ValueError, OSError, pa.ArrowException):
        return  # what is beside the data says nothing
    for field in schema:
        column = columns.get(field.name)
        if column is not None and column.kind == "integer" and pa.types.is_duration(field.type):
            values = column.values.astype(f"m8[{field.type.unit}]")
            yield field.name, column_of_array(field.name, values, column.missing)


def _top_names(database: Any, path: str) -> list[str]:
    """The names of the columns as the file has them (DuckDB renames those that are alike)."""
    schema = database.sql(f"SELECT name, num_children FROM parquet_schema({path})").fetchall()
    names, inside = [], 0
    for name, children in schema[1:]:
        if not inside:
            names.append(name)
        else:
            inside -= 1
        inside += children or 0
    return names


def read_arrow(file: SourceFile) -> RawTable:
    """The table in an Arrow file or stream; rows count from 1."""
    if find_spec("pyarrow") is None:
        raise MissingExtra("pyarrow", "reading Arrow files", "arrow")
    import pyarrow as pa

    # not mapped into memory: a file that is cut meanwhile would end the process
    content = file.path.read_bytes()
    head = content[:8]
    if not head:
        raise InputError(f"{file.name} is empty")
    try:
        opener = pa.ipc.open_file if head.startswith(b"ARROW1") else pa.ipc.open_stream
        table = opener(content).read_all()
        # the lengths and offsets of a file are believed until they are followed out of memory
        table.validate(full=True)
    except (pa.ArrowException, ValueError, OSError) as error:
        what, _ = real_format(head)
        if "Arrow" not in what:
            told = f"is {what}, not an Arrow file" if what else "is not an Arrow file"
            raise InputError(f"{file.name} {told}; check what wrote it") from None
        raise InputError(
            f"{file.name} is damaged or was cut off ({cause_of(error)}); copy or make it again"
        ) from None
    found = table_of_object(table, file.name)
    assert found is not None, "a PyArrow table is a table"
    return RawTable(found.columns, file.name, found.rows)


def _check_magic(file: SourceFile, magic: bytes, what: str) -> None:
    """Refuse a file that does not start and end as its format does."""
    with opened(file) as stream:
        head = stream.read(64)
        size = stream.seek(0, 2)
        stream.seek(max(size - len(magic), 0))
        tail = stream.read()
    if not head:
        raise InputError(f"{file.name} is empty")
    if not head.startswith(magic):
        real, suffix = real_format(head)
        told = f"is {real}, not {what}" if real else f"is not a {what} file"
        fix = f"name it with {suffix}" if suffix else "check what wrote it"
        raise InputError(f"{file.name} {told}; {fix}")
    if tail != magic or size < 12:
        raise InputError(f"{file.name} ends too soon: the file was cut off; copy or make it again")
