"""Who does which split, where several processes work on one run at the same time or in turn.

A split is claimed by a lock on one byte of a file. The system frees it when its process ends,
however it ends, so that claims need no clock and nobody has to guess whether a holder still lives.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from errno import EACCES, EAGAIN
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from heldout.core.errors import InputError
from heldout.runner.database import open_database
from heldout.runner.join import covered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from heldout.learners.outcome import Outcome
    from heldout.runner.record import Record
    from heldout.runner.task import Work

    #: is told of a model's outcomes and of the splits that they are of
    Take = Callable[[int, Sequence[Outcome], Sequence[int]], None]

FILE = "claims.lock"

#: the number that a process holds while it puts a recovered database in place
RECOVERING = 0

#: bits of a split's number among those of its model; the rest of a number is the model's
SPLIT_BITS = 31

#: marks of fits under way: the number of a split stands in the slot that it falls into
SLOTS, WIDTH = 4096, 8
NO_MARK = bytes(WIDTH)

#: seconds between two looks at the store
PAUSE = 0.1
#: seconds that others may go without finishing a split: these, and so many times the longest
#: fit that is known; or, where none is, the last
PATIENCE, LONGER, UNKNOWN = 60.0, 3.0, 600.0

SERIES = """SELECT series.id, part FROM series JOIN run ON run.id = series.run
    WHERE run.key = ? AND series.fingerprint = ?"""
PIECES = "SELECT first, count FROM piece WHERE series = ? AND first BETWEEN ? AND ?"


@dataclass(eq=False)
class _File:
    """The one opened file of a process: closing any other would free what this one holds."""

    descriptor: int
    held: set[int] = field(default_factory=set)
    users: int = 0


class Locks:
    """Numbers that one user at a time holds, among all processes that use a run store.

    Where files cannot be locked (Windows, some network drives) ``is_able`` is False and nothing
    can be held.
    """

    def __init__(self, folder: Path) -> None:
        self._mine: set[int] = set()
        # a process that was forked has the parent's file and none of its locks
        self._key = (os.getpid(), str(folder.resolve()))
        with _GUARD:
            file = _FILES.get(self._key) or _open_file(folder)
            if file is not None:
                _FILES[self._key] = file
                file.users += 1
            self._file = file

    @property
    def is_able(self) -> bool:
        """Whether anything can be held at all."""
        return self._file is not None

    def take(self, number: int) -> bool:
        """Hold a number; False where somebody else does."""
        if self._file is None:
            return False
        with _GUARD:
            if number in self._mine:
                return True
            if number in self._file.held or not _lock(self._file.descriptor, number):
                return False
            self._file.held.add(number)
            self._mine.add(number)
        return True

    def is_held(self, first: int = 0, count: int = 0) -> bool:
        """Whether anybody holds one of some numbers, or any at all, without taking it."""
        if self._file is None:
            return False
        import fcntl

        with _GUARD:
            last = first + count if count else float("inf")
            if any(first <= number < last for number in self._file.held):
                return True
            # of no number in this range another user in this process would lose the hold
            if not _lock(self._file.descriptor, first, count):
                return True
            fcntl.lockf(self._file.descriptor, fcntl.LOCK_UN, count, first)
        return False

    def marks(self) -> set[int]:
        """The numbers that are marked, whoever did it and whether that process lives or not."""
        if self._file is None:
            return set()
        content = os.pread(self._file.descriptor, SLOTS * WIDTH, 0)
        numbers = np.frombuffer(content, dtype="<u8", count=len(content) // WIDTH)
        return set(numbers[numbers > 0].tolist())

    def mark(self, number: int, *, is_marked: bool = True) -> None:
        """Mark a number, or wipe its mark out, where whoever looks sees it at once.

        Two numbers that fall into one slot cost a mark now and then; nothing waits for a disk.
        """
        if self._file is None:
            return
        mark = number.to_bytes(WIDTH, "little")
        # the same splits of two models are not to fall into one slot
        start = (number ^ number >> SPLIT_BITS) % SLOTS * WIDTH
        if is_marked:
            os.pwrite(self._file.descriptor, mark, start)
        elif os.pread(self._file.descriptor, WIDTH, start) == mark:
            os.pwrite(self._file.descriptor, NO_MARK, start)

    def release(self) -> None:
        """Hold nothing any more."""
        if self._file is None:
            return
        import fcntl

        with _GUARD:
            for number in self._mine:
                fcntl.lockf(self._file.descriptor, fcntl.LOCK_UN, 1, number)
            self._file.held -= self._mine
            self._mine.clear()

    def close(self) -> None:
        """Hold nothing, and let go of the file."""
        self.release()
        file, self._file = self._file, None
        if file is None:
            return
        with _GUARD:
            file.users -= 1
            if not file.users:
                _FILES.pop(self._key, None)
                os.close(file.descriptor)


_GUARD = Lock()
_FILES: dict[tuple[int, str], _File] = {}


def _open_file(folder: Path) -> _File | None:
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    descriptor = -1
    try:
        descriptor = os.open(folder / FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        # a drive that knows no locks says so here
        fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, 0)
    except OSError:
        if descriptor >= 0:
            os.close(descriptor)
        return None
    return _File(descriptor)


def _lock(descriptor: int, number: int, count: int = 1) -> bool:
    import fcntl

    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, count, number)
    except OSError as error:
        if error.errno in (EACCES, EAGAIN):
            return False
        raise
    return True


def first_number(key: str, fingerprint: str) -> int:
    """The first of the numbers that stand for the splits of a model in a run; 0 is nobody's."""
    digest = blake2b(f"{key} {fingerprint}".encode(), digest_size=4).digest()
    return (int.from_bytes(digest, "little") >> 1 << SPLIT_BITS) + 1


