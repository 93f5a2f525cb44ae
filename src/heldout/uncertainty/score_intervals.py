"""Intervals of measures of score counts, by bootstrap; normal limits where replicates allow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.memo import once
from heldout.core.random import stream
from heldout.uncertainty.limits import BIASES, normal_limits
from heldout.uncertainty.replicates import ReplicatedTally, Replicates
from heldout.uncertainty.resampling import in_blocks
from heldout.uncertainty.score_bootstrap import ScoreSampler, replicate_scores, score_jackknife
from heldout.uncertainty.score_rows import COARSE_LEVELS, coarse_scores, recentred

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.tally.scores import ScoreCounts
    from heldout.uncertainty.interval import Interval
    from heldout.uncertainty.limits import Bounds, Jackknife
    from heldout.uncertainty.replicates import Statistic

__all__ = ["MANY_OF_A_CLASS", "ScoreBootstrap"]

#: rows of the smaller class from which measures of a ranking are taken to be normal
MANY_OF_A_CLASS = 10_000
#: draws from which a standard error is taken
NORMAL_DRAWS = 100


@dataclass(frozen=True, eq=False)
class ScoreBootstrap(ReplicatedTally):
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
    >>> from heldout.tally.scores import ScoreCounts
    >>> scores = ScoreCounts.of(np.array([True, False] * 50), np.arange(100.0) % 7)
    >>> ScoreBootstrap(scores).interval(lambda s: s.tp[0] / s.total_positives).method
    'Bayesian bootstrap with a pseudo-row, 2000 draws of scores, seed 1'
    """

    scores: ScoreCounts
    replicates: int = 2000
    seed: int = 1
    stratified: bool = False
    levels: int | None = COARSE_LEVELS

    def replicated(self, statistic: Statistic) -> Replicates:
        """The replicates of several numbers that follow from score counts."""
        exact, rough = self._estimates(statistic)

        def replicates(*, bayesian: bool) -> NDArray[Any]:
            return recentred(self._table(statistic, bayesian=bayesian), rough, exact)

        return Replicates(
            exact,
            lambda: replicates(bayesian=False),
            lambda: replicates(bayesian=True),
            lambda: self._jackknife(statistic),
            self._draws(self.replicates),
            fewest=self._fewest,
        )

    def normal_intervals(
        self,
        statistic: Statistic,
        *,
        level: float = 0.95,
        kind: str = "bayesian",
        bounds: Sequence[Bounds],
    ) -> list[Interval | None]:
        """The intervals of several numbers by few draws, where many rows make them normal.

        A hundred draws give the standard error as well as four hundred give quantiles. None
        for a number whose draws do not look normal (see ``normal_limits``), and for all
        numbers where a class has fewer than 10,000 rows.

        Parameters
        ----------
        kind
            ``bayesian`` (rows weighted at random; around the value, unless the draws are
            biased), ``basic`` (rows drawn; their bias taken off) or ``maximum`` (taken off
            twice).
        bounds
            The range of each number.
        """
        if self._fewest < MANY_OF_A_CLASS or kind not in ("bayesian", "basic", "maximum"):
            return [None] * len(bounds)
        exact, rough = self._estimates(statistic)
        table = self._table(statistic, bayesian=kind == "bayesian", replicates=NORMAL_DRAWS)
        table = recentred(table, rough, exact)
        return [
            normal_limits(
                table[:, column],
                float(exact[column]),
                level=level,
                unbiased=kind != "bayesian",
                biases=BIASES if kind == "maximum" else 1.0,
                bounds=bounds[column],
                draws=self._draws(
                    NORMAL_DRAWS, "random weightings" if kind == "bayesian" else "draws"
                ),
            )
            for column in range(len(bounds))
        ]

    @property
    def _fewest(self) -> int:
        """Rows of the smaller class."""
        return int(min(self.scores.total_positives, self.scores.total_negatives))

    def _estimates(self, statistic: Statistic) -> tuple[NDArray[Any], NDArray[Any]]:
        """The numbers themselves, and what they are of the counts that are resampled."""
        exact = np.asarray(statistic(self.scores), float)
        return exact, exact if self.coarse is self.scores else np.asarray(
            statistic(self.coarse), float
        )

    @cached_property
    def coarse(self) -> ScoreCounts:
        """The counts that are resampled."""
        levels = self.levels
        if levels is None:
            return self.scores
        return once(self.scores, f"{levels} levels", lambda s: coarse_scores(s, levels))

    def _table(
        self, statistic: Statistic, *, bayesian: bool, replicates: int | None = None
    ) -> NDArray[Any]:
        count = self.replicates if replicates is None else replicates
        rng = stream(self.seed, "scores", "weighed" if bayesian else "drawn")
        if bayesian:
            sampler = ScoreSampler(self.coarse, stratified=self.stratified)
            return in_blocks(
                lambda own: statistic(sampler.weigh(own)),
                replicates=count,
                rng=rng,
                size=len(self.coarse.score),
            )
        return replicate_scores(
            self.coarse,
            statistic,
            replicates=count,
            rng=rng,
            stratified=self.stratified,
        )

    def _jackknife(self, statistic: Statistic) -> Jackknife:
        return score_jackknife(self.coarse, statistic, rng=stream(self.seed, "scores", "left out"))

    def _draws(self, replicates: int, word: str = "draws") -> str:
        what = "scores" if self.coarse is self.scores else f"{len(self.coarse.score):,} score bins"
        inside = " within true classes" if self.stratified else ""
        return f"{replicates} {word} of {what}{inside}, seed {self.seed}"
