"""No warning of NumPy reaches a user, whatever is infinite, empty or very large."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.values import average_of


def generator() -> Any:
    return np.random.default_rng(4)


def test_measures_that_are_infinite_on_long_rankings_are_not_moved_by_joining() -> None:
    rng = generator()
    truth = rng.random(3_000) < 0.3
    # a probability of 0 for what happened: log measures are infinite, on joined scores too
    card = heldout.score(truth, y_score=np.clip(rng.normal(size=3_000) / 2 + truth, 0, 1))
    (made,) = card.results(["nagelkerke_r2"])
    assert made.value == -np.inf
    assert made.low is None
    assert "no interval" in made.note


def test_rows_of_one_class_are_resampled_within_classes() -> None:
    card = heldout.score([1, 1], y_score=[0.2, 0.9], labels=[0, 1], pos_label=1, stratified=True)
    assert card["accuracy"].low is not None
    assert len(card.results(everything=True)) > 50
    assert card.thresholds("accuracy")[0]["threshold"] == 0.2


@pytest.mark.parametrize("groups", [None, np.arange(60) % 7])
@pytest.mark.parametrize("size", [1e150, 1e200])
def test_errors_whose_squares_pass_the_largest_number(groups: Any, size: float) -> None:
    rng = generator()
    truth = rng.normal(size=60)
    card = heldout.score(
        truth, truth + size * rng.normal(size=60), task="regression", groups=groups
    )
    assert len(card.results(everything=True)) > 20
    (mae,) = card.results(["mae"])
    if size > 1e154 and groups is None:
        assert mae.note == "no interval: squares of such losses are too large"
        return
    assert mae.low is not None
    assert mae.high is not None
    assert 0.4 * size < mae.low < mae.value < mae.high < 1.4 * size


def test_limits_of_replicates_that_nearly_all_agree_are_no_point() -> None:
    truth = np.array([0] * 20 + [1] * 20 + [2] * 20)
    rng = generator()
    for seed in range(5):
        card = heldout.score(
            truth,
            np.where(rng.random(60) < 0.98, truth, 0),
            interval="percentile",
            replicates=50,
            random_state=seed,
        )
        for made in card.results(everything=True):
            assert made.low is None or made.high is None or made.low < made.high


def test_the_correction_of_bca_does_not_cube_large_numbers() -> None:
    rng = generator()
    truth, errors = rng.normal(size=12), rng.normal(size=12)
    small, large = (
        heldout.score(
            size * truth,
            size * (truth + errors),
            task="regression",
            interval="bca",
            replicates=60,
        )["mae"]
        for size in (1.0, 1e140)
    )
    assert small.low is not None
    assert large.low is not None
    assert large.low / 1e140 == pytest.approx(small.low)


@pytest.mark.parametrize("score", [np.full(60, 0.5), np.repeat([0.2, 0.7], 30)])
def test_no_interval_and_another_interval_are_not_said_at_once(score: Any) -> None:
    # equal scores, or all in the wrong order: the Bayesian bootstrap gives no interval either
    truth = np.arange(60) % 2 if np.ptp(score) == 0 else np.repeat([1, 0], 30)
    made = heldout.score(truth, y_score=score)["kolmogorov_smirnov"]
    assert made.low is None
    assert made.note == "no interval: every replicate has the same value"


def test_scores_beyond_probabilities_without_a_threshold_need_no_labels() -> None:
    score = [3.0, 0.1, 0.4, 0.2, 0.7]
    card = heldout.score(
        ["a", "b", "b", "b", "a"], y_score=score, pos_label="a", folds=[2, 0, 2, 2, 2]
    )
    assert card["auc"].value == 1.0
    assert len(card.results(everything=True)) > 10


def test_a_class_without_rows_has_no_say_whatever_its_value() -> None:
    value = average_of(np.array([0.5, np.inf]), np.array([4.0, 0.0]), ("a", "b"), "weighted", "")
    assert value.value == 0.5


def test_one_row_without_itself_is_no_row() -> None:
    card = heldout.score([3.0], [3.5], task="regression", sample_weight=[2.0], interval="bca")
    assert card["mse"].value == 0.25
    assert card["rmse"].low is None
