"""What is wrong with a text file, and in which line: looked for when reading it went wrong."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING

from heldout.core.errors import InputError
from heldout.predictions.header import long_fields, not_text
from heldout.predictions.packed import lines_of, opened, wrong_encoding, zstd_count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.predictions.formats import SourceFile
    from heldout.predictions.header import Header

__all__ = ["Scan", "examine", "scan"]


@dataclass(frozen=True, slots=True)
class Scan:
    """How many lines a text file has, and how many of them are empty ones at its end."""

    lines: int
    empty_at_end: int


def scan(file: SourceFile) -> Scan:
    """The lines of a file, by which it is later proved that no row was lost on the way.

    A plain or gzip file with NUL bytes is refused.
    """
    if file.compression == "zstd":
        return Scan(zstd_count(file), 0)
    lines, tail = 0, b""
    with opened(file) as stream:
        while block := stream.read(1 << 20):
            if b"\0" in block:
                line = lines + block.count(b"\n", 0, block.index(b"\0")) + 1
                raise InputError(
                    f"{file.name} line {line} has a NUL byte, so it is not text; "
                    "save the table as .csv or .parquet"
                )
            lines += block.count(b"\n")
            tail = (tail + block)[-4096:]
    lines += not tail.endswith(b"\n")
    empty = tail[len(tail.rstrip(b"\r\n")) :].count(b"\n") - 1
    return Scan(lines, max(empty, 0))


@long_fields()
def examine(file: SourceFile, header: Header) -> int:
    """The number of rows of a text file, by a slow and exact reader; or its first fault."""
    wide = len(header.names)
    lines = _Lines(file)
    reader = csv.reader(lines, delimiter=header.delimiter, strict=True)
    rows, start = -1, 1
    try:
        for record in reader:
            # a blank line is a row only where there is one column, whose value is missing
            rows += bool(record) or wide == 1
            extra = len(record) - wide
            if record and extra and not (extra == 1 and record[-1] == ""):
                raise InputError(_ragged(file, header, start, len(record)))
            lines.end_record()
            start = reader.line_num + 1
    except csv.Error as error:
        if "new-line character" in str(error):
            raise InputError(
                f"{file.name} line {start} has a carriage return that ends no line; "
                "convert the file: tr '\\r' '\\n'"
            ) from None
        if "expected after" in str(error):
            raise InputError(
                f"{file.name} line {start} has text after a closing quote; "
                'write a quote inside a quoted field twice: ""'
            ) from None
        raise InputError(
            f"{file.name} line {start} opens a quote that is never closed; close it, "
            'or write a quote inside a quoted field twice: ""'
        ) from None
    return rows


def _ragged(file: SourceFile, header: Header, line: int, fields: int) -> str:
    wide = len(header.names)
    delimiter = {"\t": "a tab", " ": "a space"}.get(header.delimiter, f'"{header.delimiter}"')
    have = f"{fields} field{'' if fields == 1 else 's'}"
    return (
        f"{file.name} line {line} has {have}, but the header has {wide}; "
        f"repair the line, or quote a field that contains {delimiter}"
    )


class _Lines:
    """The lines of a file as text, watched for wrong bytes and for changing line ends."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self.number = 0
        self.end = ""
        self.first_end = ""
        self.lines = lines_of(file)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        raw = next(self.lines)
        self.number += 1
        if self.number == 1:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError:
            raise wrong_encoding(self.file, self.number) from None
        if "\0" in line:
            raise InputError(not_text(self.file, b"\0"))
        self.end = "CRLF" if line.endswith("\r\n") else "LF" if line.endswith("\n") else self.end
        return line

    def end_record(self) -> None:
        """Note how the last line of a record ends (those inside a quoted field may differ)."""
        self.first_end = self.first_end or self.end
        if self.end != self.first_end:
            raise InputError(
                f"{self.file.name} line {self.number} ends with {self.end}, the lines before it "
                f"with {self.first_end}; make them the same (dos2unix does)"
            )
