"""Worked examples of a course, by the command that a reader types on the table that ships."""

from __future__ import annotations

import json

import pytest

from tests.cli.running import call

#: what is printed has three digits
PRINTED = 0.0005
LOANS = "example:loans --count n --labels good,bad --positive good --profit 140,-140;-700,0"
CHURN = "example:churn --count n --labels stay,churn --positive churn"
XRAYS = "example:xrays --count n --labels lateral,frontal --positive lateral"
COMMANDS = {
    "example:mails --positive spam": {
        "true_positives": 6,
        "false_negatives": 3,
        "false_positives": 2,
        "true_negatives": 9,
        "accuracy": 0.75,
        "recall": 0.667,
        "specificity": 0.818,
        "precision": 0.75,
        "f_score": 0.706,
        "auc": 0.798,
    },
    "example:five": {"log_score": 4.2404, "brier": 0.294},
    "example:roc10": {"auc": 0.8},
    "example:roc-ties": {"auc": 0.56},
    "example:bacteria": {"average_class_accuracy_harmonic": 0.75},
    XRAYS: {"accuracy": 0.84, "row_count": 500},
}
BY_MODEL = {
    LOANS: {
        "knn": {"profit": 560, "accuracy": 0.87, "average_class_accuracy_harmonic": 0.838},
        "decision_tree": {"profit": 1540, "average_class_accuracy_harmonic": 0.808},
    },
    CHURN: {
        "knn": {"precision": 1.0, "recall": 0.1, "accuracy": 0.91},
        "naive_bayes": {"precision": 0.286, "recall": 0.8, "accuracy": 0.78},
    },
    "example:doses": {
        "linear_regression": {"mse": 1.703, "rmse": 1.305, "mae": 0.958, "r2": 0.921},
        "knn": {"mse": 4.064, "rmse": 2.016, "mae": 1.704, "r2": 0.812},
    },
}


@pytest.mark.parametrize(
    ("command", "expected"),
    [(command, {"": values}) for command, values in COMMANDS.items()] + list(BY_MODEL.items()),
)
def test_command_gives_what_was_worked_out_by_hand(
    command: str, expected: dict[str, dict[str, float]], capsys: pytest.CaptureFixture[str]
) -> None:
    names = dict.fromkeys(name for values in expected.values() for name in values)
    wanted = [f"--measure={name}" for name in names]
    done = call(capsys, "score", *command.split(), *wanted, "--format=json", "--quiet")
    assert done.code == 0, done.err
    rows = json.loads(done.out)["results"]
    values = {
        (row["model"], row["measure"]): row["value"]
        for row in rows
        if not (row["fold"] or row["class"])
    }
    for model, measures in expected.items():
        for name, value in measures.items():
            assert values[model, name] == pytest.approx(value, abs=PRINTED), (model, name)


def test_folds_of_the_xrays_are_judged_one_by_one(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--measure=accuracy", "--per-fold", "--format=json", "--quiet")
    done = call(capsys, "score", *XRAYS.split(), *asked)
    rows = [row for row in json.loads(done.out)["results"] if row["fold"].isdigit()]
    assert [row["value"] for row in rows] == pytest.approx([0.81, 0.88, 0.82, 0.85, 0.84])
    assert {row["n"] for row in rows} == {100}
