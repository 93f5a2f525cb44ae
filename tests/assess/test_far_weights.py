"""Weights so far apart that one class is lost beside the other: no failure, no warning."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

import heldout

TRUTH = np.array([0, 1, 0, 1, 1, 0])
SCORE = np.array([0.2, 0.7, 0.4, 0.6, 0.3, 0.8])
FAR = [(1, 1e-17), (1e-17, 1), (1e9, 1e-9), (1e-9, 1e9), (1e-12, 1e12)]


@pytest.mark.parametrize("weights", FAR)
@pytest.mark.parametrize("rows", [5, 6])
def test_every_measure_has_a_value_or_a_reason(weights: tuple[float, float], rows: int) -> None:
    truth, score = TRUTH[:rows], SCORE[:rows]
    weight = np.where(truth == 1, *weights)
    card = heldout.score(truth, y_score=score, sample_weight=weight, intervals=False)
    for result in card.results(everything=True):
        assert not isnan(result.value) or result.note, result.measure
    slope = card["calibration_slope"]
    assert isnan(slope.value)
    assert "lost in rounding" in slope.note or "separate" in slope.note
    equal = heldout.score(truth, y_score=score, intervals=False)
    # shares of one class do not depend on the weight of the other
    for name in ("recall", "specificity", "auc", "balanced_accuracy"):
        assert card[name].value == pytest.approx(equal[name].value, abs=1e-12), name


@pytest.mark.parametrize("weights", FAR)
def test_several_classes_have_a_value_or_a_reason(weights: tuple[float, float]) -> None:
    truth = np.arange(30) % 3
    weight = np.where(truth == 1, *weights)
    score = np.random.default_rng(1).dirichlet([1, 1, 1], 30)
    card = heldout.score(truth, y_score=score, sample_weight=weight, intervals=False)
    for result in card.results(everything=True, per_class=True):
        assert not isnan(result.value) or result.note, result.measure


def test_intervals_of_far_weights_are_no_failure() -> None:
    weight = np.where(TRUTH == 1, 1.0, 1e-17)
    found = heldout.score(TRUTH, y_score=SCORE, sample_weight=weight).results()
    for result in found:
        if result.low is not None and result.high is not None:
            assert result.low <= result.high
