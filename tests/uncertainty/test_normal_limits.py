"""Limits from the spread of few replicates, where these look normal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from heldout.uncertainty.limits import looks_normal, normal_limits


def normal(seed: int = 1, count: int = 100) -> Any:
    return np.random.default_rng(seed).normal(0.7, 0.01, count)


def test_reach_is_students_quantile_of_the_standard_deviation() -> None:
    draws = normal()
    made = normal_limits(draws, 0.7, level=0.9, draws="100 draws")
    assert made is not None
    reach = stats.t.ppf(0.95, 99) * draws.std(ddof=1)
    assert made.low == pytest.approx(0.7 - reach)
    assert made.high == pytest.approx(0.7 + reach)
    assert made.method == "normal limits of a bootstrap, 100 draws"


@pytest.mark.parametrize("asked", [False, True])
def test_bias_of_the_draws_is_taken_off(asked: bool) -> None:
    draws, estimate = normal(), 0.694
    made = normal_limits(draws, estimate, unbiased=asked)
    assert made is not None
    assert (made.low + made.high) / 2 == pytest.approx(2 * estimate - draws.mean())
    assert "without bias" in made.method


def test_bias_that_may_be_chance_is_left_unless_asked() -> None:
    draws, estimate = normal(), 0.699
    made, other = (normal_limits(draws, estimate, unbiased=asked) for asked in (False, True))
    assert made is not None
    assert other is not None
    assert (made.low + made.high) / 2 == pytest.approx(estimate)
    assert (other.low + other.high) / 2 == pytest.approx(2 * estimate - draws.mean())


@pytest.mark.parametrize("asked", [False, True])
def test_a_bias_above_a_standard_deviation_makes_draws_unfit(asked: bool) -> None:
    assert normal_limits(normal(), 0.68, unbiased=asked) is None


@pytest.mark.parametrize("bounds", [(0, 0.74), (0.66, 1)])
def test_a_value_near_the_end_of_its_range_has_no_normal_limits(bounds: Any) -> None:
    assert normal_limits(normal(), 0.7) is not None
    assert normal_limits(normal(), 0.7, bounds=bounds) is None


@pytest.mark.parametrize(
    "draws",
    [
        np.full(100, 0.5),
        np.append(normal(count=99), np.nan),
        np.append(normal(count=99), np.inf),
        np.exp(np.random.default_rng(1).normal(size=100)),
        np.random.default_rng(1).standard_t(2, 100),
    ],
    ids=["equal", "undefined", "infinite", "skewed", "heavy tails"],
)
def test_draws_that_are_not_normal_give_no_limits(draws: Any) -> None:
    assert not looks_normal(draws)
    assert normal_limits(draws, float(np.median(draws))) is None


def test_normal_draws_rarely_look_otherwise() -> None:
    assert np.mean([looks_normal(normal(seed)) for seed in range(1000)]) > 0.97


def test_few_draws_place_limits_as_well_as_four_times_as_many_quantiles() -> None:
    few, many = [], []
    for seed in range(300):
        made = normal_limits(normal(seed), 0.7)
        if made is not None:
            few.append(made.low)
        many.append(np.quantile(normal(seed + 1000, 400), 0.025))
    truth = 0.7 - 1.96 * 0.01
    error = [np.sqrt(np.mean((np.array(lows) - truth) ** 2)) for lows in (few, many)]
    assert error[0] < 1.15 * error[1]
