"""Tests of a slice against the rest, beside SciPy's, statsmodels' and their definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.assess.slice_differences import RandomDraws
from heldout.assess.slice_tests import (
    Jackknifed,
    area_test,
    draw_test,
    jackknife_test,
    mean_test,
    share_test,
)
from heldout.core.holm import holm
from heldout.tally.moments import Moments
from heldout.tally.roc import area
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.areas import auc_variance

if TYPE_CHECKING:
    from collections.abc import Sequence


@given(values=st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_that_of_statsmodels(values: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    assert holm(values) == pytest.approx(multipletests(values, method="holm")[1])


def test_holm_does_not_count_what_was_not_tested() -> None:
    found = holm([0.01, float("nan"), 0.02])
    assert found[[0, 2]].tolist() == [0.02, 0.02]
    assert np.isnan(found[1])
    assert len(holm([])) == 0


@given(counts=st.tuples(*[st.integers(0, 9)] * 4))
def test_small_counts_are_judged_by_fishers_exact_test(counts: tuple[int, ...]) -> None:
    from scipy.stats import fisher_exact

    a, b, c, d = counts
    if not a + b or not c + d:
        assert np.isnan(share_test(a, a + b, c, c + d).p_value)
        return
    found = share_test(a, a + b, c, c + d)
    assert found.method == "Fisher's exact test"
    assert found.p_value == pytest.approx(fisher_exact([[a, b], [c, d]])[1])


def test_large_counts_are_judged_by_the_score_test() -> None:
    from scipy.stats import chi2_contingency

    found = share_test(40, 100, 900, 1500)
    table = [[40, 60], [900, 600]]
    assert found.method == "score test"
    assert found.p_value == pytest.approx(chi2_contingency(table, correction=False)[1])
    assert found.difference == pytest.approx(0.4 - 0.6)


def test_millions_of_rows_with_few_successes_stay_exact() -> None:
    from scipy.stats import fisher_exact

    found = share_test(4, 50_000, 60, 4_950_000)
    assert found.p_value == pytest.approx(fisher_exact([[4, 49_996], [60, 4_949_940]])[1])


def test_means_of_equal_spread_are_judged_by_welch() -> None:
    from scipy.stats import ttest_ind

    rng = np.random.default_rng(1)
    some = rng.normal(size=15)
    rest = np.concatenate([some, some, some]) + 0.4
    found = mean_test(Moments.of(some), Moments.of(rest))
    assert found.p_value == pytest.approx(ttest_ind(some, rest, equal_var=False)[1], rel=0.02)


def test_rows_that_happen_to_agree_are_not_certain() -> None:
    some, rest = np.zeros(6), np.random.default_rng(2).exponential(size=200)
    found = mean_test(Moments.of(some), Moments.of(rest))
    assert 0.001 < found.p_value < 0.1


def test_infinite_loss_has_no_test() -> None:
    found = mean_test(Moments.of(np.array([1.0, np.inf])), Moments.of(np.array([1.0, 2.0])))
    assert np.isnan(found.p_value)
    assert found.note == "the loss of 1 row is infinite"


def test_areas_are_judged_by_their_own_variances() -> None:
    rng = np.random.default_rng(3)
    parts = []
    for shift in (0.4, 2.0):
        truth = rng.random(400) < 0.5
        parts.append(ScoreCounts.of(truth, rng.normal(size=400) + shift * truth))
    whole = parts[0] + parts[1]
    found = area_test(parts[0], parts[1], whole)
    variance = sum(auc_variance(p) for p in parts)
    z = (area(parts[0]) - area(parts[1])) / variance**0.5
    # the unpaired test of DeLong, as in R's pROC
    assert found.p_value == pytest.approx(2 * _tail(abs(z)), rel=1e-9)
    assert found.p_value < 1e-6
    assert found.method == "DeLong's test"


def test_perfect_ranking_of_a_few_rows_is_not_certain() -> None:
    rng = np.random.default_rng(4)
    truth = rng.random(500) < 0.5
    rest = ScoreCounts.of(truth, rng.normal(size=500) + 1.5 * truth)
    few = ScoreCounts.of(np.array([True] * 5 + [False] * 5), np.arange(10.0)[::-1])
    found = area_test(few, rest, few + rest)
    assert found.p_value > 0.05
    assert found.method == "DeLong's test, no variance below the pooled"


def _tail(z: float) -> float:
    from scipy.stats import norm

    return float(norm.sf(z))


@given(values=st.lists(st.floats(-5, 5), min_size=3, max_size=9))
def test_jackknife_of_a_mean_is_the_usual_variance(values: list[float]) -> None:
    data = np.array(values)
    without = (data.sum() - data) / (len(data) - 1)
    found = Jackknifed.of(data.mean(), without, np.ones(len(data)))
    assert found.variance == pytest.approx(data.var(ddof=1) / len(data), abs=1e-12)


def test_jackknife_over_unequal_parts_estimates_the_variance_of_a_mean() -> None:
    rng = np.random.default_rng(5)
    found = []
    for _ in range(300):
        data, part = rng.normal(size=60), rng.integers(0, 20, 60)
        sizes = np.bincount(part, minlength=20)
        without = np.array([data[part != g].mean() for g in range(20)])
        found.append(Jackknifed.of(data.mean(), without, sizes).variance)
    assert np.mean(found) == pytest.approx(1 / 60, rel=0.1)


def test_swapped_sides_have_the_same_p_value() -> None:
    some, rest = Jackknifed(0.5, 0.01, 20, 50), Jackknifed(0.8, 0.001, 20, 500)
    whole = Jackknifed(0.77, 0.0009, 20, 550)
    one, other = jackknife_test(some, rest, whole), jackknife_test(rest, some, whole)
    assert one.p_value == other.p_value
    assert one.difference == -other.difference


def shares(drawn: Sequence[ScoreCounts]) -> list[float]:
    return [counts.total_positives / counts.total for counts in drawn]


def test_draws_of_a_share_spread_as_a_binomial() -> None:
    rng = np.random.default_rng(6)
    whole = ScoreCounts.of(rng.random(20_000) < 0.3, rng.random(20_000))
    spreads = RandomDraws(whole).spreads(shares, [100, 150, 4000])
    for (mean, spread), size in zip(spreads, (100, 150, 4000), strict=True):
        assert mean == pytest.approx(0.3, abs=0.02)
        assert spread == pytest.approx((0.21 * (1 - size / 20_000) / size) ** 0.5, rel=0.25)


def test_value_that_does_not_vary_has_no_test() -> None:
    assert draw_test(0.5, 0.5, mean=0.5, spread=0.0, draws=100).note == "the value does not vary"


def test_an_infinite_value_has_no_variance_and_warns_of_nothing() -> None:
    made = Jackknifed.of(np.inf, np.array([np.inf, 2.0, 3.0]), np.array([4, 4, 4]))
    assert np.isnan(made.variance)
