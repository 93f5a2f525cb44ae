"""What is drawn: a multiset of independent units, drawn anew, weighted at random, or left out.

A unit is a row or a whole group. Resampling cannot tell equal units apart, so they are drawn
together: a ``Sample`` says how many units are of each kind, and what each kind adds to sums that
are taken over all of them. A ``RowSampler`` draws rows that are all different.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from heldout.core.codes import dense_codes
from heldout.core.errors import InputError
from heldout.core.random import generator
from heldout.core.threads import blocks, in_threads
from heldout.uncertainty.influence import Influence
from heldout.uncertainty.worth import GroupSizes

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.predictions.table import Predictions
    from heldout.tables.column import Column
    from heldout.tally.confusion import Confusion

#: draws of one block of replicates times cells: about 30 MB
BLOCK_CELLS = 4_000_000
#: replicates that share a stream of random numbers; fixed, so that threads change nothing
REPLICATE_BLOCK = 25
#: below this many elements a replicate, threads wait for each other more than they work
WORTH_A_THREAD = 5_000
#: so few sums of groups are sorted column by column
FEW_SUMS = 16


@dataclass(frozen=True, eq=False)
class Sample:
    """Units, with equal ones put together, and a few sums of each kind.

    The sums may be cells of a confusion matrix (``of_cells``) or a loss and its weight
    (``of_values``): whatever adds over rows. A million small groups are often a few hundred
    kinds.

    Parameters
    ----------
    table
        A row for each kind of unit, a column for each sum; None: a kind adds 1 to a sum of its
        own, as a row does to its cell.
    count
        How many units are of that kind.
    strata
        The places of kinds that are drawn together, whose number of units stays as it is.
    """

    table: NDArray[Any] | None
    count: NDArray[Any]
    strata: tuple[Any, ...] = (slice(None),)

    @classmethod
    def of_values(cls, codes: NDArray[Any], *values: NDArray[Any]) -> Sample:
        """The sums of values over each group; ``codes`` says which group a row belongs to.

        Examples
        --------
        >>> codes = np.array([0, 0, 1, 2])
        >>> sums = Sample.of_values(codes, np.array([1.0, 2.0, 3.0, 3.0]))
        >>> sums.table.tolist(), sums.count.tolist()
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
    ) -> Sample:
        """The sums of each group in the cells of ``confusion``, the tally of the same rows.

        Examples
        --------
        >>> from heldout.tally.confusion import Confusion
        >>> truth, predicted = np.array([0, 1, 0, 1]), np.array([0, 1, 0, 0])
        >>> whole = Confusion.of(truth, predicted, classes=2)
        >>> Sample.of_cells(np.array([7, 7, 8, 8]), truth, predicted, whole).table.tolist()
        [[1, 0, 1], [1, 1, 0]]
        """
        present, codes = dense_codes(codes)
        width = len(confusion.cells)
        flat = truth.astype(np.int64) * confusion.classes + predicted
        cell = codes.astype(np.int64) * width + _places(confusion, flat)
        sums = np.bincount(cell, weight, minlength=present * width)
        return cls(*_kinds(sums.reshape(-1, width)))

    @classmethod
    def of_table(cls, table: NDArray[Any], count: NDArray[Any]) -> Sample:
        """The sums of kinds of units, of which some may be equal."""
        return cls(*_kinds(table, count))

    @property
    def units(self) -> int:
        """How many units there are."""
        return int(self.count.sum())

    @property
    def sums(self) -> NDArray[Any]:
        """The table of sums."""
        assert self.table is not None
        return self.table

    @property
    def ratio(self) -> Influence:
        """The first sum over the second: hits over rows, losses times weights over weights."""
        return Influence.of_ratio(self.sums[:, 0], self.sums[:, 1], self.count)

    @property
    def rows(self) -> float:
        """The total of the second sum, which counts rows."""
        return float(self.count @ self.sums[:, 1])

    @property
    def sizes(self) -> GroupSizes:
        """How large the units are, by all their sums: those of cells add up to rows."""
        return GroupSizes.of(self.sums.sum(axis=1), self.count)

    def drawn(self, rng: Generator, replicates: int) -> NDArray[Any]:
        """The sums over units drawn with replacement: a row for each replicate.

        Drawing n rows with replacement and counting them has the very distribution of one
        multinomial draw of their kinds, so the cost does not depend on the number of rows.

        Examples
        --------
        >>> from heldout.core.random import generator
        >>> sums = Sample(np.array([[1, 0], [0, 1]]), np.array([5, 5]))
        >>> sums.drawn(generator(1), 3).sum(axis=1).tolist()
        [10, 10, 10]
        """
        if not len(self.count):
            raise InputError("there are no groups to draw from")
        if self.table is None:
            return self._often(rng, replicates)
        drawn = np.empty((replicates, self.table.shape[1]), self.table.dtype)
        for block in blocks(replicates, max(1, BLOCK_CELLS // len(self.count))):
            # whole numbers below 2^53 stay exact in floating point, which multiplies faster
            often = self._often(rng, block.stop - block.start).astype(float)
            sums = often @ self.table.astype(float)
            drawn[block] = sums if self.table.dtype.kind == "f" else np.rint(sums)
        return drawn

    def _often(self, rng: Generator, replicates: int) -> NDArray[Any]:
        """How often each kind is drawn."""
        drawn = np.zeros((replicates, len(self.count)), np.int64)
        for kinds in self.strata:
            total = int(self.count[kinds].sum())
            if total:
                drawn[:, kinds] = rng.multinomial(total, self.count[kinds] / total, size=replicates)
        return drawn

    def weighed(self, rng: Generator, replicates: int, prior: Any = 0.0) -> NDArray[Any]:
        """The sums over units with random weights: a Bayesian bootstrap.

        Each unit's weight is exponential; those of equal units add up to a gamma distribution.
        On average the weights are 1. Rubin (1981), Ann. Stat. 9:130.

        Parameters
        ----------
        prior
            Parts of units that are added to each kind.
        """
        shape = self.count + prior
        drawn = np.empty((replicates, len(shape) if self.table is None else self.table.shape[1]))
        for block in blocks(replicates, max(1, BLOCK_CELLS // len(shape))):
            weights = rng.standard_gamma(shape, (block.stop - block.start, len(shape)))
            drawn[block] = weights if self.table is None else weights @ self.table.astype(float)
        return drawn

    def rescale(self, weights: NDArray[Any], totals: NDArray[Any]) -> None:
        """Have the weights of each stratum add up to the total that its kinds have."""
        for kinds in self.strata:
            mass = float(totals[kinds].sum())
            weights[:, kinds] *= mass / weights[:, kinds].sum(axis=1, keepdims=True)

    def without_one(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The sums without one unit of each kind, and how many units are of that kind."""
        kept = self.count > 0
        if self.table is None:
            without = self.count - np.eye(len(self.count), dtype=np.int64)[kept]
            return without, self.count[kept]
        return self.count @ self.table - self.table, self.count


def _kinds(
    table: NDArray[Any], count: NDArray[Any] | None = None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The different rows of a table in ascending order, and how many units are of each."""
    count = np.ones(len(table), np.int64) if count is None else count
    if not 0 < table.shape[1] <= FEW_SUMS or not len(table):
        kinds, which = np.unique(table, axis=0, return_inverse=True)
        return kinds, np.bincount(which, count).astype(np.int64)
    # a sort by each column is quicker than one that compares whole rows
    order = np.lexsort(table.T[::-1])
    table = table[order]
    starts = np.flatnonzero(np.append(True, (table[1:] != table[:-1]).any(axis=1)))
    return table[starts], np.add.reduceat(count[order], starts)


def _places(confusion: Confusion, flat: NDArray[Any]) -> NDArray[Any]:
    """Where each cell stands among those kept: looked up where a table of all cells is small."""
    if confusion.classes**2 > len(flat):
        return np.searchsorted(confusion.cells, flat)
    places = np.zeros(confusion.classes**2, np.int64)
    places[confusion.cells] = np.arange(len(confusion.cells))
    return places[flat]


class RowSampler:
    """Draws bootstrap samples of rows.

    Parameters
    ----------
    rows
        How many rows there are.
    strata
        A code for each row: as many rows are drawn of each stratum as it has.
    groups
        A code for each row: groups are drawn whole, so the number of rows may vary. With
        strata too, a group belongs to the stratum of its first row.
    order
        Gives the rows as what they hold orders them (``row_order``), so that neither the order
        in which they came in nor the names of groups change what is drawn.

    Examples
    --------
    >>> from heldout.core.random import generator
    >>> sampler = RowSampler(4, strata=np.array([0, 1, 0, 1]))
    >>> drawn = sampler.multiplicities(generator(1))
    >>> int(drawn[[0, 2]].sum()), int(drawn[[1, 3]].sum())
    (2, 2)
    """

    def __init__(
        self,
        rows: int,
        *,
        strata: NDArray[Any] | None = None,
        groups: NDArray[Any] | None = None,
        order: Callable[[], RowOrder] | None = None,
    ) -> None:
        if not rows:
            raise InputError("there are no rows to draw from")
        self.rows = rows
        self.units, self._groups = rows, groups
        if groups is not None:
            self.units, self._groups = dense_codes(groups)
        self._make_order = order
        self._strata = strata

    @cached_property
    def group_codes(self) -> NDArray[Any] | None:
        """The group of each row, numbered by what groups hold; None where rows stand alone."""
        if self._groups is None or self._content is None:
            return self._groups
        ranks = self._content.ranks
        marks = generator(0).integers(2**63, size=int(ranks.max()) + 1, dtype=np.uint64)
        # a sum that wraps around: all that matters is that groups of other rows have another
        held = np.zeros(self.units, np.uint64)
        np.add.at(held, self._groups, marks[ranks])
        return np.argsort(np.argsort(held))[self._groups]

    def positions(self, rng: Generator) -> NDArray[Any]:
        """Positions of the rows of one sample, in no order that matters."""
        if self.group_codes is not None:
            return np.repeat(np.arange(self.rows), self.multiplicities(rng))
        return self.order[self._units(rng)]

    def multiplicities(self, rng: Generator) -> NDArray[Any]:
        """How often each row is in one sample."""
        return self.of_rows(np.bincount(self._units(rng), minlength=self.units))

    def weights(self, rng: Generator) -> NDArray[Any]:
        """A random weight of each row, 1 on average; rows of a group share theirs.

        Exponential, as in a Bayesian bootstrap of rows or of groups.
        """
        return self.of_rows(rng.standard_exponential(self.units))

    def of_rows(self, of_units: NDArray[Any]) -> NDArray[Any]:
        """What each row has of what its unit was given."""
        if self.group_codes is not None:
            return of_units[self.group_codes]
        if self._make_order is None:
            return of_units
        ordered = np.empty_like(of_units)
        ordered[self.order] = of_units
        return ordered

    @cached_property
    def order(self) -> NDArray[Any]:
        """The rows in the order in which they are drawn from; as they came where none is known."""
        return np.arange(self.rows) if self._content is None else self._content.places

    @cached_property
    def _content(self) -> RowOrder | None:
        return None if self._make_order is None else self._make_order()

    def parts(self, count: int, rng: Generator) -> list[NDArray[Any]]:
        """The rows left when one of ``count`` random parts of the units is left out, for each.

        For a jackknife: with as many parts as units it is the exact one; with fewer its
        skewness is estimated from the sums of the parts, without bias in the first order.
        """
        part = np.arange(self.units) % min(count, self.units)
        if count < self.units:
            rng.shuffle(part)
        of_row = self.of_rows(part)
        return [np.flatnonzero(of_row != k) for k in range(min(count, self.units))]

    def _units(self, rng: Generator) -> NDArray[Any]:
        if self._strata is None:
            return rng.integers(0, self.units, self.units)
        order, starts, sizes = self._sorted_strata
        return order[starts + rng.integers(0, sizes)]

    @cached_property
    def _sorted_strata(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Units by stratum; where each one's stratum starts, and how many it has."""
        assert self._strata is not None
        strata = self._strata[self.order]
        if self.group_codes is not None:
            strata = strata[np.unique(self.group_codes[self.order], return_index=True)[1]]
        order = np.argsort(strata, kind="stable")
        sizes = np.unique(strata, return_counts=True)[1]
        return order, np.repeat(np.cumsum(sizes) - sizes, sizes), np.repeat(sizes, sizes)


@dataclass(frozen=True, eq=False)
class RowOrder:
    """Rows in the order of what they hold: by the first key, where it is the same by the second."""

    keys: tuple[NDArray[Any], ...]

    @cached_property
    def places(self) -> NDArray[np.intp]:
        """The rows in that order."""
        first, *rest = self.keys
        order = np.argsort(first)
        rising = first[order]
        is_same = rising[1:] == rising[:-1]
        is_tied = np.append(is_same, False) | np.append(False, is_same)
        tied = order[is_tied]
        # a column without ties needs no other: most rankings cost one sort
        order[is_tied] = tied[np.lexsort([*(key[tied] for key in reversed(rest)), first[tied]])]
        return order

    @cached_property
    def ranks(self) -> NDArray[np.intp]:
        """The place of each row; rows that are alike in everything have the same."""
        is_new = np.zeros(len(self.places), bool)
        for key in self.keys:
            column = key[self.places]
            nans = np.isnan(column)
            is_new[1:] |= (column[1:] != column[:-1]) & ~(nans[1:] & nans[:-1])
        ranks = np.empty(len(self.places), np.intp)
        ranks[self.places] = np.cumsum(is_new)
        return ranks


def row_order(*predictions: Predictions) -> RowOrder:
    """An order of rows that what models say of them decides, not the one they came in.

    Rows that are alike in everything may be exchanged: no draw can tell them
    apart. Values in another unit have the same order.
    """
    columns: list[Any] = []
    for p in predictions:
        columns += [p.scores, p.predicted, p.truth, p.against, p.weight, p.naive, p.train_mean]
        coded = (p.design.fold, p.design.repeat)
        columns += [_level_marks(column) for column in coded if column is not None]
        if p.prior is not None and p.prior.codes is not None:
            columns.append(p.prior.table[p.prior.codes])
    return content_order(*columns)


def _level_marks(column: Column) -> NDArray[np.float64]:
    """A number for each row that its level decides, and not the level's place among others."""
    marks = np.array([crc32(str(level).encode()) for level in column.levels], float)
    return marks[column.codes]


def content_order(*columns: NDArray[Any] | None) -> RowOrder:
    """The order of rows by columns of numbers (None: left out), of which some have several."""
    return RowOrder(
        tuple(key for column in columns if column is not None for key in np.atleast_2d(column.T))
    )


def in_blocks(
    work: Callable[[Generator], Any], *, replicates: int, rng: Generator, size: int = 0
) -> NDArray[Any]:
    """What ``work`` makes of each replicate: a number or a row of numbers.

    ``size`` says how many elements one replicate handles; threads are used where that is
    worth it. Each block of replicates has its own stream of random numbers, so what comes out
    depends on ``rng`` alone and not on the number of threads.

    Examples
    --------
    >>> from heldout.core.random import generator
    >>> in_blocks(lambda rng: rng.random(), replicates=100, rng=generator(1)).shape
    (100,)
    """
    starts = range(0, replicates, REPLICATE_BLOCK)
    turns = [min(REPLICATE_BLOCK, replicates - start) for start in starts]
    jobs = list(zip(rng.spawn(len(turns)), turns, strict=True))

    def block(job: tuple[Generator, int]) -> list[Any]:
        own, count = job
        return [work(own) for _ in range(count)]

    parts = in_threads(block, jobs) if size >= WORTH_A_THREAD else [block(job) for job in jobs]
    return np.array([value for values in parts for value in values], float)
