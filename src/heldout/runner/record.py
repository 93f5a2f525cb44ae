"""The record of a run in its store: what is known already, and every new fold as it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.core.errors import HeldoutError, InputError
from heldout.runner.blob import Damaged, packed, unpacked
from heldout.runner.commits import Commits
from heldout.runner.damage import damage_note
from heldout.runner.database import (
    explained,
    file_at,
    is_read_only,
    make_folder,
    opened,
    opened_to_read,
    transaction,
)
from heldout.runner.key import run_key
from heldout.runner.new_database import made_whole
from heldout.runner.rows import begin, changed, known_run
from heldout.runner.seal import is_large, read_sealed, remove_orphans, remove_unfinished, seal

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from heldout.learners.outcome import Outcome, Part
    from heldout.runner.claims import Claims
    from heldout.runner.task import Work

    #: model, part, first split, number of splits, whether it failed, content
    Piece = tuple[int, Part, int, int, bool, bytes]

__all__ = ["Record"]

INSERT = """
    INSERT INTO piece (series, first, count, failed, content) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (series, first, count) DO UPDATE
    SET failed = excluded.failed, content = excluded.content
    WHERE piece.failed
"""


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
        #: whether the store is new and was written, with all of this run, at a single time
        self.is_alone = False
        self._work = work
        self._key = run_key(work)
        self._connection: sqlite3.Connection | None = None
        self._series: dict[tuple[int, Part], int] = {}
        self._computed: dict[tuple[int, Part], str] = {}
        self._is_begun = self._is_stale = False
        self._sizes: dict[int, int] = {}
        self._commits: Commits[tuple[int, Outcome]] = Commits(self._commit)
        #: which file the database was when it was opened or made
        self._file: tuple[int, int] | None = None
        self.is_read_only = is_read_only(path)
        if not self.is_read_only:
            make_folder(path.parent)
            remove_unfinished(path.parent)
        if path.is_file():
            self._look()
        self.notes.extend(
            f"{model.name}: not stored, since nothing identifies it for the next time"
            for model in work.models
            if not model.fingerprint
        )

    def _look(self) -> None:
        """What a store that is there knows of this run; nothing is written yet."""
        connection = self._opened()
        try:
            with explained(self.path):
                if not self.is_read_only:
                    remove_orphans(connection, self.path.parent)
                known = known_run(connection, self._key, self._work)
                if known is None:
                    data = self._work.dataset
                    known_as = data.source, data.fingerprint, len(data)
                    self.notes.extend(changed(connection, *known_as))
                else:
                    self.number, self._is_stale = known.number, known.is_stale
                    self._series, self._computed = known.series, known.computed
        except BaseException:
            connection.close()
            raise

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self.is_alone = False
            self._connection = (opened_to_read if self.is_read_only else opened)(self.path)
            self._file = self._file or file_at(self.path)
        return self._connection

    def refuse_work(self, left: int, total: int) -> None:
        """An error where folds are to be done that a store could not keep."""
        if left and self.is_read_only:
            lacking = f"{left:,} of the {total:,} folds of this run are not in it"
            raise InputError(
                f"{self.path.parent}: the run store can be read and not written, and {lacking}; "
                "give another folder by --store, or --no-store"
            )

    def computed(self) -> str:
        """When what is known was computed last, as far as the store says."""
        return max(self._computed.values(), default="")

    def known(self, index: int, part: Part) -> list[Outcome]:
        """What the store has of a model; a damaged piece is named, left out and forgotten."""
        series = self._series.get((index, part))
        if series is None or self._connection is None:
            return []
        # in this order, what another process seals meanwhile is found in one place or the other
        pieces = self._pieces("WHERE series = ?", series)
        whole = self._whole(self._connection, series)
        return [whole] if whole is not None else self._unpacked(index, pieces)

    def _whole(self, connection: sqlite3.Connection, series: int) -> Outcome | None:
        """What is in a series' own file, if it has one."""
        forget = not self.is_read_only
        with explained(self.path):
            return read_sealed(connection, self.path.parent, series, self.notes, forget=forget)

    @property
    def parts(self) -> tuple[Part, ...]:
        """What is predicted in each split."""
        return self._work.parts

    def claims(self, *, failures: bool = True) -> Claims:
        """Who does which split of this run, from now on; to be closed."""
        from heldout.runner.claims import Claims

        return Claims(self.path, self._key, self._work, failures=failures)

    def done_by_others(self, index: int, positions: set[int]) -> list[Outcome]:
        """What is in the store by now of some splits of a model, all parts of them."""
        connection = self._opened()
        with explained(self.path):
            known = known_run(connection, self._key, self._work)
        if known is None:
            return []
        self.number, self._series = known.number, known.series
        self._computed = known.computed | self._computed
        found = []
        for part in self.parts:
            series = self._series.get((index, part), 0)
            whole = self._whole(connection, series)
            if whole is not None:
                found.append(whole)
                continue
            for position in sorted(positions):
                pieces = self._pieces("WHERE series = ? AND first = ?", series, position)
                found += self._unpacked(index, pieces)
        return found

    def _pieces(self, which: str, *given: int) -> list[tuple[int, int, int, bytes]]:
        query = f"SELECT id, first, count, content FROM piece {which}"
        with explained(self.path):
            return self._opened().execute(query, given).fetchall()

    def _unpacked(self, index: int, pieces: list[tuple[int, int, int, bytes]]) -> list[Outcome]:
        found, lost = [], []
        with explained(self.path):
            for piece, first, count, content in pieces:
                try:
                    found.append(unpacked(content))
                except Damaged as error:
                    lost.append((first, count, error))
                    self._forget(piece)
        if lost:
            name = self._work.models[index].name
            self.notes.append(damage_note(self.path, name, lost, again=True))
        return found

    def _forget(self, piece: int) -> None:
        if self.is_read_only:
            return
        connection = self._opened()
        with transaction(connection):
            connection.execute("DELETE FROM piece WHERE id = ?", (piece,))

    def seal(self, index: int, part: Part, outcome: Outcome) -> None:
        """Move the predictions of a model that is finished to a Parquet file if they are many."""
        if len(outcome.splits) < len(self._work.splits) or self.is_read_only:
            return
        self._commits.settle()
        series = self._series.get((index, part))
        # a store that was made by this call, in one go, has no more than what went in
        is_small = self._connection is None and not is_large(self._sizes.get(series or 0, 0))
        if series is not None and not is_small and self._commits.error is None:
            with explained(self.path):
                seal(self._opened(), self.path.parent, series, outcome)

    def add(self, index: int, outcome: Outcome) -> None:
        """Keep an outcome; an error of an earlier commit is raised here."""
        if self._commits.error is not None:
            self.close()
        if not self._work.models[index].fingerprint:
            return
        if self._is_all(outcome):
            # nothing is left to be done while another thread would commit it
            self._commit([(index, outcome)])
        else:
            self._commits.add((index, outcome))

    def _is_all(self, outcome: Outcome) -> bool:
        """Whether an outcome is the whole of this run."""
        is_single = len(self._work.models) == len(self._work.parts) == 1 and self._commits.is_idle
        return is_single and len(outcome.splits) == len(self._work.splits)

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
            f"{self.path}: it was removed or replaced while this run was under way, of which it "
            "keeps nothing; the same command would compute it again"
        ]

    def _commit(self, outcomes: list[tuple[int, Outcome]]) -> None:
        pieces = [(index, outcome.part, *_row(outcome)) for index, outcome in outcomes]
        with explained(self.path):
            if not self._made_new(pieces):
                connection = self._opened()
                with transaction(connection):
                    self._write(connection, pieces)
        self._is_begun = True

    def _made_new(self, pieces: list[Piece]) -> bool:
        """Whether the run and these pieces of it are a new file by now, which is written once."""
        if self._connection is not None or self.path.is_file():
            return False
        self.is_alone = made_whole(self.path, lambda memory: self._write(memory, pieces))
        if self.is_alone:
            self._file = file_at(self.path)
        else:
            self._sizes.clear()
        return self.is_alone

    def _write(self, connection: sqlite3.Connection, pieces: list[Piece]) -> None:
        """Write some pieces, and at first the run they belong to, within a transaction."""
        if not self._is_begun:
            self.number, self._series = begin(connection, self._key, self._work)
        rows = [(self._series[piece[:2]], *piece[2:]) for piece in pieces]
        counts: dict[int, int] = {}
        for series, _, count, _, content in rows:
            counts[series] = counts.get(series, 0) + count
            self._sizes[series] = self._sizes.get(series, 0) + len(content)
        connection.executemany(INSERT, rows)
        connection.executemany(
            "UPDATE series SET fits = fits + ? WHERE id = ?",
            [(count, series) for series, count in counts.items()],
        )


def _row(outcome: Outcome) -> tuple[int, int, bool, bytes]:
    """First split, number of splits, whether it failed, and the content of a piece."""
    if len(outcome.splits):
        return int(outcome.splits[0]), len(outcome.splits), False, packed(outcome)
    if not outcome.failures:
        raise HeldoutError("an outcome of no split at all was to be stored")
    return outcome.failures[0][0], 1, True, packed(outcome)
