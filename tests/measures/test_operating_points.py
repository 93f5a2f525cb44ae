"""One rate at another, and best thresholds: each against all thresholds, one by one."""

from __future__ import annotations

import csv
from itertools import pairwise
from math import isnan, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, fbeta_score, matthews_corrcoef, roc_curve

from heldout.core.errors import InputError
from heldout.measures import operating_points as at
from heldout.measures import precision_recall as best
from heldout.measures.registry import find
from heldout.tally.scores import ScoreCounts
from tests.measures.scored_rows import Rows, scored_rows

SHARES = st.sampled_from([0.0, 0.2, 1 / 3, 0.5, 0.8, 0.9, 1.0])
TOY_SCORES = [0.02495517, 0.92535646, 0.86251887, 0.80946685, 0.70922858]
TOY_SCORES += [0.69762824, 0.50604485, 0.2544681, 0.10837728, 0.07250349]
TOY = ScoreCounts.of(np.array([0, 1, 1, 0, 1, 1, 0, 1, 0, 0], bool), np.array(TOY_SCORES))


def remark(name: str, c: ScoreCounts = TOY, **given: Any) -> str:
    note = find(name).note
    assert note is not None
    return str(note(c, **given))


def test_ten_scores_of_rocr() -> None:
    assert best.break_even_point(TOY) == pytest.approx(0.8, abs=1e-12)
    assert find("maximum_f")(TOY) == pytest.approx(0.833333333333333, abs=1e-12)
    lifts = [2, 2, 1.33333333333333, 1.5, 1.6, 1.33333333333333, 1.42857142857143, 1.25]
    for rows, value in enumerate([*lifts, 1.11111111111111, 1], start=1):
        assert at.lift_at(TOY, fraction=rows / 10) == pytest.approx(value, abs=1e-9)
    gains = [0.2, 0.4, 0.4, 0.6, 0.8, 0.8, 1, 1, 1, 1]
    for rows, value in enumerate(gains, start=1):
        assert at.gain_at(TOY, fraction=rows / 10) == pytest.approx(value, abs=1e-12)


def test_lift_of_yardstick_with_weights() -> None:
    truth, score = np.array([1, 1, 0, 1, 0], bool), np.array([0.9, 0.8, 0.7, 0.68, 0.5])
    c = ScoreCounts.of(truth, score, np.array([2.0, 1, 1, 3, 2]))
    for rows, events in ((2, 2), (3, 3), (4, 3), (7, 6), (9, 6)):
        assert at.gain_at(c, fraction=rows / 9) == pytest.approx(events / 6, abs=1e-12)


@given(rows=scored_rows(), share=SHARES)
def test_rate_at_another_is_the_best_of_all_thresholds(rows: Rows, share: float) -> None:
    p, n, c = rows.positives, rows.negatives, rows.counts
    points = [(tp / p, 1 - fp / n, tp / (tp + fp)) for tp, fp in rows.points]
    near = 1e-12  # a weighted sum may miss the share by a rounding, here or there
    if rows.weight is not None and any(
        0 < abs(value - share) < near for point in points for value in point
    ):
        return
    enough = [precision for recall, _, precision in points if recall >= share]
    assert find("precision_at_recall")(c, recall=share) == pytest.approx(max(enough), abs=1e-12)
    enough = [recall for recall, _, precision in points if precision >= share]
    found = find("recall_at_precision")(c, precision=share)
    assert found == pytest.approx(max(enough), abs=1e-12) if enough else isnan(found)
    points.append((0.0, 1.0, 0.0))  # no row called positive
    enough = [recall for recall, specificity, _ in points if specificity >= share - 1e-15]
    found = find("sensitivity_at_specificity")(c, specificity=share)
    assert found == pytest.approx(max(enough), abs=1e-12)
    enough = [specificity for recall, specificity, _ in points if recall >= share]
    found = find("specificity_at_sensitivity")(c, sensitivity=share)
    assert found == pytest.approx(max(enough), abs=1e-12)


