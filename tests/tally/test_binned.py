"""Limits from counts in bins hold the values of the exact scores, whatever these are."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.measures.precision_recall import average_precision
from heldout.measures.ranking import kolmogorov_smirnov
from heldout.tally.binned import limits_of
from heldout.tally.roc import area
from heldout.tally.scores import ScoreCounts

RNG = np.random.default_rng(19)
ROWS = 3_000
SCORES = {
    "spread": RNG.random(ROWS),
    "all equal": np.full(ROWS, 0.3),
    "near 1": 1 - RNG.random(ROWS) * 1e-9,
    "denormal": RNG.random(ROWS) * 1e-310,
    "negative": RNG.normal(size=ROWS) * 3,
    "ties": np.round(RNG.random(ROWS), 1),
}


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("bins", [2, 64, 4096])
@pytest.mark.parametrize("kind", ["informed", "reversed", "random", "rare"])
def test_the_exact_values_lie_within_the_limits(name: str, bins: int, kind: str) -> None:
    score = SCORES[name]
    rank = np.argsort(np.argsort(score)) / ROWS
    chance = {
        "informed": rank,
        "reversed": 1 - rank,
        "random": 0.5 + 0 * rank,
        "rare": 0.003 + 0 * rank,
    }
    truth = RNG.random(ROWS) < chance[kind]
    truth[:2] = True, False
    exact = ScoreCounts.of(truth, score)
    rounded = ScoreCounts.of(truth, np.floor(score * bins) / bins)
    limits = limits_of(rounded, 1 / bins)
    values = {
        "auc": area(exact),
        "average_precision": average_precision(exact),
        "kolmogorov_smirnov": kolmogorov_smirnov(exact),
    }
    if rounded.is_probability:
        values["brier"] = float(np.mean((score - truth) ** 2))
    assert values.keys() == limits.keys()
    for measure, value in values.items():
        low, high = limits[measure]
        assert low <= value <= high, measure


def test_the_limits_are_narrow_where_scores_are_spread() -> None:
    score = RNG.random(200_000)
    truth = RNG.random(200_000) < score
    limits = limits_of(ScoreCounts.of(truth, np.floor(score * 2**16) / 2**16), 2**-16)
    assert all(high - low < 1e-4 for low, high in limits.values())


def test_one_class_has_no_limits() -> None:
    assert limits_of(ScoreCounts.of(np.ones(3, bool), np.zeros(3)), 0.5) == {}
