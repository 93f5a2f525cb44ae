"""Coverage of measures of long rankings, whose few draws on joined scores are taken as normal."""

from __future__ import annotations

from typing import Any

import numpy as np

import heldout
from heldout.core.random import stream
from heldout.uncertainty.interval import Interval
from heldout.uncertainty.quantiles import normal_quantile
from tools.coverage.cells import SEED, Tally, table

__all__ = ["long_ranking_section"]

MEASURES = (
    "average_precision",
    "partial_area_under_roc",
    "lift_at",
    "precision_at_recall",
    "recall_at_precision[precision=0.6]",
    "sensitivity_at_specificity",
    "specificity_at_sensitivity",
    "kolmogorov_smirnov",
    "maximum_f",
    "nagelkerke_r2",
)
#: share of positives, area, rows: from the fewest rows of a class for which this is done
PROBLEMS = ((0.5, 0.8, 24_000), (0.1, 0.9, 120_000), (0.3, 0.8, 400_000))
#: large samples whose mean value stands for the truth
LARGE, TIMES = 4_000_000, 4


def long_ranking_section(share: float) -> str:
    """Measures of long rankings as the scorecard gives them."""
    rows = []
    for positive, area, n in PROBLEMS:
        step = 2**0.5 * normal_quantile(area)
        rng = stream(SEED, "coverage", "long ranking", f"{positive} {area} {n}")

        def drawn(
            count: int, rng: Any = rng, positive: float = positive, step: float = step
        ) -> tuple[Any, Any]:
            truth = (rng.random(count) < positive).astype(np.int64)
            odds = 0.9 * (step * (rng.normal(size=count) + step * truth - step / 2))
            odds += np.log(positive / (1 - positive))
            return truth, 1 / (1 + np.exp(-odds))

        truths = np.mean(
            [[r.value for r in _results(*drawn(LARGE), intervals=False)] for _ in range(TIMES)],
            axis=0,
        )
        tally, normal = Tally(), dict.fromkeys(MEASURES, 0)
        turns = max(4, int(share * (400 if n < 200_000 else 200)))
        for turn in range(turns):
            results = _results(*drawn(n), seed=turn)
            for name, result, truth in zip(MEASURES, results, truths, strict=True):
                made = Interval(result.low, result.high, 0.95, result.method)
                tally.add(name, made, float(truth))
                normal[name] += "normal limits" in result.method
        for name in MEASURES:
            percent = f"{100 * normal[name] / turns:.0f} %"
            cells = [f"{100 * positive:g} %", f"{area:g}", f"{n:,}", name]
            rows.append([*cells, tally.text(name), percent])
    return (
        "## Measures of long rankings\n\nWhere either class has 10,000 rows or more: 100 draws on "
        "joined scores, and normal limits where these draws look normal; else 400 draws and "
        "their quantiles. 400 samples (200 of 400,000 rows). The last column says how often the "
        "limits were normal.\n\n"
        + table(["positive", "area", "n", "measure", "as the scorecard", "normal"], rows)
    )


def _results(truth: Any, score: Any, *, intervals: bool = True, seed: int = 1) -> Any:
    card = heldout.score(truth, y_score=score, intervals=intervals, random_state=seed)
    return card.results(MEASURES)
