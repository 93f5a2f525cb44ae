"""Calibration by bins, Murphy's parts and smooth curves, by hand and beside other tools."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from heldout.core.errors import InputError
from heldout.measures import calibration as murphy
from heldout.measures.calibration import (
    Bins,
    expected_calibration_error,
    maximum_calibration_error,
    thin_bins,
    top_label_calibration_error,
    top_label_maximum_calibration_error,
    top_label_overconfidence,
    value_of_bins,
)
from heldout.tally.scores import ScoreCounts, TopLabel

if TYPE_CHECKING:
    from pathlib import Path


def counts(truth: Any, score: Any, weight: Any = None) -> ScoreCounts:
    weights = None if weight is None else np.array(weight, float)
    return ScoreCounts.of(np.array(truth) == 1, np.array(score, float), weights)


def bins_of(scores: ScoreCounts, **how: Any) -> Bins:
    found: list[Bins] = []

    def kept(bins: Bins) -> float:
        found.append(bins)
        return 0.0

    value_of_bins(scores, kept, **how)
    return found[0]


DOCUMENTED = counts([0, 0, 1, 1, 1], [0.25, 0.25, 0.55, 0.75, 0.75])


def test_two_bins_of_torchmetrics() -> None:
    assert expected_calibration_error(DOCUMENTED, bins=2) == pytest.approx(0.29)
    assert expected_calibration_error(DOCUMENTED, bins=2, norm="l2") == pytest.approx(
        0.2918, abs=5e-5
    )
    assert maximum_calibration_error(DOCUMENTED, bins=2) == pytest.approx(0.3167, abs=5e-5)


def test_top_label_of_torchmetrics() -> None:
    matrix = np.array([[0.25, 0.2, 0.55], [0.55, 0.05, 0.4], [0.1, 0.3, 0.6], [0.9, 0.05, 0.05]])
    right = matrix.argmax(axis=1) == [0, 1, 2, 0]
    top = TopLabel.of(right, matrix.max(axis=1))
    assert top_label_calibration_error(top, bins=3) == pytest.approx(0.2)
    assert top_label_calibration_error(top, bins=3, norm="l2") == pytest.approx(0.2082, abs=5e-5)
    assert top_label_maximum_calibration_error(top, bins=3) == pytest.approx(0.2333, abs=5e-5)
    assert top_label_overconfidence(top) == pytest.approx(0.65 - 0.5)


def test_probability_one_lies_in_the_last_bin() -> None:
    assert expected_calibration_error(counts([1, 0], [0.95, 1.0])) == pytest.approx(0.475)


def test_probability_zero_lies_in_the_first_bin_and_borders_in_the_lower() -> None:
    found = bins_of(counts([0, 1, 0, 1], [0.0, 0.1, 0.3, 0.30000000000000004]), bins=10)
    assert list(found.weight) == [1, 1, 2]  # from high to low


@pytest.mark.parametrize("strategy", ["width", "mass"])
def test_constant_probability_is_one_bin(strategy: str) -> None:
    scores = counts([1] * 5 + [0] * 5, [0.8] * 10)
    assert expected_calibration_error(scores, bins=5, strategy=strategy) == pytest.approx(0.3)


def test_calibrated_but_coarse_model_has_no_calibration_error() -> None:
    truth = [0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1]
    coarse = counts(truth, [0, 0.25, 0.25, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 0.75, 0.75, 1])
    sharp = counts(truth, [0, 0.25, 0.25, 0.25, 0.75, 0.5, 0.5, 0.25, 0.75, 0.75, 0.75, 1])
    assert expected_calibration_error(coarse, bins=0) == 0
    assert murphy.reliability(coarse) == 0
    assert expected_calibration_error(sharp, bins=0) > 0.1


@pytest.mark.parametrize(
    ("truth", "score", "bins", "strategy", "observed", "forecast"),
    [
        ([0, 0, 0, 1, 1, 1], [0, 0.1, 0.2, 0.8, 0.9, 1], 2, "width", [0, 1], [0.1, 0.9]),
        ([0, 0, 0, 0, 1, 1], [0, 0.1, 0.2, 0.5, 0.9, 1], 2, "mass", [0, 2 / 3], [0.1, 0.8]),
        (
            [0, 0, 0, 1, 1, 1, 1, 1, 1],
            [0.1, 0.2, 0.3, 0.4, 0.65, 0.7, 0.8, 0.9, 1.0],
            4,
            "width",
            [0, 0.5, 1, 1],
            [0.15, 0.35, 0.675, 0.9],
        ),
    ],
)
def test_curves_of_scikit_learn(
    truth: Any, score: Any, bins: int, strategy: str, observed: Any, forecast: Any
) -> None:
    found = bins_of(counts(truth, score), bins=bins, strategy=strategy)
    assert list(found.observed[::-1]) == pytest.approx(observed)
    assert list(found.forecast[::-1]) == pytest.approx(forecast)


@pytest.mark.parametrize("decimals", [1, 2, 17])
@pytest.mark.parametrize("bins", [1, 7, 10, 15])
def test_bins_agree_with_scikit_learn(decimals: int, bins: int) -> None:
    rng = np.random.default_rng(decimals * bins)
    score = rng.random(500).round(decimals)
    truth = rng.random(500) < score
    observed, forecast = calibration_curve(truth, score, n_bins=bins)
    found = bins_of(counts(truth, score), bins=bins)
    if decimals == 1 and bins == 10:  # borders are decimals: scikit-learn's are off by rounding
        places = np.maximum(np.rint(score * 10).astype(int), 1)
        assert list(found.weight[::-1]) == list(np.bincount(places)[1:])
        return
    assert list(found.observed[::-1]) == pytest.approx(list(observed))
    assert list(found.forecast[::-1]) == pytest.approx(list(forecast))


@given(
    score=st.lists(st.integers(0, 20), min_size=1, max_size=40),
    bins=st.integers(1, 12),
    strategy=st.sampled_from(["width", "mass"]),
    seed=st.integers(0, 99),
)
def test_no_row_is_lost_and_weights_repeat_and_scale(
    score: list[int], bins: int, strategy: str, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    probability = np.array(score) / 20
    truth, times = rng.integers(0, 2, len(score)), rng.integers(1, 4, len(score))
    weighted = counts(truth, probability, times)
    repeated = counts(np.repeat(truth, times), np.repeat(probability, times))
    scaled = counts(truth, probability, times * 0.37)
    how: dict[str, Any] = {"bins": bins, "strategy": strategy}
    assert bins_of(weighted, **how).weight.sum() == times.sum()
    assert len(bins_of(weighted, **how).weight) <= bins
    for value in (expected_calibration_error, maximum_calibration_error, murphy.resolution):
        assert value(weighted, **how) == pytest.approx(value(repeated, **how), abs=1e-12)
        assert value(weighted, **how) == pytest.approx(value(scaled, **how), abs=1e-12)


def test_bins_of_equal_mass_hold_equal_mass() -> None:
    rng = np.random.default_rng(3)
    found = bins_of(
        counts(rng.integers(0, 2, 1000), rng.random(1000) ** 4), bins=10, strategy="mass"
    )
    assert list(found.weight) == [100] * 10


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 10)), min_size=1, max_size=30))
def test_parts_of_murphy_add_to_the_brier_score(rows: list[tuple[int, int]]) -> None:
    truth, score = np.array(rows).T
    scores = counts(truth, score / 10)
    parts = murphy.reliability(scores) - murphy.resolution(scores) + murphy.uncertainty(scores)
    assert parts == pytest.approx(np.mean(np.square(score / 10 - truth)), abs=1e-12)


def test_murphy_on_weather_forecasts(reference: Path) -> None:
    path = reference / "verification_brier" / "forecasts.csv"
    probability, truth = np.loadtxt(path, delimiter=",", skiprows=1, unpack=True)
    scores = counts(truth, probability)
    assert murphy.reliability(scores) == pytest.approx(0.0019499769347, abs=1e-10)
    assert murphy.resolution(scores) == pytest.approx(0.0655114448543455, abs=1e-10)
    assert murphy.uncertainty(scores) == pytest.approx(0.225096008982447, abs=1e-10)
    middle = murphy.reliability(scores, bins=10, midpoint=True)
    assert middle == pytest.approx(0.00419366237792081, abs=1e-10)
    assert murphy.resolution(scores, bins=10) == pytest.approx(0.0652759837597241, abs=1e-10)
    assert expected_calibration_error(scores, bins=0) == pytest.approx(
        0.0321014492753623, abs=1e-10
    )
    total = murphy.reliability(scores) - murphy.resolution(scores) + murphy.uncertainty(scores)
    assert total == pytest.approx(brier_score_loss(truth, probability))


def test_expected_over_observed() -> None:
    assert murphy.expected_observed_ratio(DOCUMENTED) == pytest.approx(2.55 / 3)
    assert isnan(murphy.expected_observed_ratio(counts([0, 0], [0.1, 0.2])))


def test_rows_of_weight_zero_leave_no_trace() -> None:
    kept = counts([0, 1, 1], [0.2, 0.6, 0.7], [1, 2, 1])
    more = counts([0, 1, 1, 0, 1], [0.2, 0.6, 0.7, 0.0, 1.0], [1, 2, 1, 0, 0])
    for how in ({"bins": 0}, {"bins": 10}, {"bins": 4, "strategy": "mass"}):
        for value in (expected_calibration_error, maximum_calibration_error, murphy.reliability):
            assert value(more, **how) == pytest.approx(value(kept, **how))


def test_a_bin_of_tiny_weight_is_not_lost_beside_a_huge_one() -> None:
    weight = np.array([1e9, 1e9, 1e-9, 2e-9])
    truth, score = np.array([True, False, True, False]), np.array([0.5, 0.5, 0.1, 0.1])
    scores = ScoreCounts.of(truth, score, weight)
    # one third of the light rows is positive
    assert maximum_calibration_error(scores) == pytest.approx(1 / 3 - 0.1, rel=1e-12)


def test_many_single_scores_are_remarked_on() -> None:
    many = counts([0, 1] * 10, np.linspace(0, 1, 20))
    assert "20 distinct scores in 20 rows" in thin_bins(many)
    assert thin_bins(many, bins=10, strategy="width") == ""


@pytest.mark.parametrize(
    "how", [{"bins": -1}, {"bins": 10, "strategy": "with"}, {"midpoint": True, "bins": 0}]
)
def test_bins_without_meaning_are_refused(how: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        murphy.reliability(DOCUMENTED, **how)


def test_no_rows_have_no_value() -> None:
    for value in (expected_calibration_error, maximum_calibration_error, murphy.reliability):
        assert isnan(value(ScoreCounts()))
