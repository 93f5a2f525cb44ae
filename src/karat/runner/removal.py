"""Removing a run from its store, also where the disk has no room left for a change."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from karat.core.errors import InputError
from karat.runner.claims import first_number
from karat.runner.database import explained, opened, transaction
from karat.runner.history import refuse_unknown
from karat.runner.locks import Locks
from karat.runner.seal import remove_files, sealed_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from karat.runner.store import Store

__all__ = ["remove_run"]


def remove_run(store: Store, number: int) -> None:
    """Remove a run and all its predictions, and give the room back."""
    with explained(store.path), closing(opened(store.path, create=False)) as connection:
        refuse_unknown(connection, store, number)
        _refuse_under_way(connection, store, number)
        files = sealed_files(connection, number)
        # each step makes room for the next try, or needs less of it
        steps: tuple[Callable[[], object], ...] = (
            lambda: None,
            lambda: remove_files(store.folder, files),
            lambda: connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall(),
            lambda: _journal_in_memory(connection),
        )
        for step in steps:
            try:
                step()
                _delete(connection, number)
                break
            except sqlite3.OperationalError as error:
                if "full" not in str(error):
                    raise
                full = error
        else:
            raise full
        # those of a process that is killed in between are removed when the store is next used
        remove_files(store.folder, files)
        _give_back(connection)


def _delete(connection: sqlite3.Connection, number: int) -> None:
    with transaction(connection):
        connection.execute("DELETE FROM run WHERE id = ?", (number,))


def _journal_in_memory(connection: sqlite3.Connection) -> None:
    """Have changes need no room: what they replace is kept in memory until they are written.

    A cut of power in just that moment would damage the file, so it is the last thing to try.
    """
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA journal_mode = MEMORY").fetchall()


def _give_back(connection: sqlite3.Connection) -> None:
    """Make the file smaller; while another process uses the store, it keeps the room for later."""
    connection.execute("PRAGMA busy_timeout = 100")
    with suppress(sqlite3.OperationalError):
        connection.execute("VACUUM")
    with suppress(sqlite3.OperationalError):
        connection.execute("PRAGMA journal_mode = WAL").fetchall()


def _refuse_under_way(connection: sqlite3.Connection, store: Store, number: int) -> None:
    """An error for a run that a process is at work on: what it did would be lost."""
    query = """SELECT DISTINCT run.key, series.fingerprint, run.splits
        FROM series JOIN run ON run.id = series.run WHERE run.id = ?"""
    with closing(Locks(store.folder)) as locks:
        for key, fingerprint, splits in connection.execute(query, (number,)):
            if locks.is_held(first_number(key, fingerprint), max(splits, 1)):
                raise InputError(
                    f"{store.folder}: run {number} is under way in another process; wait for that, "
                    "or end it, before the run is removed"
                )
