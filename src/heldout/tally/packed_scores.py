"""Score counts as the sorted keys they were counted by, taken apart when first needed."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.threads import BLOCK, blocks, each_block, in_threads
from heldout.tally.decoded import DecodedColumn
from heldout.tally.file_column import FileColumn, NumberFile
from heldout.tally.packing import ONE, Packing, unpack
from heldout.tally.scores import ScoreCounts, ScoreParts

if TYPE_CHECKING:
    from numpy.typing import NDArray


class DistinctScores(ScoreCounts):
    """Rows of which each has a score of its own.

    The area under the curve follows from the places of the positives alone, so scores and
    counts are made only where something else is asked for. Made by ``counted``; copies with
    other counts (``type(x)(...)``, ``dataclasses.replace``) are plain ``ScoreCounts``.
    """

    #: the sum of the positions of the positives, from 0, highest score first
    places: int

    def __new__(cls, *counts: Any, **named: Any) -> Any:
        """An empty frame for ``of_keys``; with counts, which may be any, no longer distinct."""
        return ScoreCounts(*counts, **named) if counts or named else super().__new__(cls)

    @classmethod
    def of_keys(
        cls, keys: NDArray[np.uint64], scale: float, signed: bool, positives: int, places: int
    ) -> DistinctScores:
        """From sorted keys (truth in the lowest bit), and how many positives there are where."""
        counts: DistinctScores = cls.__new__(cls)
        counts.__dict__.update(
            rows=len(keys),
            _packed=(keys, scale, signed),
            places=places,
            total_positives=positives,
            total_negatives=len(keys) - positives,
        )
        return counts

    @cached_property
    def score(self) -> NDArray[np.float64]:
        """The scores in falling order."""
        return self._taken_apart("score")

    @cached_property
    def positives(self) -> NDArray[Any]:
        """1 for a positive row, 0 for a negative one."""
        return self._taken_apart("positives")

    @cached_property
    def negatives(self) -> NDArray[Any]:
        """1 for a negative row, 0 for a positive one."""
        return 1 - self.positives

    def _taken_apart(self, name: str) -> NDArray[Any]:
        """Scores and counts together, after which the keys are let go."""
        packed = self.__dict__.get("_packed")
        if packed is not None:
            keys, scale, signed = packed
            score, positives = np.empty(len(keys)), np.empty(len(keys), np.int32)

            def part(block: slice) -> None:
                score[block] = unpack(keys[block] >> ONE, scale, signed)
                np.bitwise_and(keys[block], ONE, out=positives[block], casting="unsafe")

            each_block(part, len(keys))
            self.__dict__.update(score=score, positives=positives)
            self.__dict__.pop("_packed", None)
        values: NDArray[Any] = self.__dict__[name]
        return values

    @cached_property
    def tp(self) -> NDArray[Any]:
        """Positives with a score at or above each distinct score, in falling order of score."""
        return np.cumsum(self.positives, dtype=np.int64)

    @cached_property
    def fp(self) -> NDArray[Any]:
        """Negatives with a score at or above each distinct score, in falling order of score."""
        return np.arange(1, self.rows + 1) - self.tp


def counted(keys: NDArray[np.uint64], scale: float, signed: bool) -> ScoreCounts:
    """The counts behind sorted keys whose lowest bit is the truth, the others the score.

    Examples
    --------
    >>> from heldout.tally.packing import pack
    >>> counts = counted(*pack(np.array([0.5, 0.9, 0.5]), np.array([True, True, False])))
    >>> counts.score, counts.positives, counts.negatives
    (array([0.9, 0.5]), array([1, 1]), array([0, 1]))
    """
    rows = len(keys)
    steps = np.arange(min(BLOCK, rows))

    def looked_at(block: slice) -> tuple[bool, int, int]:
        """Whether each score differs from the next; the positives, and their places summed."""
        here, upto = keys[block], keys[block.start : block.stop + 1]
        distinct = bool(np.min(upto[1:] ^ upto[:-1], initial=2) > ONE)
        truth = (here & ONE).view(np.int64)
        positives = int(truth.sum())
        inside = int(np.einsum("i,i->", truth, steps[: len(truth)]))
        return distinct, positives, inside + block.start * positives

    seen = each_block(looked_at, rows)
    if all(distinct for distinct, _, _ in seen):
        positives, places = sum(p for _, p, _ in seen), sum(p for _, _, p in seen)
        return DistinctScores.of_keys(keys, scale, signed, positives, places)
    running = np.cumsum(keys & ONE, dtype=np.int64)
    keys >>= ONE
    last = np.empty(rows, bool)  # the last row of each run of equal scores
    np.not_equal(keys[1:], keys[:-1], out=last[:-1])
    last[-1] = True
    ends = np.flatnonzero(last)
    positive = np.diff(running[ends], prepend=0)
    everything = np.diff(ends, prepend=-1)
    return ScoreCounts(unpack(keys[ends], scale, signed), positive, everything - positive, rows)


#: counts of fewer distinct scores than this share of the rows take less memory than keys
FEW_SCORES = 1 / 4
#: fewer distinct scores than this are kept in memory where their keys are not
FEW_ON_FILE = 1_000_000
#: rows whose truth is kept in one number
WORD = 16
COUNTED = ("score", "positives", "negatives")


@cache
def _bit_counts() -> NDArray[np.uint8]:
    """How many bits of each number of 16 bits are set."""
    return np.array([number.bit_count() for number in range(2**WORD)], np.uint8)


class _Ranks:
    """How many of the first rows are positive, from 5 bits for each row."""

    def __init__(self, keys: NDArray[np.uint64] | FileColumn) -> None:
        #: the truth of 16 rows each, the first in the lowest bit
        self.words = np.zeros(len(keys) // WORD + 1, "<u2")
        octets = self.words.view(np.uint8)
        for block in blocks(len(keys)):
            bits = np.packbits((keys[block] & ONE).astype(np.uint8), bitorder="little")
            octets[block.start // 8 : block.start // 8 + len(bits)] = bits
        self.counts = _bit_counts()
        self.before = np.zeros(len(self.words) + 1, np.int64)
        np.cumsum(self.counts[self.words], dtype=np.int64, out=self.before[1:])

    def __call__(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The positives among so many first rows."""
        word = rows // WORD
        inside = self.words[word] & ((1 << rows % WORD) - 1).astype(np.uint16)
        ranks: NDArray[np.int64] = self.before[word] + self.counts[inside]
        return ranks


