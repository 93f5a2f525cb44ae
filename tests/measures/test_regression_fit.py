"""Variance explained, correlation, and errors relative to a simple forecast."""

from __future__ import annotations

import csv
from fractions import Fraction
from math import inf, isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from heldout.core.errors import InputError
from heldout.measures.registry import find, measures
from heldout.tally.errors import Errors
from heldout.tally.moments import Moments
from heldout.tally.rows import ValueRows
from tests.measures.regression_values import value

REGRESSION = measures("regression")
assert len(REGRESSION) > 25


def test_solubility_gets_what_yardstick_says(reference: Path) -> None:
    with (reference / "yardstick_solubility" / "solubility_test.csv").open() as file:
        table = [[float(cell) for cell in row.values()] for row in csv.DictReader(file)]
    truth, predicted, weight = np.array(table).T
    expected = {
        "rmse": 0.722110650384496,
        "mae": 0.545070906341586,
        "rsq": 0.879435652774269,
        "rsq_trad": 0.878913528983174,
        "mape": inf,
        "mpe": inf,
        "ccc": 0.936960916110462,
        "rpd": 2.87832913242904,
        "rpiq": 3.57285964225323,
        "huber_loss": 0.233835099151342,
        "huber_loss_pseudo": 0.198861084617786,
        "iic": 0.889770675490037,
    }
    found = {name: value(name, truth, predicted) for name in expected}
    assert found == pytest.approx(expected, abs=1e-9)
    assert value("smape", truth, predicted, percent=True) == pytest.approx(36.7404430994451)
    # yardstick's msd is true less predicted
    assert value("bias", truth, predicted) == pytest.approx(0.0143195535405964, abs=1e-9)
    weighted = {"rmse": 0.75389617854456, "mae": 0.568293834116623, "r2": 0.87379334808769}
    found = {name: value(name, truth, predicted, weight) for name in weighted}
    assert found == pytest.approx(weighted, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_correlations_agree_with_scipy_and_the_textbook(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.normal(5, 2, 30)
    predicted = 0.7 * truth + rng.normal(0, 1, 30)
    r = stats.pearsonr(truth, predicted).statistic
    assert value("pearson", truth, predicted) == pytest.approx(r)
    assert value("rsq", truth, predicted) == pytest.approx(r * r)
    covariance = np.cov(truth, predicted, ddof=0)
    shift = (truth.mean() - predicted.mean()) ** 2
    lin = 2 * covariance[0, 1] / (covariance.trace() + shift)
    assert value("ccc", truth, predicted, bias=True) == pytest.approx(lin)
    assert value("ccc", truth, predicted) > lin


def test_adjusted_r2_takes_away_what_chance_gives() -> None:
    truth, predicted = [1, 2, 3, 4, 5], [1.5, 2, 3, 4, 4.5]
    assert value("r2", truth, predicted) == pytest.approx(0.95)
    assert value("adjusted_r2", truth, predicted, features=2) == pytest.approx(1 - 0.05 * 4 / 2)
    assert isnan(value("adjusted_r2", truth, predicted, features=4))
    with pytest.raises(InputError, match="how many features the model has: features=3"):
        value("adjusted_r2", truth, predicted)


@pytest.mark.parametrize("constant", [5.0, 0.1, 1e9 / 3])
@pytest.mark.parametrize("rows", [1, 2, 7, 1000])
def test_fit_to_a_constant_truth_is_undefined(constant: float, rows: int) -> None:
    truth = np.full(rows, constant)
    predicted = np.linspace(0, 1, rows)
    weight = np.linspace(0.1, 0.7, rows)
    for name in ("r2", "explained_variance", "correlation", "rsq"):
        assert isnan(value(name, truth, predicted)), name
        assert isnan(value(name, truth, predicted, weight)), name
        if name in ("correlation", "rsq"):
            assert isnan(value(name, predicted, truth, weight)), name


@pytest.mark.parametrize("rows", [2, 3, 40])
def test_a_small_spread_far_from_zero_keeps_its_digits(rows: int) -> None:
    rng = np.random.default_rng(rows)
    truth = 1e6 + 1e-6 * rng.gamma(2, 2, rows)
    predicted = truth + 1e-6 * rng.normal(size=rows)
    exact = [[Fraction(float(number)) for number in numbers] for numbers in (truth, predicted)]
    mean = sum(exact[0]) / rows
    left = sum((y - p) ** 2 for y, p in zip(*exact, strict=True))
    r2 = 1 - left / sum((y - mean) ** 2 for y in exact[0])
    starts = np.array([0, rows])
    assert value("r2", truth, predicted) == pytest.approx(float(r2), rel=1e-12)
    parts = Errors.of_parts(truth, predicted, starts).at(0)
    assert find("r2")(parts) == pytest.approx(float(r2), rel=1e-12)


def test_r2_of_a_constant_truth_is_scikit_learn_s_on_request() -> None:
    assert value("r2", [5, 5], [5, 5], force_finite=True) == 1
    assert value("r2", [5, 5], [5, 5.1], force_finite=True) == 0
    assert isnan(value("r2", [5], [5], force_finite=True))


def test_concordance_counts_a_shift_against_the_predictions() -> None:
    assert value("ccc", [1, 2, 3], [1, 2, 3]) == 1
    assert value("ccc", [1, 2, 3], [2, 3, 4]) == pytest.approx(2 / 3)
    assert value("ccc", [1, 1], [2, 2]) == 0
    assert isnan(value("ccc", [1, 1], [1, 1]))
    assert isnan(value("ccc", [1], [2]))


def test_index_of_ideality_needs_errors_on_both_sides() -> None:
    assert isnan(value("iic", [1, 2, 3], [2, 3, 5]))
    assert isnan(value("iic", [1, 2, 3], [1, 2, 2]))
    assert value("iic", [1, 2, 3], [2, 1, 3]) == pytest.approx(0.5 * 0.5)


def test_relative_errors_are_those_of_weka() -> None:
    truth, predicted, mean = [1.0, 2.0, 6.0], [2.0, 2.0, 4.0], [2.5, 2.5, 2.5]
    found = {n: value(n, truth, predicted, train_mean=mean) for n in ("rae", "rse", "rrse")}
    assert found == pytest.approx({"rae": 3 / 5.5, "rse": 5 / 14.75, "rrse": (5 / 14.75) ** 0.5})
    weighted = value("rae", truth, predicted, [1, 5, 3], train_mean=mean)
    assert weighted == pytest.approx((1 + 6) / (1.5 + 2.5 + 10.5))
    assert all(find(name).uses_prior for name in found)
    assert isnan(value("rae", [2, 2], [1, 3], train_mean=[2, 2]))
    assert isnan(value("rae", truth, predicted))


def test_scaled_error_needs_a_naive_forecast() -> None:
    truth, predicted = [1, 2, 4], [1, 3, 3]
    assert value("mase", truth, predicted, naive=[0, 1, 2]) == pytest.approx(2 / 4)
    assert isnan(value("mase", truth, predicted, naive=truth))
    assert isnan(value("mase", truth, predicted))
    rows = ValueRows(np.zeros(2), np.ones(2))
    assert np.isnan(find("mase").losses[1](rows)).all()
    note: Any = find("mase").note
    unknown, known = Moments.of(np.array([np.nan])), Moments.of(np.ones(1))
    assert note(known, unknown) == "undefined: no naive forecast is given"
    assert note(known, known) == ""


def test_performance_ratios_of_perfect_predictions_are_infinite() -> None:
    assert value("rpd", [1, 2, 3], [2, 3, 4]) == pytest.approx(1)
    assert value("rpd", [1, 2, 3], [1, 2, 3]) == inf
    assert value("rpiq", [1, 2, 3], [1, 2, 3]) == inf
    assert isnan(value("rpd", [2, 2], [2, 2]))
    assert isnan(value("rpd", [2], [3]))
    assert isnan(value("rpiq", [2, 2], [2, 2]))
    assert value("rpiq", [2, 2], [3, 3]) == 0


SMALL = st.integers(0, 6).map(float)


@pytest.mark.parametrize("m", REGRESSION, ids=lambda m: m.name)
@given(rows=st.lists(st.tuples(SMALL, SMALL, SMALL, st.integers(1, 3)), min_size=1, max_size=6))
def test_whole_weight_is_a_repetition_and_scale_is_as_declared(m: Any, rows: list[Any]) -> None:
    truth, predicted, naive, weight = np.array(rows).T
    options: dict[str, Any] = {"naive": naive, "train_mean": np.full(len(rows), 2.5)}
    parameters = {"features": 1} if m.name == "adjusted_r2" else {}
    weighted = value(m.name, truth, predicted, weight, **options, **parameters)
    columns = [np.repeat(c, weight.astype(int)) for c in (truth, predicted, *options.values())]
    again = dict(zip(options, columns[2:], strict=True))
    repeated = value(m.name, columns[0], columns[1], **again, **parameters)
    assert weighted == pytest.approx(repeated, rel=1e-9, abs=1e-12, nan_ok=True)
    assert isnan(weighted) or m.bounds[0] <= weighted <= m.bounds[1]
    if not (m.weight_scale or m.by_rows):
        scaled = value(m.name, truth, predicted, weight / 3, **options, **parameters)
        assert scaled == pytest.approx(weighted, rel=1e-9, abs=1e-12, nan_ok=True)


def test_no_rows_have_no_fit() -> None:
    for name in ("r2", "explained_variance", "correlation", "rsq", "ccc", "rpd"):
        assert isnan(find(name)(Errors())), name
