"""Measures of the ranking of rows that carry weights or come in groups, by drawing those."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.ranking_draws import key_of, least_of, values_of
from heldout.assess.resampled_limits import resampled_limits
from heldout.assess.score_formulas import squared_weights
from heldout.core.random import stream
from heldout.intervals.score_rows import ScoreRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.assess.options import IntervalOptions
    from heldout.engines.memory import Tallies
    from heldout.intervals.bootstrap import Jackknife
    from heldout.intervals.interval import Interval
    from heldout.measures.spec import Request

__all__ = ["DrawnRankings"]


@dataclass(frozen=True, eq=False)
class DrawnRankings:
    """Intervals of several measures of one ranking, from the same replicates."""

    tallies: Tallies
    options: IntervalOptions
    wanted: Sequence[Request]
    groups: Any = None
    is_stratified: bool = False

    def of(self, request: Request) -> Interval:
        """The interval of one of the measures wanted."""
        tallies, options = self.tallies, self.options

        def left_out() -> Jackknife:
            rng = stream(options.seed, "scores", "left out")
            return self._rows.jackknife(lambda c: values_of([request], c)[0], rng=rng)

        column = [key_of(r) for r in self.wanted].index(key_of(request))
        squares = squared_weights(tallies.predictions)
        return resampled_limits(
            request,
            tallies,
            options,
            self._drawn[:, column],
            left_out,
            least=least_of(request, tallies.scores, level=options.level, squares=squares),
            weighed=lambda: self._weighed[:, column],
        )

    @cached_property
    def _rows(self) -> ScoreRows:
        p = self.tallies.predictions
        return ScoreRows(
            p.truth == p.positive,
            np.asarray(p.scores),
            p.weight,
            groups=self.groups,
            stratified=self.is_stratified,
        )

    @cached_property
    def _drawn(self) -> NDArray[Any]:
        """Replicates of all measures at once, with rows or groups drawn."""
        return self._replicates("drawn")

    @cached_property
    def _weighed(self) -> NDArray[Any]:
        """The same with rows or groups weighted at random: where most draws agree."""
        return self._replicates("weighed")

    def _replicates(self, word: str) -> NDArray[Any]:
        return self._rows.replicate(
            lambda counts: values_of(self.wanted, counts),
            replicates=self.options.of_rows,
            rng=stream(self.options.seed, "scores", word),
            is_weighed=word == "weighed",
        )
