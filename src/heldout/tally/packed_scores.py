"""Score counts as the sorted keys they were counted by, taken apart when first needed."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.threads import BLOCK, blocks, each_block, in_threads
from heldout.tally.decoded import DecodedColumn
from heldout.tally.packing import ONE, unpack
from heldout.tally.scores import ScoreCounts

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
        made: DistinctScores = cls.__new__(cls)
        made.__dict__.update(
            rows=len(keys),
            _packed=(keys, scale, signed),
            places=places,
            total_positives=positives,
            total_negatives=len(keys) - positives,
        )
        return made

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
        made: NDArray[Any] = self.__dict__[name]
        return made

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
    >>> made = counted(*pack(np.array([0.5, 0.9, 0.5]), np.array([True, True, False])))
    >>> made.score, made.positives, made.negatives
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

    found = each_block(looked_at, rows)
    if all(distinct for distinct, _, _ in found):
        positives, places = sum(p for _, p, _ in found), sum(p for _, _, p in found)
        return DistinctScores.of_keys(keys, scale, signed, positives, places)
    seen = np.cumsum(keys & ONE, dtype=np.int64)
    keys >>= ONE
    last = np.empty(rows, bool)  # the last row of each run of equal scores
    np.not_equal(keys[1:], keys[:-1], out=last[:-1])
    last[-1] = True
    ends = np.flatnonzero(last)
    positive = np.diff(seen[ends], prepend=0)
    everything = np.diff(ends, prepend=-1)
    return ScoreCounts(unpack(keys[ends], scale, signed), positive, everything - positive, rows)


#: rows between two places at which the positives so far are known
STEP = 1024
#: counts of fewer distinct scores than this share of the rows take less memory than keys
FEW_SCORES = 1 / 4


class PackedScores(ScoreCounts):
    """Score counts that stay packed: 8 bytes for each row (12 where some scores are equal).

    Scores, counts and running counts are columns that are decoded where they are read. Made by
    ``of_keys``; copies with other counts are plain ``ScoreCounts``.
    """

    def __new__(cls, *counts: Any, **named: Any) -> Any:
        """An empty frame for ``of_keys``; with counts a plain value."""
        return ScoreCounts(*counts, **named) if counts or named else super().__new__(cls)

    @classmethod
    def of_keys(cls, keys: NDArray[np.uint64], scale: float, signed: bool) -> ScoreCounts:
        """From sorted keys (truth in the lowest bit); plain counts where few scores are distinct.

        Examples
        --------
        >>> from heldout.tally.packing import pack
        >>> packed = pack(np.array([0.5, 0.9, 0.5]), np.array([True, True, False]))
        >>> counts = PackedScores.of_keys(*packed)
        >>> counts.score[:], counts.positives[:], counts.fp[:]
        (array([0.9, 0.5]), array([1, 1], dtype=int32), array([0, 1]))
        """
        rows = len(keys)
        # not each_block, whose threads start anywhere: steps are counted from the first row
        seen = in_threads(lambda block: _last_of_runs(keys, block), blocks(rows))
        before = np.concatenate([[0], *(sums for _, sums in seen)]).cumsum()
        distinct = sum(count for count, _ in seen)
        ends = None if distinct == rows else _ends(keys, distinct)
        packed: PackedScores = cls.__new__(cls)
        positives = int(before[-1])
        packed.__dict__.update(
            rows=rows,
            total_positives=positives,
            total_negatives=rows - positives,
            _keys=keys,
            _packing=(scale, signed),
            _before=before,
            _ends=ends,
            score=DecodedColumn(distinct, np.float64, packed._score),
            positives=DecodedColumn(distinct, np.int32, packed._positives),
            negatives=DecodedColumn(distinct, np.int32, packed._negatives),
            tp=DecodedColumn(distinct, np.int64, packed._tp),
            fp=DecodedColumn(distinct, np.int64, packed._fp),
        )
        if distinct >= FEW_SCORES * rows:
            return packed
        return ScoreCounts(*(np.asarray(getattr(packed, name)) for name in COUNTED), rows)

    def _row(self, place: int) -> int:
        """How many rows come before a distinct score."""
        ends: NDArray[Any] | None = self.__dict__["_ends"]
        return place if ends is None or not place else int(ends[place - 1]) + 1

    def _upto(self, start: int, stop: int) -> tuple[int, NDArray[np.int64]]:
        """Positives among the rows before one, and up to and with each of those that follow."""
        keys, before = self.__dict__["_keys"], self.__dict__["_before"]
        known = start // STEP
        missing = int(np.count_nonzero(keys[known * STEP : start] & ONE))
        first = int(before[known]) + missing
        return first, first + np.cumsum(keys[start:stop] & ONE, dtype=np.int64)

    def _running(self, start: int, stop: int) -> tuple[int, int, NDArray[Any], NDArray[Any]]:
        """Rows and positives before a stretch of scores, and up to and with each score of it."""
        ends: NDArray[Any] | None = self.__dict__["_ends"]
        first = self._row(start)
        positives, running = self._upto(first, self._row(stop))
        if ends is None:
            return first, positives, np.arange(start + 1, stop + 1), running
        here = ends[start:stop].astype(np.int64)
        return first, positives, here + 1, running[here - first]

    def _tp(self, start: int, stop: int) -> NDArray[Any]:
        return self._running(start, stop)[3]

    def _fp(self, start: int, stop: int) -> NDArray[Any]:
        *_, rows, positives = self._running(start, stop)
        return rows - positives

    def _positives(self, start: int, stop: int) -> NDArray[Any]:
        if self.__dict__["_ends"] is None:
            return (self.__dict__["_keys"][start:stop] & ONE).astype(np.int32)
        _, before, _, running = self._running(start, stop)
        return np.diff(running, prepend=before).astype(np.int32)

    def _negatives(self, start: int, stop: int) -> NDArray[Any]:
        if self.__dict__["_ends"] is None:
            return 1 - self._positives(start, stop)
        first, before, rows, running = self._running(start, stop)
        return np.diff(rows - running, prepend=first - before).astype(np.int32)

    def _score(self, start: int, stop: int) -> NDArray[Any]:
        ends, keys = self.__dict__["_ends"], self.__dict__["_keys"]
        own = keys[start:stop] if ends is None else keys[ends[start:stop]]
        return unpack(own >> ONE, *self.__dict__["_packing"])

    def row_columns(self) -> tuple[DecodedColumn, DecodedColumn]:
        """The score of each row, and 1 for a positive one, in falling order of score."""
        keys, packing = self.__dict__["_keys"], self.__dict__["_packing"]
        score = DecodedColumn(
            self.rows, np.float64, lambda start, stop: unpack(keys[start:stop] >> ONE, *packing)
        )
        positive = DecodedColumn(
            self.rows, np.int8, lambda start, stop: (keys[start:stop] & ONE).astype(np.int8)
        )
        return score, positive


COUNTED = ("score", "positives", "negatives")


def _last_of_runs(keys: NDArray[np.uint64], block: slice) -> tuple[int, NDArray[np.int64]]:
    """How many scores end in a block, and the positives of each step of it."""
    upto = keys[block.start : block.stop + 1]
    ends = int(np.count_nonzero((upto[1:] ^ upto[:-1]) > ONE)) + (block.stop == len(keys))
    truth = (keys[block] & ONE).view(np.int64)
    return ends, np.add.reduceat(truth, np.arange(0, len(truth), STEP))


def _ends(keys: NDArray[np.uint64], distinct: int) -> NDArray[Any]:
    """The last row of each distinct score."""
    ends = np.empty(distinct, np.uint32 if len(keys) < 2**32 else np.int64)
    count = 0
    for block in blocks(len(keys)):
        upto = keys[block.start : block.stop + 1]
        own = np.flatnonzero((upto[1:] ^ upto[:-1]) > ONE) + block.start
        ends[count : count + len(own)] = own
        count += len(own)
    ends[-1:] = len(keys) - 1
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
    sizes = np.column_stack([counts.negatives, counts.positives]).ravel().astype(np.int64)
    ends = np.cumsum(sizes)

    def cells(start: int, stop: int) -> NDArray[np.int64]:
        low, high = np.searchsorted(ends, [start, stop - 1], side="right") if stop > start else (0,) * 2
        inside = np.minimum(ends[low : high + 1], stop) - np.maximum(
            ends[low : high + 1] - sizes[low : high + 1], start
        )
        return np.repeat(np.arange(low, high + 1), inside.clip(0))

    score = DecodedColumn(
        counts.rows, np.float64, lambda start, stop: counts.score[cells(start, stop) // 2]
    )
    positive = DecodedColumn(
        counts.rows, np.int8, lambda start, stop: (cells(start, stop) % 2).astype(np.int8)
    )
    return score, positive
