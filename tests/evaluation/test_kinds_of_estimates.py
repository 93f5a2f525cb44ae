"""Estimates that only means over rows have: shown where they are, and explained where not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.assess.headline import chosen_results
from heldout.report.evaluation import evaluation_document
from heldout.report.terminal import terminal_text

rng = np.random.default_rng(5)
X = rng.normal(size=(80, 2))
Y = (X[:, 0] + rng.normal(size=80) > 0).astype(int)
BOTH = ("auc", "accuracy")


def screen(made: Any, measures: tuple[str, ...] = BOTH) -> str:
    text = terminal_text(evaluation_document(made, made.results(measures)), width=200)
    return " ".join(text.split())


@pytest.fixture(scope="module")
def nested() -> Any:
    return heldout.evaluate("lda", X, Y, procedure="4-fold", interval="nested")


def test_the_nested_interval_is_the_interval_of_a_mean_over_rows(nested: Any) -> None:
    assert made_by(nested, "accuracy").startswith("nested cross-validation")
    assert nested["accuracy"] == nested["accuracy", "nested"]
    text = screen(nested)
    assert "Wilson" not in text
    assert "nested pooled" in text


def made_by(made: Any, name: str) -> str:
    return chosen_results(made.results((name,)))["lda", name].result.method


def test_nested_folds_are_drawn_without_heed_of_the_classes(nested: Any) -> None:
    assert made_by(nested, "accuracy").startswith("nested cross-validation, 4-fold unstratified")
    outer, inner = (
        np.array([np.bincount(Y[folds == fold], minlength=2) for fold in range(4)])
        for folds in (nested.splits.assignment[0], nested.nested.splits.assignment[0])
    )
    assert np.ptp(outer[:, 0]) <= 1  # those that judge are stratified, as ever
    assert np.ptp(inner[:, 0]) > 1


def test_few_repeats_of_nested_folds_are_said_to_be_few(nested: Any) -> None:
    assert "the authors take 50 (50x4-fold)" in nested["accuracy"].note
    often = heldout.evaluate("lda", X, Y, procedure="10x4-fold", interval="nested")
    assert "the authors take" not in often["accuracy"].note


def test_a_measure_without_a_nested_interval_says_why(nested: Any) -> None:
    assert "DeLong" in made_by(nested, "auc")
    assert "nested cross-validation is for means over rows, and this measure is not one" in screen(
        nested
    )


def test_counts_are_not_asked_why_they_have_no_nested_interval(nested: Any) -> None:
    assert not [r for r in nested.results(("true_positives",)) if r.fold == "nested"]


def test_a_model_that_failed_in_a_nested_fit_says_so_and_keeps_its_results() -> None:
    class Fails(DecisionTreeClassifier):  # type: ignore[misc]  # of no known type
        def fit(self, X: Any, y: Any, **more: Any) -> Any:
            if len(X) < 50:  # of 80 rows in 4 folds: two folds are left out
                raise ValueError("too few rows")
            return super().fit(X, y, **more)

    made = heldout.evaluate(Fails(), X, Y, procedure="4-fold", interval="nested", exact=False)
    text = screen(made, ("accuracy",))
    assert "failed in 6 fits, and every one is needed (ValueError: too few rows)" in text
    assert made["accuracy"].method.startswith("Wilson")


def test_a_ranking_measure_of_the_bootstrap_says_why_it_has_no_such_estimate() -> None:
    made = heldout.evaluate("lda", X, Y, procedure=".632+ 10")
    text = screen(made)
    assert ".632+ is for means over rows, and this measure is not one" in text
    assert "none none none" in text
    alone = screen(made, ("auc",))
    assert "mean of samples" in alone
    assert ".632+ is for means over rows" in alone
    assert made["auc"].value == made["auc", "mean of samples"].value


def test_the_reason_for_no_interval_is_true_where_the_mean_of_folds_has_none_either() -> None:
    weighted = heldout.evaluate("lda", X, Y, procedure="4-fold", sample_weight=1.0 + Y)
    text = screen(weighted, ("auc",))
    assert "no interval: folds share training rows" in text
    plain = heldout.evaluate("lda", X, Y, procedure="4-fold")
    assert "none either" not in screen(plain, ("auc",))
