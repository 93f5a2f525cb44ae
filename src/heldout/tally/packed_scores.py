"""Score counts as the sorted keys they were counted by, taken apart when first needed."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.threads import BLOCK, each_block
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
