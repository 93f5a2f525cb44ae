"""The t interval of a mean of losses."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
import pytest
from scipy import stats

import heldout
from heldout.tally.moments import Moments
from heldout.uncertainty.means import mean_interval, skewed_mean_interval, standard_error

LOSSES = np.array([0.5, 0.4, 0.2, 0.6, 0.3])


def test_interval_is_scipys_t_interval() -> None:
    made = mean_interval(Moments.of(LOSSES))
    expected = stats.ttest_1samp(LOSSES, 0).confidence_interval(0.95)
    assert (made.low, made.high) == pytest.approx((expected.low, expected.high))
    assert made.method == "Student's t"
    assert made.note == ""


def test_limits_beyond_the_measures_range_are_cut_and_said_to_be() -> None:
    made = mean_interval(Moments.of(np.array([0.0, 0.1, 1.5])), bounds=(0, inf))
    assert made.low == 0
    assert made.note == "lower limit truncated at 0"


def test_root_and_sum_have_the_transformed_limits() -> None:
    moments = Moments.of(LOSSES)
    plain = mean_interval(moments)
    root = mean_interval(moments, lambda m: sqrt(m.mean), bounds=(0, inf))
    total = mean_interval(moments, lambda m: m.sum)
    assert (root.low, root.high) == pytest.approx((sqrt(plain.low), sqrt(plain.high)))
    assert (total.low, total.high) == pytest.approx((5 * plain.low, 5 * plain.high))


def test_falling_function_keeps_the_limits_in_order() -> None:
    made = mean_interval(Moments.of(LOSSES), lambda m: 1 - m.mean)
    assert made.low < 1 - LOSSES.mean() < made.high


def test_weights_count_by_the_effective_sample_size() -> None:
    equal = mean_interval(Moments.of(LOSSES, np.full(5, 7.0)))
    assert equal == mean_interval(Moments.of(LOSSES))
    uneven = mean_interval(Moments.of(LOSSES, np.array([1.0, 1, 1, 1, 6])))
    assert uneven.width > equal.width
    scaled = mean_interval(Moments.of(LOSSES, 3 * np.array([1.0, 1, 1, 1, 6])))
    assert (scaled.low, scaled.high) == pytest.approx((uneven.low, uneven.high))


def test_standard_error_is_right_in_simulation() -> None:
    rng = np.random.default_rng(1)
    means, errors = [], []
    for _ in range(500):
        weight = rng.gamma(1.0, 1.0, 80)
        moments = Moments.of(rng.exponential(size=80), weight)
        means.append(moments.mean)
        errors.append(standard_error(moments) ** 2)
    assert np.mean(errors) == pytest.approx(np.var(means), rel=0.15)


@pytest.mark.parametrize(
    ("losses", "reason"),
    [
        ([], "no rows to take a mean of"),
        ([1.0], "the spread cannot be estimated from one row: at least two are needed"),
        ([0.7, 0.7, 0.7], "all rows have the same loss"),
        ([0.1 + 0.2, 0.3, 0.3], "all rows have the same loss"),
        ([1.0, inf], "the loss of 1 row is infinite"),
        ([1.0, inf, inf], "the loss of 2 rows is infinite"),
        ([1.0, np.nan], "the loss of 1 row is undefined"),
    ],
)
def test_what_has_no_interval_says_why(losses: list[float], reason: str) -> None:
    made = mean_interval(Moments.of(np.array(losses)))
    assert made.is_absent
    assert made.note == reason


def test_interval_narrows_as_the_level_falls() -> None:
    moments = Moments.of(LOSSES)
    widths = [mean_interval(moments, level=level).width for level in (0.5, 0.8, 0.95, 0.999)]
    assert widths == sorted(widths)


def test_rows_worth_hardly_more_than_one_have_no_interval() -> None:
    weight = np.array([1e12, 1.0, 1.0, 1.0, 1.0])
    made = mean_interval(Moments.of(LOSSES, weight))
    assert made.is_absent
    assert made.note == "by their weights the rows are worth 1: at least two are needed"
    two = mean_interval(Moments.of(LOSSES[:2], np.array([1.0, 2.0])))
    assert two.high < 10


def test_skewed_losses_are_covered_which_plain_t_does_not() -> None:
    rng, plain, skewed, told = np.random.default_rng(3), 0, 0, 0
    for _ in range(400):
        losses = rng.laplace(size=40) ** 2  # whose mean is 2
        moments = Moments.of(losses)
        made = skewed_mean_interval(moments, losses, bounds=(0, np.inf))
        plain += mean_interval(moments).contains(2.0)
        skewed += made.contains(2.0)
        told += "few rows account" in made.note
    assert plain < 360
    assert skewed > 365
    assert told > 150


def test_losses_without_skewness_have_students_limits() -> None:
    losses = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    made, plain = (
        skewed_mean_interval(Moments.of(losses), losses),
        mean_interval(Moments.of(losses)),
    )
    assert (made.low, made.high) == pytest.approx((plain.low, plain.high))
    root = skewed_mean_interval(Moments.of(losses), losses, lambda m: m.mean**0.5)
    assert root.low == pytest.approx(plain.low**0.5)
    assert skewed_mean_interval(Moments.of(np.ones(4)), np.ones(4)).is_absent


def test_limits_that_no_number_holds_are_no_limits() -> None:
    truth = np.array([1063078.0, 1103935, 1103092, 1181785, 961481, 1054418, 963378, 857515])
    near = [1062986.5, 1103915.9, 1103204.0, 1181842.0, 961538.2, 1054452.5, 963360.5, 857328.2]
    groups = [2, 0, 2, 2, 2, 1, 3, 2]
    value = heldout.score(truth, near, task="regression", groups=groups)["r2"]
    assert value.value > 0.99999
    assert value.low is None
    assert "infinite" in value.lack
