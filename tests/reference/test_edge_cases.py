"""Edge cases at which tools have failed: the right answer, or the right refusal."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import isfinite, isnan, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from tests.reference.cases import Case, Family, Given, judge

CURVE = "a curve, not a measure"
INTERVAL = "an interval, which is not a measure"
COMPARISON = "a comparison of models, which is not a measure"
#: what scikit-learn raises probabilities to
EPS = "clip=2.220446049250313e-16"


def refusable(value: Callable[[], float]) -> float:
    """The value, or undefined where heldout refuses the input with a reason."""
    try:
        return value()
    except heldout.InputError:
        return nan


def scored(case: Case, name: str) -> heldout.Scorecard:
    """The scorecard of a score of class 1."""
    given = case.inputs(name)
    score = [float(v) for v in given["score"]]
    return judge(given["y"], y_score=score, pos_label=1)


def answers(case: Case) -> Given:
    yield from rankings(case)
    yield from scoring_rules(case)
    yield from labels(case)
    yield from calibration(case)
    yield from inputs(case)
    yield from folds(case)
    given = case.inputs("mape.zero_truth")
    card = judge(given["y"], given["pred"], task="regression")
    yield "mape.zero_truth", card["mape"].value
    given = case.inputs("reg.r2_single_sample")
    card = judge(given["y"], given["pred"], task="regression")
    yield "reg.r2_single_sample", card["r2"].value


def rankings(case: Case) -> Given:
    same = "single_class all_nan all_inf tiny_scores scale_1e-7 all_tied"
    for end in same.split():
        yield f"auc.{end}", refusable(partial(area, case, f"auc.{end}"))
    yield "roc.tie_block_vertices.auc", scored(case, "roc.tie_block_vertices")["auc"].value
    yield "roc.fixed_threshold_grid", scored(case, "roc.fixed_threshold_grid")["auc"].value
    for name in ("pr.tie_at_top", "ap.reversed_10", "pr.no_positive"):
        yield name, scored(case, name)["average_precision"].value
    given = case.inputs("pr.constant_score_rare")
    truth = np.arange(given["n"]) < given["positives"]
    card = judge(truth, y_score=np.full(given["n"], 0.5))
    yield "pr.constant_score_rare", card["ap"].value
    noisy, equal = case.inputs("auc.float_noise")["example"], [3.4, 3.4]
    areas = [judge([0, 1], y_score=score)["auc"].value for score in (noisy, equal)]
    yield "auc.float_noise", stated(case, "auc.float_noise", areas == [0, 0.5])
    many = case.inputs("counts.float32")["n_pos"]
    card = judge(np.ones(many, np.int8), y_score=np.zeros(many, np.float32))
    yield "counts.float32_above_2^24", card["positives"].value
    backwards = judge([0, 0, 1, 1], y_score=[0.8, 0.6, 0.4, 0.2])
    yield "labels.direction_auto", backwards["auc"].value == 0


def area(case: Case, name: str) -> float:
    return scored(case, name)["auc"].value


def stated(case: Case, name: str, holds: bool) -> str:
    """The case's own words, if what they say is so."""
    return str(case.answers[name].value) if holds else "is not so"


def scoring_rules(case: Case) -> Given:
    given = case.inputs("brier.single_class_positive")
    yield "brier.single_class_positive", judge(given["y"], y_score=given["p"])["brier"].value
    given = case.inputs("log_loss.single_class_wrong")
    card = judge(given["y"], y_score=given["p"], labels=given["labels"])
    yield "log_loss.single_class_wrong", card[f"log_loss[{EPS}]"].value
    for name in ("log_loss.label_order", "log_loss.class_missing_in_fold"):
        given = case.inputs(name)
        positive = given["labels"][0] if len(given["labels"]) == 2 else None
        how = {"labels": given["labels"], "pos_label": positive}
        card = judge(given["y"], y_score=given["p"], **how)
        yield name, card["log_loss"].value
    given = case.inputs("log_loss.float32_zero")
    card = judge(given["y"], y_score=np.array(given["p"], np.float32))
    # infinite is infinite, and finite where a clip is asked for
    assert card["log_loss"].value == np.inf
    yield "log_loss.float32_zero", isfinite(card[f"log_loss[{EPS}]"].value)
    given = case.inputs("brier.lower_but_worse_calibrated")
    for model in "AB":
        card = judge(given["y"], y_score=given[f"model_{model}"])
        yield f"brier.lower_but_worse_calibrated.{model}", card["brier"].value
    given = case.inputs("brier.multiclass_scale")
    card = judge(given["y"], y_score=given["p"])
    yield "brier.multiclass_scale.sum", card["brier"].value
    yield "brier.multiclass_scale.half", card["brier[half]"].value


