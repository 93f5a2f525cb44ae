"""The database of a run store: its tables, how it is made and opened, and what its errors mean."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from heldout.core.dialect import argument
from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: goes up when the tables change
VERSION = 4

#: what each version of the tables lacks that the next one has
CHANGES = {
    1: (
        "ALTER TABLE series ADD COLUMN created TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE series ADD COLUMN used TEXT NOT NULL DEFAULT ''",
    ),
    2: (
        "ALTER TABLE series ADD COLUMN purpose TEXT NOT NULL DEFAULT 'evaluate'",
        # nothing but a search has ever kept what models say of their training rows
        "UPDATE series SET purpose = 'select' WHERE part = 'train'",
    ),
    # what stood in files of their own, by a table that is gone, is computed again when asked for
    3: ("DROP TABLE IF EXISTS sealed",),
}

#: errors of a file that is damaged: what SQLite says may quote bytes that are no text
UNREADABLE = (sqlite3.DatabaseError, UnicodeDecodeError)

#: what SQLite says of a damaged file; heldout asks for nothing that its own tables do not have
DAMAGED = (
    "malformed",
    "not a database",
    "unsupported file format",
    "no such",
    "has no column",
    "duplicate column",
    "Could not decode",
    "mismatch",
    "syntax error",
)

#: seconds to wait while another process writes
PATIENCE = 30.0

SCHEMA = (
    """CREATE TABLE IF NOT EXISTS run (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        key TEXT NOT NULL UNIQUE,
        created TEXT NOT NULL,
        data TEXT NOT NULL,
        source TEXT NOT NULL,
        data_fingerprint TEXT NOT NULL,
        procedure TEXT NOT NULL,
        splits_fingerprint TEXT NOT NULL,
        splits INTEGER NOT NULL,
        rows INTEGER NOT NULL,
        seed INTEGER NOT NULL,
        versions TEXT NOT NULL,
        facts TEXT NOT NULL,
        truth BLOB NOT NULL,
        places BLOB NOT NULL
    ) STRICT""",
    """CREATE TABLE IF NOT EXISTS series (
        id INTEGER PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
        fingerprint TEXT NOT NULL,
        part TEXT NOT NULL,
        model TEXT NOT NULL,
        fits INTEGER NOT NULL DEFAULT 0,
        created TEXT NOT NULL DEFAULT '',
        used TEXT NOT NULL DEFAULT '',
        purpose TEXT NOT NULL DEFAULT 'evaluate',
        UNIQUE (run, fingerprint, part)
    ) STRICT""",
    """CREATE TABLE IF NOT EXISTS piece (
        id INTEGER PRIMARY KEY,
        series INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
        first INTEGER NOT NULL,
        count INTEGER NOT NULL,
        failed INTEGER NOT NULL,
        content BLOB NOT NULL,
        UNIQUE (series, first, count)
    ) STRICT""",
)


def open_database(path: Path, *, create: bool = True) -> sqlite3.Connection:
    """A connection to a store's database, which is made where there is none."""
    if not create and not path.is_file():
        raise InputError(
            f"{path.parent}: no run store is here; give another folder by {argument('store')}"
        )
    with explain_errors(path):
        make_folder(path.parent)
        try:
            return _connected(path)
        except sqlite3.OperationalError as error:
            if "disk I/O" not in str(error):
                raise
        # on a full disk nothing can be shared with other processes: so it is kept from them
        return _connected(path, "PRAGMA locking_mode = EXCLUSIVE")


def _connected(path: Path, *first: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
    )
    try:
        for statement in first:
            connection.execute(statement).fetchall()
        _prepare(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def make_folder(folder: Path) -> None:
    """The folder of a store, in which files can be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{folder}: the run store cannot be made there ({error.strerror}); "
            f"give another folder by {argument('store')}"
        ) from error
    if not os.access(folder, os.W_OK):
        raise InputError(
            f"{folder}: the run store cannot be written; give another folder by {argument('store')}"
        )


def is_read_only(path: Path) -> bool:
    """Whether a database is there that may be read and not written."""
    return path.is_file() and not all(os.access(p, os.W_OK) for p in (path, path.parent))


def file_at(path: Path) -> tuple[int, int] | None:
    """What tells a file from every other, wherever it is moved; None where there is none."""
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_dev, state.st_ino


def open_to_read(path: Path) -> sqlite3.Connection:
    """A connection for reading, also from a folder in which nothing may be written."""
    if not is_read_only(path):
        return open_database(path, create=False)
    # an ordinary connection would have to write its lock beside the database; what a killed
    # process committed last is in its log, which has a lock file beside it
    log = path.with_name(f"{path.name}-wal")
    has_log = log.is_file() and log.stat().st_size > 0
    address = f"{path.resolve().as_uri()}?{'mode=ro' if has_log else 'immutable=1'}"
    with explain_errors(path):
        connection = sqlite3.connect(address, uri=True, isolation_level=None)
        try:
            if known_version(connection, path) < VERSION:
                raise InputError(
                    f"{path}: made by an older heldout, and cannot be written to bring its tables "
                    "up to date; copy the folder to where it can, and name that by "
                    f"{argument('store')}"
                )
        except BaseException:
            connection.close()
            raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    if known_version(connection, path) < VERSION:
        _write_ahead(connection)
        with transaction(connection):
            make_tables(connection)


def known_version(connection: sqlite3.Connection, path: Path) -> int:
    """The version of the tables, which must not be newer than this heldout."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version < 0:
        raise sqlite3.DatabaseError(f"malformed head: tables {version}")
    if version > VERSION:
        raise InputError(
            f"{path}: made by a newer heldout (tables {version}, known {VERSION}); use that one, "
            f"or give another folder by {argument('store')}"
        )
    return int(version)


def make_tables(connection: sqlite3.Connection) -> None:
    """All tables as they are now, also those of a database that was made before."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    for table in SCHEMA:
        connection.execute(table)
    for old in range(version or VERSION, VERSION):
        for change in CHANGES[old]:
            connection.execute(change)
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch to a write-ahead log, once; two processes that try it at once must take turns."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.02)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing; the lock for writing is taken at once."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # a full disk may have ended the transaction already
        if connection.in_transaction:
            with closing(connection.cursor()) as cursor:
                cursor.execute("ROLLBACK")
        raise


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection for reading, whose errors are explained."""
    with explain_errors(path), closing(open_to_read(path)) as connection:
        yield connection


@contextmanager
def writing(path: Path, *, create: bool = True) -> Iterator[sqlite3.Connection]:
    """A connection for writing, whose errors are explained."""
    with explain_errors(path), closing(open_database(path, create=create)) as connection:
        yield connection


@contextmanager
def explain_errors(path: Path) -> Iterator[None]:
    """Errors of the database, worded so that the reader can do something about them."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise InputError(f"{path}: {_advice(str(error))}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: {_advice('malformed text')}") from error


def _advice(words: str) -> str:
    safe = "every fold finished before is safe"
    if "full" in words:
        return f"the disk is full; {safe}: make room and run again"
    if "readonly" in words or "unable to open" in words:
        return (
            f"the run store cannot be written ({words}); give another folder by {argument('store')}"
        )
    if "locked" in words:
        return f"another process has held it for {PATIENCE:g} s; {safe}: run again later"
    if "disk I/O" in words:
        return f"it cannot be read or written ({words}): the disk may be full or failing; {safe}"
    if "FOREIGN KEY" in words:
        return "another process has removed this run in the meantime; run again to begin it anew"
    if any(sign in words for sign in DAMAGED):
        return f"the file is damaged ({words}); heldout runs recover saves what can be read"
    return f"{words}; {safe}"
