"""Which format a file has: by its name, and by the first bytes that give the lie to a name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from heldout.core.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "COMPRESSIONS",
    "Compression",
    "FORMATS",
    "Format",
    "SourceFile",
    "file_of",
    "real_format",
]

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
        what = f'the extension "{suffix}"' if suffix else "no extension that names its format"
        raise InputError(f"{name} has {what}; heldout reads {READ}")
    found = FORMATS[suffix]
    if compression != "none" and found in ("parquet", "arrow"):
        raise InputError(
            f"{name} is compressed from outside, but {suffix} files compress themselves; "
            "unpack it first (gunzip or unzstd)"
        )
    return SourceFile(path, name, found, compression, DELIMITERS.get(suffix, ""))


def real_format(head: bytes) -> tuple[str, str]:
    """What the first bytes say a file is, and its right suffix; empty if they say nothing.

    Examples
    --------
    >>> real_format(b"PAR1....")
    ('a Parquet file', '.parquet')
    """
    found = (entry[1:] for entry in MAGIC if head.startswith(entry[0]))
    return next(found, ("", ""))
