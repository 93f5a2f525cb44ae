"""Coverage of what is resampled by rows: fits of numbers, skills, Hand and Till's area."""

from __future__ import annotations

from typing import Any

import numpy as np

import heldout
from heldout.core.random import stream
from heldout.uncertainty.interval import Interval, absent
from tools.coverage.cells import SEED, Tally, table

__all__ = ["resampled_section"]

DRAWS = 200
SAMPLES = 40
KINDS = ("percentile", "basic", "bca")


def numbers(rng: Any, n: int) -> dict[str, Any]:
    """Predicted numbers that are right but for noise with long tails."""
    truth = rng.normal(size=n)
    return {"y_true": truth, "y_pred": 0.8 * truth + 0.4 * rng.standard_t(5, n)}


def probabilities(rng: Any, n: int) -> dict[str, Any]:
    """A calibrated model of two classes."""
    score = rng.beta(0.7, 1.5, n)
    return {"y_true": (rng.random(n) < score).astype(np.int64), "y_score": score}


def classes(rng: Any, n: int) -> dict[str, Any]:
    """Three normal classes, of which one is rare, and a model that knows them."""
    truth = rng.choice(3, n, p=[0.5, 0.35, 0.15])
    place = rng.normal(size=(n, 2)) + np.array([[0, 0], [1.5, 0], [0, 1.5]])[truth]
    distance = [((place - centre) ** 2).sum(1) for centre in ([0, 0], [1.5, 0], [0, 1.5])]
    odds = np.exp(-0.5 * np.array(distance).T) * [0.5, 0.35, 0.15]
    return {"y_true": truth, "y_score": odds / odds.sum(1, keepdims=True), "labels": [0, 1, 2]}


PROBLEMS: dict[str, Any] = {
    "numbers": (numbers, ("r2", "correlation", "median_absolute_error", "bias")),
    "two classes": (probabilities, ("brier_skill", "log_skill")),
    "three classes": (classes, ("hand_till",)),
}


def resampled_section(share: float) -> str:
    """Measures whose rows are drawn, by kind of limits."""
    rows = []
    for name, (draw, measures) in PROBLEMS.items():
        rng = stream(SEED, "coverage", "resampled", name)
        large = heldout.score(**draw(rng, 1_000_000), intervals=False).results(measures)
        truths = {result.measure: result.value for result in large}
        for n in (50, 200):
            tally = Tally()
            for turn in range(max(5, int(share * SAMPLES))):
                _cover(tally, draw(rng, n), truths, turn)
            for measure in measures:
                cells = [tally.text(f"{measure} {kind}") for kind in ("", *KINDS)]
                rows.append([name, str(n), measure, *cells])
    titles = ["problem", "n", "measure", "as the scorecard", *KINDS]
    return (
        f"## Measures of resampled rows\n\n{DRAWS} draws of rows, {SAMPLES} samples: a standard "
        "error of three or four points. Errors of predicted numbers have long tails (Student's t "
        "of 5 degrees of freedom). The bias is a plain mean: Student's t, where no bootstrap is "
        "asked for. BCa leaves out parts of the rows.\n\n" + table(titles, rows)
    )


def _cover(tally: Tally, drawn: dict[str, Any], truths: dict[str, float], turn: int) -> None:
    for kind in ("", *KINDS):
        card = heldout.score(**drawn, interval=kind, replicates=DRAWS, random_state=turn)
        for result in card.results(tuple(truths)):
            made = absent(result.note, level=0.95)
            if result.low is not None and result.high is not None:
                made = Interval(result.low, result.high, 0.95, result.method)
            tally.add(f"{result.measure} {kind}", made, truths[result.measure])
