"""Who does which split, where several processes work on one run at the same time."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING

from heldout.core.errors import InputError
from heldout.runner.database import opened
from heldout.runner.locks import Locks
from heldout.runner.under_way import UnderWay

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from heldout.runner.deadly import Deadly
    from heldout.runner.task import Work

__all__ = ["Claims", "first_number"]

SERIES = """SELECT series.id, part FROM series JOIN run ON run.id = series.run
    WHERE run.key = ? AND series.fingerprint = ?"""
PIECES = "SELECT first, count FROM piece WHERE series = ? AND first BETWEEN ? AND ?"

#: splits that a model may have; the number that is locked is the model's, then the split's
MOST = 31


def first_number(key: str, fingerprint: str) -> int:
    """The first of the numbers that stand for the splits of a model in a run; 0 is nobody's."""
    digest = blake2b(f"{key} {fingerprint}".encode(), digest_size=4).digest()
    return (int.from_bytes(digest, "little") >> 1 << MOST) + 1


class Claims:
    """The splits that this process holds; those that others hold or have done are left to them.

    A split is held from before it is fitted until it is in the store. A process that is
    killed holds nothing from that moment on, and who waits for its splits does them.
    """

    def __init__(self, path: Path, key: str, work: Work, *, failures: bool = True) -> None:
        self._path, self._key, self._work = path, key, work
        #: whether a split that failed is a split that is done
        self._failures = failures
        self._locks = Locks(path.parent)
        self._series: dict[int, list[int]] = {}
        self._connection: sqlite3.Connection | None = None
        self._guard = Lock()
        #: splits that are ours whoever holds them
        self._seized: set[tuple[int, int]] = set()
        #: splits by model that were not ours
        self.left: dict[int, list[int]] = {}

    def ours(self, index: int, positions: Sequence[int]) -> tuple[int, ...]:
        """The splits that are now held by us and that nobody has done; the rest is ``left``.

        Workers' threads ask, so nothing is raised here: what fails is taken to be ours.
        """
        if not self._locks.is_able or not self._work.models[index].fingerprint:
            return tuple(positions)
        start = self._start(index)
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
            self.left.setdefault(index, []).extend(at for at in positions if at not in held)
        return tuple(at for at in positions if at in held)

    def done(self, index: int, positions: set[int]) -> set[int]:
        """Those of some splits that are in the store, all parts of them."""
        if not positions or not self._path.is_file():
            return set()
        with suppress(sqlite3.Error, InputError):
            return positions & self._stored(index, min(positions), max(positions))
        return set()

    def series(self, index: int) -> Mapping[str, int]:
        """The numbers of a model's series by part, as far as anybody has begun them."""
        if self._connection is None:
            self._connection = opened(self._path, create=False)
        fingerprint = self._work.models[index].fingerprint
        found = self._connection.execute(SERIES, (self._key, fingerprint)).fetchall()
        return {part: number for number, part in found if part in self._work.parts}

    def release(self) -> dict[int, list[int]]:
        """Hold nothing while waiting for others; gives what was left to them."""
        self._locks.release()
        left, self.left = self.left, {}
        return {index: positions for index, positions in left.items() if positions}

    def seize(self, left: Mapping[int, Sequence[int]]) -> None:
        """Take splits for ours that another process holds; what is done twice counts once."""
        self._seized.update((index, at) for index, positions in left.items() for at in positions)

    def under_way(
        self,
        apart: Sequence[tuple[int, int]] = (),
        kept: Callable[[], None] = lambda: None,
        deadly: Deadly | None = None,
    ) -> UnderWay:
        """The splits that this process is about to fit in itself, not those ``apart``."""
        models = enumerate(self._work.models)
        starts = {index: self._start(index) for index, model in models if model.fingerprint}
        return UnderWay(self._path.parent, starts, len(self._work.splits), apart, kept, deadly)

    def close(self) -> None:
        """Hold nothing, and let go of the files."""
        self._locks.close()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _start(self, index: int) -> int:
        return first_number(self._key, self._work.models[index].fingerprint)

    def _stored(self, index: int, low: int, high: int) -> set[int]:
        if index not in self._series:
            found = self.series(index)
            if len(found) < len(self._work.parts):
                return set()
            self._series[index] = [*found.values()]
        assert self._connection is not None
        query = PIECES + ("" if self._failures else " AND NOT failed")
        done = set(range(low, high + 1))
        for series in self._series[index]:
            sealed = "SELECT 1 FROM sealed WHERE series = ?"
            if self._connection.execute(sealed, (series,)).fetchone() is None:
                rows = self._connection.execute(query, (series, low, high))
                done &= {at for first, count in rows for at in range(first, first + count)}
        return done
