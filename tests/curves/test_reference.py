"""Curves of other tools on their own data: yardstick's and scikit-learn's, ROCR's by hand."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from heldout.curves.cuts import measure_by_threshold
from heldout.curves.hull import hull_curve
from heldout.curves.ranking import det, precision_recall, roc
from heldout.tally.scores import ScoreCounts

# ROCR tests/testthat/test-simple.r, calculated by hand there; at each cut-off from Inf down
TOY_LABEL = np.array([0, 1, 1, 0, 1, 1, 0, 1, 0, 0], bool)
TOY_SCORE = np.array(
    [
        0.02495517,
        0.92535646,
        0.86251887,
        0.80946685,
        0.70922858,
        0.69762824,
        0.50604485,
        0.2544681,
        0.10837728,
        0.07250349,
    ]
)
NONE = np.nan
ROCR = {
    "recall": [0, 0.2, 0.4, 0.4, 0.6, 0.8, 0.8, 1, 1, 1, 1],
    "false_positive_rate": [0, 0, 0, 0.2, 0.2, 0.2, 0.4, 0.4, 0.6, 0.8, 1],
    "accuracy": [0.5, 0.6, 0.7, 0.6, 0.7, 0.8, 0.7, 0.8, 0.7, 0.6, 0.5],
    "precision": [NONE, 1, 1, 2 / 3, 0.75, 0.8, 2 / 3, 5 / 7, 0.625, 5 / 9, 0.5],
    "negative_predictive_value": [0.5, 5 / 9, 0.625, 4 / 7, 2 / 3, 0.8, 0.75, 1, 1, 1, NONE],
    "lift": [NONE, 2, 2, 4 / 3, 1.5, 1.6, 4 / 3, 10 / 7, 1.25, 10 / 9, 1],
    "detection_prevalence": [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1],
}


@pytest.mark.parametrize("name", ROCR)
def test_measures_over_thresholds_are_rocrs(name: str) -> None:
    curve = measure_by_threshold(ScoreCounts.of(TOY_LABEL, TOY_SCORE), name)
    np.testing.assert_allclose(curve.y, ROCR[name], atol=1e-12)


def test_curves_of_the_toy_are_rocrs(reference: Path) -> None:
    expected = values_of(reference / "rocr_hand10")
    counts = ScoreCounts.of(TOY_LABEL, TOY_SCORE)
    line, hull = roc(counts), hull_curve(counts)
    np.testing.assert_allclose(line.x, expected["fpr"], atol=1e-12)
    np.testing.assert_allclose(line.y, expected["tpr"], atol=1e-12)
    np.testing.assert_allclose(hull.x, expected["roc_convex_hull_x"], atol=1e-12)
    np.testing.assert_allclose(hull.y, expected["roc_convex_hull_y"], atol=1e-12)
    assert line.area == pytest.approx(expected["auc"], abs=1e-12)


def test_two_class_curves_are_yardsticks(reference: Path) -> None:
    folder = reference / "yardstick_two_class"
    rows = table_of(folder / "two_class_example.csv")
    truth = np.array([row["truth"] == "Class1" for row in rows])
    counts = ScoreCounts.of(truth, np.array([float(row["Class1"]) for row in rows]))
    line = roc(counts)
    # there by rising threshold, and once more from -Inf, at which every row is positive too
    theirs = table_of(folder / "roc_curve_sklearn.csv")[:0:-1]
    assert len(theirs) == len(line)
    for i, row in enumerate(theirs):
        assert line.threshold[i] == pytest.approx(float(row["threshold"]), rel=1e-12)
        assert 1 - line.x[i] == pytest.approx(float(row["specificity"]), abs=1e-12)
        assert line.y[i] == pytest.approx(float(row["sensitivity"]), abs=1e-12)
    curve = precision_recall(counts, first="one")
    theirs = table_of(folder / "pr_curve_sklearn.csv")
    assert len(theirs) == len(curve)
    for i, row in enumerate(theirs):
        assert curve.threshold[i] == pytest.approx(float(row["threshold"]), rel=1e-12)
        assert curve.x[i] == pytest.approx(float(row["recall"]), abs=1e-12)
        assert curve.y[i] == pytest.approx(float(row["precision"]), abs=1e-12)


def test_counts_by_cutoff_are_rocrs(reference: Path) -> None:
    folder = reference / "rocr_simple"
    rows = table_of(folder / "ROCR_simple.csv")
    label = next(key for key in rows[0] if key.startswith("label"))
    score = next(key for key in rows[0] if key != label)
    truth = np.array([float(row[label]) == 1 for row in rows])
    line = roc(ScoreCounts.of(truth, np.array([float(row[score]) for row in rows])))
    theirs = table_of(folder / "counts_by_cutoff.csv")
    assert line.columns["tp"].tolist() == [int(row["tp"]) for row in theirs]
    assert line.columns["fp"].tolist() == [int(row["fp"]) for row in theirs]


def test_small_cases_are_scikit_learns(reference: Path) -> None:
    document = json.loads((reference / "sklearn_unit_cases" / "expected.json").read_text("utf-8"))
    seen = 0
    for case in document["values"]:
        given, value = case.get("inputs", {}), case["value"]
        if case["name"] == "det":
            curve = det(ScoreCounts.of(np.array(given["y"], bool), np.array(given["score"], float)))
            start = int(np.argmin(curve.y))
            assert curve.x[: start + 1][::-1].tolist() == value["fpr"]
            assert curve.y[: start + 1][::-1].tolist() == value["fnr"]
            seen += 1
        elif case["name"] == "roc":
            truth = np.array(given["y"]) == given["pos"]
            curve = roc(ScoreCounts.of(truth, np.array(given["score"], float)))
            if value["auc"] is None:
                assert curve.is_empty
            else:
                assert (curve.x.tolist(), curve.y.tolist()) == (value["fpr"], value["tpr"])
                assert curve.area == value["auc"]
            seen += 1
    assert seen == 8


def values_of(folder: Path) -> dict[str, Any]:
    document = json.loads((folder / "expected.json").read_text("utf-8"))
    return {case["name"]: case["value"] for case in document["values"]}


def table_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
