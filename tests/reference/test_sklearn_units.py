"""The small inputs of scikit-learn's and torchmetrics' own tests, with answers made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from math import log
from pathlib import Path
from typing import Any

import pytest

import heldout
from tests.reference.cases import Case, Family, Given, Otherwise, judge

CURVE = "a curve, not a measure"
#: scikit-learn raises probabilities to it unasked
EPS = "clip=2.220446049250313e-16"

Inputs = Mapping[str, Any]


def scored(given: Inputs, **more: Any) -> heldout.Scorecard:
    """The scorecard of a score of the positive class."""
    how = {"y_score": given["score"], "pos_label": given.get("pos", 1), **more}
    return judge(given["y"], labels=sorted({*given["y"], 0, 1}), **how)


def probable(given: Inputs) -> heldout.Scorecard:
    """The scorecard of probabilities, a column per class in the order of the labels."""
    labels = given.get("labels") or sorted(set(given["y"]))
    positive = labels[1] if len(labels) == 2 else None
    return judge(given["y"], y_score=given["p"], labels=labels, pos_label=positive)


def predicted(given: Inputs) -> heldout.Scorecard:
    how = {"sample_weight": given.get("weight"), "labels": given.get("labels")}
    return judge(given["y"], given["pred"], pos_label=given.get("pos"), **how)


def units(case: Case) -> Given:
    yield from rankings(case)
    yield from scoring_rules(case)
    yield from labels_of(case)
    yield from calibration(case)
    for end in ("perfect", "imperfect"):
        given = case.inputs(f"r2.constant_y_{end}")
        card = judge(given["y"], given["pred"], task="regression")
        yield f"r2.constant_y_{end}", card["r2[force_finite]"].value


def rankings(case: Case) -> Given:
    for i in range(1, 7):
        yield f"roc#{i}.auc", scored(case.inputs(f"roc#{i}"))["auc"].value
        given = case.inputs(f"pr#{i}")
        yield f"pr#{i}.average_precision", scored(given)["average_precision"].value
    yield "roc_auc.y13", scored(case.inputs("roc_auc.y13"))["auc"].value
    for name in ("y13", "duplicates_perfect", "tie_below_one"):
        given = case.inputs(f"average_precision.{name}")
        yield f"average_precision.{name}", scored(given)["ap"].value
    constant = {"y": [int(i % 4 == 0) for i in range(100)], "score": [1.0] * 100}
    yield "average_precision.constant_score", scored(constant)["ap"].value
    card = probable(case.inputs("ovo_auc.macro"))
    yield "ovo_auc.macro", card["roc_auc_ovo"].value
    yield "ovo_auc.weighted", card["roc_auc_ovo_weighted"].value
    card = probable(case.inputs("ovr_auc.macro"))
    yield "ovr_auc.per_class", [card["auc", label].value for label in card.classes]
    yield "ovr_auc.macro", card["auc_macro"].value
    yield "ovr_auc.weighted", card["auc_weighted"].value
    for name in ("mcclish_max_fpr_0.3", "perfect_max_fpr_0.001"):
        given = case.inputs(f"pauc.{name}")
        spec = f"pauc[high={given['max_fpr']}, mcclish]"
        yield f"pauc.{name}", scored(given)[spec].value


def scoring_rules(case: Case) -> Given:
    for i in range(1, 6):
        yield f"log_loss#{i}", probable(case.inputs(f"log_loss#{i}"))["log_loss"].value
    wrong = case.inputs("log_loss.p_exactly_0_or_1_wrong")
    card = judge(wrong["y"], y_score=wrong["p"])
    yield "log_loss.p_exactly_0_or_1_wrong", card[f"log_loss[{EPS}]"].value
    given = case.inputs("brier.binary")
    yield "brier.binary", judge(given["y"], y_score=given["p"])["brier"].value
    for name in ("multiclass_sum", "multiclass_unseen_label"):
        yield f"brier.{name}", probable(case.inputs(f"brier.{name}"))["brier"].value


def labels_of(case: Case) -> Given:
    for name in ("single_class_positive", "single_class_negative_zero_division_0"):
        card = predicted(case.inputs(f"prf.{name}"))
        for measure in ("precision", "recall", "f1"):
            yield f"prf.{name}.{measure}", card[measure].value
    card = predicted(case.inputs("recall.extra_labels"))
    yield "recall.extra_labels", [card["recall", label].value for label in card.classes]
    yield "recall.extra_labels_macro", card["recall_macro"].value
    for measure in ("precision", "recall", "f1"):
        for average in ("macro", "micro", "weighted"):
            card = predicted(case.inputs(f"{measure}.{average}.doc"))
            yield f"{measure}.{average}.doc", card[f"{measure}_{average}"].value
    card = predicted(case.inputs("precision.never_predicted"))
    yield "precision.never_predicted", [card["precision", c].value for c in card.classes]
    given = case.inputs("f1.all_negative_zero_division_1")
    card = predicted({**given, "labels": [0, 1]})
    yield "f1.all_negative_zero_division_1", card["f1"].value
    for name, measure in (
        ("kappa#1", "kappa"),
        ("kappa#2", "kappa"),
        ("kappa#3", "kappa"),
        ("kappa.linear", "kappa_linear"),
        ("kappa.quadratic", "kappa_quadratic"),
    ):
        yield name, table(case.inputs(name)["table"])[measure].value
    raters = case.inputs("kappa.undefined_single_label")
    card = judge(raters["a"], raters["b"])
    yield "kappa.undefined_single_label", card["kappa"].value
    for i in range(1, 8):
        given = case.inputs(f"mcc#{i}")
        # heldout asks for the classes where truth and predictions have none in common
        labels = sorted({*given["y"], *given["pred"]})
        yield f"mcc#{i}", predicted({**given, "labels": labels})["mcc"].value
    given = case.inputs("likelihood_ratios")
    card = table([[given["tn"], given["fp"]], [given["fn"], given["tp"]]])
    yield "likelihood_ratios.lr_plus", card["lr_plus"].value
    yield "likelihood_ratios.lr_minus", card["lr_minus"].value
    for name in ("pred_only_class", "pred_only_class_b"):
        card = predicted(case.inputs(f"balanced_accuracy.{name}"))
        yield f"balanced_accuracy.{name}", card["balanced_accuracy"].value
    counts = predicted(case.inputs("confusion.multi")).confusion()
    assert counts is not None
    yield "confusion.multi", counts.matrix().tolist()


def table(counts: list[list[int]]) -> heldout.Scorecard:
    positive = "second" if len(counts) == 2 else None
    return judge(confusion=counts, orientation="truth-rows", pos_label=positive)


def calibration(case: Case) -> Given:
    given = case.inputs("ece.binary_l1_2bins")
    card = judge(given["y"], y_score=given["p"])
    yield "ece.binary_l1_2bins", card["ece[bins=2]"].value
    yield "ece.binary_l2_2bins", card["ece[bins=2, norm=l2]"].value
    yield "mce.binary_2bins", card["mce[bins=2]"].value
    card = probable(case.inputs("ece.multiclass_top_label_l1_3bins"))
    yield "ece.multiclass_top_label_l1_3bins", card["multiclass_ece[bins=3]"].value
    yield "ece.multiclass_top_label_l2_3bins", card["multiclass_ece[bins=3, norm=l2]"].value
    yield "mce.multiclass_top_label_3bins", card["multiclass_mce[bins=3]"].value


ZERO = "0 / 0 is undefined, not 0: scikit-learn's zero_division fills it in"
NO_ROWS = "classes without rows have no recall; they are left out of the mean, and the note says so"
CURVES = (
    *(f"roc#{i}.{rate}" for i in range(1, 7) for rate in ("fpr", "tpr")),
    *(f"pr#{i}.{rate}" for i in range(1, 7) for rate in ("precision", "recall")),
    *(f"det#{i}.{rate}" for i in (1, 2) for rate in ("fpr", "fnr")),
    *(f"roc_thresholds_drop_intermediate#{i}" for i in (1, 2)),
    *(f"roc_monotone_with_weights.{rate}_nondecreasing" for rate in ("fpr", "tpr")),
    *(
        f"calibration_curve.{bins}.prob_{which}"
        for bins in ("uniform.2", "quantile.2", "uniform.4", "uniform.3")
        for which in ("true", "pred")
    ),
)
FAMILY = Family(
    {"sklearn_unit_cases": units},
    {
        "sklearn_unit_cases": dict.fromkeys(CURVES, CURVE)
        | {
            f"prf.single_class_negative_zero_division_0.{name}": Otherwise(None, ZERO)
            for name in ("precision", "recall", "f1")
        }
        | {
            "pr#5.average_precision": Otherwise(None, "recall is undefined without positives"),
            "recall.extra_labels": Otherwise([None, 1, 1, 0.5, None], ZERO),
            "recall.extra_labels_macro": Otherwise(2.5 / 3, NO_ROWS),
            "precision.never_predicted": Otherwise([1 / 3, None, None], ZERO),
            "f1.all_negative_zero_division_1": Otherwise(None, ZERO),
            "log_loss#5": Otherwise(
                -log(0.9 * 0.9 * 0.8 * 0.65) / 4, "the docstring prints five digits: 0.21616..."
            ),
            "r2.multioutput_uniform": "heldout judges one target at a time",
        }
    },
)


@pytest.mark.parametrize("name", FAMILY.given)
def test_heldout_agrees_with_unit_tests_of_scikit_learn(reference: Path, name: str) -> None:
    assert FAMILY.account(reference, name).faults == []
