"""How many models were judged on the very same rows, as far as a run store remembers."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.errors import InputError
from karat.runner.database import explained, opened, opened_to_read, transaction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.predictions.table import Predictions
    from karat.runner.store import Store

__all__ = ["looks_at_data", "looks_at_rows", "model_digest", "record_search", "rows_digest"]

#: judged predictions that came from elsewhere; made when the first are recorded
TABLE = """CREATE TABLE IF NOT EXISTS look (
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

RUNS = """SELECT DISTINCT series.fingerprint, run.splits_fingerprint FROM series
    JOIN run ON run.id = series.run WHERE run.data_fingerprint = ? AND series.part = 'test'"""

#: names of more rows than this are not digested: the truth in its order tells sets apart
MOST_NAMES = 200_000


def looks_at_data(
    store: Store | None, fingerprint: str, splits: str = ""
) -> tuple[int, int] | None:
    """How many distinct models the store's runs judged on some data; None: there is no store.

    Those on the very splits with a fingerprint, and those on other ones only. The settings of a
    search, and the models that it chose in outer folds, are one.
    """
    if store is None or not store.path.is_file():
        return None
    try:
        with explained(store.path), closing(opened_to_read(store.path)) as connection:
            judged = connection.execute(RUNS, (fingerprint,)).fetchall()
            known = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'search'"
            tried = "SELECT search, model, splits FROM search WHERE data = ?"
            listed = (
                connection.execute(tried, (fingerprint,)).fetchall()
                if connection.execute(known).fetchone()
                else []
            )
    except InputError:
        return None
    tried_here = {model: search for search, model, there in listed if there == splits}
    here = {tried_here.get(model, model) for model, there in judged if there == splits}
    # what a search chose is judged in outer folds too, which is no further look
    anywhere = {model: search for search, model, _ in listed} | tried_here
    seen = here | {anywhere.get(model, model) for model, there in judged if there == splits}
    return len(here), len({anywhere.get(model, model) for model, _ in judged} - seen)


def record_search(
    store: Store | None, fingerprint: str, splits: str, models: Sequence[str]
) -> None:
    """Record that these models were settings of one search; nothing where there is no store."""
    if store is None or not store.path.is_file() or len(models) < 2:
        return
    made_of = "\n".join((fingerprint, splits, *sorted(models)))
    search = blake2b(made_of.encode(), digest_size=16).hexdigest()
    rows = [(fingerprint, splits, search, model) for model in models]
    try:
        with (
            explained(store.path),
            closing(opened(store.path, create=False)) as connection,
            transaction(connection),
        ):
            connection.execute(SEARCHES)
            connection.executemany("INSERT OR IGNORE INTO search VALUES (?, ?, ?, ?)", rows)
    except InputError:
        # a store that may only be read keeps no record
        return


def looks_at_rows(
    store: Store | None, predictions: Sequence[Predictions], *, record: bool = True
) -> int | None:
    """Record that these models were looked at on their rows; how many that makes.

    Only a store that is there already is written to; where that fails, nothing is known.
    """
    if store is None or not store.path.is_file() or not predictions:
        return None
    now = datetime.now(UTC).isoformat(timespec="seconds")
    rows = rows_digest(predictions[0])
    looks = [
        (rows, model_digest(p), now)
        for p in predictions
        if p is predictions[0] or rows_digest(p) == rows
    ]
    try:
        with explained(store.path), closing(opened(store.path, create=False)) as connection:
            with transaction(connection):
                connection.execute(TABLE)
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
