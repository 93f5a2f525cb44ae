"""Groups resampled whole, where rows of one group (a patient, a user) depend on each other."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.codes import dense_codes
from heldout.core.errors import InputError
from heldout.core.threads import blocks
from heldout.uncertainty.influence import FEW_GROUPS, GroupSizes, Influence
from heldout.uncertainty.resampling import BLOCK_CELLS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.tally.confusion import Confusion

__all__ = ["FEW_GROUPS", "GroupSums"]

#: so few sums of groups are sorted column by column
FEW_SUMS = 16


@dataclass(frozen=True, eq=False)
class GroupSums:
    """A few sums of each group, with equal groups put together.

    The sums may be cells of a confusion table (``of_cells``) or a loss and its weight
    (``of_values``): whatever adds over rows. Resampling cannot tell equal groups apart, so
    they are drawn together: a million small groups are often a few hundred kinds.

    Parameters
    ----------
    table
        A row for each kind of group, a column for each sum.
    groups
        How many groups are of that kind.
    """

    table: NDArray[Any]
    groups: NDArray[Any]

    @classmethod
    def of_values(cls, codes: NDArray[Any], *values: NDArray[Any]) -> GroupSums:
        """The sums of values over each group; ``codes`` says which group a row belongs to.

        Examples
        --------
        >>> codes = np.array([0, 0, 1, 2])
        >>> sums = GroupSums.of_values(codes, np.array([1.0, 2.0, 3.0, 3.0]))
        >>> sums.table.tolist(), sums.groups.tolist()
        ([[3.0]], [3])
        """
        present, codes = dense_codes(codes)
        sums = [np.bincount(codes, value, minlength=present) for value in values]
        return cls(*_kinds(np.column_stack(sums)))

    @classmethod
    def of_cells(
        cls,
        codes: NDArray[Any],
        truth: NDArray[Any],
        predicted: NDArray[Any],
        confusion: Confusion,
        weight: NDArray[Any] | None = None,
    ) -> GroupSums:
        """The sums of each group in the cells of ``confusion``, the tally of the same rows.

        Examples
        --------
        >>> from heldout.tally.confusion import Confusion
        >>> truth, predicted = np.array([0, 1, 0, 1]), np.array([0, 1, 0, 0])
        >>> whole = Confusion.of(truth, predicted, classes=2)
        >>> GroupSums.of_cells(np.array([7, 7, 8, 8]), truth, predicted, whole).table.tolist()
        [[1, 0, 1], [1, 1, 0]]
        """
        present, codes = dense_codes(codes)
        width = len(confusion.cells)
        flat = truth.astype(np.int64) * confusion.classes + predicted
        place = codes.astype(np.int64) * width + _places(confusion, flat)
        sums = np.bincount(place, weight, minlength=present * width)
        return cls(*_kinds(sums.reshape(-1, width)))

    @classmethod
    def of_table(cls, table: NDArray[Any], groups: NDArray[Any]) -> GroupSums:
        """The sums of kinds of groups, of which some may be equal."""
        return cls(*_kinds(table, groups))

    @property
    def total_groups(self) -> int:
        """How many groups there are."""
        return int(self.groups.sum())

    @property
    def ratio(self) -> Influence:
        """The first sum over the second: hits over rows, losses times weights over weights."""
        return Influence.of_ratio(self.table[:, 0], self.table[:, 1], self.groups)

    @property
    def rows(self) -> float:
        """The total of the second sum, where it counts rows; infinite of weights not whole."""
        counts = self.table[:, 1]
        return float(self.groups @ counts) if (counts == np.floor(counts)).all() else inf

    @property
    def sizes(self) -> GroupSizes:
        """How large the groups are, by all their sums: those of cells add up to rows."""
        return GroupSizes.of(self.table.sum(axis=1), self.groups)

    def draw(self, *, replicates: int, rng: Generator) -> NDArray[Any]:
        """The sums over groups drawn with replacement: a row for each replicate.

        Examples
        --------
        >>> from heldout.core.random import generator
        >>> sums = GroupSums(np.array([[1, 0], [0, 1]]), np.array([5, 5]))
        >>> sums.draw(replicates=3, rng=generator(1)).sum(axis=1).tolist()
        [10, 10, 10]
        """
        if not len(self.groups):
            raise InputError("there are no groups to draw from")
        share = self.groups / self.total_groups
        drawn = np.empty((replicates, self.table.shape[1]), self.table.dtype)
        for block in _blocks(replicates, len(share)):
            counts = rng.multinomial(self.total_groups, share, size=block.stop - block.start)
            # whole numbers below 2^53 stay exact in floating point, which multiplies faster
            sums = counts.astype(float) @ self.table.astype(float)
            drawn[block] = sums if self.table.dtype.kind == "f" else np.rint(sums)
        return drawn

    def leave_one_out(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The sums without one group of each kind, and how many groups are of that kind."""
        return self.groups @ self.table - self.table, self.groups

    def bayesian(self, *, replicates: int, rng: Generator) -> NDArray[Any]:
        """The sums over groups with random weights: a Bayesian bootstrap of groups.

        Each group's weight is exponential; those of equal groups add up to a gamma
        distribution. On average the weights are 1.
        """
        drawn = np.empty((replicates, self.table.shape[1]))
        for block in _blocks(replicates, len(self.groups)):
            size = (block.stop - block.start, len(self.groups))
            drawn[block] = rng.standard_gamma(self.groups, size) @ self.table.astype(float)
        return drawn


def _kinds(
    table: NDArray[Any], groups: NDArray[Any] | None = None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The different rows of a table in ascending order, and how many groups are of each."""
    groups = np.ones(len(table), np.int64) if groups is None else groups
    if not 0 < table.shape[1] <= FEW_SUMS or not len(table):
        kinds, which = np.unique(table, axis=0, return_inverse=True)
        return kinds, np.bincount(which, groups).astype(np.int64)
    # a sort by each column is quicker than one that compares whole rows
    order = np.lexsort(table.T[::-1])
    table = table[order]
    starts = np.flatnonzero(np.append(True, (table[1:] != table[:-1]).any(axis=1)))
    return table[starts], np.add.reduceat(groups[order], starts)


def _places(confusion: Confusion, flat: NDArray[Any]) -> NDArray[Any]:
    """Where each cell stands among those kept: looked up where a table of all cells is small."""
    if confusion.classes**2 > len(flat):
        return np.searchsorted(confusion.cells, flat)
    place = np.zeros(confusion.classes**2, np.int64)
    place[confusion.cells] = np.arange(len(confusion.cells))
    return place[flat]


def _blocks(replicates: int, kinds: int) -> Iterator[slice]:
    """Replicates in blocks whose draws fit in memory."""
    return blocks(replicates, max(1, BLOCK_CELLS // max(kinds, 1)))
