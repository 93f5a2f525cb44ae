"""Intervals of any measure of confusion counts, by bootstrap of the cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.random import stream
from heldout.core.threads import blocks
from heldout.intervals.bootstrap import Jackknife
from heldout.intervals.confusion_bootstrap import (
    bayesian_confusions,
    draw_confusions,
    leave_one_out,
    pseudo_row,
    with_empty_cells,
)
from heldout.intervals.replicate_limits import ReplicatedTally, Replicates
from heldout.intervals.resampling import BLOCK_CELLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.intervals.cluster_bootstrap import GroupSums
    from heldout.intervals.group_sizes import GroupSizes
    from heldout.intervals.replicate_limits import Statistic
    from heldout.intervals.weighted_cells import WeightedCells
    from heldout.tally.confusion import Confusion

__all__ = ["ConfusionBootstrap"]


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
