"""Measures of a whole ranking: hand-made answers, other tools, and definitions by double loops."""

from __future__ import annotations

import csv
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy import integrate, stats
from sklearn.metrics import roc_auc_score

from heldout.core.errors import InputError
from heldout.measures.ranking import (
    area_under_roc,
    gini,
    h_measure,
    kolmogorov_smirnov,
    partial_area_under_roc,
)
from heldout.tally.scores import ScoreCounts
from tests.measures.scored_rows import Rows, scored_rows

Y13 = ([0] * 7 + [1] * 6, [0, 0.1, 0.6, 0.6, 0.7, 0.8, 0.9, 0.6, 0.7, 0.8, 0.9, 0.9, 1.0])

SPAM_SCORES = [0.001, 0.003, 0.059, 0.064, 0.094, 0.16, 0.184, 0.226, 0.246, 0.293, 0.302]
SPAM_SCORES += [0.348, 0.657, 0.676, 0.719, 0.781, 0.833, 0.877, 0.96, 0.963]


def counts(truth: Any, score: Any, weight: Any = None) -> ScoreCounts:
    weight = None if weight is None else np.asarray(weight, float)
    return ScoreCounts.of(np.asarray(truth) == 1, np.asarray(score, float), weight)


def drawn(seed: int, *, digits: int = 2, weighted: bool = False) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 150)
    score = np.round(rng.normal(size=150) + truth, digits)
    return truth, score, rng.random(150) if weighted else None


@pytest.mark.parametrize(
    ("truth", "score", "auc"),
    [
        ([0, 1], [0, 1], 1.0),
        ([0, 1], [1, 0], 0.0),
        ([1, 0], [1, 1], 0.5),
        (*Y13, 0.7857142857142858),
        ([1, 0, 0], [1e-10, 0, 0], 1.0),  # different, however near
        ([0, 0, 1, 1], [1e-08, 4e-08, 3.5e-08, 8e-08], 0.75),
        ([0, 1, 0, 1, 1], [0.3] * 5, 0.5),
        ([1, 0, 1, 0], [9, 9, 5, 5], 0.5),  # a tie is one point, taken whole
        ([0, 0, 1, 1, 0], [0.3, 0.5, 0.7, 1, 1], 0.75),
        ([0, 0, 1, 1], [np.inf] * 4, 0.5),
        # 20 mails, 9 of them spam
        (
            [0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 0, 1, 1],
            SPAM_SCORES,
            0.797979797979798,
        ),
    ],
)
def test_area_of_known_cases(truth: Any, score: Any, auc: float) -> None:
    assert area_under_roc(counts(truth, score)) == pytest.approx(auc, abs=1e-12)
    assert gini(counts(truth, score)) == pytest.approx(2 * auc - 1, abs=1e-12)


