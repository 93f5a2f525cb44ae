"""The rows of a run store that say what was run: found where they are there, made where not."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from heldout.runner.key import content_digest, facts_of, versions
from heldout.runner.purpose import goes_before

if TYPE_CHECKING:
    import sqlite3

    from heldout.learners.model import Model
    from heldout.learners.outcome import Part
    from heldout.runner.purpose import Purpose
    from heldout.runner.task import Work

__all__ = [
    "Known",
    "begin",
    "changed",
    "known_run",
    "now",
    "shown_time",
]


@dataclass(frozen=True, slots=True)
class Known:
    """A run that the store has: its series by model and part, and when each was computed."""

    number: int
    series: dict[tuple[int, Part], int]
    computed: dict[tuple[int, Part], str]
    #: whether something is to be written even if no fold is new
    is_stale: bool


def now(timespec: str = "seconds") -> str:
    """The time, as the store writes it."""
    return datetime.now(UTC).isoformat(timespec=timespec)


def shown_time(stored: str) -> str:
    """A time of the store as notes and tables write it, in UTC."""
    return stored.replace("T", " ").removesuffix("+00:00")


def known_run(connection: sqlite3.Connection, key: str, work: Work) -> Known | None:
    """The run of this work, if the store has it."""
    query = "SELECT id, created, facts FROM run WHERE key = ?"
    row = connection.execute(query, (key,)).fetchone()
    if row is None:
        return None
    number, created, facts = row
    found = connection.execute(
        "SELECT id, fingerprint, part, model, created, used, purpose FROM series WHERE run = ?",
        (number,),
    ).fetchall()
    series: dict[tuple[int, Part], int] = {}
    computed: dict[tuple[int, Part], str] = {}
    is_stale = _calls_other_positive(facts, work)
    for index, model in enumerate(work.models):
        for part in work.parts:
            mine = [one for one in found if one[1:3] == (model.fingerprint, part)]
            if not mine or not model.fingerprint:
                continue
            series[index, part], computed[index, part] = mine[0][0], mine[0][4] or created
            if goes_before(mine[0][6], work.purpose):
                # a search that takes what was evaluated asks for no model of that name
                continue
            # another model of this name was the last one that was asked for
            alike = [
                one for one in found if (*one[2:4], one[6]) == (part, model.name, work.purpose)
            ]
            last = max(alike, key=lambda one: (one[5], one[0]), default=mine[0])
            is_stale = is_stale or last[0] != mine[0][0] or mine[0][6] != work.purpose
    return Known(number, series, computed, is_stale)


def begin(
    connection: sqlite3.Connection, key: str, work: Work
) -> tuple[int, dict[tuple[int, Part], int]]:
    """The number of this work's run and of its series, within a transaction."""
    row = connection.execute("SELECT id, facts FROM run WHERE key = ?", (key,)).fetchone()
    if row is None:
        number = _insert(connection, "run", {"key": key, "created": now()} | _run(work))
    else:
        number = int(row[0])
        if _calls_other_positive(row[1], work):
            said = json.dumps(json.loads(row[1]) | {"positive": work.dataset.positive})
            connection.execute("UPDATE run SET facts = ? WHERE id = ?", (said, number))
    used = _later(connection, number)
    return number, {
        (index, part): _series(connection, number, model, part, used, work.purpose)
        for index, model in enumerate(work.models)
        for part in work.parts
        if model.fingerprint
    }


def _calls_other_positive(facts: str, work: Work) -> bool:
    """Whether another class is positive now than a run was told; no fit depends on it."""
    place = work.dataset.positive
    return place is not None and json.loads(facts).get("positive") != place


def _later(connection: sqlite3.Connection, run: int) -> str:
    """The time, or what comes after the last time in a run, where a clock was set back."""
    (last,) = connection.execute("SELECT max(used) FROM series WHERE run = ?", (run,)).fetchone()
    used = now("microseconds")
    if last is None or last < used:
        return used
    after = datetime.fromisoformat(last) + timedelta(microseconds=1)
    return after.isoformat(timespec="microseconds")


def _run(work: Work) -> dict[str, Any]:
    data, splits = work.dataset, work.splits
    return {
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
        "places": splits.places().astype("<i8").tobytes(),
    }


def _insert(connection: sqlite3.Connection, table: str, row: dict[str, Any]) -> int:
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    cursor = connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", [*row.values()])
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def _series(
    connection: sqlite3.Connection,
    run: int,
    model: Model,
    part: Part,
    used: str,
    purpose: Purpose,
) -> int:
    """The number of a model's series of pieces in a run, which is the newest of its name now.

    A setting of a search that is evaluated, too, is from then on as if it had been from the
    first; a search that comes later changes nothing of what was evaluated.
    """
    key = {"run": run, "fingerprint": model.fingerprint, "part": part}
    query = "SELECT id, purpose FROM series WHERE run = ? AND fingerprint = ? AND part = ?"
    row = connection.execute(query, [*key.values()]).fetchone()
    if row is None:
        made = {"model": model.name, "created": now(), "used": used, "purpose": purpose}
        return _insert(connection, "series", key | made)
    series, before = row
    if goes_before(purpose, before):
        asked = model.name, purpose, used, series
        change = "UPDATE series SET model = ?, purpose = ?, used = ? WHERE id = ?"
        connection.execute(change, asked)
    elif before == purpose:
        connection.execute("UPDATE series SET used = ? WHERE id = ?", (used, series))
    return int(series)


def changed(connection: sqlite3.Connection, source: str, fingerprint: str, rows: int) -> list[str]:
    """A note when the last run of the same source was of other content, or of other columns."""
    query = """SELECT id, created, facts, rows FROM run
        WHERE source = ? AND source <> '' AND data_fingerprint <> ? ORDER BY id DESC LIMIT 1"""
    row = connection.execute(query, (source, fingerprint)).fetchone()
    if row is None:
        return []
    number, created, facts, count = row
    before, content = json.loads(facts).get("content", ""), content_digest(source)
    if not before or not content:
        # of data that are in no file nothing tells what became of them
        return []
    when = shown_time(created)
    if before == content and count != rows:
        # some of the rows, as nested folds have them
        return []
    if before == content:
        return [
            f"{source}: other columns or roles were chosen than in run {number} ({when} UTC), of "
            "which nothing is used; the file is the same"
        ]
    return [f"{source}: changed since run {number} ({when} UTC), of which nothing is used"]