class Claims:
    """The splits that this process holds; those that others hold or have done are left to them.

    A split is held from before it is fitted until it is in the store. A process that is
    killed holds nothing from that moment on, and who waits for its splits does them.

    A split is marked, too, while it is fitted in this very process: a model may end that without
    a word (a crash in compiled code, ``os._exit``), and would do so each time that its run is
    taken up again. What is marked and held by nobody was under way when a process ended.
    """

    def __init__(self, path: Path, key: str, work: Work, *, failures: bool = True) -> None:
        self._path, self._key, self._work = path, key, work
        #: whether a split that failed is a split that is done
        self._failures = failures
        self._locks = Locks(path.parent)
        self._starts = {
            index: first_number(key, model.fingerprint)
            for index, model in enumerate(work.models)
            if model.fingerprint and self._locks.is_able
        }
        self._series: dict[int, list[int]] = {}
        self._connection: sqlite3.Connection | None = None
        self._guard = Lock()
        #: splits that are ours whoever holds them
        self._seized: set[tuple[int, int]] = set()
        #: splits by model that were not ours
        self._theirs: dict[int, list[int]] = {}
        #: the numbers of marks that are of no use once all is committed
        self._marked: set[int] = set()

    def ours(self, index: int, positions: Sequence[int]) -> tuple[int, ...]:
        """The splits that are now held by us and that nobody has done; the rest is for others.

        Workers' threads ask, so nothing is raised here: what fails is taken to be ours.
        """
        if index not in self._starts:
            return tuple(positions)
        start = self._starts[index]
        with self._guard:
            try:
                held = {
                    at
                    for at in positions
                    if (index, at) in self._seized or self._locks.take(start + at)
                }
            except OSError:
                return tuple(positions)
            # whoever held one before has freed it after its commit: so look now, not earlier
            held -= self.done(index, held)
            self._theirs.setdefault(index, []).extend(at for at in positions if at not in held)
        return tuple(at for at in positions if at in held)

    def done(self, index: int, positions: set[int]) -> set[int]:
        """Those of some splits that are in the store, all parts of them."""
        if not positions or not self._path.is_file():
            return set()
        with suppress(sqlite3.Error, InputError):
            return positions & self._stored(index, min(positions), max(positions))
        return set()

    @contextmanager
    def under_way(self, index: int, position: int) -> Iterator[None]:
        """A split while it is fitted in this process, which nothing that fails here hinders."""
        number = self._starts.get(index, 0) + position
        if index in self._starts:
            self._marked.add(number)
            with suppress(OSError):
                self._locks.mark(number)
        yield
        if index in self._starts:
            self._marked.discard(number)
            with suppress(OSError):
                self._locks.mark(number, is_marked=False)

    def left_behind(self, todo: Mapping[int, Sequence[int]]) -> set[tuple[int, int]]:
        """Those of some splits by model, from now on held by us, during which a process ended."""
        left: set[tuple[int, int]] = set()
        with suppress(OSError):
            marks = self._locks.marks()
            for index, start in self._starts.items():
                for at in (number - start for number in marks):
                    if not 0 <= at < len(self._work.splits) or not self._locks.take(start + at):
                        continue
                    if at in todo.get(index, ()):
                        left.add((index, at))
                    else:  # somebody has done it since
                        self._locks.mark(start + at, is_marked=False)
        return left

    def settle(self, index: int, position: int) -> None:
        """A split that was left behind has an outcome: its mark goes when that is committed."""
        self._marked.add(self._starts[index] + position)

    def release(self) -> dict[int, list[int]]:
        """Hold nothing while waiting for others; gives what was left to them."""
        self._locks.release()
        theirs, self._theirs = self._theirs, {}
        return {index: positions for index, positions in theirs.items() if positions}

    def seize(self, left: Mapping[int, Sequence[int]]) -> None:
        """Take splits for ours that another process holds; what is done twice counts once."""
        self._seized.update((index, at) for index, positions in left.items() for at in positions)

    def close(self) -> None:
        """All is committed: hold and mark nothing, and let go of the files."""
        with suppress(OSError):
            for number in self._marked:
                self._locks.mark(number, is_marked=False)
        self._locks.close()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _stored(self, index: int, low: int, high: int) -> set[int]:
        if self._connection is None:
            self._connection = open_database(self._path, create=False)
        if index not in self._series:
            fingerprint = self._work.models[index].fingerprint
            rows = self._connection.execute(SERIES, (self._key, fingerprint)).fetchall()
            series = [number for number, part in rows if part in self._work.parts]
            if len(series) < len(self._work.parts):
                return set()
            self._series[index] = series
        query = PIECES + ("" if self._failures else " AND NOT failed")
        done = set(range(low, high + 1))
        for number in self._series[index]:
            pieces = self._connection.execute(query, (number, low, high))
            done &= {at for first, count in pieces for at in range(first, first + count)}
        return done


