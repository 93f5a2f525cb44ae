"""Every result says which quantity it estimates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.results import Estimand, Of

RNG = np.random.default_rng(2)
TRUTH = np.tile(RNG.integers(0, 2, 40), 2)
ROW = np.arange(80)
FOLDS, REPEATS = {"folds": ROW % 4}, {"repeats": ROW // 40}


@pytest.mark.parametrize(
    ("design", "of", "expected"),
    [
        ({}, Of.POOLED, Estimand.MODEL),
        (FOLDS, Of.POOLED, Estimand.FOLD_MODELS),
        (FOLDS, Of.MEAN_OF_FOLDS, Estimand.FOLD_MODELS),
        (FOLDS, Of.FOLD, Estimand.MODEL),
        (FOLDS | REPEATS, Of.POOLED, Estimand.METHOD),
        (FOLDS | REPEATS, Of.REPEAT, Estimand.FOLD_MODELS),
        (REPEATS, Of.POOLED, Estimand.METHOD),
    ],
)
def test_a_result_says_what_it_estimates(
    design: dict[str, Any], of: Of, expected: Estimand
) -> None:
    score = np.clip(0.3 + 0.4 * TRUTH + RNG.normal(0, 0.2, 80), 0, 1)
    card = heldout.score(TRUTH, y_score=score, pos_label=1, **design)
    results = [r for r in card.results(("accuracy",), per_fold=True) if r.of is of]
    assert results
    assert {r.estimand for r in results} == {expected}


def test_training_error_estimates_nothing_of_new_rows() -> None:
    X = RNG.normal(size=(40, 2))
    made = heldout.evaluate(["nb"], X, TRUTH[:40], procedure="bootstrap 5", training_error=True)
    found = {r.of: r.estimand for r in made.results(("accuracy",))}
    assert found[Of.TRAINING] is Estimand.TRAINING
    assert found[Of.OUT_OF_BAG] is Estimand.METHOD
