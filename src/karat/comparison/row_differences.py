"""The difference of two models by any measure: rows or groups resampled, and exchanged."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.assess.values import overall
from karat.comparison.count_differences import permutation_p_value
from karat.comparison.drawn_rows import drawn_rows
from karat.comparison.long_rankings import LongRankings, is_long_ranking, is_of_rankings
from karat.core.random import stream
from karat.engines.memory import Tallies
from karat.intervals.bootstrap import limits
from karat.intervals.coarse_scores import recentred
from karat.intervals.resampling import RowSampler, in_blocks, row_order
from karat.measures.ranges import range_of

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from karat.comparison.evidence import Evidence
    from karat.intervals.interval import Interval
    from karat.measures.spec import Request
    from karat.predictions.table import Predictions

__all__ = ["row_difference", "row_test"]


def row_difference(
    request: Request,
    predictions: tuple[Predictions, Predictions],
    *,
    groups: NDArray[Any] | None = None,
    level: float = 0.95,
    alternative: str = "two-sided",
    replicates: int = 1000,
    permutations: int = 1000,
    seed: int = 1,
) -> tuple[Interval, Evidence]:
    """The interval by a paired bootstrap, and the test by exchanging predictions in rows.

    Both models see the same resampled rows, so what they share cancels.
    """
    rows = len(predictions[0])
    sampler = RowSampler(rows, groups=groups, order=partial(row_order, *predictions))
    joined = LongRankings(request, predictions) if _are_long(request, predictions) else None

    def resampled(rng: Generator) -> float:
        times = sampler.multiplicities(rng)
        if joined is not None:
            return joined.difference(times)
        return _difference(request, tuple(drawn_rows(request, p, times) for p in predictions))

    drawn = in_blocks(
        resampled, replicates=replicates, rng=stream(seed, "paired rows", request.name), size=rows
    )
    seen = _difference(request, predictions)
    draws = f"{replicates:,} paired draws of {'rows' if groups is None else 'groups'}"
    if joined is not None:
        drawn = recentred(drawn, joined.difference(), seen)
        draws += f" in {joined.levels:,} places of the ranking"
    low, high = range_of(request, len(predictions[0].classes))
    made = limits(
        drawn,
        seen,
        level=level,
        bounds=(low - high, high - low),
        draws=f"{draws}, seed {seed}",
    )
    return made, row_test(
        request,
        predictions,
        groups=groups,
        alternative=alternative,
        permutations=permutations,
        seed=seed,
        joined=joined,
    )


def row_test(
    request: Request,
    predictions: tuple[Predictions, Predictions],
    *,
    groups: NDArray[Any] | None = None,
    alternative: str = "two-sided",
    permutations: int = 1000,
    seed: int = 1,
    joined: LongRankings | None = None,
) -> Evidence:
    """Whether the models' predictions of a row (or of all rows of a group) can be exchanged.

    For a measure of rankings that is the row's rank, since scores of two models have no common
    scale; in long rankings the row's place, which is a run of ranks (``joined``: where these
    are known).
    """
    rows = len(predictions[0])
    sampler = RowSampler(rows, groups=groups, order=partial(row_order, *predictions))
    if joined is None and _are_long(request, predictions):
        joined = LongRankings(request, predictions)
    alike = predictions
    if joined is None and is_of_rankings(request):
        alike = _ranked(predictions)

    def exchanged(rng: Generator) -> float:
        swap = sampler.of_rows(rng.random(sampler.units) < 0.5)
        if joined is not None:
            return joined.exchanged(swap)
        return _difference(request, _exchanged(alike, swap))

    swapped = in_blocks(
        exchanged, replicates=permutations, rng=stream(seed, "exchanged", request.name), size=rows
    )
    unit = "rows" if groups is None else "groups"
    what = unit if alike is predictions else f"ranks in {unit}"
    if joined is not None:
        what = f"{joined.levels:,} places in {unit}"
    method = f"paired permutation test ({permutations:,} exchanges of {what}, seed {seed})"
    seen = _difference(request, predictions)
    if joined is None:
        return permutation_p_value(swapped, seen, method, alternative)
    # what is exchanged is compared with its like
    found = permutation_p_value(swapped, joined.difference(), method, alternative)
    return replace(found, statistic=seen)


def _are_long(request: Request, predictions: tuple[Predictions, Predictions]) -> bool:
    return all(is_long_ranking(request, p) for p in predictions)


def _ranked(predictions: tuple[Predictions, Predictions]) -> tuple[Predictions, Predictions]:
    """The predictions with the share of rows up to each score instead of the score; ties share."""
    from scipy.stats import rankdata

    def ranked(p: Predictions) -> Predictions:
        if p.scores is None:
            return p
        return replace(p, scores=rankdata(p.scores, axis=0) / len(p))

    return ranked(predictions[0]), ranked(predictions[1])


def _difference(request: Request, predictions: Any) -> float:
    first, second = (overall(request, Tallies(p)).value for p in predictions)
    return first - second


def _exchanged(
    predictions: tuple[Predictions, Predictions], swap: NDArray[np.bool_]
) -> tuple[Predictions, Predictions]:
    """The models' predictions exchanged in some rows."""
    one, two = predictions

    def mixed(first: Any, second: Any) -> Any:
        if first is None or second is None:
            return first
        chosen = swap if first.ndim == 1 else swap[:, None]
        return np.where(chosen, second, first)

    def with_some_of(mine: Predictions, other: Predictions) -> Predictions:
        return replace(
            mine,
            predicted=mixed(mine.predicted, other.predicted),
            scores=mixed(mine.scores, other.scores),
            against=mixed(_against(mine, other), _against(other, mine)),
        )

    return with_some_of(one, two), with_some_of(two, one)


def _against(mine: Predictions, other: Predictions) -> NDArray[Any] | None:
    """The probability of the negative class, where either model's has to be kept."""
    if mine.scores is None or other.scores is None or mine.against is other.against is None:
        return None
    return 1.0 - mine.scores if mine.against is None else mine.against
