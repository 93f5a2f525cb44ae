"""Keys of rows sorted by part, in memory or, where they are too many for it, in temporary files.

Rows come in batches. As many as there is room for are sorted together, which makes a run; runs
that do not stay in memory are written to a temporary file. In the end ranges of all runs that
belong together are read, sorted and written to a second file, which is read a few keys at a time.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.threads import in_threads, sort_in_place
from heldout.tally.file_column import NumberFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from heldout.tally.file_column import FileColumn

#: every so many keys of a run one is remembered, to know where ranges of keys lie
STEP = 4096
#: keys of several parts that are kept as they came before they are moved to their parts
CHUNK = 2**20
#: the share of the room for keys that one range takes while runs are joined
RANGES = 8


class SortedKeys:
    """Keys that come in batches, sorted within each part.

    Parameters
    ----------
    rows
        How many keys will come.
    parts
        How many parts there are; with one, batches need not say which.
    room
        How many keys may be kept in memory.

    Examples
    --------
    >>> keys = SortedKeys(5, 2, room=3)
    >>> keys.add(np.array([7, 4, 9], np.uint64), np.array([0, 1, 0]))
    >>> keys.add(np.array([3, 1], np.uint64), np.array([1, 0]))
    >>> starts, column = keys.result()
    >>> starts.tolist(), column[:].tolist()
    ([0, 3, 5], [1, 7, 9, 3, 4])
    """

    def __init__(self, rows: int, parts: int, room: int) -> None:
        self.rows, self.parts = rows, parts
        self.room = max(min(rows, room), 1)
        self.count = 0
        #: the smallest that holds the number of a part
        self.dtype = np.dtype(np.uint16 if parts <= 2**16 else np.uint32)
        #: keys of one part are sorted where they are; others are moved, some at a time
        self._size = self.room if parts == 1 else min(self.room, CHUNK)
        self._chunks: list[_Chunk] = []
        self._file: NumberFile | None = None
        #: for each run where its parts start, and some of its keys
        self._runs: list[NDArray[np.int64]] = []
        self._known: list[NDArray[np.uint64]] = []

    def add(self, keys: NDArray[np.uint64], part: NDArray[Any] | None = None) -> None:
        """Take a batch of keys, and the part of each."""
        self.count += len(keys)
        taken = 0
        while taken < len(keys):
            if not self._chunks or self._chunks[-1].is_full:
                if self._waiting >= self.room:
                    self._write_run()
                self._chunks.append(
                    _Chunk(min(self._size, self.room - self._waiting), self.parts, self.dtype)
                )
            taken += self._chunks[-1].take(keys[taken:], None if part is None else part[taken:])

    @property
    def _waiting(self) -> int:
        """How many keys are in no run yet."""
        return sum(chunk.used for chunk in self._chunks)

    def _run(self) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """The keys that are in no run yet, sorted, and where their parts start."""
        chunks, self._chunks = self._chunks[::-1], []
        if self.parts == 1:
            (chunk,) = chunks
            keys = chunk.keys[: chunk.used]
            sort_in_place(keys)
            return np.array([0, len(keys)]), keys
        sizes = sum((chunk.sizes for chunk in chunks), start=np.zeros(self.parts, np.int64))
        starts = np.concatenate([[0], np.cumsum(sizes)])
        keys, after = np.empty(int(starts[-1]), np.uint64), starts[:-1].copy()
        while chunks:  # each is let go before the next one is moved
            chunks.pop().move(keys, after)
        _sort_stretches(keys, starts)
        return starts, keys

    def _write_run(self) -> None:
        starts, keys = self._run()
        before = 0 if self._file is None else len(self._file)
        if self._file is None:
            self._file = self._new_file()
        self._file.append(keys)
        self._runs.append(starts + before)
        self._known.append(keys[::STEP].copy())

    def _new_file(self) -> NumberFile:
        """A file for all keys, of which two are needed."""
        return NumberFile(np.uint64, need=2 * 8 * self.rows)

    def result(self) -> tuple[NDArray[np.int64], NDArray[np.uint64] | FileColumn]:
        """Where the keys of each part start, and all keys."""
        if self._file is None:
            return self._run()
        if self._chunks:
            self._write_run()
        runs, file = np.stack(self._runs), self._file
        starts = (runs - runs[:, :1]).sum(axis=0)
        joined = self._new_file()
        for segments in self._ranges(starts, runs):
            joined.append(_joined(file, segments))
        return starts, joined.column()

    def _ranges(
        self, starts: NDArray[np.int64], runs: NDArray[np.int64]
    ) -> Iterator[NDArray[np.int64]]:
        """Ranges of keys that belong together, as the edges of their parts in each run.

        Small parts are taken several at a time, large ones are cut by their keys.
        """
        most = max(self.room // RANGES, 1)
        first = 0
        while first < self.parts:
            last = int(np.searchsorted(starts, starts[first] + most, side="right")) - 1
            if last > first:
                yield runs[:, first : last + 1]
                first = last
            else:
                yield from self._cuts(runs[:, first], runs[:, first + 1], most)
                first += 1

    def _cuts(
        self, begins: NDArray[np.int64], ends: NDArray[np.int64], most: int
    ) -> Iterator[NDArray[np.int64]]:
        """One part in ranges of keys: from the lowest to the highest, about so many at a time."""
        assert self._file is not None
        columns = [self._file.column(int(a), int(b)) for a, b in zip(begins, ends, strict=True)]
        known = [
            own[max(-(-int(a - run[0]) // STEP), 0) : -(-int(b - run[0]) // STEP)]
            for own, run, a, b in zip(self._known, self._runs, begins, ends, strict=True)
        ]
        samples = np.sort(np.concatenate(known))
        every = max(most // STEP, 1)
        total, before = int((ends - begins).sum()), begins
        for place in range(every, len(samples), every):
            cut = begins + _cut(columns, samples[place], min(place * STEP, total))
            cut = np.maximum(cut, before)
            yield np.stack([before, cut], axis=1)
            before = cut
        yield np.stack([before, ends], axis=1)


def _cut(columns: list[FileColumn], key: np.uint64, wanted: int) -> NDArray[np.int64]:
    """Where to cut each run so that lower keys than one come before, and higher ones after.

    Equal keys may lie on either side: as many come before as bring the number of keys to the one
    that is wanted, so that a key that most rows have does not make a range of them all.
    """
    low = np.array([column.searchsorted(key, "left") for column in columns], np.int64)
    equal = np.array([column.searchsorted(key, "right") for column in columns], np.int64) - low
    left = max(wanted - int(low.sum()), 0)
    taken_before = np.concatenate([[0], np.cumsum(equal)[:-1]])
    return low + np.clip(left - taken_before, 0, equal)


def _joined(file: NumberFile, segments: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The keys of a range from all runs, sorted within each part."""
    sizes = np.diff(segments, axis=1)
    starts = np.concatenate([[0], np.cumsum(sizes.sum(axis=0))])
    keys, after = np.empty(int(starts[-1]), np.uint64), starts[:-1].copy()
    for edges, own in zip(segments, sizes, strict=True):
        here = file.read(int(edges[0]), int(edges[-1]))
        target = np.repeat(after - (edges[:-1] - edges[0]), own) + np.arange(len(here))
        keys[target] = here
        after += own
    _sort_stretches(keys, starts)
    return keys


