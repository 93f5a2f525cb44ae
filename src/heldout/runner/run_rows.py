"""The rows of a run store that say what was run: which run is the same, and what it was for."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from heldout.procedures.splits import fold_names
from heldout.runner.blob import Damaged, Loss, unpack

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping

    from heldout.learners.model import Model
    from heldout.learners.outcome import Outcome, Part
    from heldout.runner.task import Work

#: asked for by itself; a setting that a search compares; what a search does besides that, in
#: inner folds, in races and for its curves
Purpose = Literal["evaluate", "select", "inner"]

#: what serves several of them is of the first
PURPOSES: tuple[str, ...] = get_args(Purpose)


def goes_before(purpose: str, other: str) -> bool:
    """Whether what serves both purposes is of the first of them.

    Examples
    --------
    >>> goes_before("evaluate", "select"), goes_before("inner", "select")
    (True, False)
    """
    return _rank(purpose) < _rank(other)


def first_of(purposes: Iterable[str]) -> str:
    """The purpose of what serves all of these.

    Examples
    --------
    >>> first_of(["inner", "select"])
    'select'
    """
    return min(purposes, key=_rank, default=PURPOSES[0])


def _rank(purpose: str) -> int:
    # a word that a damaged file has is nobody's search
    return PURPOSES.index(purpose) if purpose in PURPOSES else 0


#: goes up when heldout's own part in a result changes: seeds of fits, preparation, exact paths
RESULTS = 3


def _versions() -> dict[str, str]:
    """Versions on which stored predictions depend, so far as the models do not name theirs."""
    import sklearn

    return {
        "results": str(RESULTS),
        "numpy": ".".join(np.__version__.split(".")[:2]),
        "scikit-learn": ".".join(sklearn.__version__.split(".")[:2]),
    }


def run_key(work: Work) -> str:
    """A digest that differs whenever predictions of one of two runs could not serve the other."""
    made_of = [work.dataset.fingerprint, work.splits.fingerprint, work.seed, _versions()]
    return blake2b(json.dumps(made_of).encode(), digest_size=16).hexdigest()


def _facts(work: Work) -> dict[str, Any]:
    """What an export must know of the data, which may be gone by then."""
    data = work.dataset
    return {
        "task": data.task,
        "target": data.target,
        "classes": [_plain(label) for label in data.classes],
        "positive": data.positive,
        "id": None if data.identifier is None else [_plain(name) for name in data.identifier],
        "weight": None if data.weight is None else data.weight.tolist(),
        "group": None
        if data.group is None
        else [_plain(data.group.levels[code]) for code in data.group.codes.tolist()],
        "content": _content_digest(data.source),
        "folds": [_plain(name) for name in fold_names(work.splits)],
        "notes": list(work.splits.notes),
    }


def is_sound_run(row: Mapping[str, Any]) -> bool:
    """Whether the row of a run may be as it was written, as far as it can tell by itself."""
    try:
        facts, versions = json.loads(row["facts"]), json.loads(row["versions"])
        sizes = len(row["truth"]), len(row["places"])
        if sizes != (8 * row["rows"], 16 * row["splits"]) or not isinstance(versions, dict):
            return False
        of_rows = (facts.get(name) for name in ("id", "weight", "group"))
        if not all(values is None or len(values) == row["rows"] for values in of_rows):
            return False
        if facts.get("task") == "regression":
            return True
        codes, count = np.frombuffer(row["truth"], dtype="<i8"), len(facts["classes"])
        codes = np.append(codes, facts.get("positive") or 0)
        return bool((codes >= 0).all() and (codes < count).all())
    except (ValueError, KeyError, TypeError, AttributeError):
        return False


def _content_digest(source: str) -> str:
    """A digest of the file that data were read from; empty where they are of no file."""
    path = Path(source)
    try:
        if not source or not path.is_file():
            return ""
        with path.open("rb") as file:
            return file_digest(file, lambda: blake2b(digest_size=16)).hexdigest()
    except (OSError, ValueError):
        return ""


def _plain(label: Any) -> Any:
    """A label as JSON has it."""
    value = label.item() if isinstance(label, np.generic) else label
    return value if isinstance(value, str | int | float | bool) else str(value)


class _Series(NamedTuple):
    """What the store says of a model in a run."""

    number: int
    fingerprint: str
    part: str
    model: str
    created: str
    used: str
    purpose: str


SERIES = "SELECT id, fingerprint, part, model, created, used, purpose FROM series WHERE run = ?"


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
    known = [_Series(*row) for row in connection.execute(SERIES, (number,))]
    series: dict[tuple[int, Part], int] = {}
    computed: dict[tuple[int, Part], str] = {}
    is_stale = _calls_other_positive(facts, work)
    for index, model in enumerate(work.models):
        for part in work.parts:
            own = [s for s in known if (s.fingerprint, s.part) == (model.fingerprint, part)]
            if not own or not model.fingerprint:
                continue
            mine = own[0]
            series[index, part], computed[index, part] = mine.number, mine.created or created
            if goes_before(mine.purpose, work.purpose):
                # a search that takes what was evaluated asks for no model of that name
                continue
            # another model of this name was the last one that was asked for
            name = part, model.name, work.purpose
            alike = [s for s in known if (s.part, s.model, s.purpose) == name]
            last = max(alike, key=lambda s: (s.used, s.number), default=mine)
            is_stale = is_stale or last != mine or mine.purpose != work.purpose
    return Known(number, series, computed, is_stale)


def begin_run(
    connection: sqlite3.Connection, key: str, work: Work
) -> tuple[int, dict[tuple[int, Part], int]]:
    """The number of this work's run and of its series, within a transaction."""
    row = connection.execute("SELECT id, facts FROM run WHERE key = ?", (key,)).fetchone()
    if row is None:
        number = _insert(connection, "run", {"key": key, "created": now()} | _run(work))
    else:
        number = int(row[0])
        if _calls_other_positive(row[1], work):
            facts = json.dumps(json.loads(row[1]) | {"positive": work.dataset.positive})
            connection.execute("UPDATE run SET facts = ? WHERE id = ?", (facts, number))
    used = _later(connection, number)
    return number, {
        (index, part): _series(connection, number, model, part, used, work.purpose)
        for index, model in enumerate(work.models)
        for part in work.parts
        if model.fingerprint
    }


