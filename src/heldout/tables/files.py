"""Which format a file has, and its bytes, plain or compressed."""

from __future__ import annotations

import gzip
import re
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote

from heldout.core.errors import InputError
from heldout.tables.duck import connection, literal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedIOBase

Format = Literal["text", "json", "parquet", "arrow"]
Compression = Literal["none", "gzip", "zstd"]
#: what is read, for messages
READ = (
    ".csv .tsv .txt .jsonl .ndjson .json (each also with .gz or .zst), "
    ".parquet, .arrow .feather .ipc"
)
FORMATS: dict[str, Format] = {
    ".csv": "text",
    ".tsv": "text",
    ".tab": "text",
    ".txt": "text",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
COMPRESSIONS: dict[str, Compression] = {
    ".gz": "gzip",
    ".gzip": "gzip",
    ".zst": "zstd",
    ".zstd": "zstd",
}
#: the delimiter a name promises; another one is taken only where this one does not occur
DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
#: the ending of counts of predictions that add (``predictions/tally_file.py``)
TALLY = ".tally"
#: first bytes, what they mean, and the suffix such a file should have ("" where not read)
MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"PAR1", "a Parquet file", ".parquet"),
    (b"ARROW1", "an Arrow file", ".arrow"),
    (b"\xff\xff\xff\xff", "an Arrow stream", ".arrow"),
    (b"FEA1", "a Feather file of version 1", ""),
    (b"\x1f\x8b", "compressed with gzip", ".gz"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd", ".zst"),
    (b"PK\x03\x04", "a zip archive or an Excel workbook", ""),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook", ""),
    (b"BZh", "compressed with bzip2", ""),
    (b"\xfd7zXZ\x00", "compressed with xz", ""),
    (b"\x93NUMPY", "a NumPy file", ""),
    (b"\x89HDF\r\n", "an HDF5 file", ""),
    (b"SQLite format 3\x00", "an SQLite database", ""),
    (b"%PDF-", "a PDF document", ""),
    (b"\x80\x04\x95", "a Python pickle", ""),
    (b"\x80\x05\x95", "a Python pickle", ""),
)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read: where it is, what messages call it, and what it holds."""

    path: Path
    name: str
    format: Format
    compression: Compression = "none"
    delimiter: str = ""
    #: columns that are named by folders, with their values
    partitions: tuple[tuple[str, str | None], ...] = ()
    #: what keeps a temporary file
    held: Any = field(default=None, compare=False, repr=False)


def file_of(path: Path, name: str) -> SourceFile:
    """What the name of a file says of it.

    Examples
    --------
    >>> from pathlib import Path
    >>> file_of(Path("runs/model.CSV.gz"), "model.CSV.gz").compression
    'gzip'
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compression: Compression = "none"
    if suffixes and suffixes[-1] in COMPRESSIONS:
        compression = COMPRESSIONS[suffixes.pop()]
    suffix = suffixes[-1] if suffixes else ""
    if suffix not in FORMATS:
        why = f"cannot tell the format from {suffix!r}" if suffix else "the name has no extension"
        raise InputError(f"{name}: {why}; heldout reads {READ}")
    format_ = FORMATS[suffix]
    if compression != "none" and format_ in ("parquet", "arrow"):
        raise InputError(
            f"{name} is compressed from outside, but {suffix} files compress themselves; "
            "unpack it first (gunzip or unzstd)"
        )
    return SourceFile(path, name, format_, compression, DELIMITERS.get(suffix, ""))


def is_tally(source: Any) -> bool:
    """Whether a source is a tally file, by its name."""
    return isinstance(source, (str, Path)) and str(source).lower().endswith(TALLY)


def partition_file(path: Path) -> SourceFile:
    """A file of a folder or a pattern, with the columns that the folders on its way name.

    Folders are named as Hive and Spark name them; their values are texts.

    Examples
    --------
    >>> from pathlib import Path
    >>> partition_file(Path("predictions/country=DE/day=2024-05-01/part-0.parquet")).partitions
    (('country', 'DE'), ('day', '2024-05-01'))
    """
    pairs = [part.partition("=") for part in path.parts[:-1] if re.fullmatch(r"[^=]+=.*", part)]
    values = tuple(
        (unquote(name), None if value == "__HIVE_DEFAULT_PARTITION__" else unquote(value))
        for name, _, value in pairs
    )
    return replace(file_of(path, str(path)), partitions=values)


def real_format(head: bytes) -> tuple[str, str]:
    """What the first bytes say a file is, and its right suffix; empty if they say nothing.

    Examples
    --------
    >>> real_format(b"PAR1....")
    ('a Parquet file', '.parquet')
    """
    matches = (entry[1:] for entry in MAGIC if head.startswith(entry[0]))
    return next(matches, ("", ""))


#: the first bytes of compressed files
PACKED = {COMPRESSIONS[suffix]: magic for magic, _, suffix in MAGIC if suffix in COMPRESSIONS}


@contextmanager
def open_file(file: SourceFile) -> Iterator[BufferedIOBase]:
    """The unpacked bytes of a plain or gzip file as a stream."""
    try:
        is_packed = file.compression == "gzip"
        with gzip.open(file.path, "rb") if is_packed else file.path.open("rb") as stream:
            yield stream
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _broken(file, isinstance(error, EOFError)) from None


