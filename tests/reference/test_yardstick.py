"""Predictions of yardstick's own tests: two, three, four and nineteen classes, and numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from tests.reference.cases import Case, Family, Given, judge

#: R and scikit-learn raise probabilities to it unasked
EPS = "2.220446049250313e-16"
CURVE = "a curve, not a measure"


def two_classes(case: Case) -> Given:
    """Class1 is positive: the first level, as yardstick has it."""
    file = case.path("two_class_example.csv")
    how = {"truth": "truth", "predicted": "predicted", "score": "Class1", "positive": "Class1"}
    plain = judge(heldout.read_predictions(file, **how))
    weighted = judge(heldout.read_predictions(file, weight="weight", **how))
    counts = plain.confusion()
    assert counts is not None
    yield "confusion_rows_truth_cols_pred_Class1_Class2", counts.matrix().tolist()
    same = "accuracy precision recall f1 mcc kappa bal_accuracy sens spec ppv npv j_index"
    for name in (*same.split(), "detection_prevalence", "roc_auc", "average_precision"):
        yield name, plain[name].value
    yield "fbeta_0.5", plain["f_score[beta=0.5]"].value
    yield "log_loss", plain["log_loss"].value
    yield "log_loss_sum", plain["log_score"].value
    yield "brier", plain["brier"].value
    yield "brier_sklearn_form", plain["brier"].value
    yield "gain_capture", plain["gain_capture"].value
    yield "pr_auc_trapezoid", plain["pr_auc[interpolation=trapezoid]"].value
    yield "auprc_davis_goadrich", plain["davis_goadrich"].value
    yield "auprc_integral", plain["auprc[interpolation=integral]"].value
    same = "precision recall f1 mcc kappa balanced_accuracy ppv npv roc_auc average_precision"
    for name in (*same.split(), "log_loss"):
        yield f"weighted.{name}", weighted[name].value


def four_classes(case: Case) -> Given:
    """Ten folds of predictions of four ordered classes."""
    file = case.path("hpc_cv.csv")
    how: dict[str, Any] = {"truth": "obs", "predicted": "pred", "labels": "VF,F,M,L"}
    plain = judge(heldout.read_predictions(file, fold="Resample", **how))
    weighted = judge(heldout.read_predictions(file, weight="weight", **how))
    counts = plain.confusion()
    assert counts is not None
    yield "confusion_rows_truth_VF_F_M_L", counts.matrix().tolist()
    for average in ("macro", "micro", "weighted"):
        for name in ("precision", "recall", "f_meas"):
            yield f"{name}.{average}", plain[f"{name}_{average}"].value
            yield f"weighted.{name}.{average}", weighted[f"{name}_{average}"].value
        yield f"fbeta_0.5.{average}", plain[f"f_score_{average}[beta=0.5]"].value
    for name in ("accuracy", "mcc", "kappa", "kappa_linear", "kappa_quadratic"):
        yield name, plain[name].value
    for name in ("mcc", "kappa"):
        yield f"weighted.{name}", weighted[name].value
    for name in ("roc_auc", "average_precision"):
        yield f"{name}.macro", plain[f"{name}_macro", "pooled"].value
        yield f"{name}.macro_weighted", plain[f"{name}_weighted", "pooled"].value
    yield "roc_aunu", plain["auc_macro", "pooled"].value
    yield "roc_aunp", plain["auc_weighted", "pooled"].value
    yield "weighted.roc_auc.macro", weighted["roc_auc_macro", "pooled"].value
    yield "roc_auc.hand_till", plain["hand_till", "pooled"].value
    yield "hand_till_M.HandTill2001", plain["hand_till", "pooled"].value
    yield "gain_capture.macro", plain["gain_capture_macro", "pooled"].value
    yield "pr_auc.macro", plain["pr_auc_macro[interpolation=trapezoid]"].value
    yield "log_loss", plain[f"log_loss[clip={EPS}]"].value
    yield "weighted.log_loss", weighted[f"log_loss[clip={EPS}]"].value
    yield "brier_half", plain["brier[half]"].value
    yield "brier_full_sum", plain["brier"].value
    yield from folds(plain)
    yield from last_folds(case)


def folds(card: heldout.Scorecard) -> Given:
    names = {"accuracy": "accuracy", "kap": "kap", "mcc": "mcc", "hand_till": "hand_till"}
    names["log_loss"] = f"log_loss[clip={EPS}]"
    for theirs, ours in names.items():
        results = card.results((ours,), per_fold=True)
        yield f"per_fold.{theirs}", [r.value for r in results if r.fold.startswith("Fold")]
        if theirs == "hand_till":
            yield "per_fold.hand_till.mean", next(r.value for r in results if r.fold == "mean")


def last_folds(case: Case) -> Given:
    """Folds 6 to 10, and the same without ten rows of class VF."""
    columns = case.columns("hpc_cv.csv")
    late = [i for i, fold in enumerate(columns["Resample"]) if fold >= "Fold06"]
    dropped = late[10:]
    assert {columns["obs"][i] for i in late[:10]} == {"VF"}
    names = ("hand_till.folds6_10", "hand_till.first10_VF_missing_dropped.folds6_10")
    for name, rows in zip(names, (late, dropped), strict=True):
        part = {key: [values[i] for i in rows] for key, values in columns.items()}
        matrix = np.array([[float(v) for v in part[c]] for c in ("VF", "F", "M", "L")]).T
        card = judge(part["obs"], y_score=matrix, labels=["VF", "F", "M", "L"])
        yield name, card["hand_till"].value


def small(case: Case) -> Given:
    given = case.inputs("gain_capture")
    card = judge(given["truth"], y_score=given["score"], pos_label=given["positive"])
    yield "gain_capture", card["gain_capture"].value
    yield "lift_curve", list(lifts(case))
    given = case.inputs("mcc_weighted")
    labels = {"pos_label": "x", "sample_weight": given["weight"]}
    yield "mcc_weighted", judge(given["truth"], given["predicted"], **labels)["mcc"].value
    huge = case.inputs("mcc_no_integer_overflow")["matrix"]
    yield "mcc_no_integer_overflow", table(huge)["mcc"].value
    powers = case.inputs("powers2007.precision")
    card = table([[powers["tp"], powers["fn"]], [powers["fp"], powers["tn"]]])
    for name in ("precision", "recall", "f1"):
        yield f"powers2007.{name}", card[name].value
    card = judge(heldout.read_predictions(case.path("three_class.csv")))
    for name in ("mcc", "accuracy", "kap"):
        yield f"three_class.{name}{'' if name == 'mcc' else '.macro'}", card[name].value
    for name in ("precision", "recall", "f_meas", "bal_accuracy", "spec"):
        yield f"three_class.{name}.macro", card[f"{name}_macro"].value


def table(matrix: Any) -> heldout.Scorecard:
    return judge(confusion=matrix, orientation="truth-rows", pos_label="first")


def lifts(case: Case) -> Any:
    """Lift among the best k rows, for k from none to all."""
    given = case.inputs("lift_curve")
    for rows in range(len(given["score"]) + 1):
        threshold = sorted([9.0, *given["score"]], reverse=True)[rows]
        how = {"y_score": given["score"], "pos_label": given["positive"], "threshold": threshold}
        yield judge(given["truth"], **how)["lift"].value


def solubility(case: Case) -> Given:
    """Regression, with true values that are 0."""
    file = case.path("solubility_test.csv")
    how = {"truth": "solubility", "predicted": "prediction"}
    plain = judge(heldout.read_predictions(file, **how))
    weighted = judge(heldout.read_predictions(file, weight="weight", **how))
    same = "rmse mae rsq rsq_trad mape ccc mpe rpd rpiq huber_loss huber_loss_pseudo iic"
    for name in same.split():
        yield name, plain[name].value
    yield "smape", plain["smape[percent]"].value
    # yardstick's mean signed deviation is truth less prediction, heldout's bias the reverse
    yield "msd", -plain["bias"].value
    for name in ("rmse", "mae", "rsq_trad"):
        yield f"weighted.{name}", weighted[name].value


def soybean(case: Case) -> Given:
    """Nineteen classes, of which some have few rows."""
    card = judge(
        heldout.read_predictions(case.path("soybean.csv"), truth="truth", predicted="response")
    )
    yield "roc_aunu", card["auc_macro"].value
    yield "roc_aunp", card["auc_weighted"].value
    yield "hand_till", card["hand_till"].value
    yield "hand_till.HandTill2001", card["hand_till"].value
    yield "log_loss_eps_clipped", card[f"log_loss[clip={EPS}]"].value
    (rows,) = card["log_loss"].note.split(" ", 1)[:1]
    yield "zero_probability_of_true_class_count", int(rows)


INTERVAL = "an interval, which is not a measure"

FAMILY = Family(
    {
        "yardstick_two_class": two_classes,
        "yardstick_hpc_cv": four_classes,
        "yardstick_small": small,
        "yardstick_solubility": solubility,
        "yardstick_soybean19": soybean,
    },
    {
        "yardstick_two_class": {"delong_ci95": INTERVAL},
        "yardstick_small": {f"lift_curve_weighted.{k}": CURVE for k in ("n", "n_events")},
    },
)


@pytest.mark.parametrize("name", FAMILY.given)
def test_heldout_agrees_with_yardstick(reference: Path, name: str) -> None:
    assert FAMILY.account(reference, name).faults == []
