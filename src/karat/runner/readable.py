"""Rows of a damaged database that it still gives itself, copied to a new one."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from karat.runner.database import UNREADABLE
from karat.runner.rows import LOST
from karat.runner.salvage import is_sound, is_sound_run

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from karat.runner.salvage import Leaves

__all__ = ["TABLES", "add_splits", "copy_rows", "drop_orphans", "rescue_runs", "rows_of"]

TABLES = ("run", "series", "piece", "sealed")

#: columns of a run without which it can still be resumed
TEXTS = ("created", "data", "source", "data_fingerprint", "procedure", "splits_fingerprint")
NUMBERS = ("splits", "rows", "seed")

#: columns that hold an outcome, with its checksum
CONTENTS = {"piece": "content", "sealed": "rest"}

#: the splits of which there are pieces, as their index has them
ENTRIES = """SELECT series, first, count FROM piece
    INDEXED BY sqlite_autoindex_piece_1 ORDER BY series, first, count"""
KEYS = "SELECT id, key FROM run INDEXED BY sqlite_autoindex_run_1 ORDER BY key"

#: rows that are asked for beyond the last one that could be read
BEYOND = 1000


def copy_rows(source: sqlite3.Connection, target: sqlite3.Connection, table: str) -> None:
    """Rows of a table that can be read."""
    names = [row[1] for row in target.execute(f"PRAGMA table_info({table})")]
    with suppress(*UNREADABLE):
        there = [row[1] for row in source.execute(f"PRAGMA table_info({table})")]
        if there and there == names[: len(there)]:
            # made before the last columns were
            names = there
    columns, marks = ", ".join(names), ", ".join("?" * len(names))
    for row in rows_of(source, table, columns, names[0]):
        if table in CONTENTS and not is_sound(row[names.index(CONTENTS[table])]):
            continue
        if table == "run" and not is_sound_run(row):
            continue
        target.execute(f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({marks})", row)


def rows_of(
    source: sqlite3.Connection, table: str, columns: str, key: str
) -> Iterator[tuple[Any, ...]]:
    """Rows in the order of their numbers; past damage, each number is asked for singly."""
    last, missed = 0, 0
    try:
        for row in source.execute(f"SELECT {columns} FROM {table} ORDER BY {key}"):
            last = row[0]
            yield row
        return
    except UNREADABLE:
        pass
    try:
        source.execute(f"SELECT {columns} FROM {table} LIMIT 0")
    except UNREADABLE:
        # nothing can be asked of such a table
        return
    while missed < BEYOND:
        last += 1
        try:
            row = source.execute(
                f"SELECT {columns} FROM {table} WHERE {key} = ?", (last,)
            ).fetchone()
        except UNREADABLE:
            row = None
        if row is None:
            missed += 1
        else:
            missed = 0
            yield row


def rescue_runs(source: sqlite3.Connection, target: sqlite3.Connection, leaves: Leaves) -> int:
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
    for number, key in (leaves.keys | dict(_readable_rows(source, KEYS))).items():
        if number not in wanted:
            continue
        row = _readable(source, number) | leaves.columns.get(number, {})
        row |= {"id": number, "key": key, "facts": LOST}
        row |= {"truth": b"", "places": b""}
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        query = f"INSERT OR IGNORE INTO run ({names}) VALUES ({marks})"
        count += target.execute(query, [*row.values()]).rowcount
    return count


def add_splits(source: sqlite3.Connection, leaves: Leaves) -> bool:
    """Have the index of pieces tell of which splits there were some; whether all of it could be."""
    try:
        for entry in source.execute(ENTRIES):
            leaves.add_splits(*entry)
    except UNREADABLE:
        return False
    return True


def _readable_rows(source: sqlite3.Connection, query: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a query, up to the first that is damaged."""
    try:
        yield from source.execute(query)
    except UNREADABLE:
        return


def _readable(source: sqlite3.Connection, number: int) -> dict[str, Any]:
    """The columns of a damaged row, one by one, with something to say where one is lost."""
    found: dict[str, Any] = dict.fromkeys(TEXTS, "(lost)") | dict.fromkeys(NUMBERS, 0)
    found["versions"] = "{}"
    for name in (*TEXTS, *NUMBERS, "versions"):
        try:
            row = source.execute(f"SELECT {name} FROM run WHERE id = ?", (number,)).fetchone()
        except UNREADABLE:
            continue
        if row is not None and isinstance(row[0], type(found[name])):
            found[name] = row[0]
    return found


def drop_orphans(target: sqlite3.Connection) -> int:
    """Without its run a series is of nothing known; gives how many pieces go with it."""
    target.execute("DELETE FROM series WHERE run NOT IN (SELECT id FROM run)")
    dropped = 0
    for table in ("sealed", "piece"):
        query = f"DELETE FROM {table} WHERE series NOT IN (SELECT id FROM series)"
        dropped = target.execute(query).rowcount
    return dropped