def head_of(file: SourceFile, size: int) -> bytes:
    """The first unpacked bytes of a file, at most as many as asked for."""
    if file.compression == "zstd":
        return b"".join(_zstd_lines(file, "line", f"LIMIT {size >> 10}"))[:size]
    with open_file(file) as stream:
        return stream.read(size)


def lines_of(file: SourceFile) -> Iterator[bytes]:
    """The unpacked lines of a file, each with its end."""
    if file.compression == "zstd":
        yield from _zstd_lines(file, "line")
    else:
        with open_file(file) as stream:
            yield from stream


def text_lines(file: SourceFile) -> Iterator[str]:
    """The lines of a file as text, without the mark of UTF-8; one that is not UTF-8 is refused."""
    for number, line in enumerate(lines_of(file), start=1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise wrong_encoding(file, number) from None


def check_whole(file: SourceFile) -> None:
    """Refuse a compressed file that was cut off or damaged.

    DuckDB stops without a word where a zstd file is cut between two blocks, and does not
    compare the checksum of a gzip file.
    """
    if file.compression == "gzip":
        with open_file(file) as stream:
            while stream.read(1 << 20):
                pass
    elif file.compression == "zstd" and not _zstd_is_whole(file):
        raise _broken(file, cut=True)


def scanned_path(file: SourceFile) -> str:
    """The path as DuckDB must be given it, in which ``*``, ``?`` and ``[`` mean themselves."""
    return literal(escape(str(file.path.absolute())))


def wrong_encoding(file: SourceFile, line: int) -> InputError:
    """The error of a line that is not UTF-8."""
    return InputError(
        f"{file.name} line {line} is not UTF-8; if it is Latin-1, convert the file: "
        "iconv -f latin1 -t utf8"
    )


def _broken(file: SourceFile, cut: bool) -> InputError:
    packing = file.compression
    with file.path.open("rb") as stream:
        head = stream.read(4)
    # the start of a skippable frame of zstd counts from 0x50 to 0x5f
    own = PACKED[packing].startswith(head[: len(PACKED[packing])]) or head[1:] == b"\x2a\x4d\x18"
    if not own:
        return InputError(
            f"{file.name} is not compressed with {packing}, as its name says; "
            f"name it {file.path.stem}"
        )
    what = "ends too soon: the file was cut off" if cut else "is damaged"
    return InputError(f"{file.name} ({packing}) {what}; copy or make it again")


def zstd_count(file: SourceFile) -> int:
    """The number of lines of a zstd file."""
    return int(next(_zstd_lines(file, "CAST(count(*) AS VARCHAR)")))


def _zstd_lines(file: SourceFile, selected: str, limit: str = "") -> Iterator[bytes]:
    """Lines by way of DuckDB, which unpacks zstd where Python (before 3.14) cannot."""
    import duckdb

    # a delimiter that no text has, and no quotes, give whole lines
    query = (
        f"SELECT {selected} FROM read_csv({scanned_path(file)}, compression = 'zstd', "
        "header = false, auto_detect = false, delim = chr(1), quote = '', escape = '', "
        f"comment = '', columns = {{'line': 'VARCHAR'}}) {limit}"
    )
    try:
        with connection() as database:
            result = database.execute(query)
            while rows := result.fetchmany(10_000):
                yield from (f"{'' if line is None else line}\n".encode() for (line,) in rows)
    except duckdb.Error as error:
        line = re.search(r"Line: (\d+)", str(error))
        if line and "utf-8" in str(error):
            raise wrong_encoding(file, int(line[1])) from None
        raise _broken(file, cut=not _zstd_is_whole(file)) from None


def _zstd_is_whole(file: SourceFile) -> bool:
    """Whether every frame has its last block, by walking from block to block (RFC 8878)."""
    with file.path.open("rb") as stream:
        while magic := stream.read(4):
            if magic[1:] == b"\x2a\x4d\x18" and magic[0] >> 4 == 5:  # a frame to be skipped
                length = stream.read(4)
                if len(length) < 4 or not _skip(stream, int.from_bytes(length, "little")):
                    return False
            elif magic != PACKED["zstd"] or not _zstd_frame(stream):
                return False
    return True


def _zstd_frame(stream: Any) -> bool:
    descriptor = stream.read(1)
    if not descriptor:
        return False
    flags = descriptor[0]
    single, checksum = flags >> 5 & 1, flags >> 2 & 1
    content = (1 if single else 0, 2, 4, 8)[flags >> 6]
    if not _skip(stream, (0 if single else 1) + (0, 1, 2, 4)[flags & 3] + content):
        return False
    last = 0
    while not last:
        header = stream.read(3)
        if len(header) < 3:
            return False
        number = int.from_bytes(header, "little")
        last, kind, size = number & 1, number >> 1 & 3, number >> 3
        if not _skip(stream, 1 if kind == 1 else size):
            return False
    return _skip(stream, 4 * checksum)


def _skip(stream: Any, count: int) -> bool:
    """Go on by some bytes; False if the file ends before."""
    return count == 0 or (stream.seek(count - 1, 1) >= 0 and len(stream.read(1)) == 1)
