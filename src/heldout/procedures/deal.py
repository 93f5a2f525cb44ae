"""Rows, or whole groups, dealt into parts so that every class is as even as can be.

Groups go from large ones to small ones, each to the part that lacks it most; then they move
and change places as long as that helps. All is done in integers, since the rounding of floats
differs between machines and would decide ties.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.core.arrays import Integers
    from heldout.core.portable import Bits


def dealt_folds(n: int, strata: Integers | None, folds: int, bits: Bits) -> NDArray[np.int32]:
    """The fold of each row: strata differ by at most one row between folds, and so do sizes.

    The rows of each stratum are shuffled, and the strata are dealt one after another, each
    going on at the fold where the last one stopped.
    """
    order, _ = shuffled_by_stratum(n, strata, bits)
    places = bits.permutation(folds).astype(np.int32)
    assignment = np.empty(n, np.int32)
    assignment[order] = places[np.arange(n) % folds]
    return assignment


def shuffled_by_stratum(n: int, strata: Integers | None, bits: Bits) -> tuple[Integers, Integers]:
    """The rows, stratum by stratum (these in random order), shuffled within; and the sizes."""
    order = bits.permutation(n)
    if strata is None:
        return order, np.array([n])
    counts = np.bincount(strata)
    rank = bits.permutation(len(counts))
    # Strata are few: in 16 bits the stable sort is a radix sort.
    key = rank[strata[order]].astype(np.uint16 if len(counts) < 2**16 else np.int64)
    sizes = np.empty(len(counts), np.int64)
    sizes[rank] = counts
    return order[np.argsort(key, kind="stable")], sizes


#: groups that are placed with care; beyond, the others are dealt before by size and classes
MOST_LARGE, MOST_SMALL = 2000, 1000
#: groups of a part that are tried for changing places
MOST_TRIED = 200
#: rounds of moving and changing places
ROUNDS = 30
#: a part that has room for fewer groups holds nearly always the same ones, if they are the best
FEW = 3


def parts_of_groups(
    counts: Integers, shares: tuple[int, ...], bits: Bits, *, leaves_chance: bool = False
) -> NDArray[np.int32]:
    """The part of each group.

    ``counts`` has the rows of each class (columns) in each group (rows); ``shares`` says how
    large the parts are to be, such as ``(7, 3)``. Where a part has room for few groups, one
    choice of them is the best, whatever the seed; with ``leaves_chance`` the search ends when
    every part is within a mean group of its share, of each class and of all rows.
    """
    assignment = _Assignment(counts, shares, bits)
    has_room_for_few = len(counts) * min(shares) < FEW * assignment.whole
    assignment.is_easily_content = leaves_chance and has_room_for_few
    return assignment.balanced()


class _Assignment:
    """Groups in parts, and how far each part is from its share.

    ``lack`` is shares' sum times the rows in a part, less its share of all rows, of each
    class and of all classes together. The sum of its squares, each by its weight, falls.
    """

    def __init__(self, counts: Integers, shares: tuple[int, ...], bits: Bits) -> None:
        sizes = counts.sum(axis=1, keepdims=True)
        self.rows = np.hstack([counts, sizes]) if counts.shape[1] > 1 else sizes
        self.sizes = sizes[:, 0]
        self.shares = np.array(shares, np.int64)
        self.whole = int(self.shares.sum())
        self.bits = bits
        total = self.rows.sum(axis=0)
        n = int(self.sizes.sum())
        scale = min(64 * n * n, 2**60 // (self.whole * len(total)))
        # a class counts by the share of its own rows that is in the wrong part
        self.weighed = self.rows * np.maximum(scale // np.maximum(total, 1) ** 2, 1)
        self.cost = self.whole * (self.weighed * self.rows).sum(axis=1)
        self.lack = -self.shares[:, None] * total
        self.part = np.full(len(counts), -1, np.int32)
        self.held = np.zeros(len(shares), np.int64)
        self.is_easily_content = False
        # a mean group of those that have rows of a class
        self.close = self.whole * total // np.maximum((self.rows > 0).sum(axis=0), 1)

    def _is_content(self) -> bool:
        return self.is_easily_content and bool((np.abs(self.lack) <= self.close).all())

    def balanced(self) -> NDArray[np.int32]:
        """The parts, with the groups that are placed with care placed last."""
        careful = self._careful()
        self._deal(careful)
        self._fill(careful)
        for _ in range(ROUNDS):
            if not (self._moves(careful) | self._changes(careful)):
                break
        return self.part

    def _careful(self) -> Integers:
        """Groups to place with care: the large ones first, of about equal size in random order."""
        order = self.bits.permutation(len(self.sizes))
        if self.is_easily_content and len(order) <= MOST_LARGE:
            return order  # else a small part has always the groups of one size
        # by the power of two below the weight, which is compared squared
        magnitude = np.searchsorted(4 ** np.arange(31, dtype=np.int64), self.cost, side="right")
        order = order[np.argsort(-magnitude[order], kind="stable")]
        if len(order) <= MOST_LARGE + MOST_SMALL:
            return order
        return np.concatenate([order[:MOST_LARGE], order[-MOST_SMALL:]])

    def _deal(self, careful: Integers) -> None:
        """The many other groups, dealt by their rows of each class, like beside like."""
        is_dealt = np.ones(len(self.part), bool)
        is_dealt[careful] = False
        dealt = np.flatnonzero(is_dealt)
        if not len(dealt):
            return
        dealt = dealt[self.bits.permutation(len(dealt))]
        dealt = dealt[np.lexsort(self.rows[dealt].T)]
        turns = np.repeat(np.arange(len(self.shares), dtype=np.int32), self.shares)
        # a random order of the parts, spread evenly where shares are large
        turns = turns[self.bits.permutation(len(turns))]
        self.part[dealt] = turns[np.arange(len(dealt)) % len(turns)]
        for part in range(len(self.shares)):
            members = dealt[self.part[dealt] == part]
            self.lack[part] += self.whole * self.rows[members].sum(axis=0)
            self.held[part] += len(members)

    def _fill(self, careful: Integers) -> None:
        """Each group to the part that lacks its rows most, for its share: an empty one if any."""
        ties = self.bits.words(len(self.shares)) >> np.uint64(8)
        preferred = np.argsort(ties // self.shares.astype(np.uint64), kind="stable")
        for group in careful:
            lacks = (self.lack @ self.weighed[group]) // self.shares
            self._put(int(group), int(preferred[np.argmin(lacks[preferred])]))

    def _put(self, group: int, part: int) -> None:
        before = int(self.part[group])
        step = self.whole * self.rows[group]
        if before >= 0:
            self.lack[before] -= step
            self.held[before] -= 1
        self.lack[part] += step
        self.held[part] += 1
        self.part[group] = part

    def _moves(self, careful: Integers) -> bool:
        """Moves of single groups, the best first, until none helps."""
        has_moved = False
        for _ in range(len(careful)):
            if self._is_content():
                break
            pull = self.weighed[careful] @ self.lack.T
            own = self.part[careful]
            here = pull[np.arange(len(careful)), own]
            gain = pull - here[:, None] + self.cost[careful, None]
            gain[self.held[own] <= 1] = 0  # a part keeps its last group
            best = int(np.argmin(gain))
            if gain.flat[best] >= 0:
                break
            index, part = divmod(best, len(self.shares))
            self._put(int(careful[index]), part)
            has_moved = True
        return has_moved

    def _changes(self, careful: Integers) -> bool:
        """For each two parts, the two groups whose change of places helps most."""
        has_changed = False
        shuffled = careful[self.bits.permutation(len(careful))]
        for part in range(len(self.shares)):
            for other in range(part):
                if self._change(shuffled, part, other):
                    has_changed = True
        return has_changed

    def _change(self, shuffled: Integers, part: int, other: int) -> bool:
        if self._is_content():
            return False
        parts = self.part[shuffled]
        first = shuffled[parts == part][:MOST_TRIED]
        second = shuffled[parts == other][:MOST_TRIED]
        if not len(first) or not len(second):
            return False
        slope = self.lack[other] - self.lack[part]
        gain = (self.cost[first] + self.weighed[first] @ slope)[:, None]
        gain = gain + (self.cost[second] - self.weighed[second] @ slope)
        gain = gain - 2 * self.whole * (self.weighed[first] @ self.rows[second].T)
        best = int(np.argmin(gain))
        if gain.flat[best] >= 0:
            return False
        index, against = divmod(best, len(second))
        self._put(int(first[index]), other)
        self._put(int(second[against]), part)
        return True
