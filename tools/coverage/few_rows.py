"""Coverage of maxima over a ranking of few rows of a class, for scores of several shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.options import IntervalOptions
from heldout.assess.resampling import key_of, resampled_together, values_of
from heldout.core.random import stream
from heldout.measures.spec import parse_request
from heldout.tally.scores import ScoreCounts
from tools.coverage.cells import SEED, Tally, table

if TYPE_CHECKING:
    from collections.abc import Callable

    Array = np.ndarray[Any, Any]
    #: scores of rows whose truth is given
    Scores = Callable[[Any, Array], Array]

__all__ = ["few_rows_section"]

MEASURES = {
    "Kolmogorov-Smirnov": parse_request("kolmogorov_smirnov"),
    "H-measure": parse_request("h_measure"),
    "largest F": parse_request("maximum_f"),
    "largest Matthews": parse_request("maximum_mcc"),
}
DESIGNS = ((60, 0.1), (100, 0.1), (20, 0.5), (100, 0.2))
SAMPLES = 100


def normal(gap: float, spread: float = 1.0) -> Scores:
    """Normal scores, those of positives apart by a gap and spread otherwise."""
    return lambda rng, y: np.where(y, gap + spread * (z := rng.normal(size=len(y))), z)


SHAPES: dict[str, Scores] = {
    "normal, area 0.7": normal(0.74),
    "normal, area 0.9": normal(1.81),
    "normal, area 0.97": normal(2.66),
    "normal, positives spread twice": normal(1.5, 2.0),
    "normal, rounded to whole numbers": lambda rng, y: np.round(normal(1.81)(rng, y)),
    "exponential, means 1 and 4": lambda rng, y: rng.exponential(np.where(y, 4.0, 1.0)),
    "exponential, means 1 and 15": lambda rng, y: rng.exponential(np.where(y, 15.0, 1.0)),
    "beta": lambda rng, y: np.where(y, rng.beta(2.5, 1, len(y)), rng.beta(1, 2.5, len(y))),
    "60 % of positives stand out": lambda rng, y: (
        rng.normal(size=len(y)) + 3.0 * (y & (rng.random(len(y)) < 0.6))
    ),
}


def few_rows_section(share: float) -> str:
    """Maxima of samples in which a class has about six, ten or twenty rows."""
    rows = []
    for word, scores in SHAPES.items():
        for n, positive in DESIGNS:
            rng = stream(SEED, "coverage", "few rows", f"{word} {n} {positive}")
            truths = values_of(tuple(MEASURES.values()), _drawn(rng, 1_000_000, positive, scores))
            tally = Tally()
            for turn in range(max(5, int(share * SAMPLES))):
                counts = _drawn(rng, n, positive, scores)
                _cover(tally, counts, truths, turn)
            cells = [tally.text(name) for name in MEASURES]
            rows.append([word, f"{positive * n:g} of {n}", *cells])
    return (
        "## Maxima of few rows of a class\n\nAs the scorecard has them: the bootstrap of 120 draws "
        "with its bias taken off twice, stretched by Student's t of the rows of the smaller class. "
        f"{SAMPLES} samples: a standard error of two or three points. The bias was set, and the "
        "stretch chosen, on other samples. The limits of the Kolmogorov-Smirnov distance are no "
        "narrower than Newcombe's of its best threshold, less the bias: where all positives of a "
        "sample stand above a threshold, resampling never shows one below it. Up to 15 rows of a "
        "class the scorecard says what such limits cover.\n\n"
        + table(["scores", "positives on average", *MEASURES], rows)
    )


def _cover(tally: Tally, counts: ScoreCounts, truths: list[float], turn: int) -> None:
    fewest = int(min(counts.total_positives, counts.total_negatives))
    if fewest < 2:
        return
    options = IntervalOptions(replicates=120, seed=turn)
    made = resampled_together(counts, tuple(MEASURES.values()), "maximum", options)
    for (name, request), truth in zip(MEASURES.items(), truths, strict=True):
        tally.add(name, made[key_of(request)].within((0, 1)), truth)


def _drawn(rng: Any, n: int, positive: float, scores: Scores) -> ScoreCounts:
    truth = rng.random(n) < positive
    return ScoreCounts.of(truth, scores(rng, truth))
