"""Predictions of Weka's classifiers, fold by fold, with everything Weka says of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import heldout
from heldout.measures.spec import of_class
from tests.cli.running import call
from tests.reference.cases import WEKA, Case, Family, Given, Otherwise, agrees, judge

#: Weka's names, as heldout calls them, and what Weka multiplies by
WHOLE = {
    "n": ("row_count", 1),
    "correct": ("correct", 1),
    "incorrect": ("incorrect", 1),
    "accuracy_pct": ("accuracy", 100),
    "kappa": ("kappa", 1),
    "mae": ("probability_mae[all_columns]", 1),
    "rmse": ("probability_rmse[all_columns]", 1),
    "rae_pct": ("probability_rae", 100),
    "rrse_pct": ("probability_rrse", 100),
    "kb_information_bits_sum": ("information_score_sum[laplace]", 1),
    "kb_information_bits_mean": ("information_score[laplace]", 1),
    "kb_relative_pct": ("relative_information_score[laplace]", 100),
    "complexity_prior_bits_sum": ("complexity_of_prior[base=2, laplace]", 1),
    "complexity_scheme_bits_sum": ("log_score[base=2, CLIP]", 1),
    "complexity_improvement_bits_sum": ("complexity_improvement[base=2, CLIP, laplace]", 1),
    "complexity_scheme_bits_mean": ("log_loss[base=2, CLIP]", 1),
    "complexity_prior_bits_mean": ("prior_log_loss[base=2, laplace]", 1),
    "coverage_0.95_pct": ("coverage_of_cases", 100),
    "size_of_region_pct": ("size_of_region", 100),
}
#: Weka raises a probability of 0 to the smallest number of a double
CLIP = "clip=4.9e-324"
BY_CLASS = {
    "tpr": "tpr",
    "fpr": "fpr",
    "tnr": "tnr",
    "precision": "precision",
    "recall": "recall",
    "f1": "f1",
    "mcc": "phi",
    "roc_area": "roc_area",
    "prc_area": "prc_area",
}
WEIGHTED = ("precision", "recall", "f1", "roc_area", "prc_area", "mcc", "fpr")


def weka(case: Case) -> Given:
    labels = list(
        dict.fromkeys(
            name[6:].partition("]")[0] for name in case.answers if name.startswith("class[")
        )
    )
    card = judge(
        heldout.read_predictions(
            case.path("predictions.csv"),
            truth="actual",
            predicted="predicted",
            score_prefix="p_",
            train_count_prefix="train_n_",
            labels=labels,
            positive=labels[0] if len(labels) == 2 else None,
            id="row",
        )
    )
    for theirs, (ours, factor) in WHOLE.items():
        yield theirs, factor * card[ours.replace("CLIP", CLIP), "pooled"].value
    # heldout takes no row without a prediction, so every row is one of the two
    yield "unclassified", card["rows"].value - card["correct"].value - card["incorrect"].value
    counts = card.confusion()
    assert counts is not None
    yield "confusion_rows_actual", counts.matrix().tolist()
    for label in labels:
        for theirs, ours in BY_CLASS.items():
            yield f"class[{label}].{theirs}", card[of_class(ours, label), "pooled"].value
    for name in WEIGHTED:
        yield f"weighted.{name}", card[f"{BY_CLASS[name]}_weighted", "pooled"].value


MISSED = "a class that is never predicted and all missed has F 0: 2 TP / (2 TP + FP + FN)"
FAMILY = Family(
    dict.fromkeys(WEKA, weka),
    {
        "weka_iris_zeror": {
            "class[Iris-versicolor].f1": Otherwise(0, MISSED),
            "class[Iris-virginica].f1": Otherwise(0, MISSED),
            "weighted.f1": Otherwise(1 / 6, MISSED),
        }
    },
)


@pytest.mark.parametrize("name", FAMILY.given)
def test_heldout_agrees_with_weka(reference: Path, name: str) -> None:
    assert FAMILY.account(reference, name).faults == []


def test_command_line_agrees_with_weka(reference: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = Case.read(reference / "weka_glass_naivebayes")
    asked = [name for name in WHOLE if "complexity_scheme" not in name]
    specs = [f"--measure={WHOLE[name][0].replace('CLIP', CLIP)}" for name in asked]
    file = case.path("predictions.csv")
    done = call(
        capsys,
        "score",
        file,
        "--truth=actual",
        "--format=json",
        "--no-intervals",
        "--quiet",
        *specs,
    )
    assert done.code == 0, done.err
    values = [row["value"] for row in json.loads(done.out)["results"] if not row["fold"]]
    for name, value in zip(asked, values, strict=True):
        answer = case.answers[name]
        assert agrees(WHOLE[name][1] * value, answer.value, answer.tolerance), name