@given(rows=scored_rows(), beta=st.sampled_from([0.0, 0.5, 1.0, 2.0]))
def test_best_thresholds_are_the_best_of_all(rows: Rows, beta: float) -> None:
    p, n, c = rows.positives, rows.negatives, rows.counts
    b = beta**2
    f = [(1 + b) * tp / (tp + fp + b * p) for tp, fp in rows.points]
    assert find("maximum_f")(c, beta=beta) == pytest.approx(max(f), abs=1e-13)
    accuracy = [(tp + n - fp) / (p + n) for tp, fp in [(0, 0), *rows.points]]
    assert find("maximum_accuracy")(c) == pytest.approx(max(accuracy), abs=1e-13)
    inner = [(tp, fp) for tp, fp in rows.points if 0 < tp + fp < (p + n) * (1 - 1e-12)]
    mcc = [(tp * n - fp * p) / sqrt(p * n * (tp + fp) * (p + n - tp - fp)) for tp, fp in inner]
    assert find("maximum_mcc")(c) == pytest.approx(max([0.0, *mcc]), abs=1e-13)


def test_best_thresholds_of_a_longer_ranking_agree_with_scikit_learn() -> None:
    rng = np.random.default_rng(2)
    truth = rng.random(150) < 0.3
    score = rng.normal(size=150) + truth
    c = ScoreCounts.of(truth, score)
    calls = [score >= t for t in np.sort(score)[::-1]]
    expected = {
        find("maximum_f"): max(f1_score(truth, call) for call in calls),
        find("maximum_accuracy"): max(np.mean(truth == call) for call in calls),
        find("maximum_mcc"): max(matthews_corrcoef(truth, call) for call in calls),
    }
    for measure, value in expected.items():
        assert measure(c) == pytest.approx(value, abs=1e-12)
    twice = max(fbeta_score(truth, call, beta=2) for call in calls)
    assert find("maximum_f")(c, beta=2) == pytest.approx(twice, abs=1e-12)


def test_best_thresholds_of_rocr(reference: Path) -> None:
    with (reference / "rocr_simple" / "ROCR_simple.csv").open(encoding="utf-8") as opened:
        rows = list(csv.DictReader(opened))
    truth = np.array([r["label"] == "1" for r in rows])
    c = ScoreCounts.of(truth, np.array([float(r["score"]) for r in rows]))
    assert find("maximum_accuracy")(c) == pytest.approx(0.85, abs=1e-12)
    assert find("maximum_f")(c) == pytest.approx(0.840425531914894, abs=1e-12)
    assert find("maximum_mcc")(c) == pytest.approx(0.699087127584261, abs=1e-12)
    assert remark("maximum_accuracy", c) == "at score >= 0.501489"


@given(rows=scored_rows())
def test_equal_error_rate_lies_on_the_curve_where_the_errors_meet(rows: Rows) -> None:
    rate = best.equal_error_rate(rows.counts)
    points = [
        (0.0, 1.0),
        *((fp / rows.negatives, 1 - tp / rows.positives) for tp, fp in rows.points),
    ]
    on_a_line = False
    for (x0, y0), (x1, y1) in pairwise(points):
        share = (y0 - x0) / ((x1 - x0) - (y1 - y0))
        on_a_line |= -1e-9 <= share <= 1 + 1e-9 and abs(x0 + share * (x1 - x0) - rate) < 1e-9
    assert on_a_line


def test_equal_error_rate_by_interpolating_scikit_learns_curve() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 400)
    score = np.round(rng.normal(size=400) + truth, 1)
    fpr, tpr, _ = roc_curve(truth, score, drop_intermediate=False)
    expected = np.interp(0, fpr - (1 - tpr), fpr)
    found = best.equal_error_rate(ScoreCounts.of(truth == 1, score))
    assert found == pytest.approx(expected, abs=1e-12)


@given(rows=scored_rows(), share=SHARES)
def test_gain_and_lift_do_not_depend_on_the_unit_of_weight(rows: Rows, share: float) -> None:
    eight = ScoreCounts.of(rows.truth, rows.score, rows.weights * 8)
    gain = at.gain_at(rows.counts, fraction=share)
    assert gain == pytest.approx(at.gain_at(eight, fraction=share), abs=1e-12)
    assert 0 <= gain <= 1
    if share:
        assert at.lift_at(rows.counts, fraction=share) == pytest.approx(gain / share)


