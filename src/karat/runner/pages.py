"""Rows of an SQLite file read page by page, without the tree that leads to them.

Where the page of a root, or the head of the file, is damaged, SQLite finds nothing below it; the
leaves are as they were. The form of the file is public: https://sqlite.org/fileformat2.html
"""

from __future__ import annotations

import mmap
from contextlib import contextmanager
from dataclasses import dataclass
from struct import error, unpack, unpack_from
from typing import TYPE_CHECKING, Any

from karat.runner.log_pages import laid_over

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Cell", "cells", "loose_entries"]

MAGIC = b"SQLite format 3\x00"
#: what SQLite makes its pages unless it is told otherwise
USUAL = 4096
HEAD = 100

#: kinds of pages that hold rows: leaves of tables, leaves and inner pages of indexes
TABLE, INDEX, INNER_INDEX = 13, 10, 2

#: bytes of the longest entry that is looked for by its beginning
LONGEST = 400

#: bytes of whole numbers by their serial type
WIDTHS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


@dataclass(frozen=True, slots=True)
class Cell:
    """A row of a table, or an entry of an index (whose last value is the row's number)."""

    is_index: bool
    #: the row's number in its table
    number: int
    #: columns that the row has, and the values of the first of them that can still be read
    width: int
    values: tuple[Any, ...]


def cells(path: Path) -> Iterator[Cell]:
    """All rows and entries in pages that are in use, in the order of the file."""
    with _mapped(path) as data:
        pages = _Pages(data)
        free = pages.free()
        for page in range(1, len(data) // pages.size + 1):
            if page not in free:
                yield from pages.cells(page)


def loose_entries(path: Path, form: re.Pattern[bytes]) -> Iterator[Cell]:
    """Entries of indexes by how they begin, also in pages whose own beginning is damaged."""
    with _mapped(path) as data:
        for match in form.finditer(data):
            start = match.start()
            try:
                width, values = _record(data[start : start + LONGEST])
            except (ValueError, IndexError, error):
                continue
            if len(values) == width and isinstance(values[-1], int):
                yield Cell(True, values[-1], width, values)


@contextmanager
def _mapped(path: Path) -> Iterator[mmap.mmap | bytes]:
    """The bytes of a file, with those that its write-ahead log has in their places."""
    log = path.with_name(f"{path.name}-wal")
    if log.is_file() and log.stat().st_size:
        yield laid_over(path.read_bytes(), log.read_bytes())
        return
    with path.open("rb") as file:
        if path.stat().st_size < HEAD:
            yield b""
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            yield data


class _Pages:
    def __init__(self, data: mmap.mmap | bytes) -> None:
        self.data = data
        self.size = USUAL
        self.is_headed = len(data) >= HEAD and data[: len(MAGIC)] == MAGIC
        if self.is_headed:
            (said,) = unpack_from(">H", data, 16)
            size = 65536 if said == 1 else said
            self.size = size if size >= 512 and size & (size - 1) == 0 else USUAL

    def free(self) -> set[int]:
        """Pages that are not in use, and may hold rows that were removed."""
        found: set[int] = set()
        trunk = unpack_from(">I", self.data, 32)[0] if self.is_headed else 0
        while 0 < trunk <= len(self.data) // self.size and trunk not in found:
            found.add(trunk)
            after, count = unpack_from(">II", self.data, (trunk - 1) * self.size)
            if count > self.size // 4 - 2:
                break
            found.update(unpack_from(f">{count}I", self.data, (trunk - 1) * self.size + 8))
            trunk = after
        return found

    def cells(self, page: int) -> Iterator[Cell]:
        start = (page - 1) * self.size
        head = start + (HEAD if page == 1 else 0)
        kind = self.data[head]
        if kind not in (TABLE, INDEX, INNER_INDEX):
            return
        (count,) = unpack_from(">H", self.data, head + 3)
        first = head + (12 if kind == INNER_INDEX else 8)
        if first + 2 * count > start + self.size:
            return
        for offset in unpack_from(f">{count}H", self.data, first):
            try:
                yield self._cell(kind, start + offset + (4 if kind == INNER_INDEX else 0))
            except (ValueError, IndexError, error):
                continue  # this one is damaged

    def _cell(self, kind: int, place: int) -> Cell:
        length, place = _varint(self.data, place)
        number = 0
        if kind == TABLE:
            number, place = _varint(self.data, place)
        width, values = _record(self._payload(kind, place, length))
        if kind != TABLE:
            number = values[-1] if len(values) == width and isinstance(values[-1], int) else 0
        return Cell(kind != TABLE, number, width, values)

    def _payload(self, kind: int, place: int, length: int) -> bytes:
        """The bytes of a row, as many of them as there still are."""
        room = self.size - 12
        most = self.size - 35 if kind == TABLE else room * 64 // 255 - 23
        if length <= most:
            return self.data[place : place + length]
        if length > len(self.data):
            raise ValueError("longer than the file")
        least = room * 32 // 255 - 23
        here = least + (length - least) % (self.size - 4)
        here = here if here <= most else least
        found = [self.data[place : place + here]]
        left = length - here
        (page,) = unpack_from(">I", self.data, place + here)
        while left > 0 and 0 < page <= len(self.data) // self.size:
            start = (page - 1) * self.size
            (page,) = unpack_from(">I", self.data, start)
            found.append(self.data[start + 4 : start + 4 + min(left, self.size - 4)])
            left -= len(found[-1])
        return b"".join(found)


def _varint(data: mmap.mmap | bytes, place: int) -> tuple[int, int]:
    """A whole number of one to nine bytes, and where it ends."""
    value = 0
    for count in range(8):
        byte = data[place + count]
        value = value << 7 | byte & 127
        if byte < 128:
            return value, place + count + 1
    return value << 8 | data[place + 8], place + 9


def _record(payload: bytes) -> tuple[int, tuple[Any, ...]]:
    """How many columns a row has, and their values up to the first that is not all there."""
    end, place = _varint(payload, 0)
    kinds = []
    while place < end:
        kind, place = _varint(payload, place)
        kinds.append(kind)
    values: list[Any] = []
    for kind in kinds:
        size = (kind - 12) // 2 if kind >= 12 else 8 if kind == 7 else WIDTHS.get(kind, 0)
        part = payload[place : place + size]
        if len(part) < size:
            break
        values.append(_value(kind, part))
        place += size
    return len(kinds), tuple(values)


def _value(kind: int, part: bytes) -> Any:
    if kind >= 12:
        return part.decode() if kind % 2 else part
    if kind == 7:
        return unpack(">d", part)[0]
    if kind in (8, 9):
        return kind - 8
    if kind in WIDTHS:
        return int.from_bytes(part, "big", signed=True)
    if kind == 0:
        return None
    raise ValueError("no kind of value")
