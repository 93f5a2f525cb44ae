"""Confusion matrices that caret, yardstick, vcd, psych and papers have judged."""

from __future__ import annotations

from math import isclose
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from tests.reference.cases import Case, Family, Given, judge

INTERVAL = "an interval, which is not a measure"

#: caret's names of what it says of the whole table, and of each class
OVERALL = {
    "Accuracy": "accuracy",
    "Kappa": "kappa",
    "AccuracyNull": "nir",
    "AccuracyPValue": "accuracy_p_value",
    "McnemarPValue": "mcnemar_p_value",
}
BY_CLASS = {
    "Sensitivity": "sensitivity",
    "Specificity": "specificity",
    "Pos Pred Value": "ppv",
    "Neg Pred Value": "npv",
    "Precision": "precision",
    "Recall": "recall",
    "F1": "f1",
    "Prevalence": "prevalence",
    "Detection Rate": "detection_rate",
    "Detection Prevalence": "detection_prevalence",
    "Balanced Accuracy": "balanced_accuracy",
}
TABLES = (
    "cm_tab2",
    "cm_tab3",
    "iris_perfect",
    "zero_offdiag",
    "all_one_prediction",
    "altman",
    "big4",
)


def pathology(case: Case) -> Given:
    """The liver scans, row by row from the file."""
    card = judge(heldout.read_predictions(case.path("pathology.csv"), positive="abnormal"))
    for theirs, ours in OVERALL.items():
        yield f"caret.overall.{theirs}", card[ours].value
    for theirs, ours in BY_CLASS.items():
        yield f"caret.byClass.{theirs.replace(' ', '_')}", card[ours].value
    for name in ("sensitivity", "specificity", "ppv", "npv"):
        yield f"altman.{name}", card[name].value
    for name in ("mcc", "j_index", "bal_accuracy", "kap", "f_meas", "detection_prevalence"):
        yield f"yardstick.{name}", card[name].value
    for theirs, ours in (("cc", "corrected"), ("nocc", "plain"), ("exact", "exact")):
        yield f"mcnemar_{theirs}.p", card[f"mcnemar_p_value[method={ours}]"].value


def caret(case: Case) -> Given:
    """Tables with caret's rows, which are the predictions."""
    for name in TABLES:
        card = table(case, name)
        for theirs, ours in OVERALL.items():
            yield f"{name}.{theirs}", card[ours].value
        for theirs, ours in BY_CLASS.items():
            if len(card.classes) == 2:
                yield f"{name}.byClass.{theirs}", card[ours].value
            else:
                for label in card.classes:
                    yield f"{name}.byClass.{label}.{theirs}", card[ours, label].value


def table(case: Case, name: str) -> heldout.Scorecard:
    given = case.inputs(f"{name}.")
    labels = given["labels"]
    return judge(
        confusion=given["prediction_rows"],
        orientation="prediction-rows",
        labels=labels,
        pos_label=given["positive"] if len(labels) == 2 else None,
    )


def agreement(case: Case) -> Given:
    """Kappas: of proportions with disagreement weights of one's own, and of counts."""
    given = case.inputs("cohen1968.kappa")
    shares, weights = np.array(given["proportions_rows"]), given["weights"]
    counts = np.round(shares * given["n"])
    yield "cohen1968.kappa", matrix(counts)["kappa"].value
    # heldout's own weights are linear and quadratic; others are the costs of errors, which
    # kappa compares with the costs where rows and columns are independent
    chance = np.outer(counts.sum(axis=1), counts.sum(axis=0))
    observed, expected = (matrix(m, cost=weights)["cost_per_row"].value for m in (counts, chance))
    yield "cohen1968.weighted_kappa", 1 - observed / expected
    for name in ("altman", "big4", "cm_tab3"):
        card = matrix(case.inputs(f"vcd.{name}.kappa")["table_rows"])
        for spec in ("kappa", "kappa_linear", "kappa_quadratic"):
            yield f"vcd.{name}.{spec}", card[spec].value


def matrix(counts: Any, **more: Any) -> heldout.Scorecard:
    positive = "first" if len(counts) == 2 else None
    return judge(confusion=counts, orientation="truth-rows", pos_label=positive, **more)


LATER = {f"caret.overall.Accuracy{end}": INTERVAL for end in ("Lower", "Upper")} | {
    f"caret.prevalence0.25.{name}": "values at another prevalence are a decision, not a measure"
    for name in ("Pos_Pred_Value", "Neg_Pred_Value", "Prevalence")
}
STATISTIC = "heldout gives the p value of McNemar's test; its statistic belongs to comparison"

FAMILY = Family(
    {"altman_pathology": pathology, "caret_tables": caret, "kappa_cohen": agreement},
    {
        "altman_pathology": LATER
        | dict.fromkeys(("mcnemar_cc.chisq", "mcnemar_nocc.chisq"), STATISTIC),
        "caret_tables": {
            f"{name}.Accuracy{end}": INTERVAL for name in TABLES for end in ("Lower", "Upper")
        },
        "kappa_cohen": {f"cohen1968.ci95.{way}": INTERVAL for way in ("unweighted", "weighted")}
        | {
            f"vcd.{name}.kappa_{end}": INTERVAL
            for name in ("altman", "big4", "cm_tab3")
            for end in ("ASE", "ci95")
        },
    },
)


@pytest.mark.parametrize("name", FAMILY.given)
def test_tables_are_judged_as_others_judge_them(reference: Path, name: str) -> None:
    assert FAMILY.account(reference, name).faults == []


def test_tiny_p_values_are_right_in_their_digits(reference: Path) -> None:
    # below the tolerance of the case, any small number would do
    case = Case.read(reference / "caret_tables")
    tiny = {
        name: answer.value
        for name, answer in case.answers.items()
        if isinstance(answer.value, float) and 0 < answer.value < 1e-6
    }
    assert len(tiny) == 4
    said = dict(caret(case))
    for name, value in tiny.items():
        assert isclose(said[name], value, rel_tol=1e-9), name
