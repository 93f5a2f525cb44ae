"""The database of a new run store: made in memory with its first content, written in one go."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from functools import cache
from threading import Thread
from typing import TYPE_CHECKING
from uuid import uuid4

from karat.runner.database import make_tables, transaction

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["keep_name", "made_whole"]

#: where a database's header says that it has a write-ahead log, and how
JOURNAL = slice(18, 20)
WRITE_AHEAD = b"\x02\x02"


def made_whole(path: Path, fill: Callable[[sqlite3.Connection], None]) -> bool:
    """Make a new database with its first content, which the disk has to write just once.

    False where another process was quicker or the folder allows no such thing: then it is
    to be opened and filled in the ordinary way.
    """
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as memory:
        if not hasattr(memory, "serialize"):
            return False
        memory.deserialize(_empty())
        with transaction(memory):
            fill(memory)
        content = bytearray(memory.serialize())
    content[JOURNAL] = WRITE_AHEAD
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


@cache
def _empty() -> bytes:
    """A database that has its tables and nothing in them."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as memory:
        make_tables(memory)
        return memory.serialize()


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
