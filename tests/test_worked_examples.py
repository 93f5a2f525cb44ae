"""Worked examples of a course on performance assessment: confusion matrices and labels."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import heldout
from tests.cli.running import call

#: numbers printed to three digits
PRINTED = 0.0005


def table(matrix: Any, positive: str = "first", **more: Any) -> heldout.Scorecard:
    """The scorecard of a matrix whose rows are the truth."""
    return heldout.score(confusion=matrix, orientation="truth-rows", pos_label=positive, **more)


def turned(matrix: Any, **more: Any) -> heldout.Scorecard:
    """The scorecard of a matrix whose rows are the predictions."""
    return heldout.score(confusion=matrix, orientation="prediction-rows", pos_label="first", **more)


def counts_of(card: heldout.Scorecard) -> list[list[int]]:
    counts = card.confusion()
    assert counts is not None
    return counts.matrix().tolist()


LIVER = {
    "accuracy": 0.94,
    "error_rate": 0.06,
    "sensitivity": 0.977,
    "specificity": 0.692,
    "precision": 0.955,
    "recall": 0.977,
}


def test_matrix_may_have_predictions_in_its_rows() -> None:
    card = turned([[85, 4], [2, 9]])
    for name, value in LIVER.items():
        exact = name in ("accuracy", "error_rate")
        assert card[name].value == pytest.approx(value, abs=1e-12 if exact else PRINTED), name


@pytest.mark.parametrize(
    ("matrix", "orientation", "rows"),
    [("85,4;2,9", "prediction-rows", "predicted"), ("85,2;4,9", "truth-rows", "truth")],
)
def test_command_line_takes_both_orientations(
    capsys: pytest.CaptureFixture[str], matrix: str, orientation: str, rows: str
) -> None:
    asked = [f"--measure={name}" for name in LIVER]
    how = (f"--matrix={matrix}", f"--orientation={orientation}", "--positive=first")
    done = call(capsys, "score", *how, *asked, "--format=json", "--quiet")
    assert done.code == 0, done.err
    said = json.loads(done.out)
    for row in said["results"]:
        assert row["value"] == pytest.approx(LIVER[row["measure"]], abs=PRINTED), row["measure"]
    # a matrix is written as it was given, and says how that is
    assert said["confusion"]["matrix"] == [
        [int(n) for n in row.split(",")] for row in matrix.split(";")
    ]
    assert said["confusion"]["orientation"].startswith(f"rows = {rows}")


def test_command_line_asks_for_the_orientation(capsys: pytest.CaptureFixture[str]) -> None:
    done = call(capsys, "score", "--matrix=85,4;2,9", "--positive=first")
    assert done.code == 2
    assert "orientation" in done.err


@pytest.mark.parametrize(
    ("picked", "recall", "precision", "f1"),
    [("a", 1 / 3, 1, 0.5), ("abcd", 1, 0.75, 6 / 7), ("abd", 1, 1, 1)],
)
def test_picks_of_the_right_answers(
    picked: str, recall: float, precision: float, f1: float
) -> None:
    relevant = [letter in "abd" for letter in "abcd"]
    card = heldout.score(relevant, [letter in picked for letter in "abcd"])
    assert card["recall"].value == pytest.approx(recall)
    assert card["precision"].value == pytest.approx(precision)
    assert card["f1"].value == pytest.approx(f1)


def test_same_accuracy_hides_different_behaviour() -> None:
    left, right = turned([[200, 100], [300, 400]]), turned([[400, 300], [100, 200]])
    for card, tpr, tnr in ((left, 0.4, 0.8), (right, 0.8, 0.4)):
        assert card["accuracy"].value == pytest.approx(0.6)
        assert card["tpr"].value == pytest.approx(tpr)
        assert card["tnr"].value == pytest.approx(tnr)


def test_same_precision_and_recall_hide_different_behaviour() -> None:
    left, right = turned([[200, 100], [300, 400]]), turned([[200, 100], [300, 0]])
    for card, accuracy, tnr in ((left, 0.6, 0.8), (right, 1 / 3, 0)):
        assert card["precision"].value == pytest.approx(2 / 3)
        assert card["recall"].value == pytest.approx(0.4)
        assert card["accuracy"].value == pytest.approx(accuracy)
        assert card["tnr"].value == pytest.approx(tnr)


def test_five_folds_of_twenty_rows() -> None:
    right = np.concatenate([np.arange(20) < n for n in (11, 17, 16, 13, 16)])
    card = heldout.score(np.ones(100, int), right.astype(int), folds=np.repeat(range(5), 20))
    pooled, *_, mean = card.results(("accuracy",), per_fold=True)
    assert pooled.value == pytest.approx(0.73)
    assert mean.fold == "mean"
    assert mean.value == pytest.approx(0.73)


def test_x_rays_in_five_folds() -> None:
    matrices = [
        [[43, 9], [10, 38]],
        [[46, 9], [3, 42]],
        [[51, 10], [8, 31]],
        [[51, 8], [7, 34]],
        [[46, 9], [7, 38]],
    ]
    views = ["lateral", "frontal"]
    counts = np.array(matrices)
    fold, truth, predicted = (
        np.repeat(place.ravel(), counts.ravel()) for place in np.indices(counts.shape)
    )
    card = heldout.score(
        np.take(views, truth),
        np.take(views, predicted),
        folds=fold,
        labels=views,
        pos_label="lateral",
    )
    pooled, *folds, mean = (r.value for r in card.results(("accuracy",), per_fold=True))
    assert folds == pytest.approx([0.81, 0.88, 0.82, 0.85, 0.84])
    assert (pooled, mean) == pytest.approx((0.84, 0.84))
    assert counts_of(card) == [[237, 45], [35, 183]]


def test_two_models_of_churn() -> None:
    knn, bayes = table([[90, 0], [9, 1]], "second"), table([[70, 20], [2, 8]], "second")
    expected = (
        (knn, {"precision": 1.0, "recall": 0.1, "accuracy": 0.91}, 0.182, PRINTED),
        (bayes, {"precision": 2 / 7, "recall": 0.8, "accuracy": 0.78}, 0.78873, 1e-5),
    )
    for card, exact, harmonic, tolerance in expected:
        for name, value in exact.items():
            assert card[name].value == pytest.approx(value, abs=1e-11), name
        mean = card["average_class_accuracy_harmonic"].value
        assert mean == pytest.approx(harmonic, abs=tolerance)


LOANS = [
    ([[57, 3], [10, 30]], 560, [[7980, -420], [-7000, 0]], 0.83824),
    ([[43, 17], [3, 37]], 1540, [[6020, -2380], [-2100, 0]], 0.80761),
]


@pytest.mark.parametrize(("matrix", "profit", "cells", "harmonic"), LOANS)
def test_loans_by_what_they_earn(
    capsys: pytest.CaptureFixture[str], matrix: Any, profit: int, cells: Any, harmonic: float
) -> None:
    card = table(matrix, profit=[[140, -140], [-700, 0]])
    assert card["profit"].value == profit
    assert card["profit_per_row"].value == profit / 100
    assert card["average_class_accuracy_harmonic"].value == pytest.approx(harmonic, abs=1e-5)
    text = ";".join(",".join(map(str, row)) for row in matrix)
    how = ("--orientation=truth-rows", "--positive=first", "--profit=140,-140;-700,0")
    done = call(capsys, "score", f"--matrix={text}", *how, "--format=json", "--quiet")
    assert done.code == 0, done.err
    said = json.loads(done.out)
    assert said["confusion"]["profit"] == cells
    (total,) = [row["value"] for row in said["results"] if row["measure"] == "profit"]
    assert total == profit


def test_more_accurate_model_earns_less() -> None:
    knn, tree = (table(matrix, profit=[[140, -140], [-700, 0]]) for matrix, *_ in LOANS)
    assert knn["accuracy"].value > tree["accuracy"].value
    assert knn["profit"].value < tree["profit"].value


TRUE = (
    "durionis ficulneus fructosus ficulneus durionis pseudo. durionis ficulneus pseudo. pseudo. "
    "fructosus ficulneus durionis fructosus fructosus ficulneus ficulneus fructosus durionis "
    "fructosus fructosus durionis fructosus pseudo. durionis pseudo. fructosus ficulneus "
    "fructosus fructosus"
)
SAID = (
    "fructosus fructosus fructosus ficulneus durionis pseudo. fructosus ficulneus pseudo. "
    "fructosus fructosus ficulneus durionis fructosus ficulneus ficulneus ficulneus fructosus "
    "durionis fructosus fructosus durionis fructosus fructosus durionis pseudo. fructosus "
    "ficulneus fructosus fructosus"
)


def test_four_bacteria() -> None:
    card = heldout.score(TRUE.split(), SAID.split())
    assert card.classes == ("durionis", "ficulneus", "fructosus", "pseudo.")
    assert counts_of(card) == [[5, 0, 2, 0], [0, 6, 1, 0], [0, 1, 10, 0], [0, 0, 2, 3]]
    recall, precision = ([card[m, c].value for c in card.classes] for m in ("recall", "precision"))
    assert recall == pytest.approx([0.714, 0.857, 0.909, 0.6], abs=PRINTED)
    assert precision == pytest.approx([1.0, 0.857, 0.667, 1.0], abs=PRINTED)
    assert card["average_class_accuracy_harmonic"].value == pytest.approx(0.75, abs=1e-9)


def test_two_hundred_observations() -> None:
    card = table([[95, 7], [4, 94]], labels=["+1", "-1"])
    expected = {"false_negatives": 7, "false_positives": 4, "accuracy": 0.945, "error_rate": 0.055}
    for name, value in expected.items():
        assert card[name].value == pytest.approx(value, abs=1e-12), name


def test_five_mistakes_in_a_hundred() -> None:
    card = heldout.score([1] * 100, [0] * 5 + [1] * 95)
    assert card["zero_one_loss"].value == pytest.approx(0.05, abs=1e-12)
    assert card["accuracy"].value == pytest.approx(0.95, abs=1e-12)


def test_error_of_a_support_vector_machine_in_per_cent() -> None:
    card = table(
        [[355, 2], [5, 207]],
        labels=["B", "M"],
    )
    assert 100 * card["error_rate"].value == pytest.approx(1.230228, abs=1e-6)
