"""How often test rows were looked at, as far as a run store remembers: by searches, and singly."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from heldout.core.errors import InputError
from heldout.runner.database import make_folder, reading, transaction, writing

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence

    from heldout.predictions.table import Predictions
    from heldout.runner.store import Store

#: judged predictions that came from elsewhere; made when the first are recorded
LOOKS = """CREATE TABLE IF NOT EXISTS look (
    rows TEXT NOT NULL,
    model TEXT NOT NULL,
    judged TEXT NOT NULL,
    PRIMARY KEY (rows, model)
) STRICT"""

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

#: tables that are made when they are first needed
LATER = {"look": LOOKS, "search": SEARCHES, "single": SINGLES}

#: models that gave a value: all splits are done, and not all of them failed
JUDGED = """SELECT DISTINCT series.fingerprint, run.splits_fingerprint
    FROM series JOIN run ON run.id = series.run
    WHERE run.data_fingerprint = ? AND series.part = 'test'
    AND EXISTS (SELECT 1 FROM piece WHERE piece.series = series.id AND NOT piece.failed)
    AND (SELECT sum(count) FROM piece WHERE piece.series = series.id) >= run.splits"""

#: names of more rows than this are not digested: the truth in its order tells sets apart
MOST_NAMES = 200_000


class Remembered(NamedTuple):
    """What a store knows of some data; models and splits by their fingerprints."""

    #: models that gave a value, with the splits along which they did
    judged: frozenset[tuple[str, str]]
    #: settings of each search, with the splits that it was along
    searches: frozenset[tuple[frozenset[str], str]]
    #: settings of searches whose own value was shown, with the splits
    singles: frozenset[tuple[str, str]]

    @property
    def settings(self) -> frozenset[str]:
        """The settings of all searches."""
        return frozenset[str]().union(*(settings for settings, _ in self.searches))


def looks_at_data(
    store: Store | None, fingerprint: str, splits: str = ""
) -> tuple[int, int] | None:
    """How many values of models the store's runs have shown of some data; None: no store.

    Those along the very splits with a fingerprint, and further ones along others only. A model
    counts once, however often it was judged, and only if it gave a value. The settings of a
    search are one look together, with the models that it chose in outer folds; a setting that
    was also judged by itself is another.
    """
    known = remembered(store, fingerprint)
    if known is None:
        return None
    seen = _looks(known)
    here = _largest(seen.pop(splits, set()))
    return len(here), len(_largest(here.union(*seen.values())) - here)


def _looks(known: Remembered) -> dict[str, set[frozenset[str]]]:
    """What was looked at along each splits: models alone, and searches as sets of settings."""
    in_searches = known.settings
    seen: dict[str, set[frozenset[str]]] = {}
    for model, splits in known.judged:
        is_single = (model, splits) in known.singles
        if is_single or model not in in_searches:
            seen.setdefault(splits, set()).add(frozenset([model]))
        tried = [search for search in known.searches if model in search[0]]
        own = [search for search in tried if search[1] == splits]
        # a search judges its choices in outer folds, too, and a race split by split
        for settings, along in own or ([] if is_single else tried):
            seen.setdefault(splits, set()).add(settings)
            seen.setdefault(along, set()).add(settings)
    return seen


def _largest(looks: set[frozenset[str]]) -> set[frozenset[str]]:
    """Looks without searches that a larger one has repeated."""
    return {look for look in looks if len(look) == 1 or not any(look < other for other in looks)}


def looks_at_rows(
    store: Store | None, predictions: Sequence[Predictions], *, record: bool = True
) -> int | None:
    """Record that these models were looked at on their rows; how many that makes.

    Only a store that is there already is written to; where that fails, nothing is known.
    """
    if store is None or not store.path.is_file() or not predictions:
        return None
    from heldout.runner.run_rows import now

    judged = now()
    rows = rows_digest(predictions[0])
    looks = [
        (rows, model_digest(p), judged)
        for p in predictions
        if p is predictions[0] or rows_digest(p) == rows
    ]
    try:
        with writing(store.path, create=False) as connection:
            with transaction(connection):
                connection.execute(LOOKS)
                if record:
                    connection.executemany("INSERT OR IGNORE INTO look VALUES (?, ?, ?)", looks)
            query = "SELECT count(*) FROM look WHERE rows = ?"
            return int(connection.execute(query, (rows,)).fetchone()[0])
    except InputError:
        return None


def rows_digest(predictions: Predictions) -> str:
    """A digest of the truth of some rows in their order, with their names where few."""
    p = predictions
    digest = blake2b(f"{p.task};{len(p)};{p.classes!r};".encode(), digest_size=16)
    digest.update(_bytes(p.truth))
    if p.identifier is not None and len(p) <= MOST_NAMES:
        digest.update("\n".join(map(str, p.identifier.tolist())).encode())
    return digest.hexdigest()


def model_digest(predictions: Predictions) -> str:
    """A digest of what a model says of its rows, whatever it is called."""
    digest = blake2b(digest_size=16)
    for values in (predictions.scores, predictions.predicted):
        digest.update(b";" if values is None else _bytes(values))
    return digest.hexdigest()


def _bytes(values: Any) -> bytes:
    kind = "<f8" if values.dtype.kind == "f" else "<i8"
    return np.ascontiguousarray(values, dtype=kind).tobytes()


def remembered(store: Store | None, data: str) -> Remembered | None:
    """What a store knows of the data with a fingerprint; None where no store can be read."""
    if store is None or not store.path.is_file():
        return None
    try:
        with reading(store.path) as connection:
            return _read(connection, data)
    except InputError:
        return None


def _read(connection: sqlite3.Connection, data: str) -> Remembered:
    members: dict[tuple[str, str], set[str]] = {}
    for search, splits, model in _rows(connection, "search", "search, splits, model", data):
        members.setdefault((search, splits), set()).add(model)
    judged = connection.execute(JUDGED, (data,)).fetchall()
    return Remembered(
        frozenset(judged),
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
    made_of = "\n".join((data, splits, *sorted(models)))
    search = blake2b(made_of.encode(), digest_size=16).hexdigest()
    rows = [(data, splits, search, model) for model in models]

    def fill(connection: sqlite3.Connection) -> None:
        before = _read(connection, data)
        is_new = not _settings(connection, data, search)
        own = set(models) - before.settings if is_new else set()
        connection.execute(SEARCHES)
        connection.executemany("INSERT OR IGNORE INTO search VALUES (?, ?, ?, ?)", rows)
        alone = [(model, along) for model, along in before.judged if model in own]
        _record_singles(connection, data, alone)

    try:
        make_folder(store.folder)
        if _is_known(store, data, search, models):
            return
        _write(store, fill)
    except InputError:
        # a store that may only be read keeps no record
        return


def _is_known(store: Store, data: str, search: str, models: Sequence[str]) -> bool:
    """Whether a search is on record already, with all of its settings."""
    if not store.path.is_file():
        return False
    with reading(store.path) as connection:
        # it was written at once, but a damaged file may have lost some of it
        return _settings(connection, data, search) >= set(models)


def _settings(connection: sqlite3.Connection, data: str, search: str) -> set[str]:
    """The settings of a search that are on record."""
    rows = _rows(connection, "search", "search, model", data)
    return {model for known, model in rows if known == search}


def _write(store: Store, fill: Callable[[sqlite3.Connection], None]) -> None:
    with writing(store.path) as connection, transaction(connection):
        fill(connection)


def record_singles(store: Store, data: str, splits: str, models: Iterable[str]) -> None:
    """Record that the value of each of these models is shown by itself.

    Only settings of searches need it, and most stores have none.
    """
    try:
        with reading(store.path) as connection:
            tried = {model for (model,) in _rows(connection, "search", "model", data)}
            known = set(_rows(connection, "single", "model, splits", data)) if tried else set()
        new = {(model, splits) for model in models if model in tried} - known
        if new:
            _write(store, lambda connection: _record_singles(connection, data, new))
    except InputError:
        return


def _record_singles(
    connection: sqlite3.Connection, data: str, pairs: Iterable[tuple[str, str]]
) -> None:
    connection.execute(SINGLES)
    rows = [(data, splits, model) for model, splits in pairs]
    connection.executemany("INSERT OR IGNORE INTO single VALUES (?, ?, ?)", rows)
