"""Counts of truth and two models' labels together: all that label measures need of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.values import table_of
from heldout.core.threads import blocks
from heldout.tally.confusion import Confusion
from heldout.uncertainty.sample import BLOCK_CELLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.measures.spec import Request

#: up to so many cells counting them all is quicker than sorting the rows
SMALL = 1 << 20
#: up to so many cells (four classes) those in which no row is are held, too
FEW = 64


@dataclass(frozen=True, eq=False)
class JointCells:
    """Rows counted by truth, first and second label.

    Exchanging the models' labels in random rows is a binomial draw in each cell where they
    differ, which costs no more for more rows.
    """

    truth: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    counts: NDArray[np.int64]
    classes: int
    positive: int | None = None

    @classmethod
    def of(
        cls,
        truth: NDArray[Any],
        first: NDArray[Any],
        second: NDArray[Any],
        *,
        classes: int,
        positive: int | None = None,
    ) -> JointCells:
        """The counts of rows given as class codes; every cell has its mirror image.

        Of few classes all cells are there, of many those that hold rows, and their images.

        Examples
        --------
        >>> cells = JointCells.of(
        ...     np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([0, 0, 1]), classes=2
        ... )
        >>> cells.counts.tolist()
        [1, 0, 1, 0, 0, 0, 0, 1]
        """
        size = np.int64(classes)
        codes = (truth.astype(np.int64) * size + first) * size + second
        if classes**3 <= SMALL:
            every_count = np.bincount(codes, minlength=classes**3)
            present = np.flatnonzero(every_count)
            counts = every_count[present]
        else:
            present, counts = np.unique(codes, return_counts=True)
        t, a, b = present // size**2, present // size % size, present % size
        mirrored = (t * size + b) * size + a
        every = np.arange(classes**3) if classes**3 <= FEW else np.union1d(present, mirrored)
        full = np.zeros(len(every), np.int64)
        full[np.searchsorted(every, present)] = counts
        return cls(every // size**2, every // size % size, every % size, full, int(size), positive)

    @property
    def rows(self) -> int:
        """How many rows were counted."""
        return int(self.counts.sum())

    @property
    def mirror(self) -> NDArray[np.int64]:
        """Where the cell with the two labels exchanged is."""
        size = self.classes
        codes = (self.truth * size + self.first) * size + self.second
        return np.searchsorted(codes, (self.truth * size + self.second) * size + self.first)

    def confusions(self, counts: NDArray[Any]) -> tuple[Confusion, Confusion]:
        """The confusion counts of both models; ``counts`` may have leading axes."""
        return self._confusion(self.first, counts), self._confusion(self.second, counts)

    def _confusion(self, label: NDArray[np.int64], counts: NDArray[Any]) -> Confusion:
        codes = self.truth * self.classes + label
        order = np.argsort(codes, kind="stable")
        cells, starts = np.unique(codes[order], return_index=True)
        summed = np.add.reduceat(counts[..., order], starts, axis=-1)
        return Confusion(self.classes, cells, summed, self.positive, self.rows)

    @property
    def shape(self) -> NDArray[np.float64]:
        """The counts with one pseudo-row spread over the cells (Perks' prior): a cell where
        nothing was seen is not taken to be impossible.
        """
        return np.asarray(self.counts + 1 / len(self.counts), np.float64)

    def weighed(self, replicates: int, rng: Generator) -> Iterator[NDArray[np.float64]]:
        """Draws of the long-run shares of the cells, times the rows: a Dirichlet distribution."""
        shape = self.shape
        for block in self._blocks(replicates):
            drawn = rng.standard_gamma(shape, (block, len(shape)))
            yield drawn * (self.rows / drawn.sum(axis=1, keepdims=True))

    def exchanged(self, replicates: int, rng: Generator) -> Iterator[NDArray[np.int64]]:
        """Counts with the two labels exchanged in each row with probability one half."""
        differ = self.first != self.second
        mirror = self.mirror
        for block in self._blocks(replicates):
            moved = np.zeros((block, len(self.counts)), np.int64)
            moved[:, differ] = rng.binomial(self.counts[differ], 0.5, size=(block, differ.sum()))
            yield self.counts - moved + moved[:, mirror]

    def differences(
        self,
        statistics: tuple[Callable[[Confusion], Any], Callable[[Confusion], Any]],
        drawn: Iterator[NDArray[Any]],
    ) -> NDArray[np.float64]:
        """First minus second value of a measure in each replicate."""
        gaps = []
        for counts in drawn:
            with np.errstate(all="ignore"):
                each = zip(statistics, self.confusions(counts), strict=True)
                first, second = (np.asarray(value(table), float) for value, table in each)
            gaps.append(first - second)
        return np.concatenate(gaps)

    def _blocks(self, replicates: int) -> Iterator[int]:
        size = max(1, BLOCK_CELLS // max(len(self.counts), 1))
        for block in blocks(replicates, size):
            yield block.stop - block.start


def paired_shares(request: Request, cells: JointCells) -> tuple[int, int, int, int] | None:
    """Rows on which both models, only the first, only the second, neither succeed.

    None where the measure is no share, or is one of other rows for each model (precision).
    """
    share = request.measure.share
    if share is None or request.average or request.label is not None:
        return None
    own, others = cells.confusions(np.eye(len(cells.counts), dtype=np.int64))
    (first, counted), (second, other) = (
        np.broadcast_arrays(
            *(np.asarray(part, float) > 0 for part in share.of(table_of(request, c)))
        )
        for c in (own, others)
    )
    if not np.array_equal(counted, other):
        return None
    n = cells.counts
    return (
        int(n[counted & first & second].sum()),
        int(n[counted & first & ~second].sum()),
        int(n[counted & ~first & second].sum()),
        int(n[counted & ~first & ~second].sum()),
    )
