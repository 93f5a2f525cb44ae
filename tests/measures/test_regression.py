"""Errors of predicted numbers, robust losses and percentages."""

from __future__ import annotations

from math import inf, isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from heldout.core.errors import InputError
from heldout.measures.registry import find
from heldout.measures.regression import weighted_median, weighted_quantile
from heldout.tally.errors import ErrorRows, Errors
from heldout.tally.moments import Moments
from heldout.tally.rows import ValueRows
from tests.measures.regression_values import value

TARGET = [
    10.502, 18.99, 20.0, 6.883, 5.351, 11.12, 11.42, 4.836, 8.177, 19.009, 13.282, 8.689, 18.05,
    5.388, 10.646, 19.612, 10.576, 12.934, 10.492, 13.439, 9.849, 18.045, 6.413, 9.522, 12.083,
]  # fmt: skip
LINE = [
    10.73, 17.578, 21.76, 7.001, 5.244, 10.842, 10.913, 7.401, 8.227, 16.667, 14.424, 9.874, 19.503,
    7.02, 10.358, 16.219, 10.68, 14.337, 10.366, 14.035, 9.821, 16.639, 7.225, 9.565, 13.048,
]  # fmt: skip
NEIGHBOURS = [
    12.24, 21.0, 16.973, 7.543, 8.383, 10.228, 12.921, 7.588, 9.277, 21.0, 15.496, 5.724, 16.449,
    6.64, 5.84, 18.965, 8.941, 12.484, 13.021, 10.92, 9.92, 18.526, 7.719, 8.934, 11.241,
]  # fmt: skip


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        (LINE, {"mse": 1.703, "rmse": 1.305, "mae": 0.958, "r2": 0.921}),
        (NEIGHBOURS, {"mse": 4.064, "rmse": 2.016, "mae": 1.704, "r2": 0.812}),
    ],
)
def test_blood_thinner_of_a_lecture(predicted: list[float], expected: dict[str, float]) -> None:
    found = {name: value(name, TARGET, predicted) for name in expected}
    assert found == pytest.approx(expected, abs=5e-4)


def test_halved_sum_of_squares_is_another_measure_than_the_plain_one() -> None:
    squares = sum((t - p) ** 2 for t, p in zip(TARGET, LINE, strict=True))
    assert value("rss", TARGET, LINE) == pytest.approx(squares)
    assert value("sse", TARGET, LINE) == pytest.approx(squares)
    assert value("half_sum_of_squares", TARGET, LINE) == pytest.approx(squares / 2)