@pytest.mark.parametrize("unit", [0.1, 1 / 3, 7e-5])
def test_a_rate_that_is_just_reached_is_reached_in_every_unit_of_weight(unit: float) -> None:
    truth = np.array([False, True, True, False, True])
    score = np.array([0.5, 0.4, 0.3, 0.2, 0.1])
    here, other = (
        ScoreCounts.of(truth, score, np.array([5.0, 3.0, 4.0, 3.0, 1.0]) * u) for u in (1, unit)
    )
    for rate, value in ((find("recall_at_precision"), 1.0), (find("precision_at_recall"), 7 / 12)):
        share = {"precision": 0.5} if rate is find("recall_at_precision") else {"recall": 7 / 8}
        assert rate(here, **share) == pytest.approx(value)
        assert rate(other, **share) == pytest.approx(value)
    for specificity in (3 / 8, 0.0):
        expected = find("sensitivity_at_specificity")(here, specificity=specificity)
        got = find("sensitivity_at_specificity")(other, specificity=specificity)
        assert got == pytest.approx(expected)
    for sensitivity in (3 / 8, 7 / 8, 1.0):
        expected = find("specificity_at_sensitivity")(here, sensitivity=sensitivity)
        got = find("specificity_at_sensitivity")(other, sensitivity=sensitivity)
        assert got == pytest.approx(expected)


def test_undefined_without_positives_or_both_classes() -> None:
    needs_positive = ["gain_at", "lift_at", "precision_at_recall", "maximum_f"]
    needs_positive += ["recall_at_precision", "break_even_point"]
    needs_both = ["sensitivity_at_specificity", "specificity_at_sensitivity", "maximum_mcc", "eer"]
    negative = ScoreCounts.of(np.array([False, False]), np.array([0.1, 0.2]))
    positive = ScoreCounts.of(np.array([True, True]), np.array([0.1, 0.2]))
    assert all(isnan(find(m)(c)) for m in needs_positive for c in (negative, ScoreCounts()))
    assert all(isnan(find(m)(c)) for m in needs_both for c in (negative, positive, ScoreCounts()))
    assert find("max_accuracy")(negative) == find("max_accuracy")(positive) == 1
    assert find("maximum_f")(positive) == 1
    assert find("gain_at")(positive, fraction=0.5) == 0.5
    assert isnan(find("max_accuracy")(ScoreCounts()))
    wrong = ScoreCounts.of(np.array([False, True]), np.array([0.9, 0.2]))
    assert isnan(find("recall_at_precision")(wrong, precision=0.8))
    assert find("sensitivity_at_specificity")(wrong, specificity=0.9) == 0


def test_remarks_say_where_the_threshold_is() -> None:
    assert remark("maximum_f", beta=1.0) == "at score >= 0.254468"
    assert remark("precision_at_recall", recall=0.8) == "at score >= 0.697628"
    assert remark("recall_at_precision", precision=0.8) == "at score >= 0.697628"
    assert remark("sensitivity_at_specificity", specificity=0.9) == "at score >= 0.862519"
    assert remark("specificity_at_sensitivity", sensitivity=0.9) == "at score >= 0.254468"
    wrong = ScoreCounts.of(np.array([False, False, True]), np.array([0.9, 0.5, 0.2]))
    assert remark("maximum_accuracy", wrong) == "with no row called positive"
    assert remark("maximum_mcc", wrong) == "with no row called positive"
    assert remark("maximum_f", ScoreCounts(), beta=1.0) == ""


@pytest.mark.parametrize(
    ("measure", "wrong"),
    [
        (at.gain_at, {"fraction": 1.1}),
        (at.lift_at, {"fraction": 0}),
        (find("precision_at_recall"), {"recall": 80}),
        (find("recall_at_precision"), {"precision": -1}),
        (find("sensitivity_at_specificity"), {"specificity": 2}),
        (find("specificity_at_sensitivity"), {"sensitivity": float("nan")}),
        (find("maximum_f"), {"beta": -1}),
    ],
)
def test_a_share_outside_its_range_is_refused(measure: Any, wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        measure(TOY, **wrong)
