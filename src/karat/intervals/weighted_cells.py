"""Resampled confusion weights: rows of unequal weight, drawn as rows and summed by cell."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.intervals.confusion_bootstrap import pseudo_row, with_empty_cells
from karat.tally.confusion import Confusion

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

__all__ = ["WeightedCells"]

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

        See ``bayesian_confusions``. The random weights of a kind's rows add up to a gamma
        distribution; where its rows weigh differently, to one of the same mean and variance.
        """
        square = self.mean**2 + self.spread**2
        share = rng.standard_gamma(self.rows * self.mean**2 / square, (replicates, len(self.rows)))
        drawn = with_empty_cells(self._summed(share * (square / self.mean)))
        prior = pseudo_row(drawn)
        extra = rng.standard_gamma(prior, (replicates, len(prior)))
        counts = drawn.counts + extra * (self.confusion.total / self.rows.sum())
        if stratified:
            for k in np.unique(drawn.truth):
                cells = np.flatnonzero(drawn.truth == k)
                mass = float(self.confusion.counts[self.confusion.truth == k].sum())
                counts[:, cells] *= mass / counts[:, cells].sum(axis=1, keepdims=True)
        return replace(drawn, counts=counts)

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
