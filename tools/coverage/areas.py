"""Coverage of the area under the ROC curve."""

from __future__ import annotations

import numpy as np

from heldout.core.random import stream
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.delong import delong_interval, newcombe_interval
from heldout.uncertainty.limits import limits
from heldout.uncertainty.quantiles import normal_quantile
from tools.coverage.auc_bootstrap import auc_jackknife, replicate_auc
from tools.coverage.cells import SEED, SIZES, Tally, table

__all__ = ["area_section"]


def area_section(share: float) -> str:
    """The area under the ROC curve: scores of two normal distributions."""
    names = ("DeLong, logit", "DeLong, plain", "Newcombe", "bootstrap percentile", "bootstrap BCa")
    rows = []
    for positive in (0.5, 0.1):
        for n in SIZES:
            for area in (0.5, 0.7, 0.9, 0.99):
                rng = stream(SEED, "coverage", "area", f"{n} {area} {positive}")
                tally = Tally()
                for turn in range(max(20, int(share * (2000 if n < 1000 else 600)))):
                    truth = np.arange(n) < n * positive
                    score = rng.normal(size=n) + truth * 2**0.5 * normal_quantile(area)
                    cover_area(tally, ScoreCounts.of(truth, score), area, turn)
                cells = [tally.text(name) for name in names]
                rows.append([f"{100 * positive:g} %", str(n), f"{area:g}", *cells])
    return (
        "## Area under the ROC curve\n\nScores are normal in both classes, with equal variance. "
        "The bootstraps (400 stratified draws) are of every twentieth sample. At 20 rows of which "
        "10 % are positive there are two positive rows.\n\n"
        + table(["positive", "n", "area", *names], rows)
    )


def cover_area(tally: Tally, scores: ScoreCounts, area: float, turn: int) -> None:
    tally.add("DeLong, logit", delong_interval(scores), area)
    tally.add("DeLong, plain", delong_interval(scores, scale="plain"), area)
    positives, negatives = scores.total_positives, scores.total_negatives
    pairs = np.einsum("i,i->", scores.negatives, scores.tp)
    found = float(pairs) / positives / negatives
    tally.add("Newcombe", newcombe_interval(found, positives, negatives), area)
    if turn % 20 == 0:
        rng = stream(turn, "coverage", "area")
        drawn = replicate_auc(scores, replicates=400, rng=rng, stratified=True)
        left = auc_jackknife(scores)
        for kind, name in (("percentile", "percentile"), ("bca", "BCa")):
            made = limits(drawn, found, kind=kind, jackknife=left, bounds=(0, 1))
            tally.add(f"bootstrap {name}", made, area)
