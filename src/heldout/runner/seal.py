"""Finished predictions that are large: moved from the database to a Parquet file of their own."""

from __future__ import annotations

import os
import re
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from heldout.runner.blob import Damaged, pack, unpack
from heldout.runner.claims import SEALING, Locks
from heldout.runner.database import keep_name, transaction

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    from heldout.learners.outcome import Outcome

__all__ = [
    "FOLDER",
    "Stored",
    "is_large",
    "read_series",
    "remove_files",
    "remove_orphans",
    "remove_unfinished",
    "seal",
    "sealed_files",
    "why_damaged",
]

FOLDER = "predictions"

#: bytes of a model's predictions above which they leave the database
LARGE = 4 * 2**20

#: names of files that are written before anybody refers to them
SEALED = re.compile(r"\.?\d+-[0-9a-f]{8}\.parquet")
UNFINISHED = re.compile(r"\.[0-9a-f]{32}\.sqlite")


def is_large(outcome: Outcome) -> bool:
    """Whether predictions are better off in a file of their own."""
    arrays = (outcome.rows, outcome.predicted, outcome.scores)
    return sum(array.nbytes for array in arrays if array is not None) >= LARGE


def seal(connection: sqlite3.Connection, folder: Path, series: int, outcome: Outcome) -> None:
    """Write the outcome of all splits to a file, and commit that it is there.

    The file is complete and named before the database knows of it; a process that is killed
    in between leaves the pieces as they were and a file that nobody refers to, which is
    removed when the store is next opened. One process seals at a time; where another does,
    the predictions stay in the database until they are next asked for.
    """
    with closing(Locks(folder)) as locks:
        if locks.take(SEALING) or not locks.is_able:
            _seal(connection, folder, series, outcome)


def _seal(connection: sqlite3.Connection, folder: Path, series: int, outcome: Outcome) -> None:
    if connection.execute("SELECT 1 FROM sealed WHERE series = ?", (series,)).fetchone():
        return
    name = f"{series}-{uuid4().hex[:8]}.parquet"
    checksum = _write(outcome, folder / FOLDER, name)
    if checksum is None:
        return
    rest = pack(_without_rows(outcome))
    with transaction(connection):
        connection.execute(
            "INSERT INTO sealed VALUES (?, ?, ?, ?, ?)",
            (series, len(outcome.splits), name, checksum, rest),
        )
        connection.execute("DELETE FROM piece WHERE series = ?", (series,))


@dataclass(frozen=True, slots=True)
class Stored:
    """What is stored of a series, and which of its pieces are damaged."""

    outcomes: list[Outcome]
    #: first split, number of splits, what is wrong
    lost: list[tuple[int, int, Damaged]]
    #: the numbers of damaged pieces
    damaged: list[int]


def read_series(
    connection: sqlite3.Connection,
    folder: Path,
    series: int,
    notes: list[str],
    *,
    positions: Iterable[int] | None = None,
    forget: bool = True,
) -> Stored:
    """What is stored of a series, or of some of its splits; ``forget`` is of a damaged file."""
    query = "SELECT id, first, count, content FROM piece WHERE series = ?"
    # in this order, what another process seals meanwhile is found in one place or the other
    if positions is None:
        pieces = connection.execute(f"{query} ORDER BY first", (series,)).fetchall()
    else:
        single = f"{query} AND first = ?"
        pieces = [row for at in positions for row in connection.execute(single, (series, at))]
    whole = read_sealed(connection, folder, series, notes, forget=forget)
    if whole is not None:
        return Stored([whole], [], [])
    stored = Stored([], [], [])
    for piece, first, count, content in pieces:
        try:
            stored.outcomes.append(unpack(content))
        except Damaged as error:
            stored.lost.append((first, count, error))
            stored.damaged.append(piece)
    return stored


def read_sealed(
    connection: sqlite3.Connection,
    folder: Path,
    series: int,
    notes: list[str],
    *,
    forget: bool = True,
) -> Outcome | None:
    """The outcome of all splits from its file, None where there is none that can be read.

    A damaged file is named and, with ``forget``, removed, so that its place can be taken.
    """
    row = connection.execute(
        "SELECT file, checksum, rest FROM sealed WHERE series = ?", (series,)
    ).fetchone()
    if row is None:
        return None
    path = folder / FOLDER / row[0]
    try:
        if why := why_damaged(path, row[1]):
            raise Damaged(why)
        return _with_rows(unpack(row[2]), path)
    except Damaged as error:
        then = "what was in it is computed again" if forget else "what was in it is left out"
        notes.append(f"{path}: damaged ({error}); {then}")
    if not forget:
        return None
    with transaction(connection):
        connection.execute("DELETE FROM sealed WHERE series = ?", (series,))
    remove_files(folder, (row[0],))
    return None


