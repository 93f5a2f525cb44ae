"""Bands hold the curve, widen over all points at once, never collapse, and follow their seed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heldout
from heldout.core.errors import InputError
from heldout.core.random import generator
from heldout.curves import bands
from heldout.curves.bands import band_of, envelope
from heldout.curves.ranking import precision_recall, roc
from heldout.curves.sources import RankedRows, Units
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.rankings import coarse_scores


def rows(size: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = generator(seed)
    truth = np.arange(size) % 3 == 0
    return truth, rng.normal(size=size) + 1.2 * truth


COUNTS = ScoreCounts.of(*rows(150))


@pytest.mark.parametrize("name", ["roc", "pr"])
def test_band_holds_the_curve_and_the_whole_is_wider_than_its_points(name: str) -> None:
    curve = roc(COUNTS) if name == "roc" else precision_recall(COUNTS)
    each = band_of(COUNTS, name, replicates=400)
    whole = band_of(COUNTS, name, replicates=400, kind="simultaneous")
    for band in (each, whole):
        height = curve.at(band.x)
        inner = slice(1, None)  # at a rate of 0 the curve climbs
        assert (band.low[inner] <= height[inner] + 1e-12).all()
        assert (height <= band.high + 1e-12).all()
        assert (band.low >= 0).all()
        assert (band.high <= 1).all()
    if name == "roc":  # nothing is called positive at 0 for sure, and everything at 1
        assert (each.low[0], each.low[-1], each.high[-1]) == (0, 1, 1)
    assert (whole.high - whole.low).sum() > 1.1 * (each.high - each.low).sum()
    narrow = band_of(COUNTS, name, replicates=400, level=0.5)
    assert (narrow.high - narrow.low).sum() < 0.8 * (each.high - each.low).sum()


def test_band_follows_its_seed_and_names_its_method() -> None:
    first, again = (band_of(COUNTS, "roc", replicates=200, seed=4) for _ in range(2))
    other = band_of(COUNTS, "roc", replicates=200, seed=5)
    np.testing.assert_array_equal(first.low, again.low)
    assert (first.low != other.low).any()
    assert first.method == (
        "bootstrap, 200 draws of rows of each class, seed 4; at least binomial limits"
    )


@pytest.mark.parametrize("kind", ["pointwise", "simultaneous"])
def test_band_of_separated_classes_does_not_collapse(kind: str) -> None:
    truth = np.arange(40) < 20
    band = band_of(ScoreCounts.of(truth, truth.astype(float)), "roc", replicates=200, kind=kind)
    middle = (band.x > 0.2) & (band.x < 1)
    assert (band.low[middle] < 0.9).all()  # Wilson's limit of 20 of 20 is 0.839
    assert (band.low[middle] > 0.5).all()
    assert (band.high == 1).all()


def test_few_negatives_tell_nothing_of_small_rates() -> None:
    truth = np.arange(30) < 25
    band = band_of(ScoreCounts.of(truth, truth.astype(float)), "roc", replicates=200)
    assert (band.low[band.x < 0.3] == 0).all()


def test_coarse_scores_give_the_band_of_all_scores() -> None:
    counts = ScoreCounts.of(*rows(9000, seed=2))
    assert len(counts.score) > 1000
    fine = RankedRows(*rows(9000, seed=2))
    coarse = band_of(counts, "roc", replicates=400)
    exact = band_of(counts, "roc", replicates=400, rows=fine)
    inside = (coarse.x > 0.02) & (coarse.x < 0.9)
    np.testing.assert_allclose(coarse.low[inside], exact.low[inside], atol=0.008)
    np.testing.assert_allclose(coarse.high[inside], exact.high[inside], atol=0.008)


def test_coarse_band_lies_about_the_fine_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = ScoreCounts.of(*rows(3000, seed=2))
    fine = band_of(counts, "roc", replicates=200)
    monkeypatch.setattr(bands, "coarse_scores", lambda counts: coarse_scores(counts, 8))
    coarse = band_of(counts, "roc", replicates=200)
    inside = (fine.x > 0.05) & (fine.x < 0.9)
    middle = [(band.low + band.high)[inside] / 2 for band in (fine, coarse)]
    # joined scores cut corners of the curve, by up to 0.04 here
    np.testing.assert_allclose(middle[0], middle[1], atol=0.02)


def test_groups_drawn_whole_give_a_wider_band() -> None:
    truth, score = rows(60)
    truth, score, group = np.repeat(truth, 5), np.repeat(score, 5), np.repeat(np.arange(60), 5)
    counts = ScoreCounts.of(truth, score)
    grouped = RankedRows(truth, score, None, Units(group, "groups"))
    single = band_of(counts, "roc", replicates=300)
    whole = band_of(counts, "roc", replicates=300, rows=grouped)
    assert "draws of groups" in whole.method
    assert (whole.high - whole.low).sum() > 1.4 * (single.high - single.low).sum()


def test_band_that_cannot_be_is_absent_and_says_why() -> None:
    none = band_of(ScoreCounts.of(np.ones(3, bool), np.arange(3.0)), "roc")
    assert none.is_absent
    assert none.note == "there is no positive row, or no negative row"
    assert np.isnan(none.at(np.array([0.5]))[0]).all()
    one = ScoreCounts.of(np.arange(12) == 0, np.arange(12.0))
    assert "undefined in" in band_of(one, "pr", replicates=200).note
    with pytest.raises(InputError, match="kind"):
        band_of(COUNTS, "roc", kind="joint")


def test_kolmogorov_band_is_wide_and_holds_the_curve() -> None:
    band = band_of(COUNTS, "roc", method="ks", kind="simultaneous")
    height = roc(COUNTS).at(band.x)
    assert (band.low <= height).all()
    assert (height <= band.high).all()
    boot = band_of(COUNTS, "roc", replicates=300, kind="simultaneous")
    assert (band.high - band.low).mean() > (boot.high - boot.low).mean()


@settings(max_examples=10)
@given(seed=st.integers(0, 1000), level=st.sampled_from([0.5, 0.8, 0.95]))
def test_wanted_share_of_replicates_lies_within_the_envelope(seed: int, level: float) -> None:
    made = np.cumsum(np.random.default_rng(seed).normal(size=(1000, 12)), axis=1)
    low, high, _ = envelope(made, level=level, kind="simultaneous")
    share = ((made >= low) & (made <= high)).all(axis=1).mean()
    assert level - 1e-9 <= share <= level + 0.03


def test_few_positives_tell_little_of_precision() -> None:
    truth = np.zeros(60, bool)
    truth[[9, 12, 23, 36, 38, 45]] = True  # places from the highest score down
    counts = ScoreCounts.of(truth, -np.arange(60.0))
    band = band_of(counts, "pr", replicates=200)
    low, high = band.at(np.array([0.05, 0.95, 1.0]))
    # the first positive may be found late by bad luck, the last early
    assert high[0] > 0.9
    assert low[1] < 0.1
    assert low[2] < 6 / 60, "at recall 1 precision is the share of positives, which is uncertain"


def test_scale_of_weights_does_not_matter_to_a_band() -> None:
    rng = np.random.default_rng(3)
    truth, weight = rng.random(80) < 0.5, rng.random(80) + 0.5
    score = rng.normal(size=80) + truth
    for name in ("roc", "pr"):
        cards = [
            heldout.score(truth.astype(int), y_score=score, sample_weight=weight * factor)
            for factor in (1.0, 0.001)
        ]
        one, other = (c.curve(name, band="pointwise", replicates=100).band for c in cards)
        assert one is not None
        assert other is not None
        np.testing.assert_allclose(one.low, other.low, atol=1e-9)
        np.testing.assert_allclose(one.high, other.high, atol=1e-9)


@pytest.mark.parametrize(("name", "kind"), [("pr", "simultaneous"), ("roc", "pointwise")])
def test_kolmogorov_band_is_of_the_whole_roc_curve_only(name: str, kind: str) -> None:
    counts = ScoreCounts.of(np.arange(20) % 2 == 0, np.arange(20.0))
    with pytest.raises(InputError, match="simultaneous band of roc"):
        band_of(counts, name, kind=kind, method="ks")
