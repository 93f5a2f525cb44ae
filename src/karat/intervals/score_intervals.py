"""Intervals of any measure of score counts, by bootstrap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.random import stream
from karat.intervals.bootstrap import Jackknife, all_agree, bayesian_limits, limits
from karat.intervals.coarse_scores import COARSE_LEVELS, coarse_scores, recentred
from karat.intervals.resampling import in_blocks
from karat.intervals.score_bootstrap import ScoreSampler, replicate_scores, score_jackknife

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.intervals.interval import Interval
    from karat.tally.scores import ScoreCounts

__all__ = ["ScoreBootstrap"]

Bounds = tuple[float, float]
#: a measure of score counts (a number), or several at once (a row of numbers)
Statistic = Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class ScoreBootstrap:
    """Replicates of a ranking of rows that all weigh the same.

    Parameters
    ----------
    scores
        Positives and negatives at each distinct score.
    stratified
        Positives and negatives keep their numbers.
    levels
        Longer rankings are resampled with neighbouring scores joined down to about this
        many, and the replicates moved by what that changes; None: never.

    Examples
    --------
    >>> from karat.tally.scores import ScoreCounts
    >>> scores = ScoreCounts.of(np.array([True, False] * 50), np.arange(100.0) % 7)
    >>> ScoreBootstrap(scores).interval(lambda s: s.tp[0] / s.total_positives).method
    'Bayesian bootstrap with a pseudo-row, 2000 draws of scores, seed 1'
    """

    scores: ScoreCounts
    replicates: int = 2000
    seed: int = 1
    stratified: bool = False
    levels: int | None = COARSE_LEVELS

    def interval(
        self,
        statistic: Statistic,
        *,
        level: float = 0.95,
        kind: str = "bayesian",
        bounds: Bounds = (-inf, inf),
    ) -> Interval:
        """The interval of one number that follows from score counts."""
        return self.intervals(lambda s: [statistic(s)], level=level, kind=kind, bounds=bounds)[0]

    def intervals(
        self,
        statistic: Statistic,
        *,
        level: float = 0.95,
        kind: str = "bayesian",
        bounds: Bounds = (-inf, inf),
    ) -> list[Interval]:
        """The intervals of several numbers from the same draws.

        Parameters
        ----------
        kind
            ``bayesian`` (rows weighted at random, one pseudo-row anywhere in the ranking: the
            default, right for areas and averages), or, with rows drawn: ``percentile``,
            ``basic``, ``bca`` (better for a maximum, which resampling shifts: the
            Kolmogorov-Smirnov distance). Where all draws agree (a ranking without a fault)
            ``bayesian`` takes the place of the others, and the method says so.
        """
        kind = kind.strip().lower()
        exact = np.asarray(statistic(self.scores), float)
        rough = exact if self.coarse is self.scores else np.asarray(statistic(self.coarse), float)

        def replicates(*, bayesian: bool) -> NDArray[Any]:
            return recentred(self._table(statistic, bayesian=bayesian), rough, exact)

        table = replicates(bayesian=kind == "bayesian")
        agree = kind != "bayesian" and any(all_agree(column, bounds) for column in table.T)
        smooth = replicates(bayesian=True) if agree else table
        without = self._jackknife(statistic) if kind == "bca" else None
        made = []
        for column, estimate in enumerate(exact):
            given: dict[str, Any] = {"level": level, "bounds": bounds, "draws": self._draws}
            if kind == "bayesian" or all_agree(table[:, column], bounds):
                made.append(bayesian_limits(smooth[:, column], float(estimate), **given))
                continue
            if without is not None:
                given["jackknife"] = replace(without, values=without.values[:, column])
            made.append(limits(table[:, column], float(estimate), kind=kind, **given))
        return made

    @cached_property
    def coarse(self) -> ScoreCounts:
        """The counts that are resampled."""
        return self.scores if self.levels is None else coarse_scores(self.scores, self.levels)

    def _table(self, statistic: Statistic, *, bayesian: bool) -> NDArray[Any]:
        rng = stream(self.seed, "scores", "weighed" if bayesian else "drawn")
        if bayesian:
            sampler = ScoreSampler(self.coarse, stratified=self.stratified)
            return in_blocks(
                lambda own: statistic(sampler.weigh(own)),
                replicates=self.replicates,
                rng=rng,
                size=len(self.coarse.score),
            )
        return replicate_scores(
            self.coarse,
            statistic,
            replicates=self.replicates,
            rng=rng,
            stratified=self.stratified,
        )

    def _jackknife(self, statistic: Statistic) -> Jackknife:
        return score_jackknife(self.coarse, statistic, rng=stream(self.seed, "scores", "left out"))

    @property
    def _draws(self) -> str:
        what = "scores" if self.coarse is self.scores else f"{len(self.coarse.score):,} score bins"
        inside = " within true classes" if self.stratified else ""
        return f"{self.replicates} draws of {what}{inside}, seed {self.seed}"
