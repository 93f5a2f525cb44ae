"""The test parts of splits whose training part is all the rest, a block of splits at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from heldout.procedures.splits import PartitionSplits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from heldout.procedures.splits import Splits

__all__ = ["TestParts", "refusal"]

#: rows of one block of splits, at most (one split may be larger)
ROWS = 65_536
#: floats that a block of rows left out one by one may need
FLOATS = 4_000_000


def refusal(splits: Splits) -> str | None:
    """Why the splits are not of the kind whose training part is all but the test part."""
    if isinstance(splits, PartitionSplits):
        return None
    whole = np.ones(splits.rows, dtype=np.int64)
    for split in splits:
        if split.validation is not None:
            return "a part of the rows is kept for choosing settings"
        if len(split.train) + len(split.test) != splits.rows:
            return "the training parts are not all rows but the test part"
        used = np.bincount(split.train, minlength=splits.rows)
        used += np.bincount(split.test, minlength=splits.rows)
        if not np.array_equal(used, whole):
            return "the training parts are not all rows but the test part"
    return None


@dataclass(frozen=True, eq=False)
class TestParts:
    """Rows of the test parts, in the order of the splits."""

    # pytest would take the name for a test case
    __test__ = False

    splits: Splits

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Rows of each split's test part."""
        splits = self.splits
        if isinstance(splits, PartitionSplits):
            counts = [np.bincount(one, minlength=splits.folds) for one in splits.assignment]
            return np.concatenate(counts)
        return np.array([len(split.test) for split in splits], dtype=np.int64)

    @cached_property
    def _order(self) -> Callable[[int], NDArray[np.int64]]:
        assignment = getattr(self.splits, "assignment", None)

        @lru_cache(maxsize=2)
        def order(repeat: int) -> NDArray[np.int64]:
            assert assignment is not None
            return np.argsort(assignment[repeat], kind="stable")

        return order

    def rows(self, start: int, stop: int) -> NDArray[np.int64]:
        """Rows tested in the splits from ``start`` up to ``stop``, below each other."""
        splits = self.splits
        if not isinstance(splits, PartitionSplits):
            tests = [splits.split(position).test for position in range(start, stop)]
            return np.concatenate(tests) if tests else np.zeros(0, dtype=np.int64)
        pieces = []
        for repeat in range(start // splits.folds, -(-stop // splits.folds)):
            first = repeat * splits.folds
            edges = np.concatenate([[0], np.cumsum(self.sizes[first : first + splits.folds])])
            low = edges[max(start - first, 0)]
            high = edges[min(stop - first, splits.folds)]
            pieces.append(self._order(repeat)[low:high])
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)

    def blocks(self, start: int, stop: int, width: int) -> Iterator[tuple[int, int]]:
        """Spans of splits that need little memory at a time."""
        limit = max(1, min(ROWS, FLOATS // max(width, 1)))
        ends = np.cumsum(self.sizes[start:stop])
        done, position = 0, start
        while position < stop:
            after = start + int(np.searchsorted(ends, done + limit, side="right"))
            after = max(after, position + 1)
            yield position, after
            done, position = int(ends[after - start - 1]), after
