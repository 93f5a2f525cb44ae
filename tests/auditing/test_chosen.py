"""Choices on the rows that judge, and scores that are labels: found where they are, only there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.auditing.audit import audited
from heldout.auditing.check import Finding, all_checks
from heldout.auditing.material import Material
from heldout.predictions.table import Design, Predictions

CHECKS = {check.code: check for check in all_checks()}


def scored(rows: int = 2000, seed: int = 1) -> tuple[Any, Any]:
    """Truth, and scores whose best cut is not at one half."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(rows) < 0.3).astype(int)
    return truth, 1 / (1 + np.exp(-(1.2 * truth - 1.5 + rng.normal(size=rows))))


def best(truth: Any, score: Any, measure: str) -> float:
    """The threshold that is best on these rows."""
    order = np.argsort(-score)
    tp, k = np.cumsum(truth[order]), np.arange(1, len(truth) + 1)
    positives = truth.sum()
    value = {
        "accuracy": 2 * tp - k,
        "youden": tp / positives - (k - tp) / (len(truth) - positives),
        "f": 2 * tp / (k + positives),
    }[measure]
    return float(score[order][np.argmax(value)])


def predictions(truth: Any, score: Any, threshold: float) -> Predictions:
    labels = (score >= threshold).astype(int)
    return heldout.from_arrays(truth, labels, y_score=score, pos_label=1, model="m")


def found(code: str, *made: Predictions, **known: Any) -> list[Finding]:
    return CHECKS[code].findings(Material(predictions=made, **known))


@pytest.mark.parametrize("measure", ["accuracy", "youden", "f"])
def test_threshold_tuned_on_the_rows_that_judge_is_found(measure: str) -> None:
    truth, score = scored()
    (finding,) = found("K15", predictions(truth, score, best(truth, score, measure)))
    assert (finding.severity, finding.where) == ("warning", "m")
    assert "exactly the best cut for" in finding.seen


@pytest.mark.parametrize("measure", ["accuracy", "youden", "f"])
def test_threshold_tuned_on_other_rows_is_hardly_ever_blamed(measure: str) -> None:
    blamed = 0
    for seed in range(40):
        threshold = best(*scored(seed=100 + seed), measure)
        blamed += bool(found("K15", predictions(*scored(seed=seed), threshold)))
    assert blamed <= 2


def test_usual_threshold_is_never_blamed() -> None:
    truth, score = scored()
    # so shifted that one half is the very best
    shifted = np.clip(score - best(truth, score, "f") + 0.5, 0, 1)
    assert not found("K15", predictions(truth, shifted, 0.5))
    assert not found("K15", predictions(truth, score, -1.0))


def test_labels_of_a_model_that_heldout_ran_are_its_own() -> None:
    truth, score = scored()
    made = predictions(truth, score, best(truth, score, "f"))
    assert not found("K15", replace(made, design=Design(procedure="10-fold")))
    assert not found("K15", made, is_run=True)


def test_classes_that_are_parted_are_no_sign_of_a_choice() -> None:
    truth = np.arange(500) % 2
    score = 0.2 * truth + 0.1 * np.random.default_rng(1).random(500)
    assert not found("K15", predictions(truth, score, 0.15))


def test_nothing_is_said_to_be_checked_where_nothing_is_known() -> None:
    truth, score = scored(200)
    regression = heldout.from_arrays(score, score + 0.1)
    for made in (regression, replace(predictions(truth, score, 0.5), predicted=None)):
        audit = audited(Material(predictions=(made,)))
        assert "K15" not in audit.checked
        reasons = {u.code: u.reason for u in audit.unchecked}
        assert "labels and scores of two classes" in reasons["K15"]
    assert "K15" in audited(Material(predictions=(predictions(truth, score, 0.4),))).checked
    assert "needs predictions" in CHECKS["K15"].needs(Material())


def with_scores(values: Any, **how: Any) -> Predictions:
    truth = np.arange(len(values)) % 2
    return replace(heldout.from_arrays(truth, y_score=values, pos_label=1, model="m"), **how)


@pytest.mark.parametrize("labels", [(0.0, 1.0), (-1.0, 1.0), (1.0, 2.0)])
def test_codes_of_labels_are_found_as_scores(labels: tuple[float, float]) -> None:
    scores = np.array(labels)[np.random.default_rng(1).integers(0, 2, 100)]
    assert [f.severity for f in found("K11", with_scores(scores))] == ["warning"]


@pytest.mark.parametrize("leaves", [(0.12, 0.87), (0.0, 0.9), (0.4,)])
def test_probabilities_of_few_leaves_are_no_labels(leaves: tuple[float, ...]) -> None:
    scores = np.array(leaves)[np.random.default_rng(1).integers(0, len(leaves), 100)]
    assert not found("K11", with_scores(scores))


def test_tree_that_heldout_ran_is_not_blamed_for_pure_leaves() -> None:
    scores = np.random.default_rng(1).integers(0, 2, 100).astype(float)
    made = with_scores(scores, design=Design(procedure="10-fold"))
    assert not found("K11", made)
    assert not found("K11", with_scores(scores), is_run=True)


def test_baseline_of_each_fold_is_not_called_worse_than_chance() -> None:
    truth = np.r_[np.zeros(45), np.ones(55)].astype(int)
    folds = np.r_[np.arange(45) % 3, np.arange(55) % 3]
    shares = np.array([truth[folds != fold].mean() for fold in range(3)])
    base = heldout.from_arrays(truth, y_score=shares[folds], pos_label=1, folds=folds)
    assert not found("K13", base)
    turned = heldout.from_arrays(truth, y_score=np.linspace(1, 0, 100), pos_label=1, folds=folds)
    assert [f.severity for f in found("K13", turned)] == ["warning"]
