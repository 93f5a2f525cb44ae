"""Intervals of any measure of confusion counts, by bootstrap of the cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.random import stream
from karat.intervals.bootstrap import Jackknife, limits
from karat.intervals.cluster_bootstrap import few_groups
from karat.intervals.confusion_bootstrap import (
    draw_confusions,
    leave_one_out,
    smoothed_confusions,
)
from karat.intervals.interval import Interval, absent
from karat.intervals.resampling import BLOCK_CELLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.random import Generator
    from numpy.typing import NDArray

    from karat.intervals.cluster_bootstrap import GroupSums
    from karat.intervals.weighted_cells import WeightedCells
    from karat.tally.confusion import Confusion

__all__ = ["ConfusionBootstrap"]

Bounds = tuple[float, float]


@dataclass(frozen=True, eq=False)
class ConfusionBootstrap:
    """Replicates of a confusion table, from which every measure of counts has its interval.

    Make it by ``of`` (rows of equal weight), ``of_weighted`` or ``of_groups``. Draws are made
    once, when first needed, and shared by all measures; they depend on the seed alone.

    Parameters
    ----------
    observed
        The counts (or weights) themselves.
    units
        How many independent rows they are worth: rows, effective sample size, or groups.
    drawn, left_out
        ``drawn(size, rng)`` are replicates; ``left_out()`` the tables without one row (or
        group) of each kind, and how many are of that kind.
    words
        What is drawn, for the name of the method.
    """

    observed: Confusion
    units: float
    drawn: Callable[[int, Generator], Confusion]
    left_out: Callable[[], tuple[Confusion, NDArray[Any]]]
    words: str
    replicates: int = 2000
    seed: int = 1
    stratified: bool = False
    remark: str = ""

    @classmethod
    def of(
        cls, confusion: Confusion, *, replicates: int = 2000, seed: int = 1, stratified: bool = False
    ) -> ConfusionBootstrap:
        """The bootstrap of rows that all weigh the same.

        Examples
        --------
        >>> from karat.tally.confusion import Confusion
        >>> counts = Confusion.from_matrix([[40, 10], [5, 45]], positive=0)
        >>> bootstrap = ConfusionBootstrap.of(counts)
        >>> made = bootstrap.interval(lambda c: c.correct / c.total, bounds=(0, 1))
        >>> made.method, round(made.low, 1), round(made.high, 1)
        ('bootstrap percentile, 2000 multinomial draws, seed 1', 0.8, 0.9)
        """
        return cls(
            confusion,
            float(confusion.total),
            lambda size, rng: draw_confusions(
                confusion, replicates=size, rng=rng, stratified=stratified
            ),
            lambda: leave_one_out(confusion),
            "multinomial draws" + (" within true classes" if stratified else ""),
            replicates,
            seed,
            stratified,
        )

    @classmethod
    def of_weighted(
        cls, cells: WeightedCells, *, replicates: int = 2000, seed: int = 1, stratified: bool = False
    ) -> ConfusionBootstrap:
        """The bootstrap of rows with weights."""
        return cls(
            cells.confusion,
            cells.size,
            lambda size, rng: cells.draw(replicates=size, rng=rng, stratified=stratified),
            cells.leave_one_out,
            "draws of weighted rows" + (" within true classes" if stratified else ""),
            replicates,
            seed,
            stratified,
        )

    @classmethod
    def of_groups(
        cls, confusion: Confusion, sums: GroupSums, *, replicates: int = 2000, seed: int = 1
    ) -> ConfusionBootstrap:
        """The bootstrap of whole groups: ``sums`` are the cells of ``confusion`` by group."""

        def left_out() -> tuple[Confusion, NDArray[Any]]:
            table, multiplicity = sums.leave_one_out()
            return replace(confusion, counts=table), multiplicity

        return cls(
            confusion,
            float(sums.total_groups),
            lambda size, rng: replace(confusion, counts=sums.draw(replicates=size, rng=rng)),
            left_out,
            f"draws of {sums.total_groups:,} groups",
            replicates,
            seed,
            remark=few_groups(sums.total_groups),
        )

    def interval(
        self,
        statistic: Callable[[Confusion], Any],
        *,
        level: float = 0.95,
        kind: str = "percentile",
        bounds: Bounds = (-inf, inf),
    ) -> Interval:
        """The interval of one number: ``statistic`` gives one for each leading element."""
        return self.intervals(
            lambda c: np.asarray(statistic(c), float)[..., None],
            level=level,
            kind=kind,
            bounds=bounds,
        )[0]

    def intervals(
        self,
        statistic: Callable[[Confusion], Any],
        *,
        level: float = 0.95,
        kind: str = "percentile",
        bounds: Bounds = (-inf, inf),
    ) -> list[Interval]:
        """The intervals of several numbers at once: they lie on the statistic's last axis.

        Parameters
        ----------
        kind
            ``percentile``, ``basic``, ``bca``, or ``posterior`` (long-run shares of the
            cells under Jeffreys' prior). Where all replicates agree, because nothing went
            wrong or everything did, the posterior is used whatever was asked for: it does
            not collapse to a point.
        """
        estimates = np.asarray(statistic(self.observed), float)
        smooth = kind.strip().lower() == "posterior"
        made = []
        table = None if smooth else self._evaluated(statistic)
        for column, estimate in enumerate(estimates):
            interval = None
            if table is not None and not _agree(table[:, column]):
                interval = limits(
                    table[:, column],
                    estimate,
                    level=level,
                    kind=kind,
                    jackknife=self._jackknife(statistic, column) if kind == "bca" else None,
                    bounds=bounds,
                    draws=f"{self.replicates} {self.words}, seed {self.seed}",
                )
            if interval is None:
                interval = self._posterior(statistic, column, estimate, level, bounds)
            made.append(interval.noted(self.remark))
        return made

    def _posterior(
        self,
        statistic: Callable[[Confusion], Any],
        column: int,
        estimate: float,
        level: float,
        bounds: Bounds,
    ) -> Interval:
        method = f"posterior with Jeffreys' prior, {self.replicates} draws, seed {self.seed}"
        if isnan(estimate):
            return absent("the value itself is undefined", level=level, method=method)
        draws = np.asarray(statistic(self._smoothed), float)[:, column]
        made = replace(limits(draws, estimate, level=level, bounds=bounds), method=method, note="")
        if made.is_absent:
            return absent("nothing varies, whatever the counts", level=level, method=method)
        # a value on its bound is its own limit, as in Brown, Cai and DasGupta's Jeffreys interval
        return replace(made, low=min(made.low, estimate), high=max(made.high, estimate))

    def _evaluated(self, statistic: Callable[[Confusion], Any]) -> NDArray[Any]:
        return np.concatenate([np.asarray(statistic(block), float) for block in self._blocks()])

    def _jackknife(self, statistic: Callable[[Confusion], Any], column: int) -> Jackknife:
        table, multiplicity = self._left_out
        return Jackknife(np.asarray(statistic(table), float)[:, column], multiplicity)

    def _blocks(self) -> Iterator[Confusion]:
        """The replicates: in one piece if they fit in memory, else drawn anew block by block."""
        if self.replicates * len(self.observed.cells) <= BLOCK_CELLS:
            yield self._all
            return
        rng = stream(self.seed, "confusion")
        size = max(1, BLOCK_CELLS // len(self.observed.cells))
        for start in range(0, self.replicates, size):
            yield self.drawn(min(size, self.replicates - start), rng)

    @cached_property
    def _all(self) -> Confusion:
        return self.drawn(self.replicates, stream(self.seed, "confusion"))

    @cached_property
    def _left_out(self) -> tuple[Confusion, NDArray[Any]]:
        return self.left_out()

    @cached_property
    def _smoothed(self) -> Confusion:
        return smoothed_confusions(
            self.observed,
            replicates=self.replicates,
            rng=stream(self.seed, "smoothed confusion"),
            stratified=self.stratified,
            size=self.units,
        )


def _agree(replicates: NDArray[Any]) -> bool:
    """Whether all defined replicates have the same value."""
    known = replicates[~np.isnan(replicates)]
    return bool(len(known)) and bool(known[0] == known[-1]) and bool((known == known[0]).all())
