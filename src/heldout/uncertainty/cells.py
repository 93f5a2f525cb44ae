"""Intervals of any measure of confusion counts, by draws of cells: plain, weighted, of groups."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.random import stream
from heldout.core.threads import blocks
from heldout.tally.confusion import Confusion
from heldout.uncertainty.limits import BAYESIAN, Jackknife
from heldout.uncertainty.quantiles import two_sided_student
from heldout.uncertainty.replicates import ReplicatedTally, Replicates
from heldout.uncertainty.sample import BLOCK_CELLS, Sample
from heldout.uncertainty.worth import NO_GROUPS, GroupSizes, effective_sample_size, row_worth

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.uncertainty.replicates import Statistic

#: a cell with more distinct weights than this is drawn by the mean and spread of its weights
DISTINCT = 1000


def pseudo_row(full: Confusion) -> NDArray[Any]:
    """One row's worth of counts, half spread over the right cells, half over the wrong ones.

    Examples
    --------
    >>> pseudo_row(Confusion.from_matrix([[1, 1], [1, 1]]))
    array([0.25, 0.25, 0.25, 0.25])
    """
    right = full.truth == full.predicted
    return np.where(right, 0.5 / max(right.sum(), 1), 0.5 / max((~right).sum(), 1))


def posterior_name(confusion: Confusion) -> str:
    """What the posterior of the cells' shares under one pseudo-row is called.

    Of two classes it is that under Perks' prior (1947, J. Inst. Actuar. 73:285), which gives each
    of k cells a prior weight of 1 / k; of more it is heldout's own: half of the row is right.
    """
    is_perks = len(with_empty_cells(confusion).cells) == 4
    return f"Dirichlet posterior ({'Perks prior' if is_perks else 'prior of one row'})"


def with_empty_cells(confusion: Confusion) -> Confusion:
    """The counts with the empty cells of all classes that occur, as truth or as prediction.

    Examples
    --------
    >>> with_empty_cells(Confusion.from_matrix([[1, 0], [0, 1]])).counts
    array([1, 0, 0, 1])
    """
    occur = np.union1d(confusion.truth, confusion.predicted)
    cells = (occur[:, None] * confusion.classes + occur).ravel()
    counts = np.zeros((*confusion.counts.shape[:-1], len(cells)), confusion.counts.dtype)
    counts[..., np.searchsorted(cells, confusion.cells)] = confusion.counts
    return replace(confusion, cells=cells, counts=counts)


def _strata(truth: NDArray[Any], stratified: bool) -> tuple[Any, ...]:
    if not stratified:
        return (slice(None),)
    return tuple(np.flatnonzero(truth == k) for k in np.unique(truth))


@dataclass(frozen=True, eq=False)
class Cells:
    """Rows of a confusion table, put together where resampling cannot tell them apart.

    Rows of one cell with the same weight are one kind. A cell with more than a thousand
    distinct weights is one kind as a whole: the weight of m rows drawn from it is normal
    with m times the mean and variance of a row's weight, by the central limit theorem.
    So the cost of a draw is free of n.

    Parameters
    ----------
    confusion
        The counts, or the summed weights.
    cell, rows, mean, spread
        Of each kind of row: its cell (a place in ``confusion.cells``), how many rows are of
        it, and the mean and standard deviation of their weight.
    is_weighted
        Whether rows have weights.
    """

    confusion: Confusion
    cell: NDArray[Any]
    rows: NDArray[Any]
    mean: NDArray[Any]
    spread: NDArray[Any]
    is_weighted: bool = True
    sizes = NO_GROUPS

    @classmethod
    def of_counts(cls, confusion: Confusion) -> Cells:
        """The cells of rows that all weigh the same.

        Examples
        --------
        >>> from heldout.core.random import generator
        >>> cells = Cells.of_counts(Confusion.from_matrix([[6, 2], [1, 5]], positive=0))
        >>> drawn = cells.draw(1000, generator(1))
        >>> drawn.counts.shape, set(drawn.total.tolist())
        ((1000, 4), {14.0})
        """
        kinds = len(confusion.cells)
        ones, none = np.ones(kinds), np.zeros(kinds)
        return cls(confusion, np.arange(kinds), confusion.counts, ones, none, is_weighted=False)

    @classmethod
    def of(
        cls,
        truth: NDArray[Any],
        predicted: NDArray[Any],
        weight: NDArray[Any],
        *,
        classes: int,
        positive: int | None = None,
    ) -> Cells:
        """The kinds of rows given as class codes and weights.

        Examples
        --------
        >>> codes = np.array([0, 0, 1])
        >>> cells = Cells.of(codes, codes, np.array([1.0, 2.0, 2.0]), classes=2)
        >>> cells.confusion.counts, cells.rows, cells.mean
        (array([3., 2.]), array([1, 1, 1]), array([1., 2., 2.]))
        """
        confusion = Confusion.of(truth, predicted, weight, classes=classes, positive=positive)
        flat = truth.astype(np.int64) * classes + predicted
        kept = weight > 0  # a row without weight has no cell that counts
        kind = np.searchsorted(confusion.cells, flat[kept])
        weight = weight[kept].astype(float)
        order = np.lexsort((weight, kind))
        kind, weight = kind[order], weight[order]
        fresh = np.ones(len(kind), bool)
        fresh[1:] = (kind[1:] != kind[:-1]) | (weight[1:] != weight[:-1])
        distinct = np.bincount(kind[fresh], minlength=len(confusion.cells))
        fresh[1:] &= (distinct[kind[1:]] <= DISTINCT) | (kind[1:] != kind[:-1])
        starts = np.flatnonzero(fresh)
        rows = np.diff(starts, append=len(kind))
        mean = np.add.reduceat(weight, starts) / rows if len(starts) else np.zeros(0)
        lean = weight - np.repeat(mean, rows)
        spread = np.sqrt(np.add.reduceat(lean**2, starts) / rows) if len(starts) else mean
        spread[distinct[kind[starts]] <= DISTINCT] = 0.0  # not the rounding of equal weights
        return cls(confusion, kind[starts], rows, mean, spread)

    def against_rest(self, code: int) -> Cells:
        """The kinds of rows of the two-class table of one class against all others."""
        truth, predicted = self.confusion.truth[self.cell], self.confusion.predicted[self.cell]
        of_class = 2 * (truth != code) + (predicted != code)
        kinds = np.column_stack([of_class, self.mean, self.spread])
        kinds, which = np.unique(kinds, axis=0, return_inverse=True)
        own = self.confusion.against_rest(code)
        cells, cell = np.unique(kinds[:, 0].astype(np.int64), return_inverse=True)
        own = replace(own, cells=cells, counts=own.counts[cells])
        return Cells(own, cell, np.bincount(which, self.rows).astype(np.int64), *kinds[:, 1:].T)

    def words(self, *, stratified: bool) -> str:
        """What is drawn, for the name of the method."""
        what = f"weighted rows worth {self.worth:.4g}" if self.is_weighted else "cells"
        return what + (" within true classes" if stratified else "")

    def draw(self, size: int, rng: Generator, *, stratified: bool = False) -> Confusion:
        """Replicates with rows drawn, on a leading axis; stratified within each true class.

        Zero rows drawn of a cell weigh nothing. A stratum keeps its number of rows, not
        its weight, as a row bootstrap does.
        """
        if self.rows.dtype.kind == "f":
            raise InputError(
                "weighted rows are not drawn by cells: resample rows with their weights instead"
            )
        strata = _strata(self.confusion.truth[self.cell], stratified)
        drawn = Sample(None, self.rows, strata).drawn(rng, size).astype(float)
        weight = drawn * self.mean
        vague = np.flatnonzero(self.spread)
        if len(vague):
            noise = rng.standard_normal((size, len(vague))) * self.spread[vague]
            weight[:, vague] += noise * np.sqrt(drawn[:, vague])
        return self._summed(np.maximum(weight, 0.0))

    def weigh(self, size: int, rng: Generator, *, stratified: bool = False) -> Confusion:
        """Draws of the long-run shares of the cells: a Bayesian bootstrap with one pseudo-row.

        Each row gets a random weight instead of being drawn some times or never (Rubin 1981,
        Ann. Stat. 9:130), which for cells is a Dirichlet distribution of their counts. One
        pseudo-row is added, half of it spread over the cells that are right, half over those
        that are wrong, so that a cell where nothing was seen is not taken to be impossible:
        a measure that is 1 because nothing went wrong has limits that are not a point. For
        the accuracy the limits are Jeffreys'; with two classes it is Perks' prior.

        Weighted cells are counted in effective rows (see ``row_worths``), of which the
        pseudo-row is one. Rows of one weight, whatever it is, have the limits of rows without.

        Examples
        --------
        >>> from heldout.core.random import generator
        >>> perfect = Cells.of_counts(Confusion.from_matrix([[10, 0], [0, 10]], positive=0))
        >>> drawn = perfect.weigh(2000, generator(1))
        >>> bool(0.87 < np.quantile(drawn.correct / drawn.total, 0.025) < 0.9)
        True
        """
        full, squares = with_empty_cells(self.confusion), with_empty_cells(self._squares)
        worth = row_worths(full, squares.counts) / self._shrunk
        sample = Sample(None, full.counts / worth, _strata(full.truth, stratified))
        drawn = sample.weighed(rng, size, pseudo_row(full)) * worth
        # the rows keep their weight; stratified: each true class keeps its own
        sample.rescale(drawn, full.counts)
        return replace(full, counts=drawn)

    @property
    def weighing(self) -> str:
        """What rows weighted at random are called."""
        return posterior_name(self.confusion)

    @property
    def worth(self) -> float:
        """How many rows of one weight say as much: Kish's effective number."""
        return effective_sample_size(float(self.confusion.total), float(self._squares.total))

    @property
    def _squares(self) -> Confusion:
        """The cells counted by the squares of weights."""
        square = self.rows * (self.mean**2 + self.spread**2)
        summed = self._summed(square[None])
        return replace(summed, counts=summed.counts[0])

    @property
    def _shrunk(self) -> float:
        """What effective rows count for, as they know less of the spread than as many rows do.

        As Korn and Graubard (1998, Surv. Methodol. 24:193) make rows fewer for their degrees of
        freedom; rows without weights are not made fewer, so that it is 1 for equal weights. The
        level is that of most intervals, for all: so higher levels have wider limits.
        """
        rows, worth = float(self.rows.sum()), self.worth
        fewer, more = (two_sided_student(0.95, max(size - 1, 1)) for size in (worth, rows))
        return (more / fewer) ** 2

    def leave_one_out(self) -> tuple[Confusion, NDArray[Any]]:
        """The weights without one row of each kind, and how many rows are of that kind."""
        weight = np.tile(self.confusion.counts.astype(float), (len(self.rows), 1))
        weight[np.arange(len(self.rows)), self.cell] -= self.mean
        np.maximum(weight, 0.0, out=weight)  # not below zero by rounding
        return replace(self.confusion, counts=weight), self.rows

    def _summed(self, weight: NDArray[Any]) -> Confusion:
        """Kinds summed by cell: they lie in the order of the cells."""
        starts = np.searchsorted(self.cell, np.arange(len(self.confusion.cells)))
        return replace(self.confusion, counts=np.add.reduceat(weight, starts, axis=1))


