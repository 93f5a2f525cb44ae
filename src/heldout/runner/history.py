"""What a run store holds: its runs, how far each is, and how to remove one."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.disk import FULL, cause_of_system
from heldout.core.errors import InputError
from heldout.learners.outcome import why_mixed
from heldout.runner.blob import damage_note, ranges
from heldout.runner.claims import Locks, first_number
from heldout.runner.database import open_database, reading, transaction, writing
from heldout.runner.join import join
from heldout.runner.run_rows import PURPOSES, first_of, goes_before, is_sound_run, read_series

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.learners.outcome import Outcome
    from heldout.runner.store import Store

COLUMNS = (
    "created", "data", "source", "data_fingerprint", "procedure", "splits_fingerprint", "splits",
    "rows", "seed", "versions", "facts", "truth", "places",
)  # fmt: skip

MODELS = """
    SELECT series.id, series.model, series.part, series.fingerprint,
        coalesce((SELECT sum(count) FROM piece WHERE series = series.id AND NOT failed), 0),
        coalesce((SELECT sum(count) FROM piece WHERE series = series.id AND failed), 0),
        series.fits, series.used, series.purpose
    FROM series
    WHERE series.run = ? ORDER BY series.id
"""


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
    #: what it was fitted for
    purpose: str = "evaluate"
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
    def purpose(self) -> str:
        """What the run is of: models that were evaluated, else settings of a search."""
        return first_of(model.purpose for model in self.models)

    @property
    def is_inner(self) -> bool:
        """Whether it is of nothing but inner folds, races or curves of searches."""
        return self.purpose == PURPOSES[-1]

    @property
    def tested(self) -> tuple[PastModel, ...]:
        """All models without older ones, and without what they say of their training rows."""
        return tuple(model for model in self.models if model.part == "test" and not model.is_older)

    @property
    def judged(self) -> tuple[PastModel, ...]:
        """The models of the run's purpose, without settings that a search tried on its splits."""
        return tuple(model for model in self.tested if model.purpose == self.purpose)

    @property
    def besides(self) -> tuple[PastModel, ...]:
        """Settings of searches in a run of models that were evaluated."""
        return tuple(model for model in self.tested if model.purpose != self.purpose)

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
    with reading(store.path) as connection:
        numbers = connection.execute("SELECT id FROM run ORDER BY id").fetchall()
        return [_read(connection, number) for (number,) in numbers]


def past_run(store: Store, number: int) -> PastRun:
    """One run."""
    with reading(store.path) as connection:
        _refuse_unknown(connection, store, number)
        return _read(connection, number)


def outcome_of(store: Store, model: PastModel, notes: list[str]) -> Outcome:
    """What a model predicted in the splits that are done; what is damaged or left out is named."""
    with reading(store.path) as connection:
        outcomes, lost = read_series(connection, model.series)
    if lost:
        notes.append(damage_note(store.path, model.name, lost, again=False))
    outcome = join(outcomes)
    if why := why_mixed(model.name, outcome):
        notes.append(why)
    return outcome


def _refuse_unknown(connection: sqlite3.Connection, store: Store, number: int) -> None:
    """An error where no run has that number."""
    numbers: Sequence[int] = [n for (n,) in connection.execute("SELECT id FROM run ORDER BY id")]
    if number not in numbers:
        there = ranges(numbers) or "none"
        raise InputError(f"{store.folder}: no run has the number {number}; there are: {there}")


def _read(connection: sqlite3.Connection, number: int) -> PastRun:
    query = f"SELECT {', '.join(COLUMNS)} FROM run WHERE id = ?"
    row: dict[str, Any] = dict(
        zip(COLUMNS, connection.execute(query, (number,)).fetchone(), strict=True)
    )
    if not is_sound_run(row):
        raise sqlite3.DatabaseError(f"malformed run {number}")
    facts = json.loads(row["facts"])
    kind = "<f8" if facts.get("task") == "regression" else "<i8"
    row |= {
        "versions": json.loads(row["versions"]),
        "facts": facts,
        "truth": np.frombuffer(row["truth"], dtype=kind),
        "places": np.frombuffer(row["places"], dtype="<i8").reshape(-1, 2),
    }
    return PastRun(number, **row, models=_models_of(connection, number, row["splits"]))


