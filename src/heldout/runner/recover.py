"""A damaged run store: its rows are copied to a new file as far as they read, the old one is kept.

The unit of loss is a fold. A row is kept if it reads and if its own checksum is right; what is lost
is named, and fitted again when asked for.
"""

from __future__ import annotations

import itertools
import os
import sqlite3
from collections import defaultdict
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.wording import plural
from heldout.runner.blob import Damaged, ranges, unpack
from heldout.runner.claims import RECOVERING, Locks
from heldout.runner.database import (
    UNREADABLE,
    explain_errors,
    known_version,
    make_tables,
    open_database,
    transaction,
)
from heldout.runner.earlier_looks import LATER
from heldout.runner.run_rows import PURPOSES, is_sound_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from heldout.runner.store import Store

    Row = tuple[Any, ...]

#: tables that every store has; others are made when they are first needed
ALWAYS = ("run", "series", "piece")
TABLES = (*ALWAYS, *LATER)

#: tables that stores had once, which nothing is read from
OLD = ("sealed", "judged")

AGAIN = "computed again when asked for"
#: what the rows are of which the audit's K16 counts
MEMORY = {
    "look": "looks at predictions from elsewhere",
    "search": "settings of searches",
    "single": "models judged by themselves",
}
#: what of them is counted as saved
SAVED = {"look": "*", "search": "DISTINCT search", "single": "*"}

SERIES = """SELECT series.id, run.id, series.model, series.part, series.fits, run.splits
    FROM series JOIN run ON run.id = series.run
    ORDER BY run.id, series.id"""
NAMES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"


@dataclass(frozen=True, slots=True)
class Recovery:
    """What was saved, and where the damaged file is now (None: nothing was damaged)."""

    moved_to: Path | None
    runs: int
    pieces: int
    #: splits of all models
    folds: int
    #: how many looks, searches, and settings judged by themselves are on record, by table
    looks: dict[str, int]
    #: what is lost, a line each
    lost: tuple[str, ...]


@dataclass(slots=True)
class _Copied:
    """How far a damaged table could be read."""

    #: the largest number of a row, and how many rows are not as they were written
    last: int = 0
    unsound: int = 0
    is_whole: bool = False


def recover(store: Store) -> Recovery:
    """Copy what can be read of a store to a new database, and put that in its place.

    A store that is sound stays as it is.
    """
    if not store.path.is_file():
        raise InputError(f"{store.path}: there is no such file")
    if (whole := _if_sound(store)) is not None:
        return whole
    with closing(Locks(store.folder)) as locks:
        # nobody fits or recovers meanwhile
        if locks.is_held() or (locks.is_able and not locks.take(RECOVERING)):
            raise InputError(
                f"{store.path}: another process is at work on it; wait for that, or end it, before "
                "what can be read is saved"
            )
        return _replace(store)


def _if_sound(store: Store) -> Recovery | None:
    """What is in a store that is not damaged; None where it is."""
    try:
        with closing(sqlite3.connect(store.path)) as source:
            # what a newer heldout wrote is not damage, and would lose what only that one knows
            if not known_version(source, store.path) and not source.execute(NAMES).fetchone():
                # whoever made it was killed before anything was written
                return Recovery(None, 0, 0, 0, {}, ())
            return _recovery(source, None, []) if _is_sound(source) else None
    except UNREADABLE as error:
        # who may not read it, or not now, knows nothing of damage
        if any(word in str(error) for word in ("locked", "unable to open", "readonly")):
            with explain_errors(store.path):
                raise
        return None


def _is_sound(source: sqlite3.Connection) -> bool:
    """Whether the database is whole, and all that is in it as it was written."""
    for check in ("integrity_check(1)", "foreign_key_check"):
        if source.execute(f"PRAGMA {check}").fetchall() not in ([], [("ok",)]):
            return False
    there = {name for (name,) in source.execute(NAMES)}
    if not {*ALWAYS} <= there <= {*TABLES, *OLD}:
        return False
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as own:
        _make_all_tables(own)
        for table in there - {*OLD}:
            # a wrong byte in a name is no damage to SQLite; an older store has fewer columns
            columns = _columns(source, table)
            if columns != _columns(own, table)[: len(columns)]:
                return False
    return all(
        _is_sound_row(table, row)
        for table in there - {*OLD}
        for row in source.execute(f"SELECT * FROM {table}")
    )


