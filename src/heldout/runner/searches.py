"""What a run store remembers of who looked at values: searches, and models judged by themselves."""

from __future__ import annotations

from contextlib import closing
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from heldout.core.errors import InputError
from heldout.runner.database import (
    explained,
    make_folder,
    opened,
    opened_to_read,
    transaction,
)
from heldout.runner.new_database import made_whole

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence

    from heldout.runner.store import Store

__all__ = [
    "Remembered",
    "SEARCHES",
    "SINGLES",
    "VALUES",
    "digest_of_search",
    "record_search",
    "record_singles",
    "remembered",
    "searched",
]

#: settings that were tried together, which are one search; made with the first of them
SEARCHES = """CREATE TABLE IF NOT EXISTS search (
    data TEXT NOT NULL,
    splits TEXT NOT NULL,
    search TEXT NOT NULL,
    model TEXT NOT NULL,
    PRIMARY KEY (search, model)
) STRICT"""

#: settings of searches that were judged by themselves as well; made with the first search
SINGLES = """CREATE TABLE IF NOT EXISTS single (
    data TEXT NOT NULL,
    splits TEXT NOT NULL,
    model TEXT NOT NULL,
    PRIMARY KEY (data, splits, model)
) STRICT"""

#: models that gave a value of which only this is left, and why; made when that happens
VALUES = """CREATE TABLE IF NOT EXISTS judged (
    why TEXT NOT NULL,
    data TEXT NOT NULL,
    splits TEXT NOT NULL,
    model TEXT NOT NULL,
    PRIMARY KEY (why, data, splits, model)
) STRICT"""

#: models that gave a value: all splits are done, and not all of them failed
JUDGED = """SELECT DISTINCT series.fingerprint, run.splits_fingerprint
    FROM series JOIN run ON run.id = series.run LEFT JOIN sealed ON sealed.series = series.id
    WHERE run.data_fingerprint = ? AND series.part = 'test'
    AND (
        coalesce(sealed.count, 0) > 0
        OR EXISTS (SELECT 1 FROM piece WHERE piece.series = series.id AND NOT piece.failed)
    )
    AND coalesce(sealed.count, 0) + coalesce(
        (SELECT sum(count) FROM piece WHERE piece.series = series.id), 0
    ) >= run.splits"""


class Remembered(NamedTuple):
    """What a store knows of some data; models and splits by their fingerprints."""

    #: models that gave a value, with the splits along which they did
    judged: frozenset[tuple[str, str]]
    #: settings of each search, with the splits that it was along
    searches: frozenset[tuple[frozenset[str], str]]
    #: settings of searches whose own value was shown, with the splits
    singles: frozenset[tuple[str, str]]


def remembered(store: Store | None, data: str) -> Remembered | None:
    """What a store knows of the data with a fingerprint; None where no store can be read."""
    if store is None or not store.path.is_file():
        return None
    try:
        with explained(store.path), closing(opened_to_read(store.path)) as connection:
            return _read(connection, data)
    except InputError:
        return None


def _read(connection: sqlite3.Connection, data: str) -> Remembered:
    members: dict[tuple[str, str], set[str]] = {}
    for search, splits, model in _rows(connection, "search", "search, splits, model", data):
        members.setdefault((search, splits), set()).add(model)
    judged = connection.execute(JUDGED, (data,)).fetchall()
    return Remembered(
        frozenset(judged + _rows(connection, "judged", "model, splits", data)),
        frozenset((frozenset(models), splits) for (_, splits), models in members.items()),
        frozenset(_rows(connection, "single", "model, splits", data)),
    )


def _rows(connection: sqlite3.Connection, table: str, columns: str, data: str) -> list[Any]:
    """What a table has of some data; nothing where a store has no such table yet."""
    known = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    if connection.execute(known, (table,)).fetchone() is None:
        return []
    return connection.execute(f"SELECT {columns} FROM {table} WHERE data = ?", (data,)).fetchall()


def record_search(store: Store, data: str, splits: str, models: Sequence[str]) -> None:
    """Record that these models will be settings of one search, before any of them is fitted.

    What was judged before was looked at by itself, unless by another search: a search that is
    recorded when it is over could not tell its own fits, nor those of one that was killed.
    """
    if len(models) < 2:
        return
    search = digest_of_search(data, splits, models)
    rows = [(data, splits, search, model) for model in models]

    def fill(connection: sqlite3.Connection) -> None:
        before = _read(connection, data)
        is_new = not _settings(connection, data, search)
        own = set(models) - searched(before) if is_new else set()
        connection.execute(SEARCHES)
        connection.executemany("INSERT OR IGNORE INTO search VALUES (?, ?, ?, ?)", rows)
        alone = [(model, along) for model, along in before.judged if model in own]
        _record_singles(connection, data, alone)

    try:
        make_folder(store.folder)
        if _is_known(store, data, search, models):
            return
        if store.path.is_file() or not made_whole(store.path, fill):
            _written(store, fill)
    except InputError:
        # a store that may only be read keeps no record
        return


def digest_of_search(data: str, splits: str, models: Iterable[str]) -> str:
    """What a search is known by: its data, splits and settings."""
    made_of = "\n".join((data, splits, *sorted(models)))
    return blake2b(made_of.encode(), digest_size=16).hexdigest()


def _is_known(store: Store, data: str, search: str, models: Sequence[str]) -> bool:
    """Whether a search is on record already, with all of its settings."""
    if not store.path.is_file():
        return False
    with explained(store.path), closing(opened_to_read(store.path)) as connection:
        # it was written at once, but a damaged file may have lost some of it
        return _settings(connection, data, search) >= set(models)


def _settings(connection: sqlite3.Connection, data: str, search: str) -> set[str]:
    """The settings of a search that are on record."""
    found = _rows(connection, "search", "search, model", data)
    return {model for one, model in found if one == search}


def searched(known: Remembered) -> frozenset[str]:
    """The settings of all searches."""
    return frozenset[str]().union(*(settings for settings, _ in known.searches))


def _written(store: Store, fill: Callable[[sqlite3.Connection], None]) -> None:
    with explained(store.path), closing(opened(store.path)) as connection, transaction(connection):
        fill(connection)


def record_singles(store: Store, data: str, splits: str, models: Iterable[str]) -> None:
    """Record that the value of each of these models is shown by itself.

    Only settings of searches need it, and most stores have none.
    """
    try:
        with explained(store.path), closing(opened_to_read(store.path)) as connection:
            tried = {model for (model,) in _rows(connection, "search", "model", data)}
            known = set(_rows(connection, "single", "model, splits", data)) if tried else set()
        new = {(model, splits) for model in models if model in tried} - known
        if new:
            _written(store, lambda connection: _record_singles(connection, data, new))
    except InputError:
        return


def _record_singles(
    connection: sqlite3.Connection, data: str, pairs: Iterable[tuple[str, str]]
) -> None:
    connection.execute(SINGLES)
    rows = [(data, splits, model) for model, splits in pairs]
    connection.executemany("INSERT OR IGNORE INTO single VALUES (?, ?, ?)", rows)