@pytest.mark.parametrize("seed", range(5))
def test_scikit_learn_agrees_with_and_without_weights(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.normal(3, 2, 40)
    predicted = truth + rng.normal(0, 1, 40)
    for weight in (None, rng.random(40)):
        expected = {
            "mse": sk.mean_squared_error(truth, predicted, sample_weight=weight),
            "rmse": sk.root_mean_squared_error(truth, predicted, sample_weight=weight),
            "mae": sk.mean_absolute_error(truth, predicted, sample_weight=weight),
            "medae": sk.median_absolute_error(truth, predicted, sample_weight=weight),
            "max_error": sk.max_error(truth, predicted),
            "mape": sk.mean_absolute_percentage_error(truth, predicted, sample_weight=weight),
            "r2": sk.r2_score(truth, predicted, sample_weight=weight),
            "explained_variance": sk.explained_variance_score(
                truth, predicted, sample_weight=weight
            ),
        }
        found = {name: value(name, truth, predicted, weight) for name in expected}
        assert found == pytest.approx(expected, rel=1e-10)
        for alpha in (0.1, 0.5, 0.9):
            pinball = sk.mean_pinball_loss(truth, predicted, sample_weight=weight, alpha=alpha)
            found_pinball = value("pinball_loss", truth, predicted, weight, alpha=alpha)
            assert found_pinball == pytest.approx(pinball, rel=1e-10)


def test_bias_is_predicted_less_true() -> None:
    assert value("bias", [1, 2, 3], [2, 2, 4]) == pytest.approx(2 / 3)
    assert value("mean_error", [1, 2], [0, 0], [3, 1]) == pytest.approx(-1.25)


def test_huber_counts_errors_above_delta_linearly() -> None:
    assert value("huber_loss", [0, 0, 0], [1, -4, 0]) == pytest.approx((0.5 + 3.5) / 3)
    assert value("huber_loss", [0, 0], [1, -4], delta=2) == pytest.approx((0.5 + 6) / 2)
    small = value("pseudo_huber_loss", [0], [0.01])
    assert small == pytest.approx(0.01**2 / 2, rel=1e-4)
    assert value("pseudo_huber_loss", [0], [1e6], delta=2) == pytest.approx(2e6, rel=1e-5)


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("huber_loss", {"delta": 0.0}, "delta of a Huber loss is a number above 0, not 0.0"),
        ("pseudo_huber_loss", {"delta": nan}, "delta of a Huber loss is a number above 0"),
        ("pinball_loss", {"alpha": 1.5}, "a quantile between 0 and 1, not 1.5"),
    ],
)
def test_parameter_without_a_meaning_is_refused(
    name: str, parameters: dict[str, float], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        value(name, [1, 2], [1, 2], **parameters)


def test_percentage_error_of_truth_0_is_infinite_and_says_so() -> None:
    assert value("mape", [0, 1], [1, 1]) == inf
    m = find("mape")
    losses = Moments.of(m.losses[0](ValueRows(np.array([0.0, 1.0, 0.0]), np.ones(3))))
    assert m.note is not None
    assert m.note(losses, percent=False) == "the truth is 0 in 2 rows with an error"
    assert m.note(Moments.of(np.ones(3))) == ""


def test_0_predicted_for_0_is_no_error() -> None:
    assert value("mape", [0, 2], [0, 1]) == 0.25
    assert value("smape", [0, 1], [0, 1]) == 0
    assert value("mpe", [0, 2], [0, 1]) == 0.25


def test_sign_of_the_mean_percentage_error_is_true_less_predicted() -> None:
    assert value("mpe", [2, 4], [1, 3]) == pytest.approx(0.375)
    assert value("mpe", [0, 1], [-1, 1]) == inf
    assert value("mpe", [-0.0, 1], [1, 1]) == -inf
    assert isnan(value("mpe", [0, 0], [-1, 1]))


def test_percentages_are_shares_unless_per_cent_are_asked_for() -> None:
    for name in ("mape", "smape", "mpe"):
        share = value(name, [2, 4], [1, 3])
        assert value(name, [2, 4], [1, 3], percent=True) == pytest.approx(100 * share)


weighted_rows = st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 5)), min_size=1, max_size=12)


@given(rows=weighted_rows, scale=st.sampled_from([1.0, 0.1, 1 / 3, 1e6]))
def test_weighted_median_is_that_of_repeated_rows_at_any_scale(
    rows: list[tuple[int, int]], scale: float
) -> None:
    values, weight = (np.array(column, float) for column in zip(*rows, strict=True))
    repeated = np.repeat(values, weight.astype(int))
    assert weighted_median(values, weight * scale) == np.median(repeated)


@given(rows=weighted_rows, share=st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]))
def test_weighted_quantile_is_that_of_repeated_rows(
    rows: list[tuple[int, int]], share: float
) -> None:
    values, weight = (np.array(column, float) for column in zip(*rows, strict=True))
    repeated = np.repeat(values, weight.astype(int))
    found = weighted_quantile(values, weight, share)
    assert found == pytest.approx(np.quantile(repeated, share), abs=1e-12)


def test_rows_without_weight_have_no_say_in_a_median() -> None:
    assert weighted_median(np.array([1.0, 50.0, 3.0]), np.array([1.0, 0.0, 1.0])) == 2.0
    assert weighted_quantile(np.array([1.0, 50.0]), np.array([1.0, 0.0]), 0.75) == 1.0


def test_no_rows_have_no_error() -> None:
    nothing = [Moments(), Errors(), ErrorRows()]
    for name in ("mse", "rmse", "rss", "sse", "mae", "medae", "max_error", "bias"):
        m = find(name)
        (tally,) = (t for t in nothing if type(t) in m.needs)
        assert isnan(m(tally)), name
