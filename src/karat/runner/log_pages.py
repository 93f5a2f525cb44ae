"""Pages that the write-ahead log of an SQLite file has, and the file itself not yet.

The form of the log is public: https://sqlite.org/fileformat2.html#the_write_ahead_log
"""

from __future__ import annotations

from struct import unpack_from
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["laid_over"]

#: how a log begins whose checksums read words the lowest byte first, or the highest
LITTLE, BIG = 0x377F0682, 0x377F0683
HEAD, FRAME = 32, 24
WORD = 2**32 - 1


def laid_over(data: bytes, log: bytes) -> bytes:
    """A database's bytes with the committed pages of its log in their places."""
    made, waiting = bytearray(data), {}
    for page, size_after, content in _frames(log):
        waiting[page] = content
        if not size_after:
            continue
        # the last page of a commit says how many pages the database has after it
        for number, new in waiting.items():
            end = number * len(new)
            made.extend(bytes(max(end - len(made), 0)))
            made[end - len(new) : end] = new
        waiting.clear()
    return bytes(made)


def _frames(log: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Number, size of the database after it (0: not yet committed), and content of each page."""
    if len(log) < HEAD:
        return
    magic, _, size, _, *salts = unpack_from(">6I", log)
    if magic not in (LITTLE, BIG) or not 512 <= size <= 65536:
        return
    order: Literal["<", ">"] = "<" if magic == LITTLE else ">"
    sums = _sums(log[: HEAD - 8], order, (0, 0))
    if sums != unpack_from(">2I", log, HEAD - 8):
        return
    for start in range(HEAD, len(log) - FRAME - size + 1, FRAME + size):
        page, size_after, *rest = unpack_from(">6I", log, start)
        content = log[start + FRAME : start + FRAME + size]
        sums = _sums(log[start : start + 8] + content, order, sums)
        # what follows is of an older log, or was never wholly written
        if rest[:2] != salts or tuple(rest[2:]) != sums:
            return
        yield page, size_after, content


def _sums(data: bytes, order: Literal["<", ">"], sums: tuple[int, int]) -> tuple[int, int]:
    """The log's running checksum, continued over some bytes."""
    one, two = sums
    words = unpack_from(f"{order}{len(data) // 4}I", data)
    for left, right in zip(words[::2], words[1::2], strict=True):
        one = (one + left + two) & WORD
        two = (two + right + one) & WORD
    return one, two
