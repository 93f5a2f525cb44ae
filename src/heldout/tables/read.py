"""Where a table comes from: a path, a pattern of paths, standard input, or a Python object."""

from __future__ import annotations

import sys
from dataclasses import replace
from glob import glob, has_magic
from importlib.util import find_spec
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

from heldout.core.disk import attempt
from heldout.core.errors import InputError, MissingExtra
from heldout.core.nearest import nearest
from heldout.data import example
from heldout.tables.column import column_of_array
from heldout.tables.duck import cause_of, columns_to_fetch, connection, table_columns
from heldout.tables.files import (
    SourceFile,
    file_of,
    open_file,
    partition_file,
    real_format,
    scanned_path,
)
from heldout.tables.frames import raw_column, table_of_object
from heldout.tables.json_files import read_json
from heldout.tables.spool import spool_bytes
from heldout.tables.table import RawTable, join, refuse_lacking, refuse_repeated
from heldout.tables.text_files import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.tables.column import RawColumn

#: what the names of tables that ship with heldout begin with
EXAMPLE = "example:"


def read_table(source: Any, *, name: str = "") -> RawTable:
    """The table behind a source, its columns typed and in order.

    Parameters
    ----------
    source
        A path; a pattern such as ``runs/*.csv``, whose files are one table; ``"-"`` for
        standard input, whose format is read from its first bytes; ``"example:spam"`` and the
        like for a table that ships with heldout (see ``heldout.example``); or a Python object: a
        data frame of pandas or polars, an Arrow table or stream, a DuckDB relation, a
        mapping of names to columns, a NumPy structured array, a list of mappings.
    name
        What messages call the table.

    Notes
    -----
    Rows are called by their line in text files (the header is line 1), by their number from
    1 in other files and from 0 in Python objects.

    Examples
    --------
    >>> table = read_table({"truth": [1, 0], "score": [0.9, 0.2]})
    >>> [(column.name, column.kind) for column in table.columns.values()]
    [('truth', 'integer'), ('score', 'float')]
    """
    if isinstance(source, (str, Path)):
        if str(source) == "-":
            with attempt(f"read standard input by way of {gettempdir()}"):
                return _read_file(spool_bytes(sys.stdin.buffer, name or "standard input"))
        return _path_table(Path(location_of(source)), name or str(source))
    if isinstance(source, SourceFile):
        return _read_file(source)
    table = source if isinstance(source, RawTable) else table_of_object(source, name)
    if table is None:
        raise InputError(
            f"cannot read a table from {type(source).__module__}.{type(source).__name__}; give a "
            "path, a data frame, an Arrow table, a relation or a mapping of names to columns"
        )
    return table


def location_of(source: Any) -> Any:
    """Where a source lies: ``example:NAME`` is a table that ships with heldout.

    Examples
    --------
    >>> location_of("example:mails").name, location_of("mails.csv")
    ('mails.csv', 'mails.csv')
    """
    if isinstance(source, str) and not source:  # which as a path is the current folder
        raise InputError("the name of a file is empty; give a path")
    is_example = isinstance(source, str) and source.startswith(EXAMPLE)
    return example(source.removeprefix(EXAMPLE)) if is_example else source


def files_of(source: Any) -> list[Any]:
    """The files of a pattern in the order of their names; any other source alone."""
    source = location_of(source)
    if not isinstance(source, (str, Path)) or str(source) == "-" or Path(source).exists():
        return [source]
    return _matching(str(source), str(source)) if has_magic(str(source)) else [source]


def _path_table(path: Path, name: str) -> RawTable:
    if path.is_dir():
        return _files_table(files_in(path), name)
    if path.is_file():
        return _read_file(file_of(path, name))
    if path.exists():  # a pipe, say of the shell's <(...)
        with path.open("rb") as stream:
            return _read_file(spool_bytes(stream, name))
    if has_magic(str(path)):
        return _files_table(_matching(str(path), name), name)
    raise InputError(_missing(path, name))


def files_in(folder: Path) -> list[Path]:
    """The files of a folder and of all folders in it that are read, in the order of their names.

    Files that begin with ``_`` or ``.`` are notes of those who wrote the others.
    """
    next(folder.iterdir(), None)  # what rglob may not look into it passes over in silence
    files = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not any(part.startswith(("_", ".")) for part in path.relative_to(folder).parts)
    ]
    if not files:
        raise InputError(f"{folder} is a folder without files to read")
    return files


