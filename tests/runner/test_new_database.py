"""The database of a new store is one that SQLite would have written, whatever was made before."""

from __future__ import annotations

import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest

from heldout.runner.database import open_database, transaction, write_new


def add_run(connection: sqlite3.Connection, key: str, size: int = 10) -> None:
    """A run with as many bytes of truth as are asked for."""
    names = [
        "key",
        "created",
        "data",
        "source",
        "data_fingerprint",
        "procedure",
        "splits_fingerprint",
    ]
    numbers = ["splits", "rows", "seed"]
    texts = ["versions", "facts"]
    blobs = ["truth", "places"]
    row = dict.fromkeys(names, key) | dict.fromkeys(numbers, 1) | dict.fromkeys(texts, "{}")
    row |= dict.fromkeys(blobs, os.urandom(1) * size)
    marks = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO run ({', '.join(row)}) VALUES ({marks})", [*row.values()])


def keys(path: Path) -> list[tuple[int, str]]:
    with closing(open_database(path, create=False)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return connection.execute("SELECT id, key FROM run").fetchall()


@pytest.mark.parametrize("size", [0, 1_000, 200_000])
def test_new_database_is_what_a_commit_writes(tmp_path: Path, size: int) -> None:
    made, ordinary = tmp_path / "made.sqlite", tmp_path / "ordinary.sqlite"
    assert write_new(made, lambda memory: add_run(memory, "a", size))
    with closing(open_database(ordinary)) as connection, transaction(connection):
        add_run(connection, "a", size)
    with closing(sqlite3.connect(ordinary)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        version = connection.execute("PRAGMA schema_version").fetchone()
    with closing(sqlite3.connect(made)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA schema_version").fetchone() == version
    head, wanted = made.read_bytes()[:100], ordinary.read_bytes()[:100]
    # all but how often it was changed, which is said twice, and by which SQLite
    assert head[:24] + head[28:92] == wanted[:24] + wanted[28:92]
    assert head[24:28] == head[92:96]
    assert made.stat().st_size == ordinary.stat().st_size


def test_content_that_fails_leaves_no_file_and_nothing_to_the_next_one(tmp_path: Path) -> None:
    def fill(memory: sqlite3.Connection) -> None:
        add_run(memory, "lost")
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        write_new(tmp_path / "1.sqlite", fill)
    assert not list(tmp_path.iterdir())
    assert write_new(tmp_path / "2.sqlite", lambda memory: add_run(memory, "kept"))
    assert keys(tmp_path / "2.sqlite") == [(1, "kept")]


def test_databases_made_at_once_by_threads_do_not_mix(tmp_path: Path) -> None:
    together = Barrier(4)

    def make(number: int) -> bool:
        def fill(memory: sqlite3.Connection) -> None:
            # all four are being filled now
            together.wait(timeout=20)
            add_run(memory, f"run {number}")
            together.wait(timeout=20)

        return write_new(tmp_path / f"{number}.sqlite", fill)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(make, range(4)))
    for number in range(4):
        assert keys(tmp_path / f"{number}.sqlite") == [(1, f"run {number}")]
