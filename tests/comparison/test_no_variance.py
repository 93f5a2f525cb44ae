"""Where nothing varies: no certainty is read out of it, and identical models are equivalent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.comparison.compare import compare
from tests.comparison.models import binary, loss_difference

TRUTH = [1, 1, 0, 0]


def model(name: str, scores: list[float], truth: Any = None) -> Any:
    return heldout.from_arrays(
        TRUTH if truth is None else truth, y_score=scores, pos_label=1, model=name
    )


def test_areas_without_variance_are_told_apart_by_exchanges_and_not_by_delong() -> None:
    found = compare(
        model("a", [0.9, 0.8, 0.2, 0.1]),
        model("b", [0.5] * 4),
        measures="auc",
        margin=0.4,
        rope=0.1,
    )
    d = found["auc"]
    assert d.value == 0.5
    assert d.test.method.startswith("paired permutation test")
    assert "DeLong's variance" in d.test.note
    # 4 rows have 16 ways to be exchanged
    assert d.p_value > 0.05
    assert d.interval.is_absent
    assert d.posterior is None
    assert "nothing is known about a margin" in found.verdict


def test_two_rankings_without_a_fault_are_equal_but_not_surely_so() -> None:
    d = compare(
        model("a", [0.9, 0.8, 0.2, 0.1]),
        model("b", [0.7, 0.8, 0.1, 0.2]),
        measures="auc",
        rope=0.01,
    )["auc"]
    assert d.value == 0
    assert d.p_value == 1
    assert d.interval.is_absent
    assert d.posterior is None


def test_losses_that_are_all_alike_are_exchanged_exactly() -> None:
    d = compare(
        model("a", [0.9, 0.9, 0.1, 0.1]), model("b", [0.5] * 4), measures="brier_score", rope=0.1
    )["brier_score"]
    assert d.test.method == "exact paired permutation test (exchanges of rows)"
    assert d.p_value == 2 / 16
    assert d.interval.is_absent
    assert d.posterior is None
    ones, zeros = np.ones(6), np.zeros(6)
    sides = {"greater": 1 / 64, "less": 1.0, "two-sided": 2 / 64}
    for side, expected in sides.items():
        assert loss_difference(ones, zeros, alternative=side).p_value == expected
    groups = np.array([0, 0, 1, 1, 2, 2])
    assert loss_difference(ones, zeros, groups=groups).p_value == 2 / 8


def test_areas_of_different_rows_without_variance_have_no_interval() -> None:
    first, second = model("a", [0.9, 0.8, 0.2, 0.1]), model("b", [0.5] * 4)
    d = compare(first, second, measures="auc", unpaired=True)["auc"]
    assert d.interval.is_absent
    assert np.isnan(d.p_value)


@pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(
    "measure", ["accuracy", "auc", "brier_score", "ece", "f_score", "average_precision"]
)
def test_identical_models_are_equivalent_by_every_measure(measure: str, side: str) -> None:
    first, second = (binary(name, 1.0, seed=4) for name in "ab")
    found = compare(
        first,
        second,
        measures=measure,
        alternative=side,
        margin=1e-6,
        replicates=100,
        permutations=100,
    )
    assert found[measure].p_value == 1
    assert "equivalent within" in found.verdict
    assert "the same in every row" in found.verdict


def test_an_infinite_loss_has_no_posterior_and_no_letter() -> None:
    truth = np.tile([1, 0], 30)
    fair, poor, sure = (np.where(truth == 1, p, 1 - p) for p in (0.7, 0.6, 0.8))
    sure[0] = 0.0
    rng = np.random.default_rng(1)
    scores = {"a": fair + rng.normal(0, 0.05, 60), "b": poor + rng.normal(0, 0.05, 60), "c": sure}
    found = compare(
        *(model(name, list(values), truth) for name, values in scores.items()),
        measures="log_loss",
        rope=0.01,
    )
    assert found["log_loss", "a", "c"].posterior is None
    assert found["log_loss", "a", "b"].posterior is not None
    assert found.letters("log_loss") == {"a": "a", "b": "b", "c": ""}


def test_the_one_sided_limit_of_a_two_class_brier_score_ends_at_one() -> None:
    first, second = binary("a", 1.0, seed=4), binary("b", 0.8, seed=5)
    for given in ({}, {"unpaired": True}, {"test": "permutation"}):
        made = compare(
            first,
            second,
            measures="brier_score",
            alternative="greater",
            replicates=100,
            permutations=100,
            **given,
        )
        assert made["brier_score"].interval.high == 1


def test_what_can_be_shown_is_said_to_be_of_a_single_test() -> None:
    first, second = binary("a", 1.0, seed=4), binary("b", 1.0, seed=5)
    several = compare(first, second, measures=["auc", "accuracy"]).verdict
    assert "8 of 10 such samples (120 rows) by a single test" in several
    alone = compare(first, second, measures="auc").verdict
    assert "8 of 10 such samples" in alone
    assert "single test" not in alone
