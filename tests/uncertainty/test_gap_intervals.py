"""Intervals of calibration errors: they cover, reach 0, and say where the value lies outside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.measures.calibration import mean_of_gaps
from heldout.uncertainty.gap_intervals import (
    MOST_BINS,
    GapDraws,
    Gaps,
    gap_interval,
    largest_gap_interval,
)

SAMPLES = 24


def rows_of(rng: Any, n: int, amount: float) -> dict[str, Any]:
    """Rows of an overconfident model: its expected calibration error is a quarter of amount."""
    score = rng.random(n)
    return {
        "y_true": (rng.random(n) < 0.5 + (1 - amount) * (score - 0.5)).astype(np.int64),
        "y_score": score,
    }


def gaps_of(rng: Any, n: int, amount: float) -> Gaps:
    rows = rows_of(rng, n, amount)
    place = np.minimum((10 * rows["y_score"]).astype(int), 9)
    count = np.bincount(place, minlength=10)
    hits, total = (np.bincount(place, rows[name], minlength=10) for name in ("y_true", "y_score"))
    return Gaps(count, hits, total / count)


@pytest.mark.parametrize(("amount", "truth"), [(0.0, 0.0), (0.2, 0.05)])
def test_intervals_of_the_expected_calibration_error_cover(amount: float, truth: float) -> None:
    rng = np.random.default_rng(5)
    made = [
        gap_interval(gaps_of(rng, 500, amount), mean_of_gaps, replicates=100)
        for _ in range(SAMPLES)
    ]
    covered = np.mean([one.contains(truth) for one in made])
    assert covered >= 0.85
    assert np.mean([one.width for one in made]) < 0.1


@pytest.mark.parametrize("n", [30, 300])
def test_intervals_cover_where_scores_are_far_off(n: int) -> None:
    rng = np.random.default_rng(8)
    place = np.arange(0.05, 1, 0.1)
    for share in (1 - place, np.full(10, 0.97), np.zeros(10)):
        truth, hits = float(np.mean(np.abs(share - place))), 0
        for _ in range(SAMPLES):
            rows = rng.multinomial(n, np.full(10, 0.1))
            some = rows > 0
            bins = Gaps(rows[some], rng.binomial(rows, share)[some], place[some])
            made = gap_interval(bins, mean_of_gaps, replicates=100)
            assert made.low <= mean_of_gaps(bins.rows, bins.gap) <= made.high or made.note
            hits += made.contains(truth)
        assert hits >= 0.85 * SAMPLES


@pytest.mark.parametrize(
    ("rows", "hits", "score", "low", "high"),
    [
        (1000, 1000, 0.05, 0.9463, 0.95),  # Clopper-Pearson of the only bin
        (1000, 0, 0.3, 0.2963, 0.3),
        (1, 1, 0.3, 0.0, 0.7),
    ],
)
def test_one_bin_that_is_quite_wrong_has_the_limits_of_its_share(
    rows: int, hits: int, score: float, low: float, high: float
) -> None:
    bins = Gaps(np.array([rows]), np.array([hits]), np.array([score]))
    made = gap_interval(bins, mean_of_gaps)
    assert (made.low, made.high) == pytest.approx((low, high), abs=3e-4)
    assert not made.note


def test_a_stretched_gap_never_shrinks() -> None:
    rng = np.random.default_rng(9)
    rows = rng.integers(1, 40, 60)
    bins = Gaps(rows, rng.binomial(rows, rng.random(60)), rng.random(60))
    drawn = GapDraws(bins, mean_of_gaps, 10, 1)
    sizes = np.abs([drawn.stretched(factor) for factor in np.linspace(0, 8, 200)])
    assert (np.diff(sizes, axis=0) >= 0).all()
    share = bins.forecast + drawn.stretched(5.0)
    assert ((share >= -1e-12) & (share <= 1 + 1e-12)).all()
    assert drawn.stretched(1.0) == pytest.approx(drawn.shape)


def test_largest_gap_covers_and_is_no_wider_than_it_has_to_be() -> None:
    rng = np.random.default_rng(6)
    made = [largest_gap_interval(gaps_of(rng, 500, 0.2)) for _ in range(SAMPLES)]
    assert np.mean([one.contains(0.09) for one in made]) >= 0.95
    assert all(one.low > 0 for one in [largest_gap_interval(gaps_of(rng, 5000, 1.0))])


def test_limits_follow_the_seed_alone() -> None:
    gaps = gaps_of(np.random.default_rng(1), 300, 0.4)
    once, again, other = (gap_interval(gaps, mean_of_gaps, seed=seed) for seed in (1, 1, 2))
    assert (once.low, once.high) == (again.low, again.high)
    assert (once.low, once.high) != (other.low, other.high)


def test_a_value_above_the_interval_is_said_and_not_moved_onto_a_limit() -> None:
    rng = np.random.default_rng(3)
    for _ in range(SAMPLES):
        card = heldout.score(**rows_of(rng, 200, 0.0), replicates=60)
        result = card["ece"]
        assert result.low is not None
        assert result.high is not None
        assert result.low != result.value != result.high
        assert ("outside" in result.note) == (not result.low <= result.value <= result.high)


def test_scores_without_a_fault_do_not_give_a_point() -> None:
    certain = Gaps(np.array([40, 40]), np.array([0, 40]), np.array([0.0, 1.0]))
    made = gap_interval(certain, mean_of_gaps)
    assert made.low == 0
    assert 0.01 < made.high < 0.1


def test_too_many_bins_and_too_few_draws_have_no_interval() -> None:
    count = MOST_BINS + 1
    many = Gaps(np.full(count, 10), np.full(count, 5), np.full(count, 0.4))
    assert "bins" in gap_interval(many, mean_of_gaps).note
    few = Gaps(np.array([10, 10]), np.array([1, 9]), np.array([0.2, 0.8]))
    assert "too few" in gap_interval(few, mean_of_gaps, replicates=20).note


def test_bins_of_single_rows_weights_and_averages_say_why_they_have_none() -> None:
    rows = rows_of(np.random.default_rng(2), 80, 0.3)
    card = heldout.score(**rows)
    assert "too few rows" in card["reliability"].note
    # the noise of bins makes a resolution larger, and no method corrects its interval for that
    assert "no method is known to cover" in card["resolution[bins=5]"].note
    assert card["reliability[bins=5]"].low is not None
    weighted = heldout.score(**rows, sample_weight=np.linspace(1, 2, 80))
    for name in ("ece", "mce", "reliability[bins=5]"):
        assert "weights or groups" in weighted[name].note
    for more in ({"sample_weight": np.ones(80)}, {"groups": np.arange(80) // 4}):
        assert heldout.score(**rows, **more)["resolution"].low is None
    three = np.random.default_rng(3).dirichlet([1, 1, 1], 90)
    several = heldout.score(np.arange(90) % 3, y_score=three)
    assert "none is known for an average" in several["ece_macro"].note
    assert several["top_label_ece"].low is not None


def test_a_bootstrap_that_was_asked_for_is_refused_in_words() -> None:
    card = heldout.score(**rows_of(np.random.default_rng(4), 100, 0.3), interval="percentile")
    assert "inverted test" in card["ece"].method
    assert "no bootstrap of it covers" in card["ece"].note


@pytest.mark.parametrize("rows", [60, 400, 5000])
@pytest.mark.parametrize("factor", [0.0, 1.0, 1.7])
def test_draws_are_those_of_binomial_outcomes(rows: int, factor: float) -> None:
    """Many outcomes are drawn as normal ones with their skewness: as good as binomial ones."""
    sizes = np.array([rows, 2 * rows, rows])
    forecast = np.array([0.02, 0.3, 0.9])
    hits = np.round(sizes * np.array([0.05, 0.35, 0.8])).astype(int)
    drawn = GapDraws(Gaps(sizes, hits, forecast), mean_of_gaps, 20_000, 1)
    rng = np.random.default_rng(5)
    counts = rng.multinomial(sizes.sum(), sizes / sizes.sum(), size=20_000)
    share = np.clip(forecast + drawn.stretched(factor), 0, 1)
    gaps = rng.binomial(counts, share) / np.maximum(counts, 1) - forecast
    ours, plain = drawn.at(factor), mean_of_gaps(counts, gaps)
    spread = plain.std()
    assert ours.mean() == pytest.approx(plain.mean(), abs=0.05 * spread)
    assert ours.std() == pytest.approx(spread, rel=0.04)
    for level in (0.025, 0.5, 0.975):
        assert np.quantile(ours, level) == pytest.approx(
            np.quantile(plain, level), abs=0.12 * spread
        )


def test_factors_together_are_drawn_as_each_alone() -> None:
    bins = Gaps(np.array([30, 500]), np.array([11, 380]), np.array([0.2, 0.8]))
    drawn = GapDraws(bins, mean_of_gaps, 100, 3)
    together = drawn.at([0.0, 0.7, 3.0])
    for line, factor in zip(together, (0.0, 0.7, 3.0), strict=True):
        np.testing.assert_array_equal(line, drawn.at(factor))
