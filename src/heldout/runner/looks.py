"""How often test rows were looked at, as far as a run store remembers."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.runner.database import explained, opened, transaction
from heldout.runner.searches import remembered, searched

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.predictions.table import Predictions
    from heldout.runner.searches import Remembered
    from heldout.runner.store import Store

__all__ = ["LOOKS", "looks_at_data", "looks_at_rows", "model_digest", "rows_digest"]

#: judged predictions that came from elsewhere; made when the first are recorded
LOOKS = """CREATE TABLE IF NOT EXISTS look (
    rows TEXT NOT NULL,
    model TEXT NOT NULL,
    judged TEXT NOT NULL,
    PRIMARY KEY (rows, model)
) STRICT"""

#: names of more rows than this are not digested: the truth in its order tells sets apart
MOST_NAMES = 200_000


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
    seen = _seen(known)
    here = _largest(seen.pop(splits, set()))
    return len(here), len(_largest(here.union(*seen.values())) - here)


def _seen(known: Remembered) -> dict[str, set[frozenset[str]]]:
    """What was looked at along each splits: models alone, and searches as sets of settings."""
    in_searches = searched(known)
    seen: dict[str, set[frozenset[str]]] = {}
    for model, splits in known.judged:
        is_single = (model, splits) in known.singles
        if is_single or model not in in_searches:
            seen.setdefault(splits, set()).add(frozenset([model]))
        tried = [one for one in known.searches if model in one[0]]
        own = [one for one in tried if one[1] == splits]
        # a search judges its choices in outer folds, too, and a race split by split
        for settings, along in own or ([] if is_single else tried):
            seen.setdefault(splits, set()).add(settings)
            seen.setdefault(along, set()).add(settings)
    return seen


def _largest(looks: set[frozenset[str]]) -> set[frozenset[str]]:
    """Looks without searches that a larger one has repeated."""
    return {one for one in looks if len(one) == 1 or not any(one < other for other in looks)}


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
