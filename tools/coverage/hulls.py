"""Coverage of the H-measure, which the convex hull of a sample raises."""

from __future__ import annotations

from typing import Any

import numpy as np

from heldout.core.random import stream
from heldout.measures.ranking import h_measure
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.quantiles import normal_quantile
from heldout.uncertainty.score_intervals import ScoreBootstrap
from tools.coverage.cells import SEED, Tally, table

__all__ = ["hull_section"]

KINDS = ("maximum", "basic", "percentile")
PROBLEMS = ((0.5, 0.8), (0.5, 0.92), (0.1, 0.9), (0.1, 0.7))


def hull_section(share: float) -> str:
    """The H-measure of samples of two normal distributions."""
    rows = []
    for positive, area in PROBLEMS:
        rng = stream(SEED, "coverage", "hull", f"{positive} {area}")
        truth = h_measure(_drawn(rng, 2_000_000, positive, area))
        for n in (100, 1000):
            tally, raised = Tally(), []
            for turn in range(max(5, int(share * (200 if n < 1000 else 60)))):
                counts = _drawn(rng, n, positive, area)
                raised.append(h_measure(counts) - truth)
                bootstrap = ScoreBootstrap(counts, replicates=200, seed=turn)
                for kind in KINDS:
                    made = bootstrap.interval(_value, kind=kind, bounds=(0, 1))
                    tally.add(kind, made, truth)
            cells = [tally.text(kind) for kind in KINDS]
            bias = f"{np.mean(raised):+.3f}"
            rows.append([f"{100 * positive:g} %", f"{area:g}", str(n), bias, *cells])
    return (
        "## H-measure\n\nScores as above; 200 draws, 200 samples (60 of 1000 rows): a standard "
        "error of two or three points. *Raised by*: the mean value less the true one. The hull "
        "of a sample lies above the true one, and that of a resample higher still, by about half "
        "as much: *maximum*, which is what heldout gives, takes the bias of the draws off twice, "
        "and is stretched by Student's t of the rows of the smaller class; the basic bootstrap "
        "takes it off once.\n\n" + table(["positive", "area", "n", "raised by", *KINDS], rows)
    )


def _value(counts: ScoreCounts) -> float:
    both = (counts.positives.astype(float), counts.negatives.astype(float))
    return h_measure(ScoreCounts(counts.score, *both, counts.rows))


def _drawn(rng: Any, n: int, positive: float, area: float) -> ScoreCounts:
    truth = rng.random(n) < positive
    return ScoreCounts.of(truth, rng.normal(size=n) + 2**0.5 * normal_quantile(area) * truth)