class _Chunk:
    """Some keys as they came, and the part of each in as few bytes as hold it."""

    def __init__(self, size: int, parts: int, dtype: Any) -> None:
        self.keys = np.empty(size, np.uint64)
        self.part = np.empty(0 if parts == 1 else size, dtype)
        self.parts, self.used = parts, 0

    @property
    def is_full(self) -> bool:
        """Whether no further key is taken."""
        return self.used == len(self.keys)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many keys each part has."""
        return np.bincount(self.part[: self.used], minlength=self.parts)

    def take(self, keys: NDArray[np.uint64], part: NDArray[Any] | None) -> int:
        """Take as many keys as there is room for; how many these are."""
        count = min(len(keys), len(self.keys) - self.used)
        own = slice(self.used, self.used + count)
        self.keys[own] = keys[:count]
        if part is not None and self.parts > 1:
            self.part[own] = part[:count]
        self.used += count
        return count

    def move(self, keys: NDArray[np.uint64], after: NDArray[np.int64]) -> None:
        """Put each key after those of its part; ``after`` moves on."""
        part = self.part[: self.used]
        order, sizes = stable_order(part), self.sizes
        first = np.cumsum(sizes) - sizes
        keys[np.repeat(after - first, sizes) + np.arange(len(part))] = self.keys[: self.used][order]
        after += sizes


def stable_order(codes: NDArray[Any]) -> NDArray[np.int64]:
    """The places of codes in rising order, equal ones as they came.

    NumPy sorts 16-bit numbers by counting, in a fifth of the time: twice for longer ones.

    Examples
    --------
    >>> stable_order(np.array([70_000, 3, 70_000, 0], np.uint32))
    array([3, 1, 0, 2])
    """
    if codes.dtype.itemsize <= 2:
        return np.argsort(codes, kind="stable")
    order = np.argsort((codes & 0xFFFF).astype(np.uint16), kind="stable")
    return order[np.argsort((codes >> 16).astype(np.uint16)[order], kind="stable")]


def _sort_stretches(keys: NDArray[np.uint64], starts: NDArray[np.int64]) -> None:
    if len(starts) == 2:
        sort_in_place(keys)
        return
    in_threads(
        lambda edges: keys[edges[0] : edges[1]].sort(),
        [edges for edges in pairwise(starts.tolist()) if edges[1] > edges[0] + 1],
    )
