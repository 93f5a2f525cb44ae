"""CORP: the parts of a score against isotonic regression by scikit-learn, and their sum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, log_loss

import heldout
from heldout.measures import corp
from heldout.measures.calibration import uncertainty
from heldout.tally.scores import ScoreCounts


def drawn(seed: int, *, digits: int = 6) -> tuple[Any, Any, Any]:
    """Truth, probabilities (with ties where they have few digits) and weights of 300 rows."""
    rng = np.random.default_rng(seed)
    probability = rng.beta(2, 3, 300).round(digits).clip(0.01, 0.99)
    truth = rng.uniform(size=300) < probability**1.4
    return truth, probability, rng.integers(1, 4, 300).astype(float)


@pytest.mark.parametrize("digits", [1, 6])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize(
    ("loss", "miscalibration", "discrimination"),
    [
        (brier_score_loss, corp.miscalibration, corp.discrimination),
        (log_loss, corp.log_miscalibration, corp.log_discrimination),
    ],
)
def test_parts_are_those_of_isotonic_regression(
    digits: int, is_weighted: bool, loss: Any, miscalibration: Any, discrimination: Any
) -> None:
    truth, probability, weight = drawn(3, digits=digits)
    weight = weight if is_weighted else np.ones(300)
    fit = IsotonicRegression().fit(probability, truth, weight)
    calibrated = fit.predict(probability)
    share = np.full(300, np.average(truth, weights=weight))
    given, best, constant = (
        loss(truth, p, sample_weight=weight) for p in (probability, calibrated, share)
    )
    counts = ScoreCounts.of(truth, probability, weight if is_weighted else None)
    assert miscalibration(counts) == pytest.approx(given - best, abs=1e-12)
    assert discrimination(counts) == pytest.approx(constant - best, abs=1e-12)


def test_parts_add_up_to_the_score() -> None:
    truth, probability, weight = drawn(4)
    card = heldout.score(truth.astype(int), y_score=probability, sample_weight=weight)
    brier = card["mcb"].value - card["dsc"].value + card["brier_uncertainty"].value
    assert brier == pytest.approx(card["brier"].value, abs=1e-15)
    logarithm = card["log_mcb"].value - card["log_dsc"].value + card["log_uncertainty"].value
    assert logarithm == pytest.approx(card["log_loss"].value, abs=1e-14)
    assert card["mcb"].low is None
    assert "no interval" in card["mcb"].note


def test_calibrated_probabilities_have_no_miscalibration_and_order_alone_discriminates() -> None:
    truth, probability, _ = drawn(5)
    calibrated = IsotonicRegression().fit_transform(probability, truth)
    own = ScoreCounts.of(truth, calibrated)
    assert corp.miscalibration(own) == pytest.approx(0, abs=1e-15)
    assert corp.log_miscalibration(own) == pytest.approx(0, abs=1e-12)
    counts, squared = ScoreCounts.of(truth, probability), ScoreCounts.of(truth, probability**2)
    assert corp.discrimination(counts) == corp.discrimination(squared)
    assert corp.log_discrimination(counts) == corp.log_discrimination(squared)


def test_one_impossible_row_makes_the_log_part_infinite_and_not_the_other() -> None:
    counts = ScoreCounts.of(np.array([True, False, True]), np.array([0.0, 0.4, 0.9]))
    assert corp.log_miscalibration(counts) == np.inf
    assert corp.log_discrimination(counts) < corp.log_uncertainty(counts)
    assert 0 < corp.miscalibration(counts) < 1


def test_a_single_class_is_certain() -> None:
    counts = ScoreCounts.of(np.ones(4, bool), np.array([0.2, 0.4, 0.4, 0.9]))
    assert uncertainty(counts) == corp.log_uncertainty(counts) == 0
    assert corp.discrimination(counts) == 0
    assert corp.miscalibration(counts) == pytest.approx((0.64 + 0.36 + 0.36 + 0.01) / 4)


def test_without_rows_all_parts_are_undefined() -> None:
    parts = (corp.miscalibration, corp.discrimination, corp.log_miscalibration)
    assert all(np.isnan(part(ScoreCounts())) for part in parts)


def test_two_models_are_compared_without_limits_as_none_are_known() -> None:
    truth, probability, _ = drawn(6)
    models = [
        heldout.from_arrays(truth.astype(int), y_score=score, model=name)
        for name, score in (("plain", probability), ("squared", probability**2))
    ]
    (difference,) = heldout.compare(models, measures=["mcb"]).differences
    assert difference.interval.is_absent
    assert difference.interval.note == "no interval of mcb is known to be valid"
    assert 0 < difference.test.p_value <= 1
