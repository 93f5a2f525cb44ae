"""Batches of rows to score counts, whatever the rows come from.

The kernel is that of the engine in memory: a score and its truth become one key of 8 bytes
(``tally/packing.py``), all keys are sorted in place, and what is asked of the rows is decoded from
them. With ``bins`` the database counts rounded scores instead, in memory that does not grow.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.engines.parts import SMALL
from heldout.engines.protocol import NotScanned
from heldout.engines.sorted_keys import SortedKeys
from heldout.tally.packed_scores import PackedScores, counted, counted_parts
from heldout.tally.packing import Packing
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.engines.sources import Columns, Source
    from heldout.tally.file_column import FileColumn

#: fewer keys are taken apart, which is quicker to read
FEW_KEYS = 10_000
#: bytes that a row takes whose key stays in memory, with the place of its score
KEY_BYTES = 12
#: bytes of memory that a row takes while keys are sorted before they are written, and while they
#: are moved to their slices before that; half of the memory is left for what is done with them
SORTING_BYTES, MOVING_BYTES = 16, 36
#: keys that are sorted at a time, however little memory there is
LEAST_ROOM = 4096


@dataclass(frozen=True, eq=False)
class Scan:
    """The rows of a source, as numbers: whether each is positive, its score, its slice.

    Parameters
    ----------
    columns
        The columns of the source that are read.
    low, high
        The range of the scores.
    slices
        For each column of slices the code for each number that the source gives it.
    bins
        Scores are rounded down to multiples of 1 / bins where they are counted.
    """

    source: Source
    columns: Columns
    rows: int
    low: float
    high: float
    slices: dict[str, NDArray[np.int64]]
    bins: int | None = None

    @property
    def is_grouped(self) -> bool:
        """Whether the source counts, and rows do not come out of it."""
        return self.bins is not None or self.columns.count is not None

    @cached_property
    def packing(self) -> Packing:
        """How scores become keys."""
        packing = Packing.between(self.low, self.high)
        if packing is None:
            raise NotScanned("scores are infinite, or span too many orders of magnitude")
        return packing

    def size(self, columns: Sequence[str]) -> int:
        """How many parts columns of slices have, whether there are rows in them or not."""
        return prod(int(self.slices[name].max()) + 1 for name in columns)

    def codes(
        self, columns: Sequence[str], numbers: Sequence[NDArray[Any]], dtype: Any = np.int64
    ) -> NDArray[Any]:
        """The code of each row's part, the last column running fastest."""
        if len(columns) == 1:
            return self.slices[columns[0]].astype(dtype)[numbers[0]]
        codes = np.zeros(len(numbers[0]), np.int64)
        for name, own in zip(columns, numbers, strict=True):
            codes = codes * self.size([name]) + self.slices[name][own]
        return codes.astype(dtype)

    def read(
        self, columns: Sequence[str] = (), dtype: Any = np.int64
    ) -> Iterator[tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]]:
        """Score, truth and code of the part of each row, in batches."""
        for score, truth, *numbers in self.source.batches(self.columns, columns):
            yield score, truth, self.codes(columns, numbers, dtype) if columns else None

    def grouped(self, columns: Sequence[str] = ()) -> tuple[Sequence[int], Sequence[ScoreCounts]]:
        """Codes of the slices that have rows and the counts of each, counted by the source."""
        *numbers, score_of, positives, counts = self.source.groups(
            self.columns, columns, bins=self.bins
        )
        part = self.codes(columns, numbers) if columns else np.zeros(len(counts), np.int64)
        order = np.lexsort((-score_of, part))
        part = part[order]
        score_of, positives, counts = (own[order] for own in (score_of, positives, counts))
        present, starts = np.unique(part, return_index=True)
        each = [
            ScoreCounts(
                score_of[a:b], positives[a:b], (counts - positives)[a:b], int(counts[a:b].sum())
            )
            for a, b in pairwise([*starts.tolist(), len(part)])
        ]
        return present.tolist(), each


class ScoreKernel:
    """Makes score counts of the rows of a scan, in a bounded amount of memory.

    Parameters
    ----------
    scan
        Where rows come from.
    memory
        Bytes that keys may take; where they need more, they lie in temporary files.
    """

    def __init__(self, scan: Scan, memory: int) -> None:
        self.scan = scan
        self._left = memory

    def counts(self) -> ScoreCounts:
        """The score counts of all rows."""
        if self.scan.is_grouped:
            return self.scan.grouped()[1][0]
        _, (counts,) = self._sorted()
        return counts

    def parts(self, columns: tuple[str, ...]) -> tuple[Sequence[int], Sequence[ScoreCounts]]:
        """The codes of the slices that have rows, and the counts of each."""
        count = self.scan.grouped if self.scan.is_grouped else self._sorted
        return count(columns)

    def _sorted(self, columns: Sequence[str] = ()) -> tuple[Sequence[int], Sequence[ScoreCounts]]:
        """Codes of the slices that have rows and the counts of each, from sorted keys."""
        scan, parts = self.scan, self.scan.size(columns)
        keys = SortedKeys(scan.rows, parts, self._room(parts))
        for score, truth, codes in scan.read(columns, keys.dtype):
            own = np.empty(len(score), np.uint64)
            if not scan.packing.fill(score, truth, own):
                raise NotScanned("scores span too many orders of magnitude")
            keys.add(own, codes if parts > 1 else None)
            if keys.count > scan.rows:
                break
        if keys.count != scan.rows:
            raise InputError(f"{scan.source.name} was changed while it was read; score it again")
        starts, column = keys.result()
        present = np.flatnonzero(np.diff(starts))
        if scan.rows <= SMALL * len(present):
            edges = np.append(starts[present], scan.rows)
            return present.tolist(), counted_parts(column, edges, scan.packing).each
        return present.tolist(), [
            self._counted(column, a, b) for a, b in pairwise(starts.tolist()) if b > a
        ]

    def _room(self, parts: int) -> int:
        """How many keys are sorted in memory at a time: all, where they and the rest fit."""
        need, rows = self.scan.rows * KEY_BYTES, self.scan.rows
        # slices that are sorted later need some memory too
        if need <= (self._left * 3 // 4 if parts == 1 and self.scan.slices else self._left):
            self._left -= need
            return rows
        return max(self._left // (SORTING_BYTES if parts == 1 else MOVING_BYTES), LEAST_ROOM)

    def _counted(
        self, column: NDArray[np.uint64] | FileColumn, start: int, stop: int
    ) -> ScoreCounts:
        """The counts of sorted keys, which stay packed where they are many."""
        if stop - start <= FEW_KEYS:
            return counted(column[start:stop].copy(), *self.scan.packing)
        own = column[start:stop] if isinstance(column, np.ndarray) else column.part(start, stop)
        return PackedScores.of_keys(own, self.scan.packing)
