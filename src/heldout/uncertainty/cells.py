"""Intervals of any measure of confusion counts, by draws of cells: plain, weighted, of groups."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.random import stream
from heldout.core.threads import blocks
from heldout.tally.confusion import Confusion
from heldout.uncertainty.influence import Influence, Spread, effective_sample_size, row_worth
from heldout.uncertainty.interval import Interval, absent, checked_level
from heldout.uncertainty.limits import BAYESIAN, Jackknife, bayesian_limits
from heldout.uncertainty.means import ALIKE, ONE_GROUP
from heldout.uncertainty.proportions import worth_text
from heldout.uncertainty.quantiles import two_sided_student
from heldout.uncertainty.replicates import ReplicatedTally, Replicates
from heldout.uncertainty.sample import BLOCK_CELLS, Sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.uncertainty.influence import GroupSizes
    from heldout.uncertainty.replicates import Statistic

__all__ = [
    "ConfusionBootstrap",
    "WeightedCells",
    "bayesian_confusions",
    "draw_confusions",
    "group_gain_interval",
    "group_value_interval",
    "leave_one_out",
    "pseudo_row",
    "row_worths",
    "with_empty_cells",
]

#: a cell with more distinct weights than this is drawn by the mean and spread of its weights
DISTINCT = 1000
#: a variance below this, in squares of the largest deviation, is rounding
ROUNDING = 1e-20


def draw_confusions(
    confusion: Confusion, *, replicates: int, rng: Generator, stratified: bool = False
) -> Confusion:
    """Bootstrap replicates of the counts, as one tally with a leading axis of replicates.

    Parameters
    ----------
    confusion
        Counts of rows that all weigh the same.
    stratified
        Rows are drawn within each true class: class sizes stay as they are.

    Examples
    --------
    >>> from heldout.core.random import generator
    >>> counts = Confusion.from_matrix([[6, 2], [1, 5]], positive=0)
    >>> drawn = draw_confusions(counts, replicates=1000, rng=generator(1))
    >>> drawn.counts.shape, set(drawn.total.tolist())
    ((1000, 4), {14})
    """
    sample = _sample(_whole(confusion), stratified)
    return replace(confusion, counts=sample.drawn(rng, replicates))


def leave_one_out(confusion: Confusion) -> tuple[Confusion, NDArray[Any]]:
    """The counts without one row of each cell, and how many rows leave that behind.

    Examples
    --------
    >>> without, rows = leave_one_out(Confusion.from_matrix([[6, 2], [0, 5]]))
    >>> without.counts.tolist(), rows.tolist()
    ([[5, 2, 5], [6, 1, 5], [6, 2, 4]], [6, 2, 5])
    """
    without, rows = _sample(_whole(confusion)).without_one()
    return replace(confusion, counts=without), rows


def bayesian_confusions(
    confusion: Confusion, *, replicates: int, rng: Generator, stratified: bool = False
) -> Confusion:
    """Draws of the long-run shares of the cells: a Bayesian bootstrap with one pseudo-row.

    Each row gets a random weight instead of being drawn some times or never (Rubin 1981,
    Ann. Stat. 9:130), which for cells is a Dirichlet distribution of their counts. One
    pseudo-row is added, half of it spread over the cells that are right, half over those
    that are wrong, so that a cell where nothing was seen is not taken to be impossible:
    a measure that is 1 because nothing went wrong has limits that are not a point. For
    the accuracy the limits are Jeffreys'; with two classes it is Perks' prior.

    Examples
    --------
    >>> from heldout.core.random import generator
    >>> perfect = Confusion.from_matrix([[10, 0], [0, 10]], positive=0)
    >>> drawn = bayesian_confusions(perfect, replicates=2000, rng=generator(1))
    >>> bool(0.87 < np.quantile(drawn.correct / drawn.total, 0.025) < 0.9)
    True
    """
    full = with_empty_cells(confusion)
    # the rows keep their number; stratified: each true class keeps its own
    sample = _sample(full, stratified)
    drawn = sample.weighed(rng, replicates, pseudo_row(full), keeps_totals=True)
    return replace(full, counts=drawn)


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


def _whole(confusion: Confusion) -> Confusion:
    if confusion.counts.dtype.kind == "f":
        raise InputError(
            "weighted rows are not drawn by cells: resample rows with their weights instead"
        )
    return confusion


def _sample(confusion: Confusion, stratified: bool = False) -> Sample:
    """The rows by cells, drawn all together or within each true class."""
    return Sample(None, confusion.counts, _strata(confusion.truth, stratified))


def _strata(truth: NDArray[Any], stratified: bool) -> tuple[Any, ...]:
    if not stratified:
        return (slice(None),)
    return tuple(np.flatnonzero(truth == k) for k in np.unique(truth))


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
        strata = _strata(self.confusion.truth[self.cell], stratified)
        drawn = Sample(None, self.rows, strata).drawn(rng, replicates).astype(float)
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
        sample = Sample(None, full.counts / worth, _strata(full.truth, stratified))
        drawn = sample.weighed(rng, replicates, pseudo_row(full)) * worth
        sample.rescale(drawn, full.counts)
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
    weighing
        What rows weighted at random are called; empty: by the posterior of their cells.
    """

    observed: Confusion
    drawn: Callable[[int, Generator], Confusion]
    weighed: Callable[[int, Generator], Confusion]
    left_out: Callable[[], tuple[Confusion, NDArray[Any]]]
    words: str
    replicates: int = 2000
    seed: int = 1
    groups: int | GroupSizes = 0
    weighing: str = ""

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
        >>> counts = Confusion.from_matrix([[40, 10], [5, 45]], positive=0)
        >>> bootstrap = ConfusionBootstrap.of(counts)
        >>> made = bootstrap.interval(lambda c: c.correct / c.total, bounds=(0, 1))
        >>> made.method, round(made.low, 1), round(made.high, 1)
        ('Dirichlet posterior (Perks prior), 2000 draws of cells, seed 1', 0.8, 0.9)
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
        cls, confusion: Confusion, sums: Sample, *, replicates: int = 2000, seed: int = 1
    ) -> ConfusionBootstrap:
        """The bootstrap of whole groups: ``sums`` are the cells of ``confusion`` by group."""

        def left_out() -> tuple[Confusion, NDArray[Any]]:
            table, multiplicity = sums.without_one()
            return replace(confusion, counts=table), multiplicity

        def weighed(size: int, rng: Generator) -> Confusion:
            counts = sums.weighed(rng, size)
            full = with_empty_cells(replace(confusion, counts=counts))
            prior = pseudo_row(full)
            # the pseudo-row is a group: it weighs as much as a group does on average
            extra = rng.standard_gamma(prior, (size, len(prior)))
            typical = float(confusion.total) / sums.units
            return replace(full, counts=full.counts + extra * typical)

        return cls(
            confusion,
            lambda size, rng: replace(confusion, counts=sums.drawn(rng, size)),
            weighed,
            left_out,
            f"{sums.units:,} groups",
            replicates,
            seed,
            groups=sums.sizes,
            weighing=BAYESIAN,
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
            weighing=self.weighing or posterior_name(self.observed),
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


def group_value_interval(
    confusion: Confusion,
    sums: Sample,
    values: NDArray[Any],
    *,
    squares: Confusion | None = None,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 1,
) -> Interval:
    """The interval of the mean value of rows that come in groups, rows counted for their worth.

    The cells are drawn as those of independent rows are (a Bayesian bootstrap with one
    pseudo-row), but of as many rows as would make the mean as uncertain as the groups do.
    Draws of whole groups do not cover: an expensive error that few groups have, or none, is
    as rare or as absent in every draw.

    Parameters
    ----------
    confusion, sums
        The cells of all rows, and by group: ``Sample.of_cells``.
    values
        What a row is worth in each cell, rows = truth.
    squares
        The cells counted by the squares of weights; None: all rows weigh the same.

    Examples
    --------
    >>> cells = np.array([[8, 2, 0, 5], [9, 0, 1, 5]])
    >>> sums, whole = Sample(cells, np.array([5, 5])), [[85, 10], [5, 50]]
    >>> cost = np.array([[0, 1], [5, 0]])
    >>> made = group_value_interval(Confusion.from_matrix(whole), sums, cost)
    >>> made.method.split(",")[0]
    'Dirichlet posterior (Perks prior) on 112 effective rows of 10 groups'
    """
    level = checked_level(level)
    values = np.asarray(values, float)
    full = with_empty_cells(confusion)
    table = np.zeros((len(sums.sums), len(full.cells)))
    table[:, np.searchsorted(full.cells, confusion.cells)] = sums.sums
    # rows that weigh differently count as Kish's effective number
    total = float(confusion.counts.sum())
    rows = total if squares is None else total**2 / float(squares.total)
    return _effective_limits(
        Sample(table, sums.count),
        values[full.truth, full.predicted],
        pseudo_row(full),
        rows,
        name=posterior_name(full),
        level=level,
        replicates=replicates,
        seed=seed,
    )


def group_gain_interval(
    sums: Sample,
    gains: NDArray[Any],
    is_same: NDArray[Any],
    *,
    rows: float,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 1,
) -> Interval:
    """The interval of what one decision gains over another in the mean, of rows in groups.

    As ``group_value_interval``: kinds of rows are drawn of as many rows as the groups are worth,
    with one pseudo-row, half of it where both decide the same, half where they differ.

    Parameters
    ----------
    sums
        Rows (or weights) of each kind by group, a column for every kind that there may be.
    gains, is_same
        What a row of each kind gains, and whether both decide the same there.
    rows
        How many rows there are (of weighted rows: Kish's effective number).

    Examples
    --------
    >>> sums = Sample(np.array([[18, 2, 0], [20, 0, 0]]), np.array([10, 10]))
    >>> gains, same = np.array([0.0, 1.0, -9.0]), np.array([True, False, False])
    >>> made = group_gain_interval(sums, gains, same, rows=400)
    >>> made.low < 0 < made.high
    True
    """
    level = checked_level(level)
    prior = np.where(is_same, 0.5 / max(is_same.sum(), 1), 0.5 / max((~is_same).sum(), 1))
    given: dict[str, Any] = {"level": level, "replicates": replicates, "seed": seed}
    name = "Dirichlet posterior (prior of one row)"
    return _effective_limits(sums, np.asarray(gains, float), prior, rows, name=name, **given)


def _effective_limits(
    sums: Sample,
    values: NDArray[Any],
    prior: NDArray[Any],
    rows: float,
    *,
    name: str,
    level: float,
    replicates: int,
    seed: int,
) -> Interval:
    """The limits of a mean of values, one for each column of the sums."""
    count = sums.units
    if count < 2:
        return absent(ONE_GROUP, level=level)
    counts = sums.count @ sums.sums.astype(float)
    total = float(counts.sum())
    mean = float(counts @ values) / total
    variance, spread = _spread(counts, sums, values - mean, rows)
    size = spread.effective_rows(variance, level)
    rng = stream(seed, "confusion", "effective")
    shares = Sample(None, counts * (size / total)).weighed(rng, replicates, prior)
    drawn = shares @ values / shares.sum(axis=1)
    made = bayesian_limits(drawn, mean, level=level, name=name)
    words = f"{worth_text(size, count)}, {replicates} draws of cells, seed {seed}"
    made = replace(made, method=f"{made.method} on {words}").noted(sums.sizes.remark)
    return made.noted(ALIKE) if 0 < spread.of_units < spread.of_rows else made


def _spread(
    counts: NDArray[Any], sums: Sample, off: NDArray[Any], rows: float
) -> tuple[float, Spread]:
    """The variance of a row's value, and how far off the mean may be."""
    count, total = sums.units, float(counts.sum())
    variance = float(counts @ off**2) / total
    if rows <= 1 or variance <= ROUNDING * float(np.abs(off).max()) ** 2:
        # no two rows differ: nothing is known of the spread, and each group counts as one row
        return 1.0, Spread(0.0, sqrt(1 / min(count, rows)), count, count - 1)
    by_group = sums.sums.astype(float)
    mean = Influence(0.0, by_group @ off / total, by_group.sum(axis=1), sums.count)
    return variance, mean.spread(row_error=sqrt(variance / (rows - 1)), rows=rows, has_tails=True)