class PackedScores(ScoreCounts):
    """Score counts that stay packed: 8 bytes for each row (12 where some scores are equal).

    Scores, counts and running counts are columns that are decoded where they are read. Made by
    ``of_keys``; copies with other counts are plain ``ScoreCounts``.
    """

    def __new__(cls, *counts: Any, **named: Any) -> Any:
        """An empty frame for ``of_keys``; with counts a plain value."""
        return ScoreCounts(*counts, **named) if counts or named else super().__new__(cls)

    @classmethod
    def of_keys(cls, keys: NDArray[np.uint64] | FileColumn, packing: Packing) -> ScoreCounts:
        """From sorted keys (truth in the lowest bit); plain counts where few scores are distinct.

        Examples
        --------
        >>> from heldout.tally.packing import pack
        >>> keys, *packing = pack(np.array([0.5, 0.9, 0.5]), np.array([True, True, False]))
        >>> counts = PackedScores.of_keys(keys, Packing(*packing))
        >>> counts.score[:], counts.positives[:], counts.fp[:]
        (array([0.9, 0.5]), array([1, 1], dtype=int32), array([0, 1]))
        """
        packed: PackedScores = cls.__new__(cls)
        rows, ranks = len(keys), _Ranks(keys)
        distinct = sum(in_threads(lambda block: len(_ends(keys, block)), blocks(rows)))
        ends: NDArray[Any] | FileColumn | None = None
        if distinct < rows:
            ends = _all_ends(keys, distinct)
        packed.__dict__.update(rows=rows, keys=keys, packing=packing, ranks=ranks, ends=ends)
        packed.__dict__.update(
            total_positives=int(ranks.before[-1]),
            total_negatives=rows - int(ranks.before[-1]),
            score=DecodedColumn(distinct, np.float64, packed._score),
            positives=DecodedColumn(distinct, np.int32, packed._positives),
            negatives=DecodedColumn(distinct, np.int32, packed._negatives),
            tp=DecodedColumn(distinct, np.int64, packed._tp),
            fp=DecodedColumn(distinct, np.int64, packed._fp),
        )
        most = FEW_ON_FILE if isinstance(keys, FileColumn) else rows
        if distinct >= min(FEW_SCORES * rows, most):
            return packed
        score, positives, negatives = (np.asarray(getattr(packed, name)) for name in COUNTED)
        return ScoreCounts(score, positives, negatives, rows)

    keys: NDArray[np.uint64] | FileColumn
    packing: Packing
    ranks: _Ranks
    #: the last row of each distinct score; None where each row has its own
    ends: NDArray[Any] | FileColumn | None

    def _upto(self, places: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many rows have each of these scores or a higher one, and how many are positive."""
        if not isinstance(places, slice):
            rows = places + 1 if self.ends is None else self.ends[places].astype(np.int64) + 1
            return rows, self.ranks(rows)
        # of neighbours the sum runs on, which is quicker than to look each up
        first, last = self._row(places.start), self._row(places.stop)
        before = self.ranks(np.array([first]))
        running = before + np.cumsum(self.keys[first:last] & ONE, dtype=np.int64)
        if self.ends is None:
            return np.arange(first + 1, last + 1), running
        rows = self.ends[places].astype(np.int64) + 1
        return rows, running[rows - first - 1]

    def _row(self, score: int) -> int:
        """How many rows come before those of a score."""
        return score if self.ends is None or not score else int(self.ends[score - 1]) + 1

    def _here(self, places: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many rows have each of these scores, and how many of them are positive."""
        rows, positives = self._upto(places)
        if isinstance(places, slice):
            first = self._row(places.start)
            before = int(self.ranks(np.array([first]))[0])
            return np.diff(rows, prepend=first), np.diff(positives, prepend=before)
        # an unsigned place before the first one would be the last one
        rows_before, positives_before = self._upto(np.maximum(places - 1, 0))
        is_first = places == 0
        return (
            rows - np.where(is_first, 0, rows_before),
            positives - np.where(is_first, 0, positives_before),
        )

    def _tp(self, places: Any) -> NDArray[Any]:
        return self._upto(places)[1]

    def _fp(self, places: Any) -> NDArray[Any]:
        rows, positives = self._upto(places)
        return rows - positives

    def _positives(self, places: Any) -> NDArray[Any]:
        if self.ends is None:
            return (self.keys[places] & ONE).astype(np.int32)
        return self._here(places)[1].astype(np.int32)

    def _negatives(self, places: Any) -> NDArray[Any]:
        if self.ends is None:
            return 1 - self._positives(places)
        rows, positives = self._here(places)
        return (rows - positives).astype(np.int32)

    def _score(self, places: Any) -> NDArray[Any]:
        own = self.keys[places if self.ends is None else self.ends[places]]
        return unpack(own >> ONE, *self.packing)

    def cells(self, span: slice) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """As ``ScoreCounts.cells``, from one look at the keys."""
        if self.ends is not None:
            return super().cells(span)
        keys = self.keys[span]
        positives = (keys & ONE).astype(np.int32)
        return unpack(keys >> ONE, *self.packing), positives, 1 - positives

    def standing(self, score: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
        """As ``ScoreCounts.standing``, found among the keys."""
        wanted = np.empty(len(score), np.uint64)
        self.packing.fill(np.ascontiguousarray(score), np.zeros(len(score), np.uint8), wanted)
        before = np.searchsorted(self.keys, wanted)
        upto = (
            before + 1 if self.ends is None else np.searchsorted(self.keys, wanted | ONE, "right")
        )
        tp, fp = (self.ranks(upto), upto - self.ranks(upto))
        positives = tp - self.ranks(before)
        return tp - positives / 2, fp - (upto - before - positives) / 2

    def row_columns(self) -> tuple[DecodedColumn, DecodedColumn]:
        """The score of each row, and 1 for a positive one, in falling order of score."""
        keys, packing = self.keys, self.packing
        return (
            DecodedColumn(self.rows, np.float64, lambda rows: unpack(keys[rows] >> ONE, *packing)),
            DecodedColumn(self.rows, np.int8, lambda rows: (keys[rows] & ONE).astype(np.int8)),
        )


def counted_parts(
    keys: NDArray[np.uint64] | FileColumn, starts: NDArray[np.int64], packing: Packing
) -> ScoreParts:
    """The counts of many parts, none of them empty, of which each has sorted keys.

    Examples
    --------
    >>> from heldout.tally.packing import pack
    >>> keys, *packing = pack(np.array([0.5, 0.9, 0.5]), np.array([True, True, False]))
    >>> parts = counted_parts(keys[[1, 0, 2]], np.array([0, 1, 3]), Packing(*packing))
    >>> parts.score, parts.positives, parts.starts
    (array([0.5, 0.9, 0.5]), array([0, 1, 1]), array([0, 1, 3]))
    """
    whole = np.asarray(keys)
    last = np.concatenate([(whole[1:] ^ whole[:-1]) > ONE, [True]])
    last[starts[1:] - 1] = True
    ends = np.flatnonzero(last)
    positives = np.diff(np.cumsum(whole & ONE, dtype=np.int64)[ends], prepend=0)
    return ScoreParts(
        unpack(whole[ends] >> ONE, *packing),
        positives,
        np.diff(ends, prepend=-1) - positives,
        np.searchsorted(ends, starts),
        np.diff(starts),
    )


def _ends(keys: NDArray[np.uint64] | FileColumn, block: slice) -> NDArray[np.int64]:
    """The rows of a block that are the last of their score."""
    upto = keys[block.start : block.stop + 1]
    ends = np.flatnonzero((upto[1:] ^ upto[:-1]) > ONE) + block.start
    return ends if block.stop < len(keys) else np.append(ends, len(keys) - 1)


def _all_ends(keys: NDArray[np.uint64] | FileColumn, distinct: int) -> NDArray[Any] | FileColumn:
    """The last row of each distinct score; they lie where the keys do."""
    dtype = np.uint32 if len(keys) < 2**32 else np.int64
    if isinstance(keys, FileColumn):
        file = NumberFile(dtype, need=distinct * np.dtype(dtype).itemsize)
        for block in blocks(len(keys)):
            file.append(_ends(keys, block))
        return file.column()
    ends, start = np.empty(distinct, dtype), 0
    for block in blocks(len(keys)):
        own = _ends(keys, block)
        ends[start : start + len(own)] = own
        start += len(own)
    return ends


def rows_of(counts: ScoreCounts) -> tuple[DecodedColumn, DecodedColumn]:
    """The score of each row that was counted, and 1 for a positive one, in falling order of score.

    Examples
    --------
    >>> counts = ScoreCounts(np.array([0.9, 0.5]), np.array([1, 1]), np.array([0, 2]), 4)
    >>> score, positive = rows_of(counts)
    >>> score[1:], positive[1:]
    (array([0.5, 0.5, 0.5]), array([0, 0, 1], dtype=int8))
    """
    if isinstance(counts, PackedScores):
        return counts.row_columns()
    # two cells for each score: its negative rows, then its positive ones
    ends = np.cumsum(np.column_stack([counts.negatives, counts.positives]), dtype=np.int64)

    def cells(rows: Any) -> NDArray[np.int64]:
        places = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        return np.searchsorted(ends, places, side="right")

    return (
        DecodedColumn(counts.rows, np.float64, lambda rows: counts.score[cells(rows) // 2]),
        DecodedColumn(counts.rows, np.int8, lambda rows: (cells(rows) % 2).astype(np.int8)),
    )
