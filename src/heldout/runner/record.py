"""The record of a run in its store: what is known already, and every new fold as it is done."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from heldout.core.dialect import argument
from heldout.core.errors import HeldoutError, InputError
from heldout.runner.blob import damage_note, pack
from heldout.runner.claims import Claims
from heldout.runner.database import (
    explain_errors,
    file_at,
    is_read_only,
    make_folder,
    open_database,
    open_to_read,
    transaction,
)
from heldout.runner.run_rows import begin_run, known_run, note_of_change, read_series, run_key

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from heldout.learners.outcome import Outcome, Part
    from heldout.runner.task import Work

    #: a model, and what came of some of its splits
    Piece = tuple[int, Outcome]
    #: model, part, first split, number of splits, whether it failed, content
    Row = tuple[int, Part, int, int, bool, bytes]

INSERT = """
    INSERT INTO piece (series, first, count, failed, content) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (series, first, count) DO UPDATE
    SET failed = excluded.failed, content = excluded.content
    WHERE piece.failed
"""


class Commits:
    """Pieces that are committed at once, or, while a commit goes on, together after it."""

    def __init__(self, commit: Callable[[list[Piece]], None]) -> None:
        self._commit = commit
        self._pieces: deque[Piece] = deque()
        self._worker: ThreadPoolExecutor | None = None
        #: what went wrong; nothing is committed after it
        self.error: Exception | None = None

    def add(self, piece: Piece) -> None:
        """Have a piece committed."""
        self._pieces.append(piece)
        self._worker = self._worker or ThreadPoolExecutor(1)
        self._worker.submit(self._commit_all)

    def settle(self) -> None:
        """Wait until everything is committed, or something went wrong."""
        if self._worker is not None:
            self._worker.shutdown()
            self._worker = None

    def _commit_all(self) -> None:
        pieces = [self._pieces.popleft() for _ in range(len(self._pieces))]
        if pieces and self.error is None:
            try:
                self._commit(pieces)
            except Exception as error:
                self.error = error


class Record:
    """The part of a store that belongs to one run.

    New outcomes are committed by a thread of their own: each at once, or, while the disk is
    busy with a commit, all that came in the meantime together. A process that is killed
    loses no more than the folds it finished during the last such commit. A store that can
    only be read answers from what it has.
    """

    def __init__(self, path: Path, work: Work) -> None:
        self.path = path
        self.notes: list[str] = []
        #: the run's number, once there is a run
        self.number: int | None = None
        self._work = work
        self._key = run_key(work)
        self._connection: sqlite3.Connection | None = None
        self._series: dict[tuple[int, Part], int] = {}
        self._computed: dict[tuple[int, Part], str] = {}
        self._is_begun = self._is_stale = False
        self._commits = Commits(self._commit)
        #: which file the database was when it was opened or made
        self._file: tuple[int, int] | None = None
        self.is_read_only = is_read_only(path)
        if not self.is_read_only:
            make_folder(path.parent)
        if path.is_file():
            self._look()
        self.notes.extend(
            f"{model.name}: not stored, since nothing identifies it for the next time"
            for model in work.models
            if not model.fingerprint
        )

    def _look(self) -> None:
        """What a store that is there knows of this run; nothing is written yet."""
        connection = self._open()
        try:
            with explain_errors(self.path):
                known = known_run(connection, self._key, self._work)
                if known is None:
                    data = self._work.dataset
                    known_as = data.source, data.fingerprint, len(data)
                    self.notes.extend(note_of_change(connection, *known_as))
                else:
                    self.number, self._is_stale = known.number, known.is_stale
                    self._series, self._computed = known.series, known.computed
        except BaseException:
            connection.close()
            raise

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = (open_to_read if self.is_read_only else open_database)(self.path)
            self._file = self._file or file_at(self.path)
        return self._connection

    def refuse_work(self, left: int, total: int) -> None:
        """An error where folds are to be done that a store could not keep."""
        if left and self.is_read_only:
            lacking = f"{left:,} of the {total:,} folds of this run are not in it"
            raise InputError(
                f"{self.path.parent}: the run store can be read and not written, and {lacking}; "
                f"give another folder by {argument('store')}, or {argument('no_store', True)}"
            )

    def computed(self) -> str:
        """When what is known was computed last, as far as the store says."""
        return max(self._computed.values(), default="")

    def known(self, index: int, part: Part) -> list[Outcome]:
        """What the store has of a model; a damaged piece is named, left out and forgotten."""
        series = self._series.get((index, part))
        if series is None or self._connection is None:
            return []
        return self._read(index, self._connection, series)

    def _read(
        self,
        index: int,
        connection: sqlite3.Connection,
        series: int,
        positions: Iterable[int] | None = None,
    ) -> list[Outcome]:
        """What is stored of a series; damaged pieces are named and forgotten."""
        with explain_errors(self.path):
            outcomes, lost = read_series(connection, series, positions)
            if lost and not self.is_read_only:
                with transaction(connection):
                    numbers = [(piece.number,) for piece in lost]
                    connection.executemany("DELETE FROM piece WHERE id = ?", numbers)
        if lost:
            name = self._work.models[index].name
            self.notes.append(damage_note(self.path, name, lost, again=True))
        return outcomes

    @property
    def parts(self) -> tuple[Part, ...]:
        """What is predicted in each split."""
        return self._work.parts

    def claims(self, *, failures: bool = True) -> Claims:
        """Who does which split of this run, from now on; to be closed."""
        return Claims(self.path, self._key, self._work, failures=failures)

    def done_by_others(self, index: int, positions: set[int]) -> list[Outcome]:
        """What is in the store by now of some splits of a model, all parts of them."""
        connection = self._open()
        with explain_errors(self.path):
            known = known_run(connection, self._key, self._work)
        if known is None:
            return []
        self.number, self._series = known.number, known.series
        self._computed = known.computed | self._computed
        series = [self._series.get((index, part), 0) for part in self.parts]
        at = sorted(positions)
        return [o for number in series for o in self._read(index, connection, number, at)]

    def add(self, index: int, outcome: Outcome) -> None:
        """Keep an outcome; an error of an earlier commit is raised here."""
        if self._commits.error is not None:
            self.close()
        if not self._work.models[index].fingerprint:
            return
        self._commits.add((index, outcome))

    def settle(self) -> None:
        """Have everything committed; an error of a commit is raised."""
        self._commits.settle()
        if self._commits.error is not None:
            self.close()

    def close(self) -> None:
        """Wait for the last commit, and let go of the database."""
        self._commits.settle()
        error, self._commits.error = self._commits.error, None
        is_due = self._is_stale and not self._is_begun and not self.is_read_only
        try:
            if error is not None:
                raise error
            if is_due:
                self._commit([])
        finally:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def on_loss(self) -> list[str]:
        """A note where what was committed is in no file any more."""
        if not self._is_begun or self._file in (None, file_at(self.path)):
            return []
        return [
            f"{self.path}: it was removed or replaced during this run; "
            f"nothing of the run is kept, and the same command would compute it again"
        ]

    def _commit(self, outcomes: list[Piece]) -> None:
        pieces = [(index, outcome.part, *_row(outcome)) for index, outcome in outcomes]
        with explain_errors(self.path):
            connection = self._open()
            with transaction(connection):
                self._write(connection, pieces)
        self._is_begun = True

    def _write(self, connection: sqlite3.Connection, pieces: list[Row]) -> None:
        """Write some pieces, and at first the run they belong to, within a transaction."""
        if not self._is_begun:
            self.number, self._series = begin_run(connection, self._key, self._work)
        rows = [(self._series[piece[:2]], *piece[2:]) for piece in pieces]
        counts: dict[int, int] = {}
        for series, _, count, _, _ in rows:
            counts[series] = counts.get(series, 0) + count
        connection.executemany(INSERT, rows)
        connection.executemany(
            "UPDATE series SET fits = fits + ? WHERE id = ?",
            [(count, series) for series, count in counts.items()],
        )


def _row(outcome: Outcome) -> tuple[int, int, bool, bytes]:
    """First split, number of splits, whether it failed, and the content of a piece."""
    if len(outcome.splits):
        return int(outcome.splits[0]), len(outcome.splits), False, pack(outcome)
    if not outcome.failures:
        raise HeldoutError("an outcome of no split at all was to be stored")
    return outcome.failures[0][0], 1, True, pack(outcome)
