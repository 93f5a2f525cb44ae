"""A damaged run store: all that can still be read goes to a new file, the old one is kept."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from karat.core.errors import InputError
from karat.runner.database import known_version, opened, transaction
from karat.runner.rows import LOST
from karat.runner.salvage import Leaves, add_pieces, is_sound, is_sound_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from karat.runner.store import Store

__all__ = ["Recovery", "recover"]

TABLES = ("run", "series", "piece", "sealed")

#: columns of a run without which it can still be resumed
TEXTS = ("created", "data", "source", "data_fingerprint", "procedure", "splits_fingerprint")
NUMBERS = ("splits", "rows", "seed")

#: rows that are asked for beyond the last one that could be read
BEYOND = 1000


@dataclass(frozen=True, slots=True)
class Recovery:
    """What was saved, and where the damaged file is now (None: nothing was damaged)."""

    moved_to: Path | None
    runs: int
    pieces: int
    #: runs of which only the key was found: the same command fills in the rest
    partial: int = 0
    #: pieces of which nothing says what they are of: their folds are computed again
    orphans: int = 0


def recover(store: Store) -> Recovery:
    """Copy what can be read of a store to a new database, and put that in its place.

    A store that is sound stays as it is.
    """
    if not store.path.is_file():
        raise InputError(f"{store.path}: there is no such file")
    with closing(sqlite3.connect(store.path)) as source, suppress(sqlite3.DatabaseError):
        # what a newer karat wrote is not damage, and would lose what only that one knows
        known_version(source, store.path)
        if _is_sound(source):
            return Recovery(None, *(_count(source, table) for table in ("run", "piece")))
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    fresh = store.path.with_name(f"recovered-{stamp}.sqlite")
    aside = store.path.with_name(f"damaged-{stamp}.sqlite")
    with (
        closing(opened(fresh)) as target,
        closing(sqlite3.connect(store.path, isolation_level=None)) as source,
    ):
        target.execute("PRAGMA foreign_keys = OFF")
        with transaction(target):
            is_whole = _is_whole(source)
            for table in TABLES:
                _copy(source, target, table)
            leaves = Leaves() if is_whole else Leaves.of(store.path)
            leaves.add_to(target)
            partial = _rescue_runs(source, target, leaves)
            if not is_whole:
                add_pieces(store.path, target)
            orphans = _drop_orphans(target)
        runs, pieces = (_count(target, table) for table in ("run", "piece"))
        target.execute("PRAGMA journal_mode = DELETE")
    _kept_aside(store.path, aside)
    fresh.replace(store.path)
    with closing(sqlite3.connect(store.path)) as target:
        target.execute("PRAGMA journal_mode = WAL")
    return Recovery(aside, runs, pieces, partial, orphans)


def _is_sound(source: sqlite3.Connection) -> bool:
    """Whether the database is whole, and all that is in it as it was written."""
    for check in ("integrity_check(1)", "foreign_key_check"):
        if source.execute(f"PRAGMA {check}").fetchall() not in ([], [("ok",)]):
            return False
    return all(
        is_sound(content) for (content,) in source.execute("SELECT content FROM piece")
    ) and all(is_sound_run(row) for row in source.execute("SELECT * FROM run"))


def _is_whole(source: sqlite3.Connection) -> bool:
    """Whether the trees of a database lead to all its rows."""
    try:
        return bool(source.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
    except sqlite3.DatabaseError:
        return False


def _count(target: sqlite3.Connection, table: str) -> int:
    return int(target.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def _kept_aside(path: Path, aside: Path) -> None:
    """Keep the damaged file under another name, where it can be in its place until the end.

    A process that is killed meanwhile leaves a store that can be recovered again.
    """
    try:
        os.link(path, aside)
    except OSError:  # a drive without second names
        path.replace(aside)
    for ending in ("-wal", "-shm"):
        rest = path.with_name(path.name + ending)
        if rest.exists():
            rest.replace(aside.with_name(aside.name + ending))


def _copy(source: sqlite3.Connection, target: sqlite3.Connection, table: str) -> None:
    """Rows of a table that can be read."""
    names = [row[1] for row in target.execute(f"PRAGMA table_info({table})")]
    columns, marks = ", ".join(names), ", ".join("?" * len(names))
    for row in _rows(source, table, columns, names[0]):
        if table == "piece" and not is_sound(row[names.index("content")]):
            continue
        if table == "run" and not is_sound_run(row):
            continue
        target.execute(f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({marks})", row)


def _rows(
    source: sqlite3.Connection, table: str, columns: str, key: str
) -> Iterator[tuple[Any, ...]]:
    """Rows in the order of their numbers; past damage, each number is asked for singly."""
    last, missed = 0, 0
    try:
        for row in source.execute(f"SELECT {columns} FROM {table} ORDER BY {key}"):
            last = row[0]
            yield row
        return
    except sqlite3.DatabaseError:
        pass
    while missed < BEYOND:
        last += 1
        try:
            row = source.execute(
                f"SELECT {columns} FROM {table} WHERE {key} = ?", (last,)
            ).fetchone()
        except sqlite3.DatabaseError:
            row = None
        if row is None:
            missed += 1
        else:
            missed = 0
            yield row


def _rescue_runs(source: sqlite3.Connection, target: sqlite3.Connection, leaves: Leaves) -> int:
    """Runs whose rows are damaged, by their keys, which the index has too; gives how many.

    The key is all that the same command needs to find its folds again.
    """
    wanted = {
        number
        for (number,) in target.execute(
            "SELECT DISTINCT run FROM series WHERE run NOT IN (SELECT id FROM run)"
        )
    }
    count = 0
    for number, key in (leaves.keys | dict(_keys(source))).items():
        if number not in wanted:
            continue
        row = _readable(source, number) | leaves.columns.get(number, {})
        row |= {"id": number, "key": key, "facts": LOST}
        row |= {"truth": b"", "places": b""}
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        query = f"INSERT OR IGNORE INTO run ({names}) VALUES ({marks})"
        count += target.execute(query, [*row.values()]).rowcount
    return count


def _keys(source: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    query = "SELECT id, key FROM run INDEXED BY sqlite_autoindex_run_1 ORDER BY key"
    try:
        yield from source.execute(query)
    except sqlite3.DatabaseError:
        return


def _readable(source: sqlite3.Connection, number: int) -> dict[str, Any]:
    """The columns of a damaged row, one by one, with something to say where one is lost."""
    found: dict[str, Any] = dict.fromkeys(TEXTS, "(lost)") | dict.fromkeys(NUMBERS, 0)
    found["versions"] = "{}"
    for name in (*TEXTS, *NUMBERS, "versions"):
        try:
            row = source.execute(f"SELECT {name} FROM run WHERE id = ?", (number,)).fetchone()
        except sqlite3.DatabaseError:
            continue
        if row is not None and isinstance(row[0], type(found[name])):
            found[name] = row[0]
    return found


def _drop_orphans(target: sqlite3.Connection) -> int:
    """Without its run a series is of nothing known; gives how many pieces go with it."""
    target.execute("DELETE FROM series WHERE run NOT IN (SELECT id FROM run)")
    dropped = 0
    for table in ("sealed", "piece"):
        query = f"DELETE FROM {table} WHERE series NOT IN (SELECT id FROM series)"
        dropped = target.execute(query).rowcount
    return dropped
