"""What a run store holds: its runs, how far each is, and how to be rid of one."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.learners.outcome import why_mixed
from heldout.runner.blob import Damaged, unpacked
from heldout.runner.damage import damage_note, ranges
from heldout.runner.database import explained, opened_to_read
from heldout.runner.join import join
from heldout.runner.past_models import models_of
from heldout.runner.purpose import PURPOSES, first_of
from heldout.runner.seal import read_sealed

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from heldout.learners.outcome import Outcome
    from heldout.runner.past_models import PastModel
    from heldout.runner.store import Store

__all__ = ["PastRun", "outcome_of", "past_run", "past_runs", "refuse_unknown"]


COLUMNS = (
    "created", "data", "source", "data_fingerprint", "procedure", "splits_fingerprint", "splits",
    "rows", "seed", "versions", "facts", "truth", "places",
)  # fmt: skip


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
    def purpose(self) -> str:
        """What the run is of: models that were evaluated, else settings of a search."""
        return first_of(one.purpose for one in self.models)

    @property
    def is_inner(self) -> bool:
        """Whether it is of nothing but inner folds, races or curves of searches."""
        return self.purpose == PURPOSES[-1]

    @property
    def tested(self) -> tuple[PastModel, ...]:
        """All models without older ones, and without what they say of their training rows."""
        return tuple(one for one in self.models if one.part == "test" and not one.is_older)

    @property
    def judged(self) -> tuple[PastModel, ...]:
        """The models of the run's purpose, without settings that a search tried on its splits."""
        return tuple(one for one in self.tested if one.purpose == self.purpose)

    @property
    def besides(self) -> tuple[PastModel, ...]:
        """Settings of searches in a run of models that were evaluated."""
        return tuple(one for one in self.tested if one.purpose != self.purpose)

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
        """``finished``, or ``unfinished`` where the same call would go on."""
        return "finished" if self.done + self.failed >= self.total else "unfinished"


def past_runs(store: Store) -> list[PastRun]:
    """All runs, the oldest first."""
    with explained(store.path), closing(opened_to_read(store.path)) as connection:
        numbers = connection.execute("SELECT id FROM run ORDER BY id").fetchall()
        return [_read(connection, number) for (number,) in numbers]


def past_run(store: Store, number: int) -> PastRun:
    """One run."""
    with explained(store.path), closing(opened_to_read(store.path)) as connection:
        refuse_unknown(connection, store, number)
        return _read(connection, number)


def outcome_of(store: Store, model: PastModel, notes: list[str]) -> Outcome:
    """What a model predicted in the splits that are done; damaged pieces are named."""
    found, lost = [], []
    with explained(store.path), closing(opened_to_read(store.path)) as connection:
        query = "SELECT first, count, content FROM piece WHERE series = ? ORDER BY first"
        # in this order, what another process seals meanwhile is found in one place or the other
        pieces = connection.execute(query, (model.series,)).fetchall()
        whole = read_sealed(connection, store.folder, model.series, notes, forget=False)
        if whole is not None:
            return _noting_mixed(model.name, whole, notes)
        for first, count, content in pieces:
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


def refuse_unknown(connection: sqlite3.Connection, store: Store, number: int) -> None:
    """An error where no run has that number."""
    numbers: Sequence[int] = [n for (n,) in connection.execute("SELECT id FROM run ORDER BY id")]
    if number not in numbers:
        there = ranges(numbers) or "none"
        raise InputError(f"{store.folder}: no run has the number {number}; there are: {there}")


def _read(connection: sqlite3.Connection, number: int) -> PastRun:
    query = f"SELECT {', '.join(COLUMNS)} FROM run WHERE id = ?"
    found = connection.execute(query, (number,)).fetchone()
    row = dict(zip(COLUMNS, found, strict=True))
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
        models=models_of(connection, number, row["splits"]),
    )
