"""DeLong's interval: the definition by double loop, pROC's numbers, and areas of 0 and 1."""

from __future__ import annotations

import csv
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import heldout
from heldout.core.errors import InputError
from heldout.core.notes import Kind
from heldout.tally.roc import area as area_under_curve
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.areas import auc_variance, delong_interval, newcombe_interval

cases = st.tuples(
    st.lists(st.integers(0, 6), min_size=2, max_size=12),
    st.lists(st.integers(0, 6), min_size=2, max_size=12),
)


def counts(positive: list[int], negative: list[int], weight: Any = None) -> ScoreCounts:
    truth = np.repeat([True, False], [len(positive), len(negative)])
    return ScoreCounts.of(truth, np.array(positive + negative, float), weight)


def by_definition(positive: list[int], negative: list[int]) -> tuple[float, float]:
    """Area and variance from every pair of a positive and a negative row."""
    wins = np.array([[(x > y) + (x == y) / 2 for y in negative] for x in positive])
    of_positives, of_negatives = wins.mean(axis=1), wins.mean(axis=0)
    variance = of_positives.var(ddof=1) / len(positive) + of_negatives.var(ddof=1) / len(negative)
    return float(wins.mean()), float(variance)


@given(cases)
def test_variance_is_the_definition_by_double_loop(case: tuple[list[int], list[int]]) -> None:
    assert auc_variance(counts(*case)) == pytest.approx(by_definition(*case)[1], abs=1e-14)


@given(cases)
def test_plain_interval_is_area_and_standard_errors(case: tuple[list[int], list[int]]) -> None:
    area, variance = by_definition(*case)
    made = delong_interval(counts(*case), scale="plain")
    if 0 < area < 1 and variance:
        assert made.low == pytest.approx(
            max(area - 1.959963984540054 * variance**0.5, 0), abs=1e-12
        )
        assert made.high == pytest.approx(
            min(area + 1.959963984540054 * variance**0.5, 1), abs=1e-12
        )
        is_cut = made.has(Kind.LOW_CUT) or made.has(Kind.HIGH_CUT)
        assert is_cut == (made.low == 0 or made.high == 1)


def test_logit_interval_is_symmetric_in_the_log_odds() -> None:
    # area 8/9, variance 2/81: log 8 plus and minus t * sqrt(2/81) / (8/81), with Satterthwaite's
    # 4 degrees of freedom of three rows in each class
    made = delong_interval(counts([5, 4, 2], [3, 1, 0]))
    reach = stats.t.ppf(0.975, 4) * (2 / 81) ** 0.5 / (8 / 81)
    low, high = (1 / (1 + np.exp(-(np.log(8) + side * reach))) for side in (-1, 1))
    assert (made.low, made.high) == pytest.approx((low, high), abs=1e-12)
    assert made.method == "DeLong on the logit scale, Student's t"


@given(cases)
def test_logit_interval_holds_the_area_inside_its_bounds(case: tuple[list[int], list[int]]) -> None:
    area, variance = by_definition(*case)
    made = delong_interval(counts(*case))
    if not made.is_absent:
        assert 0 <= made.low <= area + 1e-12
        assert area - 1e-12 <= made.high <= 1
        assert made.width > 0
        tighter = delong_interval(counts(*case), level=0.8)
        assert made.low <= tighter.low
        assert tighter.high <= made.high
    else:
        assert variance == pytest.approx(0, abs=1e-20)
        assert "same score" in made.note


@given(cases)
def test_swapping_the_classes_mirrors_the_interval(case: tuple[list[int], list[int]]) -> None:
    made, mirrored = delong_interval(counts(*case)), delong_interval(counts(*case[::-1]))
    if not made.is_absent:
        assert (mirrored.low, mirrored.high) == pytest.approx((1 - made.high, 1 - made.low))


def read(path: Path, truth: str, positive: str, score: str) -> ScoreCounts:
    with path.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    return ScoreCounts.of(
        np.array([row[truth] == positive for row in rows]),
        np.array([float(row[score]) for row in rows]),
    )


def test_interval_is_the_one_of_proc(reference: Path) -> None:
    simple = read(reference / "rocr_simple" / "ROCR_simple.csv", "label", "1", "score")
    assert auc_variance(simple) == pytest.approx(0.000975662935746377, abs=1e-15)
    birth = read(reference / "lbw_logistic" / "lbw.csv", "y", "1", "p")
    two = read(
        reference / "yardstick_two_class" / "two_class_example.csv", "truth", "Class1", "Class1"
    )
    for scores, low, high in (
        (simple, 0.772966860641462, 0.895408177043193),
        (birth, 0.672630193462886, 0.819807876941286),
        (two, 0.920265118886133, 0.958362595893802),
    ):
        made = delong_interval(scores, scale="plain")
        assert (made.low, made.high) == pytest.approx((low, high), abs=1e-10)
        assert made.method == "DeLong"


def test_long_ranking_in_blocks_and_threads_is_the_short_way() -> None:
    rng = np.random.default_rng(3)
    truth = rng.random(300_000) < 0.3
    scores = ScoreCounts.of(truth, np.round(rng.normal(size=300_000) + truth, 5))
    below = 1 - (scores.fp - scores.negatives / 2) / scores.total_negatives
    above = (scores.tp - scores.positives / 2) / scores.total_positives
    area = np.average(below, weights=scores.positives)
    expected = np.average((below - area) ** 2, weights=scores.positives) / (truth.sum() - 1)
    expected += np.average((above - area) ** 2, weights=scores.negatives) / ((~truth).sum() - 1)
    assert auc_variance(scores) == pytest.approx(expected, rel=1e-10)


