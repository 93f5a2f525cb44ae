"""Whether two sets of rows differ in a calibration error: false alarms, power, symmetry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.slice_tests import bin_test
from heldout.measures.spec import parse_request
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.gap_differences import gap_difference_p_value
from heldout.uncertainty.gap_intervals import Gaps

ECE = parse_request("expected_calibration_error")


def error(weight: Any, gap: Any) -> Any:
    return (weight * np.abs(gap)).sum(-1) / weight.sum(-1)


def rows(rng: Any, count: int, amount: float, *, low: bool = False) -> ScoreCounts:
    """Rows whose probabilities are too far from 1/2 by so much; many of them low ones."""
    score = rng.beta(0.5, 2, count) if low else rng.random(count)
    return ScoreCounts.of(rng.random(count) < 0.5 + (1 - amount) * (score - 0.5), score)


def test_calibrated_slices_with_other_scores_are_rarely_said_to_differ() -> None:
    rng = np.random.default_rng(1)
    told = 0
    for seed in range(40):
        some, rest = rows(rng, 150, 0.0), rows(rng, 450, 0.0, low=True)
        told += bin_test(ECE, some, rest, seed).p_value < 0.05
    assert told <= 6  # one in twenty, with what chance allows


def test_a_slice_that_is_badly_calibrated_is_found() -> None:
    rng = np.random.default_rng(2)
    found = [
        bin_test(ECE, rows(rng, 300, 0.6), rows(rng, 900, 0.0), seed).p_value for seed in range(5)
    ]
    assert max(found) < 0.01


def test_exchanging_the_sides_changes_nothing_but_the_sign() -> None:
    rng = np.random.default_rng(3)
    one, other = rows(rng, 200, 0.5), rows(rng, 300, 0.1)
    first, second = bin_test(ECE, one, other, 1), bin_test(ECE, other, one, 1)
    assert first.p_value == pytest.approx(second.p_value)
    assert first.estimate == pytest.approx(-second.estimate)
    assert repr(bin_test(ECE, one, other, 1)) == repr(first)  # what is NaN is not equal to itself
    assert bin_test(ECE, one, other, 2).p_value != first.p_value


def test_errors_that_can_grow_no_further_differ() -> None:
    one, two = (
        Gaps(np.array([1000]), np.array([1000]), np.array([score])) for score in (0.05, 0.15)
    )
    assert gap_difference_p_value(one, two, error) < 1e-6
    assert gap_difference_p_value(one, one, error) == 1.0


def test_bins_without_any_gap_are_alike() -> None:
    bins = Gaps(np.array([100, 100]), np.array([20, 80]), np.array([0.2, 0.8]))
    assert gap_difference_p_value(bins, bins, error) == 1.0


@pytest.mark.parametrize("measure", ["ece", "mce", "reliability[bins=10]"])
def test_slices_are_tested_by_their_bins(measure: str) -> None:
    rng = np.random.default_rng(5)
    score, part = rng.random(900), np.arange(900) % 3
    truth = rng.random(900) < np.where(part == 0, 0.5, score)
    card = heldout.score(truth, y_score=score, slices={"part": part.astype(str)})
    found = {r["slice"]: r for r in card.slices(measure)}
    assert found["part=0"]["verdict"] == "worse"
    assert found["part=0"]["method"].startswith("inverted tests of gaps, 200 draws of bins")
    # against 1 and 0 together, which is worse by half: they are no worse themselves
    assert "worse" not in {found["part=1"]["verdict"], found["part=2"]["verdict"]}