def why_damaged(path: Path, checksum: str) -> str:
    """What is wrong with a file of predictions; empty where nothing is."""
    if not path.is_file():
        return "it is gone"
    return "" if _checksum(path) == checksum else "its checksum is wrong"


def remove_unfinished(folder: Path) -> None:
    """Remove the databases of new stores that a killed process left without their names."""
    for path in folder.iterdir():
        if UNFINISHED.fullmatch(path.name):
            # who is about to name it goes on without it
            with suppress(OSError):
                path.unlink()


def remove_orphans(connection: sqlite3.Connection, folder: Path) -> None:
    """Remove the files that a process left which was killed while it sealed.

    Not while a process seals, whose file nobody refers to yet; and not beside a damaged
    database, which may still refer to some.
    """
    inside = [path.name for path in folder.iterdir()]
    if FOLDER not in inside or any(name.startswith("damaged-") for name in inside):
        return
    if not _unknown(connection, folder):
        return
    with closing(Locks(folder)) as locks:
        if locks.take(SEALING):
            remove_files(folder, _unknown(connection, folder))


def _unknown(connection: sqlite3.Connection, folder: Path) -> set[str]:
    """The files that look like sealed ones and that the database does not name."""
    names = {path.name for path in (folder / FOLDER).iterdir() if SEALED.fullmatch(path.name)}
    return names - {name for (name,) in connection.execute("SELECT file FROM sealed")}


def sealed_files(connection: sqlite3.Connection, run: int) -> list[str]:
    """The names of the files of a run."""
    query = "SELECT file FROM sealed JOIN series ON series.id = sealed.series WHERE run = ?"
    return [name for (name,) in connection.execute(query, (run,))]


def remove_files(folder: Path, names: Iterable[str]) -> None:
    """Remove files that the database of a store does not name any more."""
    for name in names:
        with suppress(OSError):
            (folder / FOLDER / name).unlink()


def _write(outcome: Outcome, folder: Path, name: str) -> str | None:
    """The rows in a file of that name; gives its checksum.

    None where there is no room for it: then the predictions stay in the database.
    """
    import duckdb

    from heldout.tables.duck import literal

    columns: dict[str, NDArray[Any]] = {
        "split": outcome.splits[outcome.split_of],
        "row": outcome.rows,
        "predicted": outcome.predicted,
    }
    if outcome.scores is not None:
        columns |= {f"s{i}": np.ascontiguousarray(c) for i, c in enumerate(outcome.scores.T)}
    temporary = folder / f".{name}"
    try:
        folder.mkdir(exist_ok=True)
        with duckdb.connect() as database:
            database.register("columns", columns)
            target = literal(str(temporary))
            database.execute(f"COPY (SELECT * FROM columns) TO {target} (FORMAT parquet)")
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        checksum = _checksum(temporary)
        temporary.replace(folder / name)
        keep_name(folder)
    except (OSError, duckdb.Error):
        return None
    finally:
        temporary.unlink(missing_ok=True)
    return checksum


def _without_rows(outcome: Outcome) -> Outcome:
    return replace(
        outcome,
        split_of=outcome.split_of[:0],
        rows=outcome.rows[:0],
        predicted=outcome.predicted[:0],
        scores=None if outcome.scores is None else outcome.scores[:0],
    )


def _with_rows(rest: Outcome, path: Path) -> Outcome:
    import duckdb

    try:
        with duckdb.connect() as database:
            relation = database.read_parquet(str(path))
            columns = {name: np.asarray(v) for name, v in relation.fetchnumpy().items()}
    except duckdb.Error as error:
        raise Damaged(str(error).splitlines()[0]) from error
    scores = None
    if rest.scores is not None:
        scores = np.column_stack([columns[f"s{i}"] for i in range(rest.scores.shape[1])])
    return replace(
        rest,
        split_of=np.searchsorted(rest.splits, columns["split"]).astype(np.int32),
        rows=columns["row"],
        predicted=columns["predicted"],
        scores=scores,
    )


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        digest = blake2b(digest_size=16)
        while block := file.read(2**20):
            digest.update(block)
    return digest.hexdigest()