def await_others(
    record: Record, claims: Claims, take: Take, notes: list[str], *, longest: float | None = None
) -> dict[int, list[int]]:
    """Take what others have done; gives the splits that nobody does, which now are ours.

    Nothing is held meanwhile, so that two processes that wait for each other cannot be. One
    that lives and does nothing for much longer than the ``longest`` fit so far (it may be
    stopped, or its machine asleep) is not waited for: its splits are done here as well.
    """
    record.settle()
    left, since = claims.release(), time.monotonic()
    patience = UNKNOWN if longest is None else PATIENCE + LONGER * longest
    while left:
        count = _count(left)
        if free := _free(record, claims, left, take):
            return free
        left = claims.release()
        if _count(left) < count:
            since = time.monotonic()
        if left and time.monotonic() - since > patience:
            held = f"{_count(left):,} splits are held by another process"
            notes.append(f"{held} that has done none for {patience:.0f} s: they were done here too")
            claims.seize(left)
            return left
        if left:
            time.sleep(PAUSE)
    return {}


def _count(left: Mapping[int, Sequence[int]]) -> int:
    return sum(map(len, left.values()))


def _free(
    record: Record, claims: Claims, left: Mapping[int, Sequence[int]], take: Take
) -> dict[int, list[int]]:
    free: dict[int, list[int]] = {}
    for index, positions in left.items():
        done = claims.done(index, set(positions))
        if done:
            outcomes = record.done_by_others(index, done)
            done = _covered(outcomes, done, parts=record.parts)
            take(index, outcomes, sorted(done))
        rest = [position for position in positions if position not in done]
        if rest and (ours := claims.ours(index, rest)):
            free[index] = list(ours)
    return free


def _covered(outcomes: Sequence[Outcome], wanted: set[int], *, parts: Sequence[str]) -> set[int]:
    """The splits of which every part could be read; a damaged one is not among them."""
    known: dict[str, set[int]] = {part: set() for part in parts}
    for outcome in outcomes:
        known[outcome.part].update(covered(outcome).tolist())
    return wanted.intersection(*known.values())
