"""Coverage of measures of a ranking other than the area."""

from __future__ import annotations

from typing import Any

import numpy as np

from heldout.core.random import stream
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.limits import Least
from heldout.uncertainty.proportions import best_distance_interval
from heldout.uncertainty.quantiles import normal_quantile
from heldout.uncertainty.score_intervals import ScoreBootstrap
from tools.coverage.cells import KINDS, SEED, Tally, table

__all__ = ["ranking_section"]


ALL_KINDS = ("maximum", *KINDS)


def average_precision(s: ScoreCounts) -> float:
    found = s.positives / s.total_positives if s.total_positives else np.nan
    return float(np.sum(found * s.tp / (s.tp + s.fp)))


def kolmogorov_smirnov(s: ScoreCounts) -> float:
    if not s.has_both:
        return np.nan
    return float(np.max(s.tp / s.total_positives - s.fp / s.total_negatives))


def ranking_section(share: float) -> str:
    """Measures of a ranking other than the area."""
    rows = []
    measures = {"average precision": average_precision, "Kolmogorov-Smirnov": kolmogorov_smirnov}
    for positive, area in ((0.5, 0.7), (0.5, 0.9), (0.1, 0.9)):
        step = 2**0.5 * normal_quantile(area)
        rng = stream(SEED, "coverage", "ranking", f"{positive} {area}")

        def drawn(
            n: int, rng: Any = rng, positive: float = positive, step: float = step
        ) -> ScoreCounts:
            truth = rng.random(n) < positive
            return ScoreCounts.of(truth, rng.normal(size=n) + step * truth)

        large = drawn(2_000_000)
        truths = [measure(large) for measure in measures.values()]
        for n in (100, 1000):
            tally = Tally()
            for turn in range(max(10, int(share * (150 if n < 1000 else 60)))):
                counts = drawn(n)
                drawn_anew = ScoreBootstrap(counts, replicates=200, seed=turn).replicated(
                    lambda s: [measure(s) for measure in measures.values()]
                )
                least = [None, Least(best_distance_interval(counts))]
                for kind in ALL_KINDS if n < 1000 else ALL_KINDS[:-1]:
                    both = drawn_anew.intervals(kind, bounds=(0, 1), least=least)
                    for name, interval, truth in zip(measures, both, truths, strict=True):
                        tally.add(f"{name} {kind}", interval, truth)
            for name in measures:
                cells = [tally.text(f"{name} {kind}") for kind in ALL_KINDS]
                rows.append([f"{100 * positive:g} %", f"{area:g}", str(n), name, *cells])
    return (
        "## Other measures of a ranking\n\nScores as above; 200 draws a sample, and 150 samples "
        "(60 of 1000 rows, without BCa), so that the standard error is two or three points. "
        "Resampling shifts a maximum such as the Kolmogorov-Smirnov distance upwards; *maximum* "
        "takes that off twice, is stretched by Student's t of the rows of the smaller class, is "
        "(of that distance) no narrower than Newcombe's interval at the best threshold, and is "
        "what heldout gives there (to other measures *bayesian*).\n\n"
        + table(["positive", "area", "n", "measure", *ALL_KINDS], rows)
    )
