"""What can be read once, as a file that can be read again: it has no name, so that none is left."""

from __future__ import annotations

import os
import shutil
from errno import ENOSPC
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO

from heldout.core.disk import FULL, cause_of_system
from heldout.core.errors import InputError
from heldout.tables.duck import ArrowStream, cause_of, connection, literal
from heldout.tables.files import COMPRESSIONS, FORMATS, Format, SourceFile, head_of, real_format

if TYPE_CHECKING:
    from collections.abc import Callable

#: how rows are written
SPOOL = "FORMAT parquet, USE_TMP_FILE false"
#: the open files of this process, by number
OPEN_FILES = Path("/proc/self/fd")


def new_file() -> tuple[Path, Any]:
    """The path of an empty file, and what keeps it: the file goes when that is let go of.

    On Linux the file has no name from the start, so that nothing is left where the process is
    killed; elsewhere it lies in a temporary folder.
    """
    if OPEN_FILES.is_dir():
        with TemporaryFile() as file:
            kept = _OpenFile(os.dup(file.fileno()))
        return OPEN_FILES / str(kept.number), kept
    folder = TemporaryDirectory(prefix="heldout-")
    return Path(folder.name) / "input", folder


class _OpenFile:
    """An open file of the system, which is closed when this is let go of."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self) -> None:
        os.close(self.number)


def spool_bytes(stream: BinaryIO, name: str) -> SourceFile:
    """The bytes of a stream as a file whose format is that of its first bytes."""
    path, keeper = new_file()
    with path.open("wb") as copy:
        shutil.copyfileobj(stream, copy, 1 << 20)
    if not path.stat().st_size:
        raise InputError(f"{name} is empty")
    return _file_by_content(path, name, keeper)


def spool_rows(write: Callable[[Path], None], name: str) -> SourceFile:
    """The Parquet file that a function writes."""
    path, keeper = new_file()
    write(path)
    return SourceFile(path, name, "parquet", held=keeper)


def spool_stream(stream: Any, name: str) -> SourceFile:
    """The rows of an Arrow stream as a Parquet file, by way of DuckDB, in bounded memory."""
    import duckdb

    with connection() as database:
        database.from_arrow(ArrowStream(stream)).create_view("stream")
        try:
            return spool_query(database, "FROM stream", name)
        except duckdb.Error as error:
            raise InputError(f"{name} cannot be read: {cause_of(error)}") from None


def spool_query(database: Any, query: str, name: str) -> SourceFile:
    """The rows that a query of a database gives, as a Parquet file, in the order they come in."""
    import duckdb

    def write(path: Path) -> None:
        try:
            database.execute(f"COPY ({query}) TO {literal(str(path))} ({SPOOL})")
        except duckdb.Error as error:
            if cause_of_system(error) == FULL:
                raise OSError(ENOSPC, FULL) from error
            raise

    return spool_rows(write, name)


def _file_by_content(path: Path, name: str, keeper: Any) -> SourceFile:
    """What the first bytes of a file without a name say of it."""
    with path.open("rb") as stream:
        head = stream.read(8)
    _, suffix = real_format(head)
    if suffix in (".parquet", ".arrow"):
        return SourceFile(path, name, FORMATS[suffix], held=keeper)
    packing = COMPRESSIONS.get(suffix, "none")
    start = head_of(SourceFile(path, name, "text", packing), 1 << 16).removeprefix(b"\xef\xbb\xbf")
    form: Format = "json" if start.lstrip()[:1] in (b"{", b"[") else "text"
    return SourceFile(path, name, form, packing, held=keeper)