def _missing(path: Path, name: str) -> str:
    folder = path.parent
    if path.is_symlink():
        return f"no such file: {name} (it is a link to {path.readlink()}, which is not there)"
    if not folder.is_dir():
        return f"no such file: {name} (there is no folder {folder})"
    # extensions are alike in all files, so the words before them are compared
    stems = {
        entry.name.partition(".")[0]: entry for entry in sorted(folder.iterdir(), reverse=True)
    }
    near = [str(stems[stem]) for stem in nearest(path.name.partition(".")[0], stems, alike=0.65)]
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"no such file: {name}{hint}"


def _files_table(paths: list[Path], name: str) -> RawTable:
    """All files as one table."""
    files = [partition_file(path) for path in paths]
    if all(file.format == "text" and not file.partitions for file in files):
        table = read_text(files, name)
        return table if table.parts else replace(table, parts=((files[0].name, table.rows),))
    tables = [_read_file(file) for file in files]
    refuse_lacking([(table.source, table.columns) for table in tables])
    parts = tuple((table.source, table.rows) for table in tables)
    whole = join(tables) if len(tables) > 1 else tables[0]
    return replace(whole, source=name, parts=parts)


def _matching(pattern: str, name: str) -> list[Path]:
    names = glob(pattern, recursive=True)  # noqa: PTH207  Path.glob takes no absolute pattern
    paths = [path for path in map(Path, sorted(names)) if path.is_file()]
    if not paths:
        raise InputError(f"no file matches {name}")
    return paths


def _read_file(file: SourceFile) -> RawTable:
    """The table in a file, with a column for each folder that names one."""
    readers = {"json": read_json, "parquet": read_parquet, "arrow": read_arrow}
    reader = readers.get(file.format)
    table = read_text([file], file.name) if reader is None else reader(file)
    columns = {name: raw_column(name, [value] * table.rows) for name, value in file.partitions}
    return replace(table, columns=table.columns | columns) if columns else table


def read_parquet(file: SourceFile) -> RawTable:
    """The table in a Parquet file; rows count from 1.

    Parquet itself has no categories, so the levels of texts are in ascending order.
    """
    import duckdb

    check_magic(file, b"PAR1", "Parquet")
    path = scanned_path(file)
    origin = f"read_parquet({path}, hive_partitioning = false)"
    with connection() as database:
        try:
            names = _top_names(database, path)
            refuse_repeated(file.name, names)
            rows = database.sql(f"SELECT count(*) FROM {origin}").fetchall()[0][0]
            if not rows:
                raise InputError(f"{file.name} has no rows")
            columns = table_columns(database, origin, columns_to_fetch(database, origin, names))
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
    schemas = database.sql(query).fetchall()
    if not schemas or find_spec("pyarrow") is None:
        return
    import base64

    import pyarrow as pa

    try:
        schema = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(schemas[0][0])))
        # the bytes of a name are looked at when it is asked for, and need not be text
        types = {field.name: field.type for field in schema}
    except (ValueError, OSError, pa.ArrowException):
        return  # what is beside the data says nothing
    for name, kind in types.items():
        column = columns.get(name)
        if column is not None and column.kind == "integer" and pa.types.is_duration(kind):
            values = column.values.astype(f"m8[{kind.unit}]")
            yield name, column_of_array(name, values, column.missing)


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
        what, suffix = real_format(head)
        if suffix != ".arrow":
            real = f"is {what}, not" if what else "is not"
            raise InputError(f"{file.name} {real} an Arrow file; check what wrote it") from None
        raise InputError(
            f"{file.name} is damaged or was cut off ({cause_of(error)}); copy or make it again"
        ) from None
    typed = table_of_object(table, file.name)
    assert typed is not None, "a PyArrow table is a table"
    return RawTable(typed.columns, file.name, typed.rows)


def check_magic(file: SourceFile, magic: bytes, what: str) -> None:
    """Refuse a file that does not start and end as its format does."""
    with open_file(file) as stream:
        head = stream.read(64)
        size = stream.seek(0, 2)
        stream.seek(max(size - len(magic), 0))
        tail = stream.read()
    if not head:
        raise InputError(f"{file.name} is empty")
    if not head.startswith(magic):
        real, suffix = real_format(head)
        why = f"is {real}, not {what}" if real else f"is not a {what} file"
        fix = f"name it with {suffix}" if suffix else "check what wrote it"
        raise InputError(f"{file.name} {why}; {fix}")
    if tail != magic or size < 12:
        raise InputError(f"{file.name} ends too soon: the file was cut off; copy or make it again")
