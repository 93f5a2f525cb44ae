"""Losses of labels: shares of wrong rows in other words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout

RNG = np.random.default_rng(11)
ROWS = 120
TRUTH = RNG.integers(0, 3, ROWS)
PREDICTED = np.where(RNG.random(ROWS) < 0.85, TRUTH, (TRUTH + 1) % 3)
DESIGNS: dict[str, dict[str, Any]] = {
    "plain": {},
    "weights": {"sample_weight": RNG.random(ROWS) + 0.5},
    "groups": {"groups": np.arange(ROWS) // 4},
    "jeffreys": {"interval": "jeffreys"},
}


@pytest.mark.parametrize("design", DESIGNS)
def test_brier_of_labels_has_the_limits_of_the_error_rate(design: str) -> None:
    card = heldout.score(TRUTH, PREDICTED, **DESIGNS[design])
    wrong, brier, right = card["error_rate"], card["brier"], card["spherical_score"]
    assert brier.method == wrong.method
    assert wrong.low is not None
    assert wrong.high is not None
    # of several classes a wrong label loses 2
    assert brier.value == pytest.approx(2 * wrong.value)
    assert (brier.low, brier.high) == pytest.approx((2 * wrong.low, 2 * wrong.high))
    assert (right.low, right.high) == pytest.approx((1 - wrong.high, 1 - wrong.low))


def test_labels_without_a_fault_have_limits() -> None:
    made = heldout.score(TRUTH, TRUTH)["brier"]
    assert made.value == 0
    assert (made.low, made.high) == pytest.approx((0, 2 * 0.03102), abs=1e-4)


def test_losses_that_differ_between_errors_keep_students_t() -> None:
    card = heldout.score(TRUTH, PREDICTED)
    for measure in ("ranked_probability_score", "information_score"):
        assert card[measure].method.startswith("Student's t")


def test_probabilities_keep_students_t() -> None:
    truth, score = TRUTH % 2, np.where(PREDICTED % 2, 1.0, 0.0)
    assert heldout.score(truth, y_score=score, pos_label=1)["brier"].method.startswith("Student")
    binary = heldout.score(truth, PREDICTED % 2, pos_label=1)
    assert binary["brier"].high == pytest.approx(binary["error_rate"].high)