def _make_all_tables(connection: sqlite3.Connection) -> None:
    make_tables(connection)
    for create in LATER.values():
        connection.execute(create)


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def _is_sound_row(table: str, row: Sequence[Any]) -> bool:
    """Whether a row is as it was written, as far as it can tell by itself."""
    try:
        if table == "run":
            names = ("splits", "rows", "seed", "versions", "facts", "truth", "places")
            return is_sound_run(dict(zip(names, row[8:], strict=True)))
        if table == "series":
            # the last columns came later
            for moment in filter(None, row[6:8]):
                datetime.fromisoformat(moment)
            return row[3] in ("test", "train") and {*row[8:]} <= {*PURPOSES}
        if table == "piece":
            outcome, (first, count, failed) = unpack(row[-1]), row[2:5]
            if failed:
                return bool((first, count) == (outcome.failures[0][0], 1))
            return bool((first, count) == (outcome.splits[0], len(outcome.splits)))
    except (Damaged, ValueError, TypeError, IndexError):
        return False
    return table not in LATER or all(str(text).isprintable() for text in row)


def _replace(store: Store) -> Recovery:
    """Put a new database with all that can be read in the place of a damaged one."""
    for left in store.folder.glob("recovered-*.sqlite*"):  # by a process that was killed
        left.unlink()
    fresh, aside = _new_names(store.path)
    with (
        closing(open_database(fresh)) as target,
        closing(sqlite3.connect(store.path, isolation_level=None)) as source,
    ):
        target.execute("PRAGMA foreign_keys = OFF")
        # a table whose description is damaged does not keep the others from being read
        with suppress(*UNREADABLE):
            source.execute("PRAGMA writable_schema = ON")
        with transaction(target):
            _make_all_tables(target)
            copied = {table: _copy(source, target, table) for table in TABLES}
            saved = _recovery(target, aside, [*_lost(target, copied)])
        target.execute("PRAGMA journal_mode = DELETE")
    _keep_aside(store.path, aside)
    fresh.replace(store.path)
    with closing(sqlite3.connect(store.path)) as target:
        target.execute("PRAGMA journal_mode = WAL")
    return saved


