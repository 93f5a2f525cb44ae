"""Calibration curves: scikit-learn's bins, intervals that do not collapse, and the isotonic fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import heldout
from heldout.core.errors import InputError
from heldout.curves.calibration import calibration, consistency_band
from heldout.curves.sources import RankedRows, Units
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.proportions import proportion_interval

# scikit-learn's own unit tests of calibration_curve
CASES = [
    ([0, 0, 0, 1, 1, 1], [0, 0.1, 0.2, 0.8, 0.9, 1], "width", 2, [0, 1], [0.1, 0.9]),
    ([0, 0, 0, 0, 1, 1], [0, 0.1, 0.2, 0.5, 0.9, 1], "mass", 2, [0, 2 / 3], [0.1, 0.8]),
    (
        [0, 0, 0, 1, 1, 1, 1, 1, 1],
        [0.1, 0.2, 0.3, 0.4, 0.65, 0.7, 0.8, 0.9, 1],
        "width",
        4,
        [0, 0.5, 1, 1],
        [0.15, 0.35, 0.675, 0.9],
    ),
    (
        [0, 0, 0, 0, 1, 1, 1, 1, 1],
        [0.1, 0.2, 0.3, 0.4, 0.65, 0.7, 0.8, 0.9, 1],
        "width",
        3,
        [0, 0.5, 1],
        [0.2, 0.525, 0.85],
    ),
]


@pytest.mark.parametrize(("truth", "score", "strategy", "bins", "observed", "forecast"), CASES)
def test_bins_are_those_of_scikit_learn(
    truth: list[int],
    score: list[float],
    strategy: str,
    bins: int,
    observed: list[float],
    forecast: list[float],
) -> None:
    counts = ScoreCounts.of(np.array(truth, bool), np.array(score, float))
    curve = calibration(counts, bins=bins, strategy=strategy)
    np.testing.assert_allclose(curve.y, observed, atol=1e-12)
    np.testing.assert_allclose(curve.x, forecast, atol=1e-12)


def test_each_bin_has_its_wilson_interval_and_counts() -> None:
    counts = ScoreCounts.of(np.zeros(20, bool), np.full(20, 0.15))
    curve = calibration(counts, bins=10, level=0.9)
    own = proportion_interval(0, 20, level=0.9)
    assert curve.columns["low"].tolist() == [own.low]
    assert curve.columns["high"].tolist() == [own.high]
    assert own.high > 0.1
    assert curve.columns["rows"].tolist() == [20]
    assert curve.note == "1 of 10 bins of equal width"
    assert curve.band is not None
    assert (curve.band.level, curve.band.method) == (0.9, "Wilson")
    assert "threshold" not in curve.table().names


def test_weights_widen_by_the_effective_number_of_rows_of_each_bin() -> None:
    truth, score = np.array([1, 0, 1, 0] * 2, bool), np.repeat([0.5, 0.9], 4)
    plain = calibration(ScoreCounts.of(truth, score), bins=10)

    def limits(weight: np.ndarray) -> np.ndarray:
        rows = RankedRows(truth, score, weight, Units())
        curve = calibration(ScoreCounts.of(truth, score, weight), bins=10, rows=rows)
        assert curve.band is not None
        assert curve.band.method == "Wilson on effective rows"
        return curve.columns["low"]

    np.testing.assert_allclose(limits(np.full(8, 10.0)), plain.columns["low"])
    # only the rows of the upper bin differ in weight
    uneven = limits(np.array([1.0, 1, 1, 1, 1, 1, 5, 5]))
    assert uneven[0] == pytest.approx(plain.columns["low"][0])
    assert uneven[1] == pytest.approx(proportion_interval(1.3846, 2.7692).low, abs=1e-4)


@pytest.mark.parametrize("score", [-0.1, 1.5])
def test_scores_that_are_no_probabilities_have_no_curve(score: float) -> None:
    curve = calibration(ScoreCounts.of(np.array([True, False]), np.array([score, 0.5])))
    assert curve.is_empty
    assert "not probabilities" in curve.reason
    assert calibration(ScoreCounts()).reason == "there are no rows"
    with pytest.raises(InputError, match="strategy"):
        calibration(ScoreCounts(), strategy="thirds")


@given(seed=st.integers(0, 10**6), size=st.integers(2, 40))
def test_isotonic_curve_is_the_nearest_rising_one(seed: int, size: int) -> None:
    isotonic = pytest.importorskip("sklearn.isotonic")
    rng = np.random.default_rng(seed)
    truth, score = rng.random(size) < 0.5, np.round(rng.random(size), 1)
    curve = calibration(ScoreCounts.of(truth, score), strategy="isotonic")
    expected = isotonic.IsotonicRegression().fit(score, truth).predict(score)
    np.testing.assert_allclose(curve.at(score), expected, atol=1e-9)
    assert (np.diff(curve.x) >= 0).all()
    assert (np.diff(curve.y) >= 0).all()


@pytest.mark.parametrize("bins", [0, -1, 2.5])
def test_number_of_bins_is_whole_and_at_least_one(bins: Any) -> None:
    counts = ScoreCounts.of(np.array([True, False]), np.array([0.9, 0.1]))
    with pytest.raises(InputError, match="whole number"):
        calibration(counts, bins=bins)


def test_the_consistency_band_holds_the_curves_of_calibrated_models() -> None:
    rng = np.random.default_rng(6)
    probability = rng.beta(1, 2, 150).round(3)
    inside = []
    for _ in range(60):
        truth = rng.uniform(size=150) < probability
        curve = calibration(ScoreCounts.of(truth, probability), replicates=200)
        assert curve.band is not None
        low, high = curve.band.at(curve.x)
        inside.append(np.mean((low <= curve.y) & (curve.y <= high)))
    assert np.mean(inside) == pytest.approx(0.95, abs=0.03)


def test_a_model_that_says_too_much_leaves_its_consistency_band() -> None:
    rng = np.random.default_rng(6)
    probability = rng.uniform(size=500)
    curve = calibration(ScoreCounts.of(rng.uniform(size=500) < probability**3, probability))
    low = curve.table()["consistent_low"]
    assert np.mean(curve.y < low) > 0.5
    assert "low" not in curve.table().names


def test_many_probabilities_are_put_together_for_the_draws_alone() -> None:
    rng = np.random.default_rng(6)
    probability = rng.uniform(size=3000)
    counts = ScoreCounts.of(rng.uniform(size=3000) < probability, probability)
    band = consistency_band(counts, replicates=100)
    assert 900 < len(band.x) <= 1000
    assert "bins of probabilities" in band.method
    fine = consistency_band(
        ScoreCounts.of(rng.uniform(size=3000) < probability.round(2), probability.round(2)),
        replicates=400,
    )
    np.testing.assert_allclose(band.at(fine.x[20:80])[0], fine.low[20:80], atol=0.05)


def test_rows_that_are_not_independent_or_count_differently_have_no_consistency_band() -> None:
    truth, score = [1, 0, 1, 0, 1, 0], [0.9, 0.2, 0.7, 0.4, 0.6, 0.1]
    grouped = heldout.score(truth, y_score=score, groups=list("aabbcc")).curve("calibration")
    assert grouped.band_reason.startswith("groups are what is independent")
    weighted = heldout.score(truth, y_score=score, sample_weight=[1.0, 2, 1, 2, 1, 2])
    assert weighted.curve("calibration").band_reason.startswith("rows carry weights")
    assert np.isnan(grouped.table()["consistent_low"]).all()


def test_isotonic_curves_have_no_bins() -> None:
    with pytest.raises(InputError, match="has no bins"):
        calibration(ScoreCounts(), bins=5, strategy="isotonic")
