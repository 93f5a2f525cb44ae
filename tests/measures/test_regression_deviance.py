"""Poisson, gamma and Tweedie deviances."""

from __future__ import annotations

from math import inf, isnan
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk

from heldout.core.errors import InputError
from heldout.measures.registry import find
from heldout.tally.moments import Moments
from heldout.tally.rows import ValueRows
from tests.measures.regression_values import value


@pytest.mark.parametrize("seed", range(3))
def test_scikit_learn_agrees_with_and_without_weights(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, predicted = rng.gamma(2, 2, (2, 30))
    counts = rng.poisson(predicted).astype(float)
    for weight in (None, rng.random(30)):
        poisson = sk.mean_poisson_deviance(counts, predicted, sample_weight=weight)
        assert value("poisson_deviance", counts, predicted, weight) == pytest.approx(poisson)
        gamma = sk.mean_gamma_deviance(truth, predicted, sample_weight=weight)
        assert value("gamma_deviance", truth, predicted, weight) == pytest.approx(gamma)
        for power in (-1.5, 0, 1, 1.3, 1.5, 2, 2.5, 3):
            expected = sk.mean_tweedie_deviance(truth, predicted, sample_weight=weight, power=power)
            found = value("tweedie_deviance", truth, predicted, weight, power=power)
            assert found == pytest.approx(expected), power
        zeros = sk.mean_tweedie_deviance(counts, predicted, sample_weight=weight, power=1.5)
        assert value("tweedie_deviance", counts, predicted, weight) == pytest.approx(zeros)
        signed = truth - 3
        expected = sk.mean_tweedie_deviance(signed, predicted, sample_weight=weight, power=-1)
        found = value("tweedie_deviance", signed, predicted, weight, power=-1.0)
        assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "truth", "predicted", "parameters"),
    [
        ("poisson_deviance", -1, 1, {}),
        ("poisson_deviance", 1, -1, {}),
        ("gamma_deviance", 0, 1, {}),
        ("gamma_deviance", 0, 0, {}),
        ("gamma_deviance", 1, -1, {}),
        ("tweedie_deviance", -1, 1, {}),
        ("tweedie_deviance", 0, 1, {"power": 3.0}),
        ("tweedie_deviance", 1, 0, {"power": -1.0}),
    ],
)
def test_value_outside_the_domain_makes_a_deviance_undefined(
    name: str, truth: float, predicted: float, parameters: dict[str, Any]
) -> None:
    assert isnan(value(name, [1, truth], [1, predicted], **parameters))


@pytest.mark.parametrize("name", ["poisson_deviance", "gamma_deviance", "tweedie_deviance"])
def test_predicting_0_where_more_came_is_infinitely_bad(name: str) -> None:
    assert value(name, [1, 2], [1, 0]) == inf


@pytest.mark.parametrize("power", [0, 1, 1.5, 2, 3, -1])
def test_perfect_predictions_have_no_deviance(power: float) -> None:
    truth = [0.1, 1 / 3, 7.7, 1e5]
    assert value("tweedie_deviance", truth, truth, power=power) == 0
    if power in (0, 1, 1.5):
        assert value("tweedie_deviance", [0, 1], [0, 1], power=power) == 0


def test_power_without_a_distribution_is_refused() -> None:
    with pytest.raises(InputError, match=r"at most 0 or at least 1, not 0\.5"):
        value("tweedie_deviance", [1], [1], power=0.5)


def test_remark_counts_the_rows_that_spoil_a_deviance() -> None:
    m = find("poisson_deviance")

    def remark(truth: list[float], predicted: list[float]) -> str:
        rows = ValueRows(np.array(truth), np.array(predicted))
        note: Any = m.note
        return str(note(Moments.of(m.losses[0](rows))))

    outside = "undefined: 2 rows have a value that the distribution cannot take"
    assert remark([-1.0, 2.0, -3.0], [1.0, 1.0, 1.0]) == outside
    assert remark([1.0, 2.0], [0.0, 1.0]) == "0 is predicted where more came in 1 of 2 rows"
    assert remark([1.0, 2.0], [1.0, 1.0]) == ""
