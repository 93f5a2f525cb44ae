"""The Kolmogorov-Smirnov distance is no narrower than its best threshold allows."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.ranking_cases import key_of, least_of, resampled_together
from heldout.measures.spec import parse_request
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.limits import NO_NARROWER
from heldout.uncertainty.options import IntervalOptions
from heldout.uncertainty.proportions import best_distance_interval, proportion_interval

KS = parse_request("kolmogorov_smirnov")


def apart(shift: float, positives: int = 10, negatives: int = 90, seed: int = 1) -> Any:
    rng = np.random.default_rng(seed)
    truth = np.arange(positives + negatives) < positives
    return truth, rng.normal(size=len(truth)) + shift * truth


def test_limits_are_newcombes_of_both_shares() -> None:
    # at 0.5: 9 of 10 positives, 2 of 20 negatives
    truth = np.repeat([True, False], [10, 20])
    score = np.r_[np.full(9, 0.9), 0.1, 0.9, 0.9, np.full(18, 0.1)]
    more, less = proportion_interval(9, 10), proportion_interval(2, 20)
    made = best_distance_interval(ScoreCounts.of(truth, score))
    assert made.low == pytest.approx(0.8 - sqrt((0.9 - more.low) ** 2 + (less.high - 0.1) ** 2))
    assert made.high == pytest.approx(0.8 + sqrt((more.high - 0.9) ** 2 + (0.1 - less.low) ** 2))


def test_a_ranking_the_wrong_way_round_has_a_distance_if_two_sided() -> None:
    truth, score = apart(3.0)
    right = best_distance_interval(ScoreCounts.of(truth, score), two_sided=True)
    wrong = ScoreCounts.of(truth, -score)
    assert best_distance_interval(wrong).low == 0
    turned = best_distance_interval(wrong, two_sided=True)
    assert (turned.low, turned.high) == pytest.approx((right.low, right.high))


def test_equal_weights_say_as_much_as_rows_and_unequal_ones_less() -> None:
    truth, score = apart(2.0)
    rows = best_distance_interval(ScoreCounts.of(truth, score))
    for weight, factor in ((np.full(100, 7.0), 1.0), (np.where(np.arange(100) % 2, 1.9, 0.1), 1.2)):
        squares = ScoreCounts.of(truth, score, weight**2)
        made = best_distance_interval(ScoreCounts.of(truth, score, weight), squares=squares)
        assert made.width >= factor * rows.width - 1e-9


def test_the_scorecard_is_no_narrower_and_says_so() -> None:
    truth, score = apart(4.0, seed=2)
    made = heldout.score(truth, y_score=score, threshold=2.0)["ks"]
    least = best_distance_interval(ScoreCounts.of(truth, score))
    assert made.value > 0.9
    assert made.low is not None
    assert made.low <= least.low + 1e-9
    assert NO_NARROWER in made.method
    weighted = heldout.score(truth, y_score=score, threshold=2.0, sample_weight=np.full(100, 3.0))
    assert weighted["ks"].low is not None
    assert weighted["ks"].low <= least.low + 1e-9


@pytest.mark.parametrize("shift", [0.0, 1.0, 3.0])
def test_limits_hold_the_value_stay_in_range_and_narrow_with_the_level(shift: float) -> None:
    truth, score = apart(shift, seed=3)
    widths = []
    for level in (0.99, 0.95, 0.8, 0.5):
        made = heldout.score(truth, y_score=score, threshold=0.5, level=level)["ks"]
        assert made.low is not None
        assert made.high is not None
        assert 0 <= made.low < made.high <= 1
        assert made.low <= made.value <= made.high or "lies outside" in made.note
        widths.append(made.high - made.low)
    assert widths == sorted(widths, reverse=True)


@pytest.mark.parametrize(("shift", "truth"), [(3.0, 0.8664), (1.0, 0.3829)])
def test_it_covers_classes_far_apart_of_which_one_has_ten_rows(shift: float, truth: float) -> None:
    held = 0
    for seed in range(80):
        counts = ScoreCounts.of(*apart(shift, seed=seed))
        options = IntervalOptions(replicates=40, seed=seed)
        made = resampled_together(counts, [KS], "maximum", options)[key_of(KS)]
        held += made.contains(truth)
    assert held >= 72  # without: 62 to 66 of classes three standard deviations apart


def test_nothing_is_taken_off_the_upper_limit_of_few_distinct_scores() -> None:
    truth, score = apart(1.0, 20, 200)
    tied, untied = (ScoreCounts.of(truth, s) for s in (np.round(score), score))
    for counts, is_tied in ((tied, True), (untied, False)):
        least = least_of(KS, counts, level=0.95)
        assert least is not None
        assert least.is_tied == is_tied
    made = resampled_together(tied, [KS], "maximum", IntervalOptions(replicates=100))[key_of(KS)]
    assert made.high >= best_distance_interval(tied).high


def test_a_method_for_shares_leaves_it_as_it_is() -> None:
    truth, score = apart(1.0)
    found = [
        heldout.score(truth, y_score=score, threshold=0.5, **given)["ks"]
        for given in ({}, {"interval": "clopper-pearson"})
    ]
    assert found[0] == found[1]
