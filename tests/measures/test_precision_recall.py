"""Areas under precision-recall curves: the four ways to draw them, and what other tools say."""

from __future__ import annotations

import csv
import json
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import auc, average_precision_score, precision_recall_curve

from heldout.core.errors import InputError
from heldout.measures.precision_recall import area_under_pr, average_precision
from heldout.tally.scores import ScoreCounts
from tests.measures.scored_rows import Rows, scored_rows

Y13 = ([0] * 7 + [1] * 6, [0, 0.1, 0.6, 0.6, 0.7, 0.8, 0.9, 0.6, 0.7, 0.8, 0.9, 0.9, 1.0])
WAYS = ("davis-goadrich", "integral", "trapezoid", "upper")


def counts(truth: Any, score: Any, weight: Any = None) -> ScoreCounts:
    weight = None if weight is None else np.asarray(weight, float)
    return ScoreCounts.of(np.asarray(truth) == 1, np.asarray(score, float), weight)


@pytest.mark.parametrize(
    ("truth", "score", "value"),
    [
        ([0, 1], [0, 1], 1),
        ([0, 1], [1, 0], 0.5),
        ([1, 0], [0.5, 0.5], 0.5),
        ([1, 1], [0.25, 0.75], 1),
        (*Y13, 0.7228535353535354),
        ([1, 0, 0, 0] * 25, [1] * 100, 0.25),
        ([0, 0, 0, 0] + [1] * 7, [0, 0.1, 0.1, 0.4, 0.5, 0.6, 0.6, 0.9, 0.9, 1, 1], 1),
        ([0, 1, 1], [0.5, 0.5, 0.6], 0.8333333333333333),
        ([0, 0, 1, 1, 0], [0.8, 0.8, 0.8, 0.2, 0.2], 0.3666666666666667),
        ([1] * 10 + [0] * 990, [0.5] * 1000, 0.01),
        ([1, 1, 1, 1, 1, 1, 1, -1, 1, 1], range(10), 0.8782627865961199),
    ],
)
def test_average_precision_of_known_cases(truth: Any, score: Any, value: float) -> None:
    assert average_precision(counts(truth, list(score))) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weighted", [False, True])
def test_agreement_with_scikit_learn(seed: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 200)
    score = np.round(rng.normal(size=200) + truth, 1 + seed)
    weight = rng.random(200) if weighted else None
    c = counts(truth, score, weight)
    expected = average_precision_score(truth, score, sample_weight=weight)
    assert average_precision(c) == pytest.approx(expected, abs=1e-12)
    precision, recall, _ = precision_recall_curve(truth, score, sample_weight=weight)
    drawn = area_under_pr(c, interpolation="trapezoid")
    assert drawn == pytest.approx(auc(recall, precision), abs=1e-12)


def by_definition(rows: Rows, points: int) -> float:
    """Precision along the ROC curve: ``points`` a positive, straight lines between them."""
    total, tp, fp = 0.0, 0.0, 0.0
    for tp_next, fp_next in rows.points:
        if tp_next > tp:
            x = np.linspace(0, 1, round((tp_next - tp) * points) + 1)
            gained = x * (tp_next - tp)
            negatives = fp + x * (fp_next - fp)
            with np.errstate(invalid="ignore"):
                precision = (tp + gained) / (tp + gained + negatives)
            precision[0] = precision[1] if isnan(precision[0]) else precision[0]
            total += float(np.sum(np.diff(gained) * (precision[1:] + precision[:-1]) / 2))
        tp, fp = tp_next, fp_next
    return total / rows.positives


@given(rows=scored_rows(most=60, weighted=False))
def test_davis_goadrich_has_a_point_at_each_positive(rows: Rows) -> None:
    assert area_under_pr(rows.counts) == pytest.approx(by_definition(rows, 1), abs=1e-13)
    fine = area_under_pr(rows.counts, interpolation="integral")
    assert fine == pytest.approx(by_definition(rows, 500), abs=1e-4)


def test_davis_goadrich_of_large_ties_is_the_plain_sum() -> None:
    rng = np.random.default_rng(4)
    truth = rng.random(30_000) < 0.1
    rows = Rows(truth, np.round(rng.normal(size=30_000) + truth), None)
    assert area_under_pr(rows.counts) == pytest.approx(by_definition(rows, 1), abs=1e-12)


def test_areas_of_a_ranking_longer_than_a_block_are_the_plain_sums() -> None:
    rng = np.random.default_rng(6)
    truth = rng.random(200_000) < 0.3
    c = counts(truth, rng.normal(size=200_000) + truth)
    precision = c.tp / (c.tp + c.fp)
    before = np.append(precision[0], precision[:-1])
    p = c.positives / c.total_positives
    assert average_precision(c) == pytest.approx(np.sum(p * precision), abs=1e-12)
    assert area_under_pr(c) == pytest.approx(np.sum(p * (precision + before)) / 2, abs=1e-12)


