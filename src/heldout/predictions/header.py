"""The first line of a text file: its delimiter and its column names, read without a guess."""

from __future__ import annotations

import csv
import io
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from heldout.core.errors import InputError
from heldout.predictions.formats import real_format
from heldout.predictions.packed import check_whole, head_of, wrong_encoding
from heldout.predictions.part import repeated

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from heldout.predictions.formats import SourceFile

__all__ = ["HEAD", "Header", "decoded", "header_of", "long_fields", "not_text", "refuse_repeated"]

#: a first line of names longer than this is not believed
HEAD = 1 << 20
DELIMITERS = (",", "\t", ";", "|", " ")
#: records by which a delimiter is judged
RECORDS = 50


@dataclass(frozen=True)
class Header:
    """How a text file separates its fields, and what its columns are called."""

    delimiter: str
    names: tuple[str, ...]

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each column stands, from 0."""
        return {name: place for place, name in enumerate(self.names)}


def header_of(file: SourceFile) -> Header:
    """The header of a text file; files that are no text, or have no header, are refused.

    A column without a name is called by its place: ``column 1``.
    """
    head = head_of(file, HEAD)
    text = decoded(file, head)
    if text.lower().startswith("sep="):
        first = text.partition("\n")[0].strip()
        raise InputError(
            f"{file.name} starts with the line {first!r}, which is for Excel alone; remove it"
        )
    if not text.strip():
        check_whole(file)  # what was cut off early looks empty
        raise InputError(f"{file.name} is empty; the first line must hold the column names")
    delimiter = _delimiter(file, text, whole=len(head) < HEAD)
    names = [
        name or f"column {place}"
        for place, name in enumerate(_records(text, delimiter)[0], start=1)
    ]
    broken = next((name for name in names if "\n" in name or "\r" in name), None)
    if broken is not None:
        # DuckDB takes the line end inside the name for that of all lines
        raise InputError(f"{file.name} has a line break in the column name {broken!r}; remove it")
    refuse_repeated(file.name, names)
    return Header(delimiter, tuple(names))


def refuse_repeated(source: str, names: Iterable[str]) -> None:
    """An error where two columns have one name."""
    if twice := repeated(names):
        raise InputError(f"{source} has two columns named {twice[0]!r}; rename one of them")


@contextmanager
def long_fields() -> Iterator[None]:
    """Let Python's reader of CSV take fields of any length meanwhile; by itself it stops early."""
    before = csv.field_size_limit(2**31 - 1)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def decoded(file: SourceFile, head: bytes) -> str:
    """The first bytes of a file as text; anything but UTF-8 text is refused."""
    trouble = not_text(file, head)
    if trouble:
        raise InputError(trouble)
    cut = len(head) - 3 if len(head) == HEAD else len(head)
    try:
        return head.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < cut:
            raise wrong_encoding(file, head.count(b"\n", 0, error.start) + 1) from None
        return head.removeprefix(b"\xef\xbb\xbf")[: error.start].decode("utf-8")


def not_text(file: SourceFile, head: bytes) -> str:
    """Why the first bytes are not those of a text file; empty if they are."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return f"{file.name} is UTF-16 text; convert it: iconv -f utf16 -t utf8"
    what, suffix = real_format(head)
    if what:
        fix = "save the table as .csv or .parquet"
        if suffix:
            named = file.name + suffix if "compressed" in what else f"with {suffix}"
            fix = f"name it {named}"
        return f"{file.name} is {what}, not text; {fix}"
    if b"\0" in head:
        return f"{file.name} is a binary file, not text; save the table as .csv or .parquet"
    return ""


def _records(text: str, delimiter: str, most: int = 1) -> list[list[str]]:
    """The first records that have any fields."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    with long_fields():
        return list(islice((record for record in reader if record), most))


def _delimiter(file: SourceFile, text: str, *, whole: bool) -> str:
    """The delimiter that the name promises if the header has it, else the one that fits best.

    Best is one that gives every record the same number of fields, and the most fields.
    """
    own = file.delimiter or ","
    fits: dict[str, tuple[bool, int]] = {}
    for delimiter in DELIMITERS:
        records = _records(text, delimiter, RECORDS)
        if not whole and len(records) < RECORDS and len(records) > 1:
            records.pop()  # the last one may have been cut
        same = len({len(record) for record in records}) == 1
        if len(records[0]) > 1 and (same or delimiter != " "):
            fits[delimiter] = (same, len(records[0]))
    if not fits or own in fits:
        return own
    return max(fits, key=fits.__getitem__)
