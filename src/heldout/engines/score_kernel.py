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
from heldout.core.threads import in_threads, sort_in_place
from heldout.engines.arrow_stream import batches_of
from heldout.tables.duck import cause_of
from heldout.tally.packed_scores import PackedScores, counted
from heldout.tally.packing import Packing
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.engines.scan import Files

#: fewer keys are taken apart, which is quicker to read
FEW_KEYS = 10_000


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

    def counts(self) -> ScoreCounts:
        """The score counts of all rows."""
        if self.is_grouped:
            return self._grouped("0::INTEGER", np.zeros(1, np.int64))[1][0]
        keys = np.empty(self.rows, np.uint64)
        self._fill(keys, self.read(), None, np.zeros(1, np.int64))
        sort_in_place(keys)
        return self._counted(keys)

    def parts(self, columns: tuple[str, ...]) -> tuple[Sequence[int], Sequence[ScoreCounts]]:
        """The codes of the slices that have rows, and the counts of each."""
        (column,) = columns
        number, codes = self.slices[column]
        if self.is_grouped:
            return self._grouped(number, codes)
        with self.files.opened() as database:
            found = database.sql(
                f"SELECT {number} AS k, count(*) FROM {self.sql} GROUP BY k"
            ).fetchnumpy()
        sizes = np.zeros(int(codes.max()) + 1, np.int64)
        np.add.at(sizes, codes[np.asarray(found["k"])], np.asarray(found["count_star()"]))
        present = np.flatnonzero(sizes)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        keys = np.empty(self.rows, np.uint64)
        self._fill(keys, self.read(number), codes, starts[:-1].copy())
        stretches = [keys[a:b] for a, b in pairwise(starts.tolist()) if b > a]
        in_threads(lambda own: own.sort(), stretches)
        return present.tolist(), [self._counted(own) for own in stretches]

    def _counted(self, keys: NDArray[np.uint64]) -> ScoreCounts:
        """The counts of sorted keys, which stay packed where they are many."""
        if len(keys) > FEW_KEYS:
            return PackedScores.of_keys(keys, self.packing)
        return counted(keys.copy(), *self.packing)

    def _fill(
        self,
        keys: NDArray[np.uint64],
        batches: Iterator[list[NDArray[Any]]],
        codes: NDArray[np.int64] | None,
        after: NDArray[np.int64],
    ) -> None:
        """Put the key of each row after those of its slice; ``after`` moves on."""
        done = 0
        for score, truth, number in batches:
            done += len(score)
            if done > len(keys):
                break
            own = (
                keys[done - len(score) : done] if codes is None else np.empty(len(score), np.uint64)
            )
            if not self.packing.fill(score, truth, own):
                raise NotScanned("scores span too many orders of magnitude")
            if codes is None:
                continue
            part = codes[number]
            order = np.argsort(part, kind="stable")
            part, sizes = part[order], np.bincount(part, minlength=len(after))
            first = np.cumsum(sizes) - sizes
            keys[after[part] + np.arange(len(part)) - first[part]] = own[order]
            after += sizes
        if done != len(keys):
            raise InputError(f"{self.files.name} was changed while it was read; score it again")

    def _grouped(
        self, number: str, codes: NDArray[np.int64]
    ) -> tuple[Sequence[int], Sequence[ScoreCounts]]:
        """The counts of each slice, counted by the database."""
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
