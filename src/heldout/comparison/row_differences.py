"""The difference of two models by any measure: what rows or groups move, drawn, or exchanged."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.values import overall
from heldout.comparison.count_differences import DELTA, permutation_p_value
from heldout.comparison.drawn_rows import drawn_rows
from heldout.comparison.evidence import drawn_test, student_test
from heldout.comparison.long_rankings import LongRankings, is_long_ranking, is_of_rankings
from heldout.core.random import stream
from heldout.engines.memory import Tallies
from heldout.intervals.group_sizes import GroupSizes
from heldout.intervals.group_spread import group_spread
from heldout.intervals.resampling import RowSampler, in_blocks, row_order

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.comparison.evidence import Evidence
    from heldout.comparison.group_shifts import GroupShifts
    from heldout.intervals.interval import Interval
    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions

__all__ = ["delta_difference", "drawn_difference", "row_test"]


def delta_difference(
    value: float,
    shifts: tuple[GroupShifts, GroupShifts],
    *,
    has_groups: bool = False,
    **how: Any,
) -> tuple[Interval, Evidence]:
    """Interval and test by how far each row, or group, moves either model's value.

    The delta method by the infinitesimal jackknife; groups of unequal size and few degrees of
    freedom as ``group_spread`` has them.
    """
    moved = shifts[0].less(shifts[1])
    spread = group_spread(moved.shift, moved.mass, np.ones(len(moved.shift)), has_tails=True)
    method, note = f"{DELTA}, of {'groups' if has_groups else 'rows'}", ""
    if has_groups:
        note = GroupSizes.of(moved.mass).remark
    return student_test(method, value, spread.error, spread.freedom, note=note, **how)


def drawn_difference(
    request: Request,
    predictions: tuple[Predictions, Predictions],
    *,
    groups: NDArray[Any] | None = None,
    replicates: int = 1000,
    seed: int = 1,
    **how: Any,
) -> tuple[Interval, Evidence]:
    """Interval and test by the standard error of a paired bootstrap.

    Both models see the same resampled rows, so what they share cancels. Efron and Tibshirani
    (1993), chapter 6; pROC's bootstrap test of two curves divides by the same error.
    """
    rows = len(predictions[0])
    sampler = RowSampler(rows, groups=groups, order=partial(row_order, *predictions))
    joined = _joined(request, predictions)

    def resampled(rng: Generator) -> float:
        times = sampler.multiplicities(rng)
        if joined is not None:
            return joined.difference(times)
        return _difference(request, tuple(drawn_rows(request, p, times) for p in predictions))

    drawn = in_blocks(
        resampled, replicates=replicates, rng=stream(seed, "paired rows", request.name), size=rows
    )
    value = _difference(request, predictions)
    unit = "rows" if groups is None else "groups"
    method = f"paired bootstrap ({replicates:,} draws of {unit}, seed {seed})"
    count = rows if groups is None else len(np.unique(groups))
    return drawn_test(method, drawn, value, count - 1, **how)


def row_test(
    request: Request,
    predictions: tuple[Predictions, Predictions],
    *,
    groups: NDArray[Any] | None = None,
    alternative: str = "two-sided",
    permutations: int = 1000,
    seed: int = 1,
) -> Evidence:
    """Whether the models' predictions of a row (or of all rows of a group) can be exchanged.

    For a measure of rankings that is the row's rank, since scores of two models have no common
    scale; in long rankings the row's place, which is a run of ranks.
    """
    rows = len(predictions[0])
    sampler = RowSampler(rows, groups=groups, order=partial(row_order, *predictions))
    joined = _joined(request, predictions)
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


def _joined(request: Request, predictions: tuple[Predictions, Predictions]) -> LongRankings | None:
    is_long = all(is_long_ranking(request, p) for p in predictions)
    return LongRankings(request, predictions) if is_long else None


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
