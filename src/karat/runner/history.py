"""What a run store holds: its runs, how far each is, and how to be rid of one."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.errors import InputError
from karat.learners.mixed import why_mixed
from karat.runner.blob import Damaged, unpacked
from karat.runner.damage import damage_note, ranges
from karat.runner.database import explained, opened, opened_to_read, transaction
from karat.runner.join import join
from karat.runner.seal import forget_sealed, read_sealed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.learners.outcome import Outcome
    from karat.runner.store import Store

__all__ = ["PastModel", "PastRun", "outcome_of", "past_run", "past_runs", "remove_run"]


@dataclass(frozen=True, slots=True)
class PastModel:
    """What a run has of one model."""

    series: int
    name: str
    part: str
    fingerprint: str
    #: splits that gave predictions, that failed, and that were computed, by a fit each or by an
    #: exact path (one that was tried again counts again)
    done: int
    failed: int
    computed: int
    #: when it was last asked for; another model of this name was asked for later
    used: str = ""
    is_older: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class PastRun:
    """A run in a store: what it was of, and how far it is."""

    number: int
    created: str
    data: str
    source: str
    data_fingerprint: str
    procedure: str
    splits_fingerprint: str
    splits: int
    rows: int
    seed: int
    versions: dict[str, str]
    #: task, classes, row ids: what an export needs
    facts: dict[str, Any]
    truth: Any
    #: repeat and fold of each split
    places: Any
    models: tuple[PastModel, ...]

    @property
    def judged(self) -> tuple[PastModel, ...]:
        """The models without older ones, and without what they say of their training rows."""
        return tuple(one for one in self.models if one.part == "test" and not one.is_older)

    @property
    def is_partly_lost(self) -> bool:
        """Whether a damaged file has left of the run only its key and its folds."""
        return not self.facts

    @property
    def done(self) -> int:
        """Splits of all models that gave predictions."""
        return sum(model.done for model in self.judged)

    @property
    def failed(self) -> int:
        """Splits of all models that failed."""
        return sum(model.failed for model in self.judged)

    @property
    def total(self) -> int:
        """Splits of all models."""
        return self.splits * len(self.judged)

    def left(self, model: PastModel) -> int:
        """Splits of a model that are still to be done."""
        return max(self.splits - model.done - model.failed, 0)

    @property
    def state(self) -> str:
        """``finished``, ``unfinished`` where the same call would go on, or ``damaged``."""
        if self.is_partly_lost:
            return "damaged"
        return "finished" if self.done + self.failed >= self.total else "unfinished"


MODELS = """
    SELECT series.id, series.model, series.part, series.fingerprint,
        coalesce(
            sealed.count,
            (SELECT sum(count) FROM piece WHERE series = series.id AND NOT failed),
            0
        ),
        coalesce((SELECT sum(count) FROM piece WHERE series = series.id AND failed), 0),
        series.fits, series.used
    FROM series LEFT JOIN sealed ON sealed.series = series.id
    WHERE series.run = ? ORDER BY series.id
"""


def past_runs(store: Store) -> list[PastRun]:
    """All runs, the oldest first."""
    with explained(store.path), closing(opened_to_read(store.path)) as connection:
        numbers = connection.execute("SELECT id FROM run ORDER BY id").fetchall()
        return [_read(connection, number) for (number,) in numbers]


def past_run(store: Store, number: int) -> PastRun:
    """One run."""
    with explained(store.path), closing(opened_to_read(store.path)) as connection:
        _check(connection, store, number)
        return _read(connection, number)


def outcome_of(store: Store, model: PastModel, notes: list[str]) -> Outcome:
    """What a model predicted in the splits that are done; damaged pieces are named."""
    found, lost = [], []
    with explained(store.path), closing(opened_to_read(store.path)) as connection:
        whole = read_sealed(connection, store.folder, model.series, notes, forget=False)
        if whole is not None:
            return _noting_mixed(model.name, whole, notes)
        query = "SELECT first, count, content FROM piece WHERE series = ? ORDER BY first"
        for first, count, content in connection.execute(query, (model.series,)):
            try:
                found.append(unpacked(content))
            except Damaged as error:
                lost.append((first, count, error))
    if lost:
        notes.append(damage_note(store.path, model.name, lost, again=False))
    return _noting_mixed(model.name, join(found), notes)


def _noting_mixed(model: str, outcome: Outcome, notes: list[str]) -> Outcome:
    """The outcome; where its scores are left out, the notes say so."""
    if why := why_mixed(model, outcome):
        notes.append(why)
    return outcome


def remove_run(store: Store, number: int) -> None:
    """Remove a run and all its predictions, and give the room back."""
    with explained(store.path), closing(opened(store.path, create=False)) as connection:
        _check(connection, store, number)
        forget_sealed(connection, store.folder, number)
        with transaction(connection):
            connection.execute("DELETE FROM run WHERE id = ?", (number,))
        # while another process uses the store, its file keeps the room for later runs
        connection.execute("PRAGMA busy_timeout = 100")
        with contextlib.suppress(sqlite3.OperationalError):
            connection.execute("VACUUM")


def _check(connection: sqlite3.Connection, store: Store, number: int) -> None:
    numbers: Sequence[int] = [n for (n,) in connection.execute("SELECT id FROM run ORDER BY id")]
    if number not in numbers:
        there = ranges(numbers) or "none"
        raise InputError(f"{store.folder}: no run has the number {number}; there are: {there}")


def _read(connection: sqlite3.Connection, number: int) -> PastRun:
    cursor = connection.execute("SELECT * FROM run WHERE id = ?", (number,))
    names = [column[0] for column in cursor.description]
    row = dict(zip(names, cursor.fetchone(), strict=True))
    models = connection.execute(MODELS, (number,)).fetchall()
    facts = json.loads(row["facts"])
    kind = "<f8" if facts.get("task") == "regression" else "<i8"
    return PastRun(
        number=number,
        created=row["created"],
        data=row["data"],
        source=row["source"],
        data_fingerprint=row["data_fingerprint"],
        procedure=row["procedure"],
        splits_fingerprint=row["splits_fingerprint"],
        splits=row["splits"],
        rows=row["rows"],
        seed=row["seed"],
        versions=json.loads(row["versions"]),
        facts=facts,
        truth=np.frombuffer(row["truth"], dtype=kind),
        places=np.frombuffer(row["places"], dtype="<i8").reshape(-1, 2),
        models=_told_apart([PastModel(*model) for model in models]),
    )


def _told_apart(models: list[PastModel]) -> tuple[PastModel, ...]:
    """Models that changed under their names: all but the newest of a name say so in it."""
    newest: dict[tuple[str, str], PastModel] = {}
    for model in models:
        last = newest.setdefault((model.name, model.part), model)
        if (model.used, model.series) > (last.used, last.series):
            newest[model.name, model.part] = model
    made: list[PastModel] = []
    for model in models:
        if newest[model.name, model.part] is not model:
            when = model.used.partition(".")[0].replace("T", " ") or "undated"
            name = f"{model.name} (older, {when})"
            if any(one.name == name and one.part == model.part for one in made):
                name = f"{name[:-1]}, {model.fingerprint[:6]})"
            model = replace(model, name=name, is_older=True)
        made.append(model)
    return tuple(made)
