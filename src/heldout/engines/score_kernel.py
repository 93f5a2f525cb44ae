"""Batches of rows to score counts, whatever the rows come from.

The kernel is that of the engine in memory: a score and its truth become one key of 8 bytes
(``tally/packing.py``), all keys are sorted in place, and what is asked of the rows is decoded from
them. With ``bins`` the database counts rounded scores instead, in memory that does not grow.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.engines.arrow_stream import batches_of
from heldout.engines.parts import SMALL
from heldout.engines.sorted_keys import SortedKeys
from heldout.tables.duck import cause_of
from heldout.tally.packed_scores import PackedScores, counted, counted_parts
from heldout.tally.packing import Packing
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.engines.scan import Files
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
#: the code of the one part that all rows are
ALL_ROWS = np.zeros(1, np.int64)


class NotScanned(Exception):
    """Why files cannot be scanned, and have to be read into memory."""


@dataclass(frozen=True, eq=False)
class Scan:
    """The rows of files, as numbers: whether each is positive, its score, its slice.

    Parameters
    ----------
    sql
        What is read: columns ``t`` (truth), ``s`` (score), ``k0``, ``k1`` ... (slices).
    positive
        The SQL by which a row is positive.
    low, high
        The range of the scores.
    slices
        For each column of slices its name, the SQL of a small number, and the code for each
        such number.
    bins
        Scores are rounded down to multiples of 1 / bins by the database.
    is_counted
        A row stands for ``n`` rows, a column of ``sql``.
    """

    files: Files
    sql: str
    positive: str
    rows: int
    low: float
    high: float
    slices: dict[str, tuple[str, NDArray[np.int64]]]
    bins: int | None = None
    is_counted: bool = False

    @property
    def is_grouped(self) -> bool:
        """Whether the database counts, and rows do not come out of it."""
        return self.bins is not None or self.is_counted

    @cached_property
    def packing(self) -> Packing:
        """How scores become keys."""
        packing = Packing.between(self.low, self.high)
        if packing is None:
            raise NotScanned("scores are infinite, or span too many orders of magnitude")
        return packing

    def read(self, slices: str = "0::INTEGER") -> Iterator[list[NDArray[Any]]]:
        """Score, truth and number of the slice of each row, in batches."""
        query = f"SELECT s, ({self.positive})::UTINYINT AS y, {slices} AS k FROM {self.sql}"
        with self.files.opened() as database:
            try:
                yield from batches_of(database.sql(query), ("f8", "u1", "i4"))
            except InputError as error:
                raise InputError(f"{self.files.name} cannot be read: {cause_of(error)}") from None

    def grouped(
        self, number: str = "0::INTEGER", codes: NDArray[np.int64] = ALL_ROWS
    ) -> tuple[Sequence[int], Sequence[ScoreCounts]]:
        """Codes of the slices that have rows and the counts of each, counted by the database."""
        score = "s" if self.bins is None else f"floor(s * {self.bins}) / {self.bins}"
        rows = "sum(n)" if self.is_counted else "count(*)"
        query = (
            f"SELECT {number} AS k, {score} + 0.0 AS b, "
            f"coalesce({rows} FILTER ({self.positive}), 0)::BIGINT AS p, {rows}::BIGINT AS n "
            f"FROM {self.sql} GROUP BY ALL"
        )
        with self.files.opened() as database:
            found = database.sql(query).fetchnumpy()
        number_of, score_of, positives, counts = (np.asarray(found[name]) for name in "kbpn")
        part = codes[number_of]
        order = np.lexsort((-score_of, part))
        part, score_of, positives, counts = (
            own[order] for own in (part, score_of, positives, counts)
        )
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
        _, (counts,) = self._sorted("0::INTEGER", ALL_ROWS)
        return counts

    def parts(self, columns: tuple[str, ...]) -> tuple[Sequence[int], Sequence[ScoreCounts]]:
        """The codes of the slices that have rows, and the counts of each."""
        (column,) = columns
        count = self.scan.grouped if self.scan.is_grouped else self._sorted
        return count(*self.scan.slices[column])

    def _sorted(
        self, number: str, codes: NDArray[np.int64]
    ) -> tuple[Sequence[int], Sequence[ScoreCounts]]:
        """Codes of the slices that have rows and the counts of each, from sorted keys."""
        scan, parts = self.scan, int(codes.max()) + 1
        keys = SortedKeys(scan.rows, parts, self._room(parts))
        codes = codes.astype(keys.dtype)
        for score, truth, numbers in scan.read(number):
            own = np.empty(len(score), np.uint64)
            if not scan.packing.fill(score, truth, own):
                raise NotScanned("scores span too many orders of magnitude")
            keys.add(own, codes[numbers] if parts > 1 else None)
            if keys.count > scan.rows:
                break
        if keys.count != scan.rows:
            raise InputError(f"{scan.files.name} was changed while it was read; score it again")
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