def test_gain_capture_of_yardstick_is_gini() -> None:
    found = gini(counts([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.68, 0.4]))
    assert found == pytest.approx(0.666666666666667, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weighted", [False, True])
def test_areas_agree_with_scikit_learn(seed: int, weighted: bool) -> None:
    truth, score, weight = drawn(seed, weighted=weighted)
    c = counts(truth, score, weight)
    assert area_under_roc(c) == pytest.approx(
        roc_auc_score(truth, score, sample_weight=weight), abs=1e-12
    )
    for high in (0.001, 0.1, 0.37, 0.9):
        found = partial_area_under_roc(c, high=high, mcclish=True)
        expected = roc_auc_score(truth, score, sample_weight=weight, max_fpr=high)
        assert found == pytest.approx(expected, abs=1e-12)


def test_areas_of_rocr(reference: Path) -> None:
    with (reference / "rocr_simple" / "ROCR_simple.csv").open(encoding="utf-8") as opened:
        rows = list(csv.DictReader(opened))
    c = counts([int(r["label"]) for r in rows], [float(r["score"]) for r in rows])
    assert area_under_roc(c) == pytest.approx(0.834187518842327, abs=1e-12)
    for high, value in (
        (0.1, 0.0278062506280776),
        (0.2, 0.105476836498844),
        (0.5, 0.36121997789167),
    ):
        assert partial_area_under_roc(c, high=high) == pytest.approx(value, abs=1e-12)


def test_mcclish_of_known_cases() -> None:
    flat = counts([0, 0, 1, 1], [0.1, 0, 0.1, 0.01])
    assert partial_area_under_roc(flat, high=0.3, mcclish=True) == pytest.approx(0.5, abs=1e-12)
    perfect = counts([0, 0, 1, 1], [0, 0, 1, 1])
    assert partial_area_under_roc(perfect, high=0.001, mcclish=True) == pytest.approx(1, abs=1e-12)


def test_mcclish_is_undefined_far_below_the_diagonal_and_scaled_above_it() -> None:
    wrong = counts([0, 0, 1, 1], [3, 3, 1, 0])
    assert isnan(partial_area_under_roc(wrong, low=0.9, high=1, mcclish=True))
    right = counts([0, 0, 1, 1], [0, 1, 3, 3])
    for over in ("fpr", "sensitivity", "specificity"):
        assert partial_area_under_roc(right, low=0.8, high=1, over=over) == pytest.approx(0.2)
        found = partial_area_under_roc(right, low=0.8, high=1, over=over, mcclish=True)
        assert found == pytest.approx(1.0)


def test_partial_area_over_specificity_is_that_over_its_complement() -> None:
    c = counts(*drawn(1))
    over = partial_area_under_roc(c, low=0.75, high=1, over="specificity")
    assert over == partial_area_under_roc(c, low=0, high=0.25)


def test_partial_area_over_sensitivity_is_right_of_the_curve() -> None:
    # the curve: (0,0) (0,.5) (.5,.5) (.5,1) (1,1)
    c = counts([1, 0, 1, 0], [0.9, 0.6, 0.5, 0.1])
    found = partial_area_under_roc(c, low=0.25, high=0.75, over="sensitivity")
    assert found == pytest.approx(0.25 * 1 + 0.25 * 0.5, abs=1e-15)
    # over 0.5 to 1 the area is 0.25, that of the diagonal 0.125
    mcclish = partial_area_under_roc(c, low=0.5, high=1, over="sensitivity", mcclish=True)
    assert mcclish == pytest.approx((1 + (0.25 - 0.125) / (0.5 - 0.125)) / 2, abs=1e-15)


@pytest.mark.parametrize(
    "wrong", [{"low": 0.5, "high": 0.5}, {"low": -0.1}, {"high": 1.1}, {"over": "tpr"}]
)
def test_partial_area_refuses_a_range_that_is_none(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        partial_area_under_roc(counts([1, 0], [1, 0]), **wrong)


@given(rows=scored_rows())
def test_kolmogorov_smirnov_is_the_best_threshold(rows: Rows) -> None:
    surplus = [0.0, *(tp / rows.positives - fp / rows.negatives for tp, fp in rows.points)]
    assert kolmogorov_smirnov(rows.counts) == pytest.approx(max(surplus), abs=1e-14)
    both = max(map(abs, surplus))
    assert kolmogorov_smirnov(rows.counts, two_sided=True) == pytest.approx(both, abs=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_kolmogorov_smirnov_agrees_with_scipy(seed: int) -> None:
    truth, score, _ = drawn(seed)
    expected = stats.ks_2samp(score[truth == 1], score[truth == 0]).statistic
    assert kolmogorov_smirnov(counts(truth, score), two_sided=True) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("costs", "value"),
    [
        ("prevalence", 0.18889596344769588),
        ("0.7", 0.13502616807120948),
        ("shares", 0.18310946512079307),
        ("0.1", 0.001212529211507385),
        ("0.5", 0.10750123502531805),
    ],
)
def test_h_measure_is_that_of_the_hmeasure_package(costs: str, value: float) -> None:
    """The example of the package's page: severity ratios of its documentation."""
    score = [0.84901876, 0.10282827, 0.43752488, 0.46004468, 0.90878931]
    score += [0.79177719, 0.5297229, 0.13803906, 0.73166264, 0.22959056]
    c = counts([1, 1, 0, 1, 1, 0, 1, 1, 1, 0], score)
    assert h_measure(c, costs=costs) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("costs", ["prevalence", "shares", "1", "0.02", "30"])
@pytest.mark.parametrize("share", [0.05, 0.6])
def test_h_measure_is_the_integral_over_costs(costs: str, share: float) -> None:
    rng = np.random.default_rng(8)
    truth = rng.random(60) < share
    c = counts(truth, np.round(rng.normal(size=60) + 1.5 * truth, 1))
    tp, fp = np.append(0, c.tp), np.append(0, c.fp)
    p, n = c.total_positives, c.total_negatives
    shapes = {"prevalence": (2, 1 + n / p), "shares": (1 + p / 60, 1 + n / 60)}
    density = stats.beta(*(shapes[costs] if costs in shapes else (2, 1 + 1 / float(costs)))).pdf
    c_fp = np.linspace(0, 1, 20_001)
    least = np.min(np.outer(c_fp, fp) + np.outer(1 - c_fp, p - tp), axis=1)
    trivial = np.minimum(c_fp * n, (1 - c_fp) * p)
    top, bottom = (integrate.simpson(cost * density(c_fp), x=c_fp) for cost in (least, trivial))
    assert h_measure(c, costs=costs) == pytest.approx(1 - top / bottom, abs=1e-6)


def test_h_measure_of_extremes_and_bad_costs() -> None:
    assert h_measure(counts([1, 0, 1], [1, 0, 1])) == 1.0
    assert h_measure(counts([1, 0, 1], [1, 1, 1])) == 0.0
    assert h_measure(counts([1, 0, 1], [0, 1, 0])) == 0.0
    for wrong in ("0", "-1", "many", "inf"):
        with pytest.raises(InputError, match="costs"):
            h_measure(counts([1, 0], [1, 0]), costs=wrong)


@pytest.mark.parametrize("truth", [[1, 1], [0, 0]])
def test_one_class_is_undefined(truth: list[int]) -> None:
    c = counts(truth, [0.25, 0.75])
    for measure in (area_under_roc, partial_area_under_roc, gini, kolmogorov_smirnov, h_measure):
        assert isnan(measure(c))
        assert isnan(measure(ScoreCounts()))


def test_perfect_ranking_with_uneven_weights_is_not_above_one() -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        truth = rng.integers(0, 2, 40)
        truth[:2] = 0, 1
        c = counts(truth, truth + rng.random(40) / 2, rng.random(40) * 1e3)
        for measure in (area_under_roc, gini, kolmogorov_smirnov, h_measure):
            assert measure(c) <= 1
            assert measure(c) == pytest.approx(1)
        assert partial_area_under_roc(c, mcclish=True) == pytest.approx(1)
        assert partial_area_under_roc(c, mcclish=True) <= 1
