"""Rankings of many rows by two models, joined to few places so that draws of rows cost little."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.measures.kinds import Point
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.rankings import COARSE_LEVELS, coarse_scores, fine_levels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions

#: fewer rows are ranked anew in every draw
LONG = 20_000


def is_of_rankings(request: Request) -> bool:
    """Whether the measure depends on the order of the scores alone."""
    return request.measure.needs == (ScoreCounts,) and not request.measure.needs_probability


def is_long_ranking(request: Request, p: Predictions) -> bool:
    """Whether a measure is of one ranking of so many rows that these are joined."""
    plain = p.task == "binary" and not request.average and request.label is None
    return plain and is_of_rankings(request) and len(p) >= LONG


class LongRankings:
    """Two models' places of the same rows, on one scale of ranks that both share.

    A place is a run of neighbouring ranks, cut where ``coarse_scores`` cuts either ranking.
    Counts by place need no sort, whatever rows are drawn, and places can be exchanged between
    the models as ranks can. Joined ranks tell how the difference *varies*; what it *is* comes
    from the ranks themselves.
    """

    def __init__(self, request: Request, models: tuple[Predictions, ...]) -> None:
        from scipy.stats import rankdata

        self.request = request
        self.positive = (models[0].truth == models[0].positive).astype(np.int64)
        self.weight = models[0].weight
        ranks = [rankdata(np.asarray(p.scores, float)) for p in models]
        cuts = np.unique(np.concatenate([self._cuts(own) for own in ranks]))
        self.levels = len(cuts) + 1
        #: twice the place of each row under each model, from the highest ranks down, plus one
        #: for positives
        self.cells = [
            2 * (self.levels - 1 - np.searchsorted(cuts, own)) + self.positive for own in ranks
        ]
        self._score = -np.arange(self.levels, dtype=float)

    def _cuts(self, ranks: NDArray[Any]) -> NDArray[Any]:
        """Ranks between two places of one model."""
        counts = ScoreCounts.of(self.positive > 0, ranks)
        is_point = isinstance(self.request.measure.kind, Point)
        joined = coarse_scores(counts, fine_levels(counts) if is_point else COARSE_LEVELS)
        ends = np.cumsum(joined.positives + joined.negatives)[:-1]
        # the lowest rank of each place but the last: cuts lie just below it
        upto = np.searchsorted(np.cumsum(counts.positives + counts.negatives), ends)
        return np.asarray(counts.score[upto] - 0.25)

    def value(self, cells: NDArray[Any], times: NDArray[Any] | None = None) -> float:
        """The measure of rows in these cells, each counted so many times (None: once)."""
        mass = times
        if self.weight is not None:
            mass = self.weight if times is None else self.weight * times
        both = np.bincount(cells, weights=mass, minlength=2 * self.levels)
        negatives, positives = both[0::2].astype(float), both[1::2].astype(float)
        kept = (positives + negatives) > 0
        counts = ScoreCounts(
            self._score[kept], positives[kept], negatives[kept], len(self.positive)
        )
        with np.errstate(all="ignore"):
            value = self.request.measure(counts, **self.request.values)
        return nan if value is None else float(value)

    def values(self, times: NDArray[Any] | None = None) -> list[float]:
        """The measure of each model."""
        return [self.value(cells, times) for cells in self.cells]

    def difference(self, times: NDArray[Any] | None = None) -> float:
        """First minus second model's."""
        first, second = self.values(times)
        return first - second

    def exchanged(self, swap: NDArray[np.bool_]) -> float:
        """The difference with the models' places exchanged in some rows."""
        first, second = self.cells
        return self.value(np.where(swap, second, first)) - self.value(np.where(swap, first, second))
