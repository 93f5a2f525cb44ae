"""Lines of many tallies fitted in the same passes, beside each fitted alone."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

import numpy as np
import pytest

from heldout.measures.calibration_fit import best_line, best_shift
from heldout.measures.calibration_line import calibration_slope, fit_lines, fit_shifts
from heldout.tally.scores import ScoreCounts

FITS = pytest.mark.parametrize(
    ("together", "alone", "name"),
    [(fit_lines, best_line, "best line"), (fit_shifts, best_shift, "best shift")],
    ids=["line", "shift"],
)


def samples(count: int, rows: int, *, weighted: bool = False) -> list[ScoreCounts]:
    """Some calibrated, some far too sure or too shy, with ties and of different sizes."""
    made = []
    for seed in range(count):
        rng = np.random.default_rng(seed)
        n = rows + 7 * seed
        x = rng.normal(rng.normal(), 2.0, n).round(1)
        truth = rng.random(n) < 1 / (1 + np.exp(rng.normal() - rng.uniform(0.2, 4) * x))
        score = 1 / (1 + np.exp(-x))
        weight = rng.uniform(0.5, 3, n) if weighted else None
        made.append(ScoreCounts.of(truth, score, weight))
    return made


@FITS
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("rows", [30, 400])
def test_together_is_as_alone(
    together: Any, alone: Any, name: str, rows: int, weighted: bool
) -> None:
    some, others = (samples(40, rows, weighted=weighted) for _ in range(2))
    together(some)
    assert sum(name in vars(tally) for tally in some) > 30
    for one, other in zip(some, others, strict=True):
        expected = alone(other)
        if expected is None:
            assert alone(one) is None
        else:
            assert astuple(alone(one)) == pytest.approx(astuple(expected), rel=1e-8, abs=1e-8)


def test_a_tally_without_a_line_has_none_among_others() -> None:
    truth = np.array([True, True, False, False])
    separate = ScoreCounts.of(truth, np.array([0.9, 0.8, 0.2, 0.1]))
    sure = ScoreCounts.of(truth, np.array([1.0, 0.3, 0.4, 0.2]))
    some = [separate, *samples(3, 100), sure]
    fit_lines(some)
    assert [not np.isnan(calibration_slope(tally)) for tally in some] == [False, *[True] * 3, False]


def test_a_clip_is_kept() -> None:
    rng = np.random.default_rng(2)
    made = [ScoreCounts.of(rng.random(50) < 0.5, rng.random(50).round(1)) for _ in range(8)]
    alone = [
        calibration_slope(ScoreCounts(t.score, t.positives, t.negatives, t.rows), clip=0.01)
        for t in made
    ]
    fit_lines(made, clip=0.01)
    assert [calibration_slope(tally, clip=0.01) for tally in made] == pytest.approx(alone, rel=1e-9)


def test_what_was_fitted_before_stays() -> None:
    some = samples(4, 100)
    before = best_line(some[2])
    fit_lines(some)
    assert best_line(some[2]) is before
