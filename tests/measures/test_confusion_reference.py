"""Measures of counts on real predictions, against what R, scikit-learn and Weka say of them."""

from __future__ import annotations

import csv
import json
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout.measures.accuracy
import heldout.measures.confusion
import heldout.measures.confusion_counts  # noqa: F401 - each declares its measures
from heldout.measures.registry import find
from heldout.tally.confusion import Confusion
from tests.reference.cases import WEKA


def answers(folder: Path) -> dict[str, Any]:
    values = json.loads((folder / "expected.json").read_text())["values"]
    return {v["name"]: v["value"] for v in values}


def columns(path: Path) -> dict[str, list[str]]:
    with path.open() as file:
        rows = list(csv.DictReader(file))
    return {name: [row[name] for row in rows] for name in rows[0]}


def tally(
    truth: list[str], predicted: list[str], labels: list[str], weight: Any = None
) -> Confusion:
    codes = {label: i for i, label in enumerate(labels)}
    given = None if weight is None else np.array(weight, float)
    return Confusion.of(
        np.array([codes[v] for v in truth]),
        np.array([codes[v] for v in predicted]),
        given,
        classes=len(labels),
        positive=0,
    )


def test_two_classes_of_yardstick_with_and_without_weights(reference: Path) -> None:
    folder = reference / "yardstick_two_class"
    expected, data = answers(folder), columns(folder / "two_class_example.csv")
    labels = ["Class1", "Class2"]
    plain = tally(data["truth"], data["predicted"], labels)
    weighted = tally(data["truth"], data["predicted"], labels, data["weight"])
    binary = ["precision", "recall", "f1", "sens", "spec", "ppv", "npv", "j_index"]
    for name in [*binary, "detection_prevalence"]:
        assert find(name)(plain.binary) == pytest.approx(expected[name], abs=1e-9), name
    for name in ("accuracy", "mcc", "kappa", "bal_accuracy"):
        assert find(name)(plain) == pytest.approx(expected[name], abs=1e-9), name
    for name in ("precision", "recall", "f1", "ppv", "npv"):
        assert find(name)(weighted.binary) == pytest.approx(expected[f"weighted.{name}"], abs=1e-9)
    for name in ("mcc", "kappa", "balanced_accuracy"):
        assert find(name)(weighted) == pytest.approx(expected[f"weighted.{name}"], abs=1e-9)
    half = find("f_score")(plain.binary, beta=0.5)
    assert half == pytest.approx(expected["fbeta_0.5"], abs=1e-9)


def test_four_classes_of_yardstick_with_and_without_weights(reference: Path) -> None:
    folder = reference / "yardstick_hpc_cv"
    expected, data = answers(folder), columns(folder / "hpc_cv.csv")
    labels = ["VF", "F", "M", "L"]
    plain = tally(data["obs"], data["pred"], labels)
    weighted = tally(data["obs"], data["pred"], labels, data["weight"])
    assert plain.matrix().tolist() == expected["confusion_rows_truth_VF_F_M_L"]
    for name in ("accuracy", "mcc", "kappa", "kappa_linear", "kappa_quadratic"):
        assert find(name)(plain) == pytest.approx(expected[name], abs=1e-9), name
    for name in ("mcc", "kappa"):
        assert find(name)(weighted) == pytest.approx(expected[f"weighted.{name}"], abs=1e-9), name
    for counted, prefix in ((plain, ""), (weighted, "weighted.")):
        for name in ("precision", "recall", "f_meas"):
            macro = np.mean(find(name)(counted.one_vs_rest))
            assert macro == pytest.approx(expected[f"{prefix}{name}.macro"], abs=1e-9), name


def test_three_classes_of_yardstick(reference: Path) -> None:
    folder = reference / "yardstick_small"
    expected, data = answers(folder), columns(folder / "three_class.csv")
    table = tally(data["obs"], data["pred"], sorted(set(data["obs"])))
    assert find("mcc")(table) == pytest.approx(expected["three_class.mcc"], abs=1e-8)
    assert find("kap")(table) == pytest.approx(expected["three_class.kap.macro"], abs=1e-9)
    for name in ("precision", "recall", "f_meas", "spec"):
        macro = np.mean(find(name)(table.one_vs_rest))
        assert macro == pytest.approx(expected[f"three_class.{name}.macro"], abs=1e-9), name
    balanced = np.mean(find("bal_accuracy")(table.versus_rest))
    assert balanced == pytest.approx(expected["three_class.bal_accuracy.macro"], abs=1e-9)


@pytest.mark.parametrize("case", WEKA)
def test_classes_of_weka(reference: Path, case: str) -> None:
    expected = answers(reference / case)
    table = Confusion.from_matrix(expected["confusion_rows_actual"])
    labels = [name[6:].partition("]")[0] for name in expected if name.startswith("class[")]
    labels = list(dict.fromkeys(labels))
    assert find("correct")(table) == expected["correct"]
    assert find("incorrect")(table) == expected["incorrect"]
    assert 100 * find("accuracy")(table) == pytest.approx(expected["accuracy_pct"])
    assert find("kappa")(table) == pytest.approx(expected["kappa"], abs=1e-9)
    names = {"tpr": "tpr", "fpr": "fpr", "tnr": "tnr", "precision": "precision"}
    for theirs, ours in {**names, "recall": "recall", "f1": "f1", "mcc": "phi"}.items():
        values = find(ours)(table.one_vs_rest)
        for k, label in enumerate(labels):
            answer = expected[f"class[{label}].{theirs}"]
            if answer is not None:
                assert values[k] == pytest.approx(answer, abs=1e-9), (label, theirs)
            elif theirs == "f1" and table.actual[k]:
                # never predicted but missed: Weka has no precision and so no F, which is 0
                assert values[k] == 0
            else:
                assert isnan(values[k]), (label, theirs)
