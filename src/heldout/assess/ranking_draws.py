"""Intervals of all measures of one ranking, from the same draws of its score counts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.memo import once
from heldout.measures.kinds import Maximum, Point
from heldout.tally.scores import TopLabel
from heldout.uncertainty.areas import lack_of_rows
from heldout.uncertainty.interval import absent
from heldout.uncertainty.limits import Least
from heldout.uncertainty.proportions import best_distance_interval
from heldout.uncertainty.rankings import COARSE_LEVELS, ScoreBootstrap, fine_levels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.measures.spec import Request
    from heldout.tally.scores import ScoreCounts
    from heldout.uncertainty.interval import Interval
    from heldout.uncertainty.options import IntervalOptions

#: rankings of more scores are counted exactly: most are the rows themselves
SHORT = 5_000
RANKING = "ranking by scores"
#: distinct scores up to which the draws of a maximum are raised more than its sample
FEW_SCORES = 20


def resampled_together(
    counts: ScoreCounts, wanted: Sequence[Request], kind: str, options: IntervalOptions
) -> dict[Any, Interval]:
    """The intervals of several measures of a ranking, by their keys.

    Where nothing else is asked for, few draws have to do for measures that are normal. A
    single row of a class says nothing of how such rows are ranked.
    """
    if not isinstance(counts, TopLabel):
        reason = lack_of_rows(float(counts.total_positives), float(counts.total_negatives))
        if reason:
            none = absent(reason, level=options.level)
            return {key_of(r): none for r in wanted if r.measure.family == RANKING} | (
                _resampled(
                    counts, [r for r in wanted if r.measure.family != RANKING], kind, options
                )
            )
    return _resampled(counts, wanted, kind, options)


def _resampled(
    counts: ScoreCounts, wanted: Sequence[Request], kind: str, options: IntervalOptions
) -> dict[Any, Interval]:
    intervals: dict[Any, Interval] = {}
    for is_point in (False, True):
        some = [r for r in wanted if isinstance(r.measure.kind, Point) == is_point]
        if some:
            # joined scores must be finer than such points vary
            levels = fine_levels(counts) if is_point else COARSE_LEVELS
            intervals.update(_resampled_at(levels, counts, some, kind, options))
    return intervals


def _resampled_at(
    levels: int, counts: ScoreCounts, wanted: Sequence[Request], kind: str, options: IntervalOptions
) -> dict[Any, Interval]:
    bootstrap = ScoreBootstrap(counts, options.of_rows, options.seed, options.stratified, levels)
    level = options.level
    known: dict[Any, Interval] = {}
    if options.uses_t and options.replicates is None:
        normal = bootstrap.normal_intervals(
            lambda s: values_of(wanted, s),
            level=level,
            kind=kind,
            bounds=[request.bounds for request in wanted],
        )
        keyed = zip(map(key_of, wanted), normal, strict=True)
        known = {key: own for key, own in keyed if own is not None}
    rest = [request for request in wanted if key_of(request) not in known]
    if rest:
        least = [least_of(request, counts, level=level) for request in rest]
        drawn = bootstrap.replicated(lambda s: values_of(rest, s))
        intervals = drawn.intervals(kind, level=level, least=least)
        known.update(zip(map(key_of, rest), intervals, strict=True))
    return known


def least_of(
    request: Request, counts: ScoreCounts, *, level: float, squares: ScoreCounts | None = None
) -> Least | None:
    """What the limits of a maximum are no narrower than; None where nothing is known.

    ``squares``: of weighted rows, the same scores with the squares of their weights.
    """
    if request.measure.kind != Maximum("distances") or not counts.has_both:
        return None
    at_best = best_distance_interval(counts, level=level, squares=squares, **request.values)
    levels = len(counts.score)
    return Least(at_best, is_tied=levels <= FEW_SCORES and 2 * levels <= counts.rows)


def values_of(requests: Sequence[Request], tally: ScoreCounts) -> list[float]:
    """Measures of one replicate; what is undefined there is NaN and counted by the caller."""
    if len(tally.score) <= SHORT:
        # as weights: exact integers would cost more and say no more about a replicate
        tally = type(tally)(
            tally.score, tally.positives.astype(float), tally.negatives.astype(float), tally.rows
        )
    with np.errstate(all="ignore"):
        return [once(tally, (_value, *key_of(r)), partial(_value, r)) for r in requests]


def _value(request: Request, tally: ScoreCounts) -> float:
    return float(request.measure(tally, **request.values))


def key_of(request: Request) -> Any:
    """What tells measures of one ranking apart."""
    return request.measure.name, request.parameters
