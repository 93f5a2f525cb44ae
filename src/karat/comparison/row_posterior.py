"""The posterior of a difference of two models that were judged once, by whatever measure."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.assess.class_statistics import count_statistic
from karat.assess.values import overall
from karat.comparison.count_differences import paired_shares
from karat.comparison.gap_pair import is_of_gaps
from karat.comparison.judged import groups_of, is_of_counts
from karat.comparison.long_rankings import LongRankings, is_long_ranking
from karat.comparison.posterior import (
    Posterior,
    drawn_posterior,
    share_posterior,
    student_posterior,
)
from karat.core.random import stream
from karat.engines.memory import Tallies
from karat.intervals.coarse_scores import recentred
from karat.intervals.resampling import RowSampler, in_blocks, row_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from karat.comparison.evidence import Evidence
    from karat.comparison.judged import Judged
    from karat.comparison.options import CompareOptions
    from karat.measures.spec import Request
    from karat.predictions.table import Predictions

__all__ = ["row_posterior"]

#: less than this is float noise
LEAST = 1e-12


def row_posterior(
    request: Request,
    judged: Judged,
    places: tuple[int, int],
    value: float,
    evidence: Evidence,
    options: CompareOptions,
) -> Posterior | None:
    """What is known of the true difference; None where no posterior is.

    Shares of the same rows have a Dirichlet distribution; where the test has a standard error
    (row losses, areas) it is the t or normal distribution about the difference; any other
    measure is computed under random weights of rows or groups (Rubin's Bayesian bootstrap).
    """
    assert options.rope is not None
    if not np.isfinite(value):
        return None
    rope = options.rope
    two = judged.predictions[places[0]], judged.predictions[places[1]]
    rng = stream(options.seed, "posterior", request.name)
    paired = judged.aligned.is_paired
    if paired and is_of_counts(request) and two[0].weight is None and groups_of(two[0]) is None:
        return _of_cells(request, judged, places, rope, options.count_draws[0], rng)
    if np.isfinite(evidence.error):
        freedom = evidence.degrees[0] if evidence.degrees else np.inf
        method = f"posterior with the error of {evidence.method}"
        return student_posterior(method, value, evidence.error, rope, freedom=freedom)
    if request.counts_rows or is_of_gaps(request):
        # a test counts rows; weighing rows anew raises a calibration error once more
        return None
    draws = options.row_draws[0]
    if paired:
        weighed = _weighed(request, two, draws, rng)
    else:
        alone = [_weighed(request, (p,), draws, rng) for p in two]
        weighed = np.concatenate(alone, axis=1)
    unit = "rows" if groups_of(two[0]) is None else "groups"
    method = f"Bayesian bootstrap ({draws:,} weightings of {unit}, seed {options.seed})"
    gaps = weighed[:, 0] - weighed[:, 1]
    known = gaps[~np.isnan(gaps)]
    varies = len(known) > 0 and float(np.ptp(known)) > LEAST
    if not varies and not judged.are_identical(places):
        # whatever the weights, the same difference: nothing is known of how it varies
        return None
    return drawn_posterior(method, gaps, rope)


def _of_cells(
    request: Request,
    judged: Judged,
    places: tuple[int, int],
    rope: float,
    draws: int,
    rng: Generator,
) -> Posterior:
    cells = judged.cells(places)
    shares = paired_shares(request, cells)
    if shares is not None:
        both, first, second, neither = shares
        return share_posterior(first, second, both + neither, rope, rng)
    one, two = (count_statistic(request, judged.tallies[place]) for place in places)
    gaps = cells.differences((one, two), cells.weighed(draws, rng))
    method = f"Bayesian bootstrap with a pseudo-row ({draws:,} draws of the joint cells)"
    return drawn_posterior(method, gaps, rope)


def _weighed(
    request: Request, models: Sequence[Predictions], draws: int, rng: Generator
) -> NDArray[Any]:
    """The measure of each model under the same random weights of rows or groups."""
    groups = groups_of(models[0])
    rows = len(models[0])
    sampler = RowSampler(rows, groups=groups, order=partial(row_order, *models))
    is_long = all(is_long_ranking(request, p) for p in models)
    joined = LongRankings(request, tuple(models)) if is_long else None

    def values(own: Generator) -> list[float]:
        weight = sampler.weights(own)
        if joined is not None:
            return joined.values(weight)
        made = []
        for p in models:
            heavy = weight if p.weight is None else p.weight * weight
            made.append(overall(request, Tallies(replace(p, weight=heavy))).value)
        return made

    drawn = np.asarray(in_blocks(values, replicates=draws, rng=rng, size=rows)).reshape(draws, -1)
    if joined is None:
        return drawn
    exact = [overall(request, Tallies(p)).value for p in models]
    return recentred(drawn, joined.values(), exact)
