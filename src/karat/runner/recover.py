"""A damaged run store: all that can still be read goes to a new file, the old one is kept."""

from __future__ import annotations

import itertools
import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from karat.core.errors import InputError
from karat.runner.database import UNREADABLE, explained, known_version, opened, transaction
from karat.runner.locks import Locks
from karat.runner.losses import damaged_files, lost_folds, lost_looks, lost_runs
from karat.runner.readable import (
    TABLES,
    add_splits,
    copy_rows,
    drop_orphans,
    rescue_runs,
    rows_of,
)
from karat.runner.salvage import Leaves, add_pieces, is_sound, is_sound_run
from karat.runner.saved_looks import SavedLooks, counted_looks, save_looks
from karat.runner.schema import has_own_tables
from karat.runner.seal import SEALING

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from karat.runner.store import Store

__all__ = ["Recovery", "recover"]

NO_LOOKS = SavedLooks()


@dataclass(frozen=True, slots=True)
class Recovery:
    """What was saved, and where the damaged file is now (None: nothing was damaged)."""

    moved_to: Path | None
    runs: int
    pieces: int
    #: splits of all models, those in files of their own too
    folds: int = 0
    #: runs of which only the key was found: the same command fills in the rest
    partial: int = 0
    #: pieces of which nothing says what they are of: their folds are computed again
    orphans: int = 0
    #: what is remembered of looks and searches
    looks: SavedLooks = NO_LOOKS
    #: what is lost, a line each
    lost: tuple[str, ...] = ()


def recover(store: Store) -> Recovery:
    """Copy what can be read of a store to a new database, and put that in its place.

    A store that is sound stays as it is.
    """
    if not store.path.is_file():
        raise InputError(f"{store.path}: there is no such file")
    if (whole := _if_sound(store)) is not None:
        return whole
    with closing(Locks(store.folder)) as locks:
        # nobody seals, removes files or recovers meanwhile
        if locks.is_held() or (locks.is_able and not locks.take(SEALING)):
            raise InputError(
                f"{store.path}: another process is at work on it; wait for that, or end it, before "
                "what can be read is saved"
            )
        return _replaced(store)


def _if_sound(store: Store) -> Recovery | None:
    """What is in a store that is not damaged; None where it is."""
    try:
        with closing(sqlite3.connect(store.path)) as source:
            # what a newer karat wrote is not damage, and would lose what only that one knows
            known_version(source, store.path)
            if not _is_sound(source):
                return None
            runs, pieces = (_count(source, table) for table in ("run", "piece"))
            lost = damaged_files(source, store.folder)
            looks, folds = SavedLooks(*counted_looks(source)), _folds(source, lost)
            return Recovery(None, runs, pieces, folds, looks=looks, lost=(*lost.values(),))
    except UNREADABLE as error:
        # who may not read it, or not now, knows nothing of damage
        if any(word in str(error) for word in ("locked", "unable to open", "readonly")):
            with explained(store.path):
                raise
        return None


def _replaced(store: Store) -> Recovery:
    """Put a new database with all that can be read in the place of a damaged one."""
    for left in store.folder.glob("recovered-*.sqlite*"):  # by a process that was killed
        left.unlink()
    fresh, aside = _new_names(store.path)
    with (
        closing(opened(fresh)) as target,
        closing(sqlite3.connect(store.path, isolation_level=None)) as source,
    ):
        target.execute("PRAGMA foreign_keys = OFF")
        with transaction(target):
            saved = _saved(source, target, store, aside)
        target.execute("PRAGMA journal_mode = DELETE")
    _kept_aside(store.path, aside)
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


def _saved(
    source: sqlite3.Connection, target: sqlite3.Connection, store: Store, aside: Path
) -> Recovery:
    """Put all that can be read into a new database."""
    is_whole = _is_whole(source)
    for table in TABLES:
        copy_rows(source, target, table)
    leaves = Leaves() if is_whole else Leaves.of(store.path)
    has_index = add_splits(source, leaves)
    leaves.looks.read(source, lambda table, names: rows_of(source, table, names, "rowid"))
    leaves.add_to(target)
    partial = rescue_runs(source, target, leaves)
    if not is_whole:
        add_pieces(store.path, target)
    lost = [*lost_runs(target)]
    orphans = drop_orphans(target)
    looks = save_looks(leaves.looks, target)
    lost += lost_folds(target, leaves.splits, store.folder, has_index=has_index)
    damaged = damaged_files(target, store.folder)
    lost += (*damaged.values(), *lost_looks(looks, target))
    runs, pieces = (_count(target, table) for table in ("run", "piece"))
    return Recovery(
        aside, runs, pieces, _folds(target, damaged), partial, orphans, looks, tuple(lost)
    )


def _is_sound(source: sqlite3.Connection) -> bool:
    """Whether the database is whole, and all that is in it as it was written."""
    if not has_own_tables(source):
        return False
    for check in ("integrity_check(1)", "foreign_key_check"):
        if source.execute(f"PRAGMA {check}").fetchall() not in ([], [("ok",)]):
            return False
    contents = ("SELECT content FROM piece", "SELECT rest FROM sealed")
    return all(
        is_sound(content) for query in contents for (content,) in source.execute(query)
    ) and all(is_sound_run(row) for row in source.execute("SELECT * FROM run"))


def _is_whole(source: sqlite3.Connection) -> bool:
    """Whether the trees of a database lead to all its rows."""
    try:
        is_whole = source.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
        return is_whole and has_own_tables(source)
    except UNREADABLE:
        return False


def _count(target: sqlite3.Connection, table: str) -> int:
    return int(target.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def _folds(source: sqlite3.Connection, damaged: Collection[int]) -> int:
    """The splits of all models; one that stands in a block and singly counts once."""
    splits = dict(source.execute("SELECT series.id, splits FROM series JOIN run ON run.id = run"))
    query = """SELECT series, sum(count)
        FROM (SELECT series, count FROM piece UNION ALL SELECT series, count FROM sealed)
        GROUP BY series"""
    # of a run that was recovered before, the number of splits may be lost
    return sum(
        min(count, splits.get(series) or count)
        for series, count in source.execute(query)
        if series not in damaged
    )


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
