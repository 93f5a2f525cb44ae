"""The posterior of a difference of two models that were judged once, by whatever measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.class_statistics import count_statistic
from heldout.comparison.count_differences import paired_shares
from heldout.comparison.judged import groups_of, is_of_counts
from heldout.comparison.posterior import (
    Posterior,
    drawn_posterior,
    share_posterior,
    student_posterior,
)
from heldout.core.random import stream

if TYPE_CHECKING:
    from numpy.random import Generator

    from heldout.comparison.evidence import Evidence
    from heldout.comparison.judged import Judged
    from heldout.comparison.options import CompareOptions
    from heldout.measures.spec import Request

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
    it is the t or normal distribution about the difference.
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
    return None


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
