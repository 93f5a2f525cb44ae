"""Intervals of any measure of confusion counts, by bootstrap of the cells, weighted or not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.random import stream
from heldout.core.threads import blocks
from heldout.tally.confusion import Confusion
from heldout.uncertainty.confusion_bootstrap import (
    bayesian_confusions,
    draw_confusions,
    leave_one_out,
    pseudo_row,
    strata_of,
    with_empty_cells,
)
from heldout.uncertainty.influence import effective_sample_size, row_worth
from heldout.uncertainty.limits import Jackknife
from heldout.uncertainty.quantiles import two_sided_student
from heldout.uncertainty.replicates import ReplicatedTally, Replicates
from heldout.uncertainty.resampling import BLOCK_CELLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.uncertainty.cluster_bootstrap import GroupSums
    from heldout.uncertainty.influence import GroupSizes
    from heldout.uncertainty.replicates import Statistic

__all__ = ["ConfusionBootstrap", "WeightedCells", "row_worths"]

#: a cell with more distinct weights than this is drawn by the mean and spread of its weights
DISTINCT = 1000


@dataclass(frozen=True, eq=False)
class WeightedCells:
    """Rows of a weighted confusion table, put together where resampling cannot tell them apart.

    Rows of one cell with the same weight are one kind. A cell with more than a thousand
    distinct weights is one kind as a whole: the weight of m rows drawn from it is normal
    with m times the mean and variance of a row's weight, by the central limit theorem.
    So the cost of a draw is free of n.

    Parameters
    ----------
    confusion
        The summed weights.
    cell, rows, mean, spread
        Of each kind of row: its cell (a place in ``confusion.cells``), how many rows are of
        it, and the mean and standard deviation of their weight.
    """

    confusion: Confusion
    cell: NDArray[Any]
    rows: NDArray[Any]
    mean: NDArray[Any]
    spread: NDArray[Any]

    @classmethod
    def of(
        cls,
        truth: NDArray[Any],
        predicted: NDArray[Any],
        weight: NDArray[Any],
        *,
        classes: int,
        positive: int | None = None,
    ) -> WeightedCells:
        """The kinds of rows given as class codes and weights.

        Examples
        --------
        >>> codes = np.array([0, 0, 1])
        >>> cells = WeightedCells.of(codes, codes, np.array([1.0, 2.0, 2.0]), classes=2)
        >>> cells.confusion.counts, cells.rows, cells.mean
        (array([3., 2.]), array([1, 1, 1]), array([1., 2., 2.]))
        """
        confusion = Confusion.of(truth, predicted, weight, classes=classes, positive=positive)
        flat = truth.astype(np.int64) * classes + predicted
        kept = weight > 0  # a row without weight has no cell that counts
        place = np.searchsorted(confusion.cells, flat[kept])
        weight = weight[kept].astype(float)
        order = np.lexsort((weight, place))
        place, weight = place[order], weight[order]
        fresh = np.ones(len(place), bool)
        fresh[1:] = (place[1:] != place[:-1]) | (weight[1:] != weight[:-1])
        distinct = np.bincount(place[fresh], minlength=len(confusion.cells))
        fresh[1:] &= (distinct[place[1:]] <= DISTINCT) | (place[1:] != place[:-1])
        starts = np.flatnonzero(fresh)
        rows = np.diff(starts, append=len(place))
        mean = np.add.reduceat(weight, starts) / rows if len(starts) else np.zeros(0)
        lean = weight - np.repeat(mean, rows)
        spread = np.sqrt(np.add.reduceat(lean**2, starts) / rows) if len(starts) else mean
        spread[distinct[place[starts]] <= DISTINCT] = 0.0  # not the rounding of equal weights
        return cls(confusion, place[starts], rows, mean, spread)

    def against_rest(self, place: int) -> WeightedCells:
        """The kinds of rows of the two-class table of one class against all others."""
        truth, predicted = self.confusion.truth[self.cell], self.confusion.predicted[self.cell]
        of_class = 2 * (truth != place) + (predicted != place)
        kinds = np.column_stack([of_class, self.mean, self.spread])
        kinds, which = np.unique(kinds, axis=0, return_inverse=True)
        own = self.confusion.against_rest(place)
        cells, cell = np.unique(kinds[:, 0].astype(np.int64), return_inverse=True)
        own = replace(own, cells=cells, counts=own.counts[cells])
        return WeightedCells(own, cell, np.bincount(which, self.rows), *kinds[:, 1:].T)

    def draw(self, *, replicates: int, rng: Generator, stratified: bool = False) -> Confusion:
        """Bootstrap replicates of the weights; stratified within each true class.

        Zero rows drawn of a cell weigh nothing. A stratum keeps its number of rows, not
        its weight, as a row bootstrap does.
        """
        drawn = np.zeros((replicates, len(self.rows)))
        strata = self.confusion.truth[self.cell] if stratified else np.zeros(len(self.cell), int)
        for stratum in np.unique(strata):
            kinds = np.flatnonzero(strata == stratum)
            total = int(self.rows[kinds].sum())
            drawn[:, kinds] = rng.multinomial(total, self.rows[kinds] / total, size=replicates)
        weight = drawn * self.mean
        vague = np.flatnonzero(self.spread)
        if len(vague):
            noise = rng.standard_normal((replicates, len(vague))) * self.spread[vague]
            weight[:, vague] += noise * np.sqrt(drawn[:, vague])
        return self._summed(np.maximum(weight, 0.0))

    def bayesian(self, *, replicates: int, rng: Generator, stratified: bool = False) -> Confusion:
        """Draws of the long-run weights: a Bayesian bootstrap with one pseudo-row.

        See ``bayesian_confusions``: the same draws, with each cell counted in effective rows
        (see ``row_worths``), of which the pseudo-row is one. Rows of one weight, whatever it is,
        have the very limits of rows without weights.
        """
        full, squares = with_empty_cells(self.confusion), with_empty_cells(self._squares)
        worth = row_worths(full, squares.counts) / self._shrunk
        shape = full.counts / worth + pseudo_row(full)
        drawn = rng.standard_gamma(shape, (replicates, len(shape))) * worth
        for cells in strata_of(full, stratified):
            mass = float(full.counts[cells].sum())
            drawn[:, cells] *= mass / drawn[:, cells].sum(axis=1, keepdims=True)
        return replace(full, counts=drawn)

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
        weight = np.tile(self.confusion.counts, (len(self.rows), 1))
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
class ConfusionBootstrap(ReplicatedTally):
    """Replicates of a confusion table, from which every measure of counts has its interval.

    Make it by ``of`` (rows of equal weight), ``of_weighted`` or ``of_groups``. Draws are made
    once, when first needed, and shared by all measures; they depend on the seed alone.

    Parameters
    ----------
    observed
        The counts (or weights) themselves.
    drawn, weighed, left_out
        ``drawn(size, rng)`` are replicates with rows drawn, ``weighed(size, rng)`` with rows
        weighted at random; ``left_out()`` are the tables without one row (or group) of each
        kind, and how many are of that kind.
    words
        What is drawn, for the name of the method.
    groups
        The groups that are drawn from, by number and size; 0: rows stand alone.
    """

    observed: Confusion
    drawn: Callable[[int, Generator], Confusion]
    weighed: Callable[[int, Generator], Confusion]
    left_out: Callable[[], tuple[Confusion, NDArray[Any]]]
    words: str
    replicates: int = 2000
    seed: int = 1
    groups: int | GroupSizes = 0

    @classmethod
    def of(
        cls,
        confusion: Confusion,
        *,
        replicates: int = 2000,
        seed: int = 1,
        stratified: bool = False,
    ) -> ConfusionBootstrap:
        """The bootstrap of rows that all weigh the same.

        Examples
        --------
        >>> from heldout.tally.confusion import Confusion
        >>> counts = Confusion.from_matrix([[40, 10], [5, 45]], positive=0)
        >>> bootstrap = ConfusionBootstrap.of(counts)
        >>> made = bootstrap.interval(lambda c: c.correct / c.total, bounds=(0, 1))
        >>> made.method, round(made.low, 1), round(made.high, 1)
        ('Bayesian bootstrap with a pseudo-row, 2000 draws of cells, seed 1', 0.8, 0.9)
        """
        return cls(
            confusion,
            lambda size, rng: draw_confusions(
                confusion, replicates=size, rng=rng, stratified=stratified
            ),
            lambda size, rng: bayesian_confusions(
                confusion, replicates=size, rng=rng, stratified=stratified
            ),
            lambda: leave_one_out(confusion),
            "cells" + (" within true classes" if stratified else ""),
            replicates,
            seed,
        )

    @classmethod
    def of_weighted(
        cls,
        cells: WeightedCells,
        *,
        replicates: int = 2000,
        seed: int = 1,
        stratified: bool = False,
    ) -> ConfusionBootstrap:
        """The bootstrap of rows with weights."""
        return cls(
            cells.confusion,
            lambda size, rng: cells.draw(replicates=size, rng=rng, stratified=stratified),
            lambda size, rng: cells.bayesian(replicates=size, rng=rng, stratified=stratified),
            cells.leave_one_out,
            f"weighted rows worth {cells.worth:.4g}"
            + (" within true classes" if stratified else ""),
            replicates,
            seed,
        )

    @classmethod
    def of_groups(
        cls, confusion: Confusion, sums: GroupSums, *, replicates: int = 2000, seed: int = 1
    ) -> ConfusionBootstrap:
        """The bootstrap of whole groups: ``sums`` are the cells of ``confusion`` by group."""

        def left_out() -> tuple[Confusion, NDArray[Any]]:
            table, multiplicity = sums.leave_one_out()
            return replace(confusion, counts=table), multiplicity

        def weighed(size: int, rng: Generator) -> Confusion:
            counts = sums.bayesian(replicates=size, rng=rng)
            full = with_empty_cells(replace(confusion, counts=counts))
            prior = pseudo_row(full)
            # the pseudo-row is a group: it weighs as much as a group does on average
            extra = rng.standard_gamma(prior, (size, len(prior)))
            typical = float(confusion.total) / sums.total_groups
            return replace(full, counts=full.counts + extra * typical)

        return cls(
            confusion,
            lambda size, rng: replace(confusion, counts=sums.draw(replicates=size, rng=rng)),
            weighed,
            left_out,
            f"{sums.total_groups:,} groups",
            replicates,
            seed,
            groups=sums.sizes,
        )

    def replicated(self, statistic: Statistic) -> Replicates:
        """The replicates of several numbers, which lie on the statistic's last axis."""

        def left_out() -> Jackknife:
            left, rows = self.left_out()
            return Jackknife(np.asarray(statistic(left), float), rows)

        return Replicates(
            np.asarray(statistic(self.observed), float),
            lambda: self._evaluated(statistic, self._blocks()),
            lambda: self._evaluated(statistic, self._blocks(weighed=True)),
            left_out,
            f"{self.replicates} draws of {self.words}, seed {self.seed}",
            self.groups,
        )

    def _evaluated(self, statistic: Statistic, blocks: Iterable[Confusion]) -> NDArray[Any]:
        return np.concatenate([np.asarray(statistic(block), float) for block in blocks])

    def _blocks(self, *, weighed: bool = False) -> Iterator[Confusion]:
        """The replicates: in one piece if they fit in memory, else drawn anew block by block."""
        cells = len(self.observed.cells)
        if self.replicates * cells <= BLOCK_CELLS:
            yield self._weighed if weighed else self._drawn
            return
        rng = self._rng(weighed=weighed)
        for block in blocks(self.replicates, max(1, BLOCK_CELLS // cells)):
            size = block.stop - block.start
            yield self.weighed(size, rng) if weighed else self.drawn(size, rng)

    def _rng(self, *, weighed: bool) -> Generator:
        return stream(self.seed, "confusion", "weighed" if weighed else "drawn")

    @cached_property
    def _drawn(self) -> Confusion:
        return self.drawn(self.replicates, self._rng(weighed=False))

    @cached_property
    def _weighed(self) -> Confusion:
        return self.weighed(self.replicates, self._rng(weighed=True))
