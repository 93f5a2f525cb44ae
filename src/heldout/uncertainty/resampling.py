"""Rows or whole groups drawn with replacement: which, or how often each."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from heldout.core.errors import InputError
from heldout.core.threads import in_threads

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.predictions.table import Column, Predictions

__all__ = [
    "BLOCK_CELLS",
    "REPLICATE_BLOCK",
    "RowSampler",
    "WORTH_A_THREAD",
    "content_order",
    "in_blocks",
    "row_order",
]

#: draws of one block of replicates times cells: about 30 MB
BLOCK_CELLS = 4_000_000
#: replicates that share a stream of random numbers; fixed, so that threads change nothing
REPLICATE_BLOCK = 25
#: below this many elements a replicate, threads wait for each other more than they work
WORTH_A_THREAD = 5_000


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
        Gives the rows as what they hold orders them (``row_order``), so that the order in which
        they came in does not change what is drawn; groups have that of their codes.

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
        order: Callable[[], NDArray[Any]] | None = None,
    ) -> None:
        if not rows:
            raise InputError("there are no rows to draw from")
        self.rows = rows
        self.units = rows
        self._make_order = order
        #: the group of each row, from 0 on; None where rows stand alone
        self.group_codes: NDArray[Any] | None = None
        if groups is not None:
            present, first, self.group_codes = np.unique(
                groups, return_index=True, return_inverse=True
            )
            self.units = len(present)
            strata = None if strata is None else strata[first]
        self._strata = strata

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
        made = np.empty_like(of_units)
        made[self.order] = of_units
        return made

    @cached_property
    def order(self) -> NDArray[Any]:
        """The rows in the order in which they are drawn from; as they came where none is known."""
        return np.arange(self.rows) if self._make_order is None else self._make_order()

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
        strata = self._strata if self.group_codes is not None else self._strata[self.order]
        order = np.argsort(strata, kind="stable")
        sizes = np.unique(strata, return_counts=True)[1]
        return order, np.repeat(np.cumsum(sizes) - sizes, sizes), np.repeat(sizes, sizes)


def row_order(*predictions: Predictions, by: NDArray[Any] | None = None) -> NDArray[np.intp]:
    """An order of rows that what models say of them decides, not the one they came in.

    Rows that are alike in everything (and in ``by``) may be exchanged: no draw can tell them
    apart. Values in another unit have the same order.
    """
    columns: list[Any] = []
    for p in predictions:
        columns += [p.scores, p.predicted, p.truth, p.against, p.weight, p.naive, p.train_mean]
        coded = (p.design.fold, p.design.repeat)
        columns += [_level_marks(column) for column in coded if column is not None]
        if p.prior is not None and p.prior.codes is not None:
            columns.append(p.prior.table[p.prior.codes])
    return content_order(*columns, by)


def _level_marks(column: Column) -> NDArray[np.float64]:
    """A number for each row that its level decides, and not the level's place among others."""
    marks = np.array([crc32(str(level).encode()) for level in column.levels], float)
    return marks[column.codes]


def content_order(*columns: NDArray[Any] | None) -> NDArray[np.intp]:
    """The order of rows by the first column of numbers, where it is the same by the second ..."""
    first, *rest = (
        key for column in columns if column is not None for key in np.atleast_2d(column.T)
    )
    order = np.argsort(first)
    rising = first[order]
    is_same = rising[1:] == rising[:-1]
    is_tied = np.append(is_same, False) | np.append(False, is_same)
    tied = order[is_tied]
    # a column without ties needs no other: most rankings cost one sort
    order[is_tied] = tied[np.lexsort([*(key[tied] for key in reversed(rest)), first[tied]])]
    return order


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

    made = in_threads(block, jobs) if size >= WORTH_A_THREAD else [block(job) for job in jobs]
    return np.array([value for values in made for value in values], float)
