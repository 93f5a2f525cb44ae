"""The database of a new run store: made in memory with its first content, written in one go."""

from __future__ import annotations

import atexit
import os
import sqlite3
from contextlib import closing, contextmanager, suppress
from functools import cache
from threading import Lock, Thread
from typing import TYPE_CHECKING
from uuid import uuid4

from heldout.runner.database import make_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["keep_name", "made_whole"]

#: where a database's header says that it has a write-ahead log, and how
JOURNAL = slice(18, 20)
WRITE_AHEAD = b"\x02\x02"
#: the size of its pages, and how many there are
SIZE, PAGES = slice(16, 18), slice(28, 32)
#: how often it was changed; up to which change all that holds, written by which SQLite
CHANGES, VALID, WRITER = slice(24, 28), slice(92, 96), slice(96, 100)


def made_whole(path: Path, fill: Callable[[sqlite3.Connection], None]) -> bool:
    """Make a new database with its first content, which the disk has to write just once.

    False where another process was quicker or the folder allows no such thing: then it is
    to be opened and filled in the ordinary way.
    """
    content = _filled(fill)
    if content is None:
        return False
    temporary = path.with_name(f".{uuid4().hex}.sqlite")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # a link is refused where there is such a file already, which renaming would replace
        os.link(temporary, path)
    except OSError:
        return False
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    # nobody waits for it: a cut of power meanwhile loses the new store, and never half of it
    Thread(target=_keep_name_quietly, args=(path.parent,)).start()
    return True


def _filled(fill: Callable[[sqlite3.Connection], None]) -> bytearray | None:
    """A database with some content, as a file holds it; None where that cannot be had."""
    with _draft() as memory:
        if not hasattr(memory, "serialize"):
            return None
        memory.execute("BEGIN")
        try:
            fill(memory)
            content = bytearray(memory.serialize())
        finally:
            # what an error has ended already cannot be ended again
            if memory.in_transaction:
                memory.execute("ROLLBACK")
    if int.from_bytes(content[PAGES], "big") * int.from_bytes(content[SIZE], "big") != len(content):
        return None
    content[JOURNAL] = WRITE_AHEAD
    # what a commit would have written
    major, minor, patch = sqlite3.sqlite_version_info
    content[CHANGES] = content[VALID] = (1).to_bytes(4, "big")
    content[WRITER] = (major * 1_000_000 + minor * 1_000 + patch).to_bytes(4, "big")
    return content


@contextmanager
def _draft() -> Iterator[sqlite3.Connection]:
    """A database in memory that has its tables and nothing in them, and is to be left so.

    To make one and to compile its statements takes several times as long as to fill it, so that
    one is kept. Whoever finds it in use, as another thread's or that of the process it was
    forked from, makes another.
    """
    if not _GUARD.acquire(blocking=False):
        with closing(_new_draft()) as memory:
            yield memory
        return
    try:
        yield _kept_draft()
    finally:
        _GUARD.release()


_GUARD = Lock()


@cache
def _kept_draft() -> sqlite3.Connection:
    memory = _new_draft()
    atexit.register(memory.close)
    return memory


def _new_draft() -> sqlite3.Connection:
    memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    make_tables(memory)
    return memory


def _keep_name_quietly(folder: Path) -> None:
    with suppress(OSError):
        keep_name(folder)


def keep_name(folder: Path) -> None:
    """Have the disk write that a new file is in a folder."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