def _calls_other_positive(facts: str, work: Work) -> bool:
    """Whether another class is positive now than a run was told; no fit depends on it."""
    positive = work.dataset.positive
    return positive is not None and json.loads(facts).get("positive") != positive


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
        "versions": json.dumps(_versions()),
        "facts": json.dumps(_facts(work)),
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
        names = {"model": model.name, "created": now(), "used": used, "purpose": purpose}
        return _insert(connection, "series", key | names)
    series, before = row
    if goes_before(purpose, before):
        asked = model.name, purpose, used, series
        change = "UPDATE series SET model = ?, purpose = ?, used = ? WHERE id = ?"
        connection.execute(change, asked)
    elif before == purpose:
        connection.execute("UPDATE series SET used = ? WHERE id = ?", (used, series))
    return int(series)


def read_series(
    connection: sqlite3.Connection, series: int, positions: Iterable[int] | None = None
) -> tuple[list[Outcome], list[Loss]]:
    """What is stored of a series, or of some of its splits, and which of it is damaged."""
    query = "SELECT id, first, count, content FROM piece WHERE series = ?"
    if positions is None:
        pieces = connection.execute(f"{query} ORDER BY first", (series,)).fetchall()
    else:
        single = f"{query} AND first = ?"
        pieces = [row for at in positions for row in connection.execute(single, (series, at))]
    outcomes, lost = [], []
    for number, first, size, content in pieces:
        try:
            outcomes.append(unpack(content))
        except Damaged as error:
            lost.append(Loss(number, first, size, error))
    return outcomes, lost


def note_of_change(
    connection: sqlite3.Connection, source: str, fingerprint: str, rows: int
) -> list[str]:
    """A note when the last run of the same source was of other content, or of other columns."""
    query = """SELECT id, created, facts, rows FROM run
        WHERE source = ? AND source <> '' AND data_fingerprint <> ? ORDER BY id DESC LIMIT 1"""
    row = connection.execute(query, (source, fingerprint)).fetchone()
    if row is None:
        return []
    number, created, facts, count = row
    before, content = json.loads(facts).get("content", ""), _content_digest(source)
    if not before or not content:
        # of data that are in no file nothing tells what became of them
        return []
    when = shown_time(created)
    if before == content and count != rows:
        # some of the rows, as nested folds have them
        return []
    if before == content:
        return [
            f"{source}: the columns or roles differ from run {number} "
            f"({when} UTC), so nothing of that run is used; the file is the same"
        ]
    return [f"{source}: changed since run {number} ({when} UTC), so nothing of that run is used"]
