"""Cross-validated predictions: the measure of all folds together beside the mean of the folds."""

from __future__ import annotations

from math import isnan, nan
from pathlib import Path

import numpy as np
import pytest

import heldout
from tests.cli.running import call
from tests.reference.cases import Case, Family, Given, Otherwise, agrees, judge, numbers

POSITIVE = "recurrence-events"
ABSENT = ("diabetes_zeror", "diabetes_logistic", "labor_j48", "labor_naivebayes")
ANSWERS = (
    "auc_per_fold",
    "auc_mean_of_folds",
    "auc_pooled",
    "f1_avg_of_folds",
    "f1_of_mean_pr_re",
    "f1_pooled_tp_fp_fn",
    "folds_without_positive_prediction",
    "accuracy_mean_of_folds",
    "accuracy_pooled",
)


def aggregated(case: Case) -> Given:
    for model in ("naivebayes", "j48"):
        file = case.path(f"../weka_breastcancer_{model}/predictions.csv")
        card = judge(heldout.read_predictions(file, truth="actual", fold="fold", positive=POSITIVE))
        yield from of_folds(f"breastcancer_{model}", card)
    yield from of_folds("breastcancer_zeror", majority(case))


def majority(case: Case) -> heldout.Scorecard:
    """Weka's ZeroR on the same folds: Laplace's share of each class in the training part."""
    columns = case.columns("../weka_breastcancer_j48/predictions.csv")
    other, positive = (numbers(columns[f"train_n_{c}"]) for c in (f"no-{POSITIVE}", POSITIVE))
    share = (positive + 1) / (positive + other + 2)
    folds = np.array(columns["fold"], int)
    return judge(columns["actual"], y_score=share, folds=folds, pos_label=POSITIVE)


def of_folds(name: str, card: heldout.Scorecard) -> Given:
    results = card.results(("auc", "f1", "precision", "recall", "accuracy"), per_fold=True)
    pooled = {r.measure: r.value for r in results if not r.fold}
    mean = {r.measure: r.value for r in results if r.fold == "mean"}
    single = [r for r in results if r.fold not in ("", "mean")]
    assert len(single) == 5 * 10
    yield f"{name}.auc_per_fold", [r.value for r in single if r.measure == "auc"]
    yield f"{name}.auc_mean_of_folds", mean["auc"]
    yield f"{name}.auc_pooled", pooled["auc"]
    yield f"{name}.f1_avg_of_folds", mean["f1"]
    yield f"{name}.f1_pooled_tp_fp_fn", pooled["f1"]
    # Forman and Scholz warn of it, and heldout has no name for it
    product, total = mean["precision"] * mean["recall"], mean["precision"] + mean["recall"]
    yield f"{name}.f1_of_mean_pr_re", 2 * product / total
    without = [int(r.fold) for r in single if r.measure == "precision" and isnan(r.value)]
    yield f"{name}.folds_without_positive_prediction", without
    yield f"{name}.accuracy_mean_of_folds", mean["accuracy"]
    yield f"{name}.accuracy_pooled", pooled["accuracy"]


FAMILY = Family(
    {"cv_aggregation": aggregated},
    {
        "cv_aggregation": {
            f"{model}.{answer}": f"the predictions of {model} are not among the cases"
            for model in ABSENT
            for answer in ANSWERS
        }
        | {
            "breastcancer_zeror.f1_of_mean_pr_re": Otherwise(
                nan, "precision is undefined in every fold, and so is its mean: not 0"
            )
        }
    },
)


@pytest.mark.parametrize("name", FAMILY.given)
def test_folds_are_pooled_and_averaged(reference: Path, name: str) -> None:
    assert FAMILY.account(reference, name).faults == []


def test_mean_says_of_how_many_folds_it_is(reference: Path) -> None:
    card = majority(Case.read(reference / "cv_aggregation"))
    (mean,) = [r for r in card.results(("precision",)) if r.fold == "mean"]
    assert mean.note == "mean of 0 of 10 folds; undefined in 1, 2, 3, 4, 5 ..."


def test_command_line_pools_and_averages(
    reference: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = Case.read(reference / "cv_aggregation")
    file = case.path("../weka_breastcancer_naivebayes/predictions.csv")
    how = ("--truth=actual", "--fold=fold", f"--positive={POSITIVE}", "--measure=auc")
    done = call(capsys, "score", file, *how, "--format=csv", "--no-intervals", "--quiet")
    assert done.code == 0, done.err
    header, pooled, mean = (line.split(",") for line in done.out.splitlines())
    place = header.index("value")
    for line, name in ((pooled, "auc_pooled"), (mean, "auc_mean_of_folds")):
        answer = case.answers[f"breastcancer_naivebayes.{name}"]
        assert agrees(float(line[place]), answer.value, answer.tolerance)