def row_worths(full: Confusion, squares: NDArray[Any]) -> NDArray[Any]:
    """What an effective row of each cell weighs, with rows of its true class lent to it.

    Parameters
    ----------
    full, squares
        The sums of the weights in all cells, and of their squares.

    Examples
    --------
    >>> full = Confusion.from_matrix([[9.0, 0.0], [3.0, 4.0]])
    >>> row_worths(with_empty_cells(full), np.array([27.0, 0.0, 5.0, 8.0])).round(2)
    array([3.  , 3.  , 1.81, 2.  ])
    """
    of_class = [np.bincount(full.truth, part, full.classes) for part in (full.counts, squares)]
    anyhow = float(squares.sum()) / float(full.counts.sum())
    typical = np.full(full.classes, anyhow)  # of a class without rows
    np.divide(of_class[1], of_class[0], where=of_class[0] > 0, out=typical)
    return row_worth(full.counts, squares, typical[full.truth])


@dataclass(frozen=True, eq=False)
class GroupCells:
    """Whole groups of rows by their cells: the same draws as ``Cells`` has of single rows.

    ``sums`` are the cells of ``confusion`` by group.
    """

    confusion: Confusion
    sums: Sample
    weighing = BAYESIAN

    def words(self, *, stratified: bool) -> str:
        """What is drawn, for the name of the method."""
        return f"{self.sums.units:,} groups"

    def draw(self, size: int, rng: Generator, *, stratified: bool = False) -> Confusion:
        """Replicates with groups drawn."""
        return replace(self.confusion, counts=self.sums.drawn(rng, size))

    def weigh(self, size: int, rng: Generator, *, stratified: bool = False) -> Confusion:
        """Replicates with groups weighted at random, and a pseudo-group."""
        counts = self.sums.weighed(rng, size)
        full = with_empty_cells(replace(self.confusion, counts=counts))
        prior = pseudo_row(full)
        # it weighs as much as a group does on average
        extra = rng.standard_gamma(prior, (size, len(prior)))
        typical = float(self.confusion.total) / self.sums.units
        return replace(full, counts=full.counts + extra * typical)

    def leave_one_out(self) -> tuple[Confusion, NDArray[Any]]:
        """The counts without one group of each kind, and how many groups are of that kind."""
        table, multiplicity = self.sums.without_one()
        return replace(self.confusion, counts=table), multiplicity

    @property
    def sizes(self) -> GroupSizes:
        """How large the groups are."""
        return self.sums.sizes


