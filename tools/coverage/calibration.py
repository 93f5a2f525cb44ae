"""Coverage of calibration errors, whose bins are raised by noise."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from heldout.assess.options import IntervalOptions
from heldout.assess.score_formulas import bin_interval, bin_test
from heldout.core.random import stream
from heldout.measures.kinds import BinGaps
from heldout.measures.spec import parse_request
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.score_intervals import ScoreBootstrap
from tools.coverage.cells import SEED, Tally, table

__all__ = ["calibration_section"]

MEASURES = {
    "ECE": parse_request("expected_calibration_error"),
    "reliability": parse_request("reliability[bins=10]"),
    "MCE": parse_request("maximum_calibration_error"),
}
#: the distribution of the scores, and what the probability of a positive is at a score
MODELS: dict[str, Any] = {
    "overconfident": (
        lambda rng, n: rng.random(n),
        lambda score, amount: 0.5 + (1 - amount) * (score - 0.5),
    ),
    "too low": (
        lambda rng, n: rng.beta(0.5, 2, n),
        lambda score, amount: np.minimum(score + amount * np.sqrt(score), 1),
    ),
}
#: the same of models that are far off
FAR_OFF: dict[str, Any] = {
    "slope 1/2": (
        lambda rng, n: _logistic(1.5 * rng.standard_normal(n)),
        lambda score: _logistic(0.5 * np.log(score / (1 - score))),
    ),
    "shift 3": (
        lambda rng, n: _logistic(1.5 * rng.standard_normal(n)),
        lambda score: _logistic(3 + np.log(score / (1 - score))),
    ),
    "reversed": (lambda rng, n: rng.random(n), lambda score: 1 - score),
    "reversed, sharp": (lambda rng, n: rng.beta(0.2, 0.2, n), lambda score: 1 - score),
    "never positive": (lambda rng, n: rng.random(n), lambda score: 0 * score),
    "nearly always positive": (
        lambda rng, n: 0.02 + 0.06 * rng.random(n),
        lambda score: 0.98 + 0 * score,
    ),
}
ERRORS = (0.0, 0.02, 0.05, 0.1)
FAR_OFF_SIZES = (20, 200, 2000)
SIZES = (100, 200, 500, 2000)
SAMPLES = 150
#: models of a slice and of the rest, with their errors
PAIRS = (
    (("overconfident", 0.0), ("overconfident", 0.0)),
    (("too low", 0.0), ("overconfident", 0.0)),
    (("overconfident", 0.0), ("too low", 0.0)),
    (("overconfident", 0.05), ("overconfident", 0.05)),
    (("overconfident", 0.1), ("too low", 0.1)),
    (("overconfident", 0.1), ("overconfident", 0.0)),
)
PAIR_ROWS, PAIR_SAMPLES = (300, 1200), 200


def calibration_section(share: float) -> str:
    """Measures of calibration bins, of models with known errors."""
    rows = []
    for name, (draw, curve) in MODELS.items():
        for error in ERRORS:
            rng = stream(SEED, "coverage", "calibration", f"{name} {error}")
            score = draw(rng, 1_000_000)
            amount = _amount(score, curve, error)
            truths = {m: _of_curve(score, curve(score, amount), m) for m in MEASURES}
            for n in SIZES:
                cells = _cells(rng, n, draw, partial(curve, amount=amount), truths, share)
                rows.append([name, f"{error:g}", str(n), *cells])
    for name, (draw, curve) in FAR_OFF.items():
        rng = stream(SEED, "coverage", "calibration", name)
        score = draw(rng, 1_000_000)
        truths = {m: _of_curve(score, curve(score), m) for m in MEASURES}
        for n in FAR_OFF_SIZES:
            cells = _cells(rng, n, draw, curve, truths, share)
            rows.append([name, f"{truths['ECE']:.2g}", str(n), *cells])
    titles = ["model", "true ECE", "n", *MEASURES, "ECE, Bayesian bootstrap"]
    return (
        "## Calibration errors\n\nTen bins of equal width; scores are uniform (overconfident) or "
        "Beta(1/2, 2) (too low). Below them are models that are far off: outcomes by half the "
        "logit of the score, by the logit and 3, by one less the score, or nearly or quite of one "
        f"class. {SAMPLES} samples: a standard error of two points. The expected "
        "calibration error and the reliability have the inverted test (400 draws of bins), the "
        "maximum calibration error the shares and mean scores of all bins together, which is "
        "wide; of 20 rows it knows nothing of bins that they leave empty. The last column is a "
        "bootstrap (200 draws, every fifth sample): it does not cover, and heldout does not give "
        "it.\n\n" + table(titles, rows) + difference_text(share)
    )


def _cells(
    rng: Any, n: int, draw: Any, curve: Any, truths: dict[str, float], share: float
) -> list[str]:
    """The coverage of each measure, of samples of n rows."""
    tally = Tally()
    for turn in range(max(5, int(share * SAMPLES))):
        drawn = draw(rng, n)
        positive = rng.random(n) < curve(drawn)
        _cover(tally, ScoreCounts.of(positive, drawn), truths, turn)
    return [tally.text(m) for m in (*MEASURES, "ECE, Bayesian bootstrap")]


def difference_text(share: float) -> str:
    """How often a slice is said to differ from the rest in its expected calibration error."""
    rows = []
    request = MEASURES["ECE"]
    for models in PAIRS:
        rng = stream(SEED, "coverage", "calibration pairs", f"{models}")
        amounts = [
            _amount(MODELS[name][0](rng, 1_000_000), MODELS[name][1], error)
            for name, error in models
        ]
        found = []
        for turn in range(max(5, int(share * PAIR_SAMPLES))):
            sides = []
            for (name, _), amount, count in zip(models, amounts, PAIR_ROWS, strict=True):
                draw, curve = MODELS[name]
                score = draw(rng, count)
                sides.append(ScoreCounts.of(rng.random(count) < curve(score, amount), score))
            found.append(bin_test(request, sides[0], sides[1], turn).p_value)
        told = [f"{100 * np.mean(np.array(found) < level):.1f}" for level in (0.05, 0.01)]
        rows.append([*(f"{name}, {error:g}" for name, error in models), *told])
    titles = ["slice", "rest", "p < 0.05", "p < 0.01"]
    return (
        f"\nA slice of {PAIR_ROWS[0]} rows against {PAIR_ROWS[1]:,} others: in how many % of "
        f"{PAIR_SAMPLES} samples their ECE is said to differ. In the last line it does.\n\n"
        + table(titles, rows)
    )


def _logistic(value: Any) -> Any:
    return 1 / (1 + np.exp(-value))


def _cover(tally: Tally, counts: ScoreCounts, truths: dict[str, float], turn: int) -> None:
    for name, request in MEASURES.items():
        made = bin_interval(request, counts, IntervalOptions(seed=turn))
        tally.add(name, made, truths[name])
    if turn % 5 == 0:
        request = MEASURES["ECE"]
        bootstrap = ScoreBootstrap(counts, replicates=200, seed=turn)
        made = bootstrap.interval(partial(request.measure, **request.values), bounds=(0, 1))
        tally.add("ECE, Bayesian bootstrap", made, truths["ECE"])


def _amount(score: Any, curve: Any, error: float) -> float:
    """How far off a model is whose expected calibration error is so large."""
    low, high = 0.0, 1.0
    for _ in range(40 if error else 0):
        middle = (low + high) / 2
        is_less = _of_curve(score, curve(score, middle), "ECE") < error
        low, high = (middle, high) if is_less else (low, middle)
    return low


def _of_curve(score: Any, share: Any, name: str) -> float:
    """The measure of infinitely many rows with these probabilities of a positive."""
    bins = np.clip(np.ceil(score * 10), 1, 10).astype(int)
    weight = np.bincount(bins, minlength=11)[1:]
    gap = np.bincount(bins, share - score, minlength=11)[1:] / np.maximum(weight, 1)
    kind = MEASURES[name].measure.kind
    assert isinstance(kind, BinGaps)
    return float(kind.value(weight, gap))
