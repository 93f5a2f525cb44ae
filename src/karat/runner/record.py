"""The record of a run in its store: what is known already, and every new fold as it is done."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import UTC, datetime
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

from karat.core.errors import KaratError
from karat.runner.blob import Damaged, packed, unpacked
from karat.runner.database import explained, opened, transaction
from karat.runner.key import facts_of, places_of, run_key, versions
from karat.runner.seal import read_sealed, seal

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from karat.learners.model import Model
    from karat.learners.outcome import Outcome, Part
    from karat.runner.task import Work

__all__ = ["Record"]

INSERT = """
    INSERT INTO piece (series, first, count, failed, content) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (series, first, count) DO UPDATE
    SET failed = excluded.failed, content = excluded.content
    WHERE piece.failed AND NOT excluded.failed
"""


class Record:
    """The part of a store that belongs to one run.

    New outcomes are committed by a thread of their own: each at once, or, while the disk is
    busy with a commit, all that came in the meantime together. A process that is killed
    loses no more than the folds it finished during the last such commit.
    """

    def __init__(self, path: Path, work: Work) -> None:
        self.path = path
        self.notes: list[str] = []
        self._models = work.models
        self._splits = len(work.splits)
        self._connection = opened(path)
        self._queue: SimpleQueue[tuple[int, Outcome] | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._error: Exception | None = None
        try:
            with explained(path), transaction(self._connection):
                self.number = _found_or_made(self._connection, work, self.notes)
                self._series = {
                    (index, part): _series(self._connection, self.number, model, part)
                    for index, model in enumerate(work.models)
                    for part in work.parts
                    if model.fingerprint
                }
        except BaseException:
            self._connection.close()
            raise
        self.notes.extend(
            f"{model.name}: not stored, since nothing identifies it for the next time"
            for model in work.models
            if not model.fingerprint
        )

    def known(self, index: int, part: Part, *, failures: bool = True) -> list[Outcome]:
        """What the store has of a model; a damaged piece is named, left out and forgotten."""
        series = self._series.get((index, part))
        if series is None:
            return []
        query = "SELECT id, first, count, content FROM piece WHERE series = ?"
        query += "" if failures else " AND NOT failed"
        found = []
        with explained(self.path):
            whole = read_sealed(self._connection, self.path.parent, series, self.notes)
            if whole is not None:
                return [whole]
            for piece, first, count, content in self._connection.execute(query, (series,)):
                try:
                    found.append(unpacked(content))
                except Damaged as error:
                    self._forget(piece, index, first, count, error)
        return found

    def _forget(self, piece: int, index: int, first: int, count: int, error: Damaged) -> None:
        which = f"split {first + 1}" if count == 1 else f"splits {first + 1} to {first + count}"
        name = self._models[index].name
        self.notes.append(
            f"{self.path}: {which} of {name} is damaged ({error}); it is computed again"
        )
        with transaction(self._connection):
            self._connection.execute("DELETE FROM piece WHERE id = ?", (piece,))

    def seal(self, index: int, part: Part, outcome: Outcome) -> None:
        """Move the predictions of a model that is finished to a Parquet file if they are many."""
        series = self._series.get((index, part))
        if series is None or len(outcome.splits) < self._splits:
            return
        self._settle()
        if self._error is None:
            with explained(self.path):
                seal(self._connection, self.path.parent, series, outcome)

    def add(self, index: int, outcome: Outcome) -> None:
        """Keep an outcome; an error of an earlier commit is raised here."""
        if self._error is not None:
            self.close()
        series = self._series.get((index, outcome.part))
        if series is None:
            return
        if self._thread is None:
            self._thread = Thread(target=self._commit_all, daemon=True)
            self._thread.start()
        self._queue.put((series, outcome))

    def close(self) -> None:
        """Wait for the last commit, and let go of the database."""
        self._settle()
        with explained(self.path):
            self._connection.close()
        error, self._error = self._error, None
        if error is not None:
            raise error

    def _settle(self) -> None:
        """Wait until everything is committed."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None

    def _commit_all(self) -> None:
        is_open = True
        while is_open:
            pieces = [self._queue.get()]
            while True:
                try:
                    pieces.append(self._queue.get_nowait())
                except Empty:
                    break
            is_open = None not in pieces
            outcomes = [piece for piece in pieces if piece is not None]
            if outcomes and self._error is None:
                try:
                    with explained(self.path):
                        self._commit(outcomes)
                except Exception as error:
                    self._error = error

    def _commit(self, outcomes: list[tuple[int, Outcome]]) -> None:
        rows = [(series, *_row(outcome)) for series, outcome in outcomes]
        counts: dict[int, int] = {}
        for series, _, count, _, _ in rows:
            counts[series] = counts.get(series, 0) + count
        with transaction(self._connection):
            self._connection.executemany(INSERT, rows)
            self._connection.executemany(
                "UPDATE series SET fits = fits + ? WHERE id = ?",
                [(count, series) for series, count in counts.items()],
            )


def _row(outcome: Outcome) -> tuple[int, int, bool, bytes]:
    """First split, number of splits, whether it failed, and the content of a piece."""
    if len(outcome.splits):
        return int(outcome.splits[0]), len(outcome.splits), False, packed(outcome)
    if not outcome.failures:
        raise KaratError("an outcome of no split at all was to be stored")
    return outcome.failures[0][0], 1, True, packed(outcome)


def _found_or_made(connection: sqlite3.Connection, work: Work, notes: list[str]) -> int:
    """The number of the run of this work."""
    key = run_key(work)
    with closing(connection.execute("SELECT id FROM run WHERE key = ?", (key,))) as cursor:
        row = cursor.fetchone()
    if row is not None:
        return int(row[0])
    data, splits = work.dataset, work.splits
    notes.extend(_changed(connection, data.source, data.fingerprint))
    made = {
        "key": key,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "data": data.name,
        "source": data.source,
        "data_fingerprint": data.fingerprint,
        "procedure": splits.procedure,
        "splits_fingerprint": splits.fingerprint,
        "splits": len(splits),
        "rows": len(data),
        "seed": work.seed,
        "versions": json.dumps(versions()),
        "facts": json.dumps(facts_of(work)),
        "truth": data.truth.astype("<f8" if data.task == "regression" else "<i8").tobytes(),
        "places": places_of(splits).astype("<i8").tobytes(),
    }
    names, marks = ", ".join(made), ", ".join("?" * len(made))
    cursor = connection.execute(f"INSERT INTO run ({names}) VALUES ({marks})", [*made.values()])
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def _changed(connection: sqlite3.Connection, source: str, fingerprint: str) -> list[str]:
    """A note when an earlier run read other data from the same place."""
    query = """SELECT id, created FROM run
        WHERE source = ? AND source <> '' AND data_fingerprint <> ? ORDER BY id DESC LIMIT 1"""
    row = connection.execute(query, (source, fingerprint)).fetchone()
    if row is None:
        return []
    when = row[1].replace("T", " ").removesuffix("+00:00")
    return [f"{source}: changed since run {row[0]} ({when} UTC), of which nothing is used"]


def _series(connection: sqlite3.Connection, run: int, model: Model, part: Part) -> int:
    """The number of a model's series of pieces in a run."""
    key = (run, model.fingerprint, part)
    query = "SELECT id FROM series WHERE run = ? AND fingerprint = ? AND part = ?"
    row = connection.execute(query, key).fetchone()
    if row is None:
        insert = "INSERT INTO series (run, fingerprint, part, model) VALUES (?, ?, ?, ?)"
        return int(connection.execute(insert, (*key, model.name)).lastrowid or 0)
    return int(row[0])