@dataclass(frozen=True, eq=False)
class ConfusionBootstrap(ReplicatedTally):
    """Replicates of a confusion table, from which every measure of counts has its interval.

    Draws are made once, when first needed, and shared by all measures; they depend on the seed
    alone.

    Parameters
    ----------
    cells
        What is drawn: rows or whole groups, by their cells.
    stratified
        Rows are drawn within each true class: class sizes stay as they are.

    Examples
    --------
    >>> cells = Cells.of_counts(Confusion.from_matrix([[40, 10], [5, 45]], positive=0))
    >>> made = ConfusionBootstrap(cells).interval(lambda c: c.correct / c.total, bounds=(0, 1))
    >>> made.method, round(made.low, 1), round(made.high, 1)
    ('Dirichlet posterior (Perks prior), 2000 draws of cells, seed 1', 0.8, 0.9)
    """

    cells: Cells | GroupCells
    replicates: int = 2000
    seed: int = 1
    stratified: bool = False

    def replicated(self, statistic: Statistic) -> Replicates:
        """The replicates of several numbers, which lie on the statistic's last axis."""

        def values(tally: Confusion) -> NDArray[Any]:
            return np.asarray(statistic(tally), float)

        def left_out() -> Jackknife:
            without, rows = self.cells.leave_one_out()
            return Jackknife(values(without), rows)

        words = self.cells.words(stratified=self.stratified)
        return Replicates(
            values(self.cells.confusion),
            lambda: np.concatenate([values(block) for block in self._blocks(weighed=False)]),
            lambda: np.concatenate([values(block) for block in self._blocks(weighed=True)]),
            left_out,
            f"{self.replicates} draws of {words}, seed {self.seed}",
            self.cells.sizes,
            weighing=self.cells.weighing,
        )

    def _blocks(self, *, weighed: bool) -> Iterator[Confusion]:
        """The replicates: in one piece if they fit in memory, else drawn anew block by block."""
        cells = len(self.cells.confusion.cells)
        if self.replicates * cells <= BLOCK_CELLS:
            yield self._weighed if weighed else self._drawn
            return
        rng = self._rng(weighed=weighed)
        for block in blocks(self.replicates, max(1, BLOCK_CELLS // cells)):
            yield self._made(block.stop - block.start, rng, weighed=weighed)

    def _rng(self, *, weighed: bool) -> Generator:
        return stream(self.seed, "confusion", "weighed" if weighed else "drawn")

    def _made(self, size: int, rng: Generator, *, weighed: bool) -> Confusion:
        draw = self.cells.weigh if weighed else self.cells.draw
        return draw(size, rng, stratified=self.stratified)

    @cached_property
    def _drawn(self) -> Confusion:
        return self._made(self.replicates, self._rng(weighed=False), weighed=False)

    @cached_property
    def _weighed(self) -> Confusion:
        return self._made(self.replicates, self._rng(weighed=True), weighed=True)