def test_ties_of_billions_of_rows_are_quick_and_near_the_integral() -> None:
    many = np.array([5, 10**9, 10**9])
    c = ScoreCounts(np.array([3.0, 2.0, 1.0]), many, many[::-1].copy(), int(2 * many.sum()))
    assert area_under_pr(c) == pytest.approx(area_under_pr(c, interpolation="integral"), abs=1e-8)


@given(rows=scored_rows(most=30))
def test_integer_weight_is_repetition_for_every_way(rows: Rows) -> None:
    times = np.ceil(rows.weights).astype(int)
    repeated = ScoreCounts.of(np.repeat(rows.truth, times), np.repeat(rows.score, times))
    weighted = ScoreCounts.of(rows.truth, rows.score, times.astype(float))
    for way in WAYS:
        found, expected = (area_under_pr(c, interpolation=way) for c in (weighted, repeated))
        assert found == pytest.approx(expected, abs=1e-12)
        assert 0 <= area_under_pr(rows.counts, interpolation=way) <= 1


def test_a_fraction_of_a_row_lies_between_whole_rows() -> None:
    truth, score = [1, 0, 1, 0], [3, 2, 1, 1]
    values = [area_under_pr(counts(truth, score, [1, 1, w, 3])) for w in (2, 2.25, 2.75, 3)]
    assert values == sorted(values, reverse=True)


def test_rows_of_weight_zero_leave_no_trace() -> None:
    with_zero = counts([0, 0, 1, 1, 1, 0], [0, 1, 0, 1, 2, 3], [1, 1, 1, 2, 0, 0])
    without = counts([0, 0, 1, 1, 1], [0, 1, 0, 1, 1])
    assert average_precision(with_zero) == pytest.approx(average_precision(without))
    for way in WAYS:
        found, expected = (area_under_pr(c, interpolation=way) for c in (with_zero, without))
        assert found == pytest.approx(expected)


def test_no_positive_is_undefined_and_no_negative_is_one() -> None:
    assert isnan(average_precision(counts([0, 0], [0.25, 0.75])))
    assert isnan(average_precision(ScoreCounts()))
    for way in WAYS:
        assert isnan(area_under_pr(counts([0, 0], [0.25, 0.75]), interpolation=way))
        assert area_under_pr(counts([1, 1], [0.25, 0.75]), interpolation=way) == 1
    with pytest.raises(InputError, match="interpolation"):
        area_under_pr(counts([0, 1], [0, 1]), interpolation="cubic")


def test_ten_scores_of_rocr() -> None:
    score = [0.02495517, 0.92535646, 0.86251887, 0.80946685, 0.70922858]
    score += [0.69762824, 0.50604485, 0.2544681, 0.10837728, 0.07250349]
    c = counts([0, 1, 1, 0, 1, 1, 0, 1, 0, 0], score)
    assert area_under_pr(c, interpolation="upper") == pytest.approx(0.8814286, abs=5e-8)


@pytest.mark.parametrize(
    ("file", "columns", "values"),
    [
        (
            "rocr_simple/ROCR_simple.csv",
            ("label", "1", "score"),
            (0.781424583277857, 0.781503812821233, None, 0.787521476168274),
        ),
        (
            "yardstick_two_class/two_class_example.csv",
            ("truth", "Class1", "Class1"),
            (0.946446700643149, 0.946446881448991, 0.946446700643149, None),
        ),
    ],
)
def test_areas_of_prroc_rocr_and_yardstick(
    reference: Path, file: str, columns: tuple[str, str, str], values: tuple[float | None, ...]
) -> None:
    with (reference / file).open(encoding="utf-8") as opened:
        rows = list(csv.DictReader(opened))
    truth, positive, score = columns
    c = counts([r[truth] == positive for r in rows], [float(r[score]) for r in rows])
    for way, value in zip(WAYS, values, strict=True):
        if value is not None:
            assert area_under_pr(c, interpolation=way) == pytest.approx(value, abs=1e-9)


def test_area_of_weka_is_average_precision(reference: Path) -> None:
    checked = 0
    for case in sorted(reference.glob("weka_*")):
        with (case / "predictions.csv").open(encoding="utf-8") as opened:
            rows = list(csv.DictReader(opened))
        for fact in json.loads((case / "expected.json").read_text(encoding="utf-8"))["values"]:
            name = fact["name"]
            if not (name.startswith("class[") and name.endswith("].prc_area")):
                continue
            label = name[len("class[") : -len("].prc_area")]
            score = [float(r[f"p_{label}"]) for r in rows]
            found = average_precision(counts([r["actual"] == label for r in rows], score))
            if fact["value"] is None:
                assert isnan(found)
            else:
                assert found == pytest.approx(fact["value"], abs=1e-9)
                checked += 1
    assert checked >= 20


@given(rows=scored_rows())
def test_short_and_long_rankings_have_the_same_average_precision(rows: Rows) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("heldout.measures.precision_recall.SHORT", -1)
        long = average_precision(rows.counts)
    assert average_precision(rows.counts) == pytest.approx(long, rel=1e-15, abs=0, nan_ok=True)