def test_weights_count_as_a_sample_and_their_scale_does_not_matter() -> None:
    rng = np.random.default_rng(4)
    positive, negative = [5, 4, 4, 2, 1], [4, 3, 2, 1, 0, 0]
    same = auc_variance(counts(positive, negative))
    equal = np.full(11, 3.0)
    assert auc_variance(
        counts(positive, negative, equal), counts(positive, negative, equal**2)
    ) == pytest.approx(same)
    weight = rng.gamma(2, 1, 11)
    uneven = auc_variance(counts(positive, negative, weight), counts(positive, negative, weight**2))
    scaled = auc_variance(
        counts(positive, negative, 9 * weight), counts(positive, negative, (9 * weight) ** 2)
    )
    assert scaled == pytest.approx(uneven)
    # without squares counts are numbers of rows: a row of weight 2 is two rows
    double = counts(positive, negative, np.where(np.arange(11) == 0, 2.0, 1.0))
    assert auc_variance(double) == pytest.approx(auc_variance(counts([5, *positive], negative)))


def test_weighted_variance_is_right_in_simulation() -> None:
    rng = np.random.default_rng(5)
    areas, variances = [], []
    for _ in range(400):
        truth = np.repeat([True, False], [60, 90])
        score, weight = rng.normal(size=150) + truth, rng.gamma(1.0, 1.0, 150) + 0.1
        tally = ScoreCounts.of(truth, score, weight)
        areas.append(
            np.dot(tally.negatives, tally.tp) / tally.total_positives / tally.total_negatives
        )
        variances.append(auc_variance(tally, ScoreCounts.of(truth, score, weight**2)))
    assert np.mean(variances) == pytest.approx(np.var(areas), rel=0.15)


@pytest.mark.parametrize("sign", [1, -1])
def test_separated_classes_do_not_collapse_to_a_point(sign: int) -> None:
    scores = counts([sign * 2] * 10, [sign] * 30)
    made = delong_interval(scores)
    assert made.width == pytest.approx(1 - 0.025**0.1)
    assert made.contains(1.0 if sign > 0 else 0.0)
    assert made.method == "exact, from 10 independent pairs in order"
    assert "variance is 0" in made.note


def test_one_row_of_a_class_has_no_interval_and_says_why() -> None:
    made = delong_interval(counts([3], [1, 2]))
    assert made.is_absent
    assert made.note == "only one row is positive: at least two of each class are needed"
    assert isnan(auc_variance(counts([3], [1, 2])))
    assert "no row is negative" in delong_interval(counts([1, 2], [])).note
    assert delong_interval(ScoreCounts()).is_absent


def test_unknown_scale_and_foreign_squares_are_refused() -> None:
    with pytest.raises(InputError, match="logit or plain"):
        delong_interval(counts([1, 2], [3, 4]), scale="log")
    with pytest.raises(InputError, match="squared weights"):
        auc_variance(counts([1, 2], [3, 4]), counts([1, 2], [3, 5]))


@given(st.floats(0, 1), st.integers(2, 60), st.integers(2, 60))
def test_newcombes_limits_are_as_far_as_their_own_errors_allow(area: float, m: int, n: int) -> None:
    made = newcombe_interval(area, m, n)
    assert 0 <= made.low <= area <= made.high <= 1
    assert made.width > 0
    for limit in (made.low, made.high):
        spread = 1 + ((m + n) / 2 - 1) * ((1 - limit) / (2 - limit) + limit / (1 + limit))
        error = (limit * (1 - limit) * spread / (m * n)) ** 0.5
        assert abs(area - limit) == pytest.approx(1.959963984540054 * error, abs=1e-6)


def test_newcombe_needs_two_rows_of_each_class() -> None:
    assert newcombe_interval(0.8, 1, 10).is_absent


def test_newcombe_is_on_request_for_plain_and_weighted_rows() -> None:
    rng = np.random.default_rng(4)
    truth, score = np.arange(40) % 2, rng.normal(size=40) + np.arange(40) % 2
    plain: Any = heldout.score(truth, y_score=score, pos_label=1, interval="newcombe")["auc"]
    wanted = newcombe_interval(plain.value, 20, 20)
    assert (plain.low, plain.high, plain.method) == (wanted.low, wanted.high, "Newcombe")
    twice: Any = heldout.score(
        truth, y_score=score, pos_label=1, interval="newcombe", sample_weight=np.full(40, 2.0)
    )["gini"]
    assert (twice.low, twice.high) == pytest.approx((2 * wanted.low - 1, 2 * wanted.high - 1))


def test_few_positives_are_covered_which_a_normal_quantile_does_not() -> None:
    rng, student, normal = np.random.default_rng(12), 0, 0
    for _ in range(300):
        truth = np.arange(300) < 6
        score = rng.gamma(np.where(truth, 3.0, 1.0))
        tally = ScoreCounts.of(truth, score)
        made = delong_interval(tally)
        area, error = area_under_curve(tally), auc_variance(tally) ** 0.5
        if made.method.startswith("DeLong"):
            reach = 1.96 * error / (area * (1 - area))
            normal += abs(np.log(area / (1 - area)) - np.log(7)) <= reach  # 1 - 2^-3
        else:
            normal += made.contains(0.875)
        student += made.contains(0.875)
    assert normal < 266
    assert student > 272