def labels(case: Case) -> Given:
    for name in ("f1.no_predictions", "f1.all_true_negative"):
        given = case.inputs(name)
        card = judge(given["y"], given["pred"], pos_label=given["pos"])
        yield name, card["f1"].value
    given = case.inputs("macro.absent_class")
    card = judge(given["y"], given["pred"])
    yield "macro.absent_class.with_predicted_only_class", card["f1_macro"].value
    true = [card["f1", label].value for label in sorted(set(given["y"]))]
    yield "macro.absent_class.true_classes_only", sum(true) / len(true)
    for name, measure in (
        ("balanced_accuracy.predicted_only_class", "balanced_accuracy"),
        ("mcc.single_predicted_class", "mcc"),
    ):
        given = case.inputs(name)
        yield name, judge(given["y"], given["pred"])[measure].value
    given = case.inputs("kappa.single_label")
    yield "kappa.single_label", judge(given["a"], given["b"])["kappa"].value
    counts = case.inputs("mcc.integer_overflow")["matrix"]
    how = {"orientation": "truth-rows", "pos_label": "first"}
    yield "mcc.integer_overflow", judge(confusion=counts, **how)["mcc"].value
    given = case.inputs("labels.string_pos")
    yield (
        "labels.string_pos",
        refusable(lambda: judge(given["y"], y_score=given["p"])["brier"].value),
    )
    declared = ("bad", "good", "better")
    card = judge(["good", "bad", "better"], ["bad", "bad", "better"], labels=declared)
    holds = card.classes == declared
    yield "labels.ordinal_sort", stated(case, "labels.ordinal_sort", holds)


def calibration(case: Case) -> Given:
    given = case.inputs("ece.confidence_exactly_one")
    card = judge(given["y"], y_score=given["p"])
    yield "ece.confidence_exactly_one", card["ece[bins=10]"].value
    given = case.inputs("ece.constant_probability_quantile")
    card = judge(given["y"], y_score=given["p"])
    yield "ece.constant_probability_quantile", card["ece[bins=5, strategy=mass]"].value
    # both rows are wholly wrong, in the first bin and in the last
    card = judge([1, 0], y_score=[0.0, 1.0])
    yield "ece.last_bin_skipped", card["ece[bins=10]"].value == 1


def inputs(case: Case) -> Given:
    weight = case.inputs("weights.negative")["weight"]
    yield (
        "weights.negative",
        refusable(lambda: judge([0, 1], [0, 1], sample_weight=weight)["accuracy"].value),
    )
    truth, score = np.array([0, 1, 0, 1, 1]), np.array([0.2, 0.7, 0.6, 0.4, 0.9])
    weights = np.array([1, 2, 3, 1, 4])
    whole = judge(truth, y_score=score, sample_weight=weights)
    repeated = judge(np.repeat(truth, weights), y_score=np.repeat(score, weights))
    pairs = [(a, b) for a, b in zip(whole.table, repeated.table, strict=True) if a.is_defined]
    assert len(pairs) > 80
    same = [a.value == pytest.approx(b.value, abs=1e-9) for a, b in pairs]
    yield "weights.replication", all(same)


def folds(case: Case) -> Given:
    file = case.path("../weka_weather_naivebayes_loo/predictions.csv")
    how: dict[str, Any] = {"truth": "actual", "fold": "fold", "positive": "yes"}
    results = judge(heldout.read_predictions(file, **how)).results(("auc",))
    # a fold of one row has no area, so a mean of folds is not given
    assert not [r for r in results if r.fold == "mean" and r.is_defined]
    (pooled,) = [r for r in results if not r.fold]
    assert pooled.is_defined
    yield "loo.auc", nan
    file = case.path("../weka_breastcancer_j48/predictions.csv")
    how["positive"] = "recurrence-events"
    results = judge(heldout.read_predictions(file, **how)).results(("auc",))
    values = {r.value for r in results}
    assert not any(map(isnan, values))
    yield "cv.pooled_vs_mean", stated(case, "cv.pooled_vs_mean", len(values) == 2)


LEFT = {
    "cv.hard_labels_as_scores": "heldout does not warn of scores that are labels: an audit would",
    "labels.first_vs_last_level": "what others do: heldout takes neither label, and asks",
    **dict.fromkeys(("roc.tie_block_vertices.fpr", "roc.tie_block_vertices.tpr"), CURVE),
    **{f"pr.zero_weight_rows.{k}": CURVE for k in ("precision", "recall", "thresholds")},
    "roc.first_threshold": CURVE,
    "delong.one_positive": INTERVAL,
    "delong.ci_beyond_one": INTERVAL,
    "proportion.zero_successes.wilson": INTERVAL,
    "proportion.zero_successes.clopper": INTERVAL,
    "delong.identical_models.z": COMPARISON,
    "delong.identical_models.p": COMPARISON,
    "pvalue.permutation_ties": COMPARISON,
    **{
        f"wilcoxon.float_noise_ties.{pair}.{end}_rounded": COMPARISON
        for pair in ("C4.5_vs_NaiveBayes", "Kernel_vs_CN2")
        for end in "Tp"
    },
}
FAMILY = Family({"edge_cases": answers}, {"edge_cases": LEFT})


@pytest.mark.parametrize("name", FAMILY.given)
def test_edge_cases_are_answered_or_refused(reference: Path, name: str) -> None:
    assert FAMILY.account(reference, name).faults == []
