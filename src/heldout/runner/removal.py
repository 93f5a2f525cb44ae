"""Removing a run from its store, also where the disk has no room left for a change."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from heldout.core.disk import FULL, cause_of_system
from heldout.core.errors import InputError
from heldout.runner.claims import first_number
from heldout.runner.database import explained, opened, transaction
from heldout.runner.history import refuse_unknown
from heldout.runner.locks import Locks
from heldout.runner.seal import SEALING, remove_files, sealed_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.runner.store import Store

__all__ = ["remove_run"]


def remove_run(store: Store, number: int) -> None:
    """Remove a run and all its predictions, and give the room back."""
    with explained(store.path), closing(opened(store.path, create=False)) as connection:
        refuse_unknown(connection, store, number)
        _refuse_under_way(connection, store, number)
        files = sealed_files(connection, number)
        # on a full disk, each step makes room for the next try, or needs less of it
        steps: tuple[Callable[[], None], ...] = (
            lambda: _delete(connection, number),
            lambda: _delete_after_files(connection, store, number, files),
            lambda: _delete_elsewhere(connection, store, number),
            lambda: _delete_in_place(connection, number),
        )
        for step in steps:
            try:
                step()
                break
            except (sqlite3.OperationalError, OSError) as error:
                if cause_of_system(error) != FULL or step is steps[-1]:
                    raise
        # those of a process that is killed in between are removed when the store is next used
        remove_files(store.folder, files)
    _give_back(store)


def _delete(connection: sqlite3.Connection, number: int) -> None:
    with transaction(connection):
        connection.execute("DELETE FROM run WHERE id = ?", (number,))


def _delete_after_files(
    connection: sqlite3.Connection, store: Store, number: int, files: list[str]
) -> None:
    """Remove a run in the room that its files of predictions leave."""
    remove_files(store.folder, files)
    _delete(connection, number)


def _delete_in_place(connection: sqlite3.Connection, number: int) -> None:
    """Remove a run without any room: what the change replaces is kept in memory meanwhile.

    A cut of power in just that moment would damage the file, so it is the last thing to try.
    """
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA journal_mode = MEMORY").fetchall()
    _delete(connection, number)


def _delete_elsewhere(connection: sqlite3.Connection, store: Store, number: int) -> None:
    """Remove a run from a copy where there is room, and put that in the place of the store's file.

    The log of a store may have filled the disk itself, and can then not be worked off.
    """
    with closing(Locks(store.folder)) as locks:
        if locks.is_held() or (locks.is_able and not locks.take(SEALING)):
            raise InputError(
                f"{store.path}: the disk is full, and another process is at work on it; wait for "
                "that, or end it, before the run is removed"
            )
        folder = Path(mkdtemp(prefix="heldout-"))
        copy = folder / store.path.name
        try:
            with closing(sqlite3.connect(copy, isolation_level=None)) as target:
                connection.backup(target)
                target.execute("PRAGMA foreign_keys = ON")
                _delete(target, number)
                target.execute("VACUUM")
                target.execute("PRAGMA journal_mode = WAL").fetchall()
        except sqlite3.OperationalError:
            rmtree(folder, ignore_errors=True)
            raise
        connection.close()
        for ending in ("-wal", "-shm"):
            store.path.with_name(store.path.name + ending).unlink(missing_ok=True)
        try:
            store.path.write_bytes(copy.read_bytes())
        except OSError as error:
            raise InputError(
                f"{store.path}: cannot be written ({error.strerror or error}); all of it is now in "
                f"{copy}: copy that to its place when there is room"
            ) from error
    rmtree(folder, ignore_errors=True)


def _give_back(store: Store) -> None:
    """Make the file smaller; while another process uses the store, it keeps the room for later."""
    with suppress(sqlite3.OperationalError), closing(opened(store.path)) as connection:
        connection.execute("PRAGMA busy_timeout = 100")
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
        connection.execute("VACUUM")


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