def _models_of(connection: sqlite3.Connection, run: int, splits: int) -> tuple[PastModel, ...]:
    """All models of a run, those too that have changed since or are settings of a search."""
    rows = connection.execute(MODELS, (run,)).fetchall()
    return _with_own_names(_as_tested([_once(PastModel(*row), splits) for row in rows]))


def _once(model: PastModel, splits: int) -> PastModel:
    """A model, with splits that were stored both in a block and singly counted once."""
    if not splits:  # a damaged file has lost how many there are
        return model
    done = min(model.done, splits)
    return replace(model, done=done, failed=min(model.failed, splits - done))


def _as_tested(models: list[PastModel]) -> list[PastModel]:
    """What a model says of its training rows, under the name of what it says of its tests."""
    tests = {model.fingerprint: model for model in models if model.part == "test"}
    return [replace(model, name=tests.get(model.fingerprint, model).name) for model in models]


def _with_own_names(models: list[PastModel]) -> tuple[PastModel, ...]:
    """Models that changed under their names: all but the newest of a name say so in it.

    So does a setting of a search that is another model than the one evaluated by its name.
    """
    newest: dict[tuple[str, str, str], PastModel] = {}
    for model in models:
        key = model.name, model.part, model.purpose
        last = newest.setdefault(key, model)
        if (model.used, model.series) > (last.used, last.series):
            newest[key] = model
    told_apart: list[PastModel] = []
    for model in models:
        name, part, purpose = key = model.name, model.part, model.purpose
        before = [other for other in PURPOSES if goes_before(other, purpose)]
        if any((name, part, other) in newest for other in before):
            model = replace(model, name=f"{name} ({purpose})")
        if newest[key].series != model.series:
            when = model.used.partition(".")[0].replace("T", " ") or "undated"
            name = f"{model.name} (older, {when})"
            if any((other.name, other.part) == (name, model.part) for other in told_apart):
                name = f"{name[:-1]}, {model.fingerprint[:6]})"
            model = replace(model, name=name, is_older=True)
        told_apart.append(model)
    return tuple(told_apart)


def remove_run(store: Store, number: int) -> None:
    """Remove a run and all its predictions, and give the room back."""
    with writing(store.path, create=False) as connection:
        _refuse_unknown(connection, store, number)
        _refuse_under_way(connection, store, number)
        try:
            _delete(connection, number)
        except (sqlite3.OperationalError, OSError) as error:
            if cause_of_system(error) != FULL:
                raise
            _delete_in_place(connection, number)
    _give_back(store)


def _delete(connection: sqlite3.Connection, number: int) -> None:
    with transaction(connection):
        connection.execute("DELETE FROM run WHERE id = ?", (number,))


def _delete_in_place(connection: sqlite3.Connection, number: int) -> None:
    """Remove a run without any room: what the change replaces is kept in memory meanwhile.

    A cut of power in just that moment would damage the file, so it is the last thing to try.
    """
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA journal_mode = MEMORY").fetchall()
    _delete(connection, number)


def _give_back(store: Store) -> None:
    """Make the file smaller; while another process uses the store, it keeps the room for later."""
    with suppress(sqlite3.OperationalError), closing(open_database(store.path)) as connection:
        connection.execute("PRAGMA busy_timeout = 100")
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
        connection.execute("VACUUM")


def _refuse_under_way(connection: sqlite3.Connection, store: Store, number: int) -> None:
    """An error for a run that a process is at work on: what it did would be lost."""
    query = """SELECT DISTINCT run.key, series.fingerprint, run.splits
        FROM series JOIN run ON run.id = series.run WHERE run.id = ?"""
    with closing(Locks(store.folder)) as locks:
        for key, fingerprint, splits in connection.execute(query, (number,)):
            if locks.is_held(first_number(key, fingerprint), max(splits, 1)):
                raise InputError(
                    f"{store.folder}: run {number} is under way in another process; wait for that, "
                    "or end it, before the run is removed"
                )