def _new_names(path: Path) -> tuple[Path, Path]:
    """What the new file and the damaged one are called; no clock makes a name that is taken."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    for count in itertools.count(1):
        end = stamp if count == 1 else f"{stamp}-{count}"
        fresh, aside = (path.with_name(f"{name}-{end}.sqlite") for name in ("recovered", "damaged"))
        if not fresh.exists() and not aside.exists():
            return fresh, aside
    raise AssertionError("numbers never end")


def _recovery(source: sqlite3.Connection, aside: Path | None, lost: list[str]) -> Recovery:
    """What a sound database has."""
    runs, pieces = (_count(source, table) for table in ("run", "piece"))
    # a split that stands in a block and singly counts once
    query = """SELECT coalesce(sum(done), 0) FROM (SELECT min(run.splits, sum(piece.count)) AS done
        FROM series JOIN run ON run.id = series.run JOIN piece ON piece.series = series.id
        GROUP BY series.id)"""
    (folds,) = source.execute(query).fetchone()
    looks = {table: _count(source, table, what) for table, what in SAVED.items()}
    return Recovery(aside, runs, pieces, folds, looks, tuple(lost))


def _copy(source: sqlite3.Connection, target: sqlite3.Connection, table: str) -> _Copied:
    """Copy the rows of a table that are as they were written, as far as anything can tell."""
    if _is_absent(source, table):
        return _Copied(is_whole=True)
    copied, names = _Copied(), _columns(target, table)
    for number, *row in _rows(source, table, copied):
        copied.last = max(copied.last, number)
        if not _is_sound_row(table, row):
            copied.unsound += 1
        else:
            # one that was made before the last columns were has fewer
            columns, marks = ", ".join(names[: len(row)]), ", ".join("?" * len(row))
            # a value of another kind than its column's is damage
            with suppress(sqlite3.IntegrityError, sqlite3.OperationalError):
                target.execute(f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({marks})", row)
    return copied


def _is_absent(source: sqlite3.Connection, table: str) -> bool:
    """Whether a table was never made: all names can be read, and this is none of them."""
    with suppress(*UNREADABLE):
        there = {name for (name,) in source.execute(NAMES)}
        return {*ALWAYS} <= there <= {*TABLES, *OLD} - {table}
    return False


def _rows(source: sqlite3.Connection, table: str, copied: _Copied) -> Iterator[Row]:
    """The rows with their numbers before them, as far as they read from either end."""
    seen: set[int] = set()
    for way in ("", " DESC"):
        with suppress(*UNREADABLE):
            for row in source.execute(f"SELECT rowid, * FROM {table} ORDER BY rowid{way}"):
                if row[0] in seen:
                    break  # the pages lead in a circle, or the ends meet
                seen.add(row[0])
                yield row
            else:
                copied.is_whole = True
                return


def _lost(target: sqlite3.Connection, copied: dict[str, _Copied]) -> Iterator[str]:
    """Lines on what a new database lacks."""
    if not any(table.last for table in copied.values()) and not copied["run"].is_whole:
        yield (
            "nothing can be read of it: all runs are lost, and what K16 counted; the same heldout "
            "evaluate and heldout select commands fit them again"
        )
        return
    yield from _lost_looks(target, copied)
    yield from _lost_runs(target, copied)
    yield from _lost_folds(target)


def _lost_runs(target: sqlite3.Connection, copied: dict[str, _Copied]) -> Iterator[str]:
    """Drop what is of no run or model that is known; lines on it."""
    query = "SELECT run, model FROM series WHERE run NOT IN (SELECT id FROM run) ORDER BY id"
    models: dict[int, list[str]] = defaultdict(list)
    for run, model in target.execute(query):
        models[run].append(model)
    then = f"their folds are {AGAIN}, and K16 no longer counts them"
    for run, names in sorted(models.items()):
        yield f"run {run} is lost with its models ({', '.join(dict.fromkeys(names))}): {then}"
    target.execute("DELETE FROM series WHERE run NOT IN (SELECT id FROM run)")
    if unsound := copied["series"].unsound:
        yield f"{plural(unsound, 'model')} cannot be read: {then}"
    if not all(copied[table].is_whole for table in ("run", "series")):
        yield f"it is unknown whether more runs or models are lost; {then}"
    query = "DELETE FROM piece WHERE series NOT IN (SELECT id FROM series)"
    if count := target.execute(query).rowcount:
        yield f"{plural(count, 'fold')} of lost runs or models could be read, and cannot be used"


def _lost_folds(target: sqlite3.Connection) -> Iterator[str]:
    """Lines on the splits that were computed once and that a new database lacks."""
    for series, run, model, part, fits, splits in target.execute(SERIES).fetchall():
        query = "SELECT first, count FROM piece WHERE series = ?"
        pieces = target.execute(query, (series,)).fetchall()
        kept = {at for first, count in pieces for at in range(first, first + count)}
        count = min(fits, splits) - len(kept)
        if count <= 0:
            continue
        # what is named now is not missed again
        target.execute("UPDATE series SET fits = ? WHERE id = ?", (len(kept), series))
        name = model + (" (training rows)" if part == "train" else "")
        what, verb, they = ("split", "is", "it is") if count == 1 else ("splits", "are", "they are")
        # of a model that was not done with all splits, which of them it had is not known
        numbers = ranges([at + 1 for at in range(splits) if at not in kept])
        which = f"{what} {numbers}" if fits >= splits else f"{count:,} {what}"
        yield f"run {run}: {which} of {name} {verb} lost; {they} {AGAIN}"


def _lost_looks(target: sqlite3.Connection, copied: dict[str, _Copied]) -> Iterator[str]:
    """Lines on what is lost of the memory of looks and searches, which the audit's K16 counts."""
    for table, rows in MEMORY.items():
        # nothing is ever removed from these tables, so that their rows are numbered without gaps
        if (count := copied[table].last - _count(target, table)) > 0:
            yield f"of the {rows} at least {count:,} are lost to K16"
    if not all(copied[table].is_whole for table in MEMORY):
        yield "it is unknown whether more records for K16 are lost"


def _count(source: sqlite3.Connection, table: str, what: str = "*") -> int:
    known = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    if source.execute(known, (table,)).fetchone() is None:
        return 0
    return int(source.execute(f"SELECT count({what}) FROM {table}").fetchone()[0])


def _keep_aside(path: Path, aside: Path) -> None:
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
