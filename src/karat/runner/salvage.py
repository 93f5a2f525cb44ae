"""Rows of a run store found in the pages of its file, where its trees no longer lead to them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from karat.runner.blob import Damaged, unpacked
from karat.runner.pages import cells, loose_entries
from karat.runner.rows import LOST_NAME, lost_name
from karat.runner.saved_looks import LookLeaves

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from karat.runner.pages import Cell

__all__ = ["Leaves", "add_pieces", "is_sound", "is_sound_run"]

#: columns of tables by what their rows hold; the first is the row's number, and stored as none
RUN = (str,) * 7 + (int,) * 3 + (str, str, bytes, bytes)
SERIES = (int, str, str, str, int, str, str, str)
#: what stands in the last columns of series that were made before these were
LATER = (None,) * 5 + ("", "", "evaluate")
PIECE = (int, int, int, int, bytes)
SEALED = (int, str, str, bytes)
#: entries of the indexes that tell of runs, of series and of pieces
KEY_ENTRY, SERIES_ENTRY, PIECE_ENTRY = (str, int), (int, str, str, int), (int,) * 4

#: splits beyond which a number is none of a run's
MOST = 2**31

RUN_NAMES = (
    "created", "data", "source", "data_fingerprint", "procedure", "splits_fingerprint",
    "splits", "rows", "seed", "versions",
)  # fmt: skip
KEY = re.compile("[0-9a-f]{32}")
#: how they begin: how long their head is, and the kinds of their values
ENTRIES = re.compile(
    rb"\x03M[\x01-\x06\x08\x09][0-9a-f]{32}"
    rb"|\x05[\x01-\x06\x08\x09][\x0d-\x7f][\x15\x17][\x01-\x06\x08\x09]"
    # of looks, of searches, and of settings that were judged by themselves
    rb"|\x04MM[\x01-\x06\x08\x09][0-9a-f]{64}|\x05MMM[\x01-\x06\x08\x09][0-9a-f]{96}"
)


@dataclass(slots=True)
class Leaves:
    """Rows of the small tables, by their numbers, as the leaves of a file have them."""

    run: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    series: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    sealed: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    #: keys of runs, and columns of those whose rows are damaged further on
    keys: dict[int, str] = field(default_factory=dict)
    columns: dict[int, dict[str, Any]] = field(default_factory=dict)
    #: run, fingerprint and part of series
    entries: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    #: splits by series of which there were pieces
    splits: dict[int, set[int]] = field(default_factory=dict)
    #: what is remembered of looks and searches
    looks: LookLeaves = field(default_factory=LookLeaves)

    @classmethod
    def of(cls, path: Path) -> Leaves:
        """What the pages of a file hold."""
        found = cls()
        for cell in loose_entries(path, ENTRIES):
            found._take_entry(cell)
        # what is in its page in order goes before
        for cell in cells(path):
            if cell.is_index:
                found._take_entry(cell)
            else:
                found._take_row(cell)
        return found

    def _take_entry(self, cell: Cell) -> None:
        if _is(cell.values, KEY_ENTRY) and KEY.fullmatch(cell.values[0]):
            self.keys[cell.number] = cell.values[0]
        elif _is(cell.values, SERIES_ENTRY) and cell.values[2] in ("test", "train"):
            self.entries[cell.number] = cell.values[:3]
        elif _is(cell.values, PIECE_ENTRY):
            self.add_splits(*cell.values[:3])
        else:
            self.looks.take(cell)

    def add_splits(self, series: int, first: int, count: int) -> None:
        """There was a piece of so many splits."""
        if 0 <= first < first + count <= MOST:
            self.splits.setdefault(series, set()).update(range(first, first + count))

    def _take_row(self, cell: Cell) -> None:
        row = (cell.number, *cell.values[1:])
        rest = row[1:]
        if cell.width == len(RUN) + 1:
            self._take_run(row)
        elif _is(series := (*rest, *LATER[len(rest) :]), SERIES):
            self.series[cell.number] = (cell.number, *series)
        elif _is(rest, SEALED) and is_sound(rest[-1]):
            self.sealed[cell.number] = row
        else:
            self.looks.take(cell)

    def _take_run(self, row: tuple[Any, ...]) -> None:
        number = row[0]
        if _is(row[1:], RUN) and is_sound_run(row):
            self.run[number] = row
        if len(row) > 1 and isinstance(row[1], str) and KEY.fullmatch(row[1]):
            self.keys[number] = row[1]
            kinds = zip(RUN_NAMES, row[2:], RUN[1:], strict=False)
            self.columns[number] = {name: v for name, v, kind in kinds if isinstance(v, kind)}

    def add_to(self, target: sqlite3.Connection) -> None:
        """Put what a new database lacks into it."""
        for table in ("run", "series", "sealed"):
            for row in getattr(self, table).values():
                marks = ", ".join("?" * len(row))
                target.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", row)
        for number, (run, fingerprint, part) in self.entries.items():
            target.execute(
                "INSERT OR IGNORE INTO series (id, run, fingerprint, part, model) "
                "VALUES (?, ?, ?, ?, ?)",
                (number, run, fingerprint, part, lost_name(number)),
            )


def add_pieces(path: Path, target: sqlite3.Connection) -> None:
    """Put the pieces that a new database lacks into it, those that failed last.

    What a page of no use any more may hold is left out: pieces of a series that has a file of
    its own by now, or of splits that its run does not have.
    """
    known = {number for (number,) in target.execute("SELECT id FROM piece")}
    sealed = {number for (number,) in target.execute("SELECT series FROM sealed")}
    query = "SELECT series.id, run.splits FROM series JOIN run ON run.id = series.run"
    splits = dict(target.execute(query).fetchall())
    later = []
    insert = "INSERT OR IGNORE INTO piece VALUES (?, ?, ?, ?, ?, ?)"
    for cell in cells(path):
        row = (cell.number, *cell.values[1:])
        if cell.is_index or cell.number in known or not _is(row[1:], PIECE):
            continue
        _, series, first, count, is_failed, content = row
        most = splits.get(series) or first + count
        if series in sealed or first + count > most or not is_sound(content):
            continue
        if is_failed:
            later.append(row)
        else:
            target.execute(insert, row)
    target.executemany(insert, later)
    target.execute(
        """UPDATE series SET fits = coalesce(
            (SELECT sum(count) FROM piece WHERE piece.series = series.id), 0)
        WHERE fits = 0"""
    )
    # an entry that was removed long ago may still be read, and is of nothing
    target.execute(
        """DELETE FROM series WHERE model LIKE ? AND id NOT IN (SELECT series FROM piece)
        AND id NOT IN (SELECT series FROM sealed)""",
        (f"{LOST_NAME}%",),
    )


def is_sound(content: object) -> bool:
    """Whether the bytes of an outcome are as they were written."""
    try:
        unpacked(content if isinstance(content, bytes) else b"")
    except Damaged:
        return False
    return True


def is_sound_run(row: tuple[Any, ...]) -> bool:
    """Whether the long columns of a run are whole."""
    splits, rows, _, versions, facts, truth, places = row[8:]
    try:
        is_read = isinstance(json.loads(versions), dict) and isinstance(json.loads(facts), dict)
    except (ValueError, TypeError):
        return False
    # of a run that was recovered before, truth and places may be lost already
    is_long = (len(truth), len(places)) == (8 * rows, 16 * splits)
    return is_read and (is_long or facts == "{}")


def _is(values: tuple[Any, ...], kinds: tuple[type, ...]) -> bool:
    return len(values) == len(kinds) and all(map(isinstance, values, kinds))
