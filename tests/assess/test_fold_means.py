"""Means of folds: what has none is left out, and what has no interval says why."""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.measures.registry import measures
from heldout.uncertainty.cross_validation import FoldRanking, fold_area_interval


def means(card: Any, *names: str) -> dict[tuple[str, str], Any]:
    return {(r.measure, r.class_): r for r in card.results(names) if r.fold == "mean"}


@pytest.fixture(scope="module")
def card() -> Any:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 100)
    score = np.clip(0.3 * truth + 0.6 * rng.random(100), 0, 1)
    return heldout.score(truth, y_score=score, folds=np.arange(100) % 5)


def test_counts_and_tests_have_no_mean_of_folds(card: Any) -> None:
    names = ("row_count", "true_positives", "chi_squared", "hosmer_lemeshow_p_value")
    for (name, _), row in means(card, *names).items():
        assert isnan(row.value)
        word = "count" if name in names[:2] else "p-value or test statistic"
        assert row.note.startswith(f"a {word}")
        assert "not averaged over folds" in row.note


def test_repeats_average_no_tests_either() -> None:
    rng = np.random.default_rng(3)
    truth = np.tile(rng.integers(0, 2, 40), 2)
    given = {"folds": np.arange(80) % 2, "repeats": np.arange(80) // 40}
    card = heldout.score(truth, np.where(rng.random(80) < 0.8, truth, 1 - truth), **given)
    rows = {(r.measure, r.fold): r for r in card.results(["accuracy", "chi_squared", "row_count"])}
    assert "not averaged over repeats" in rows["chi_squared", ""].note
    assert "not averaged over folds" in rows["chi_squared", "mean"].note
    assert isnan(rows["row_count", "mean"].value)
    assert not isnan(rows["accuracy", "mean"].value)


def test_every_p_value_is_declared_a_test() -> None:
    for measure in measures():
        if "p-value" in measure.title.lower() or "p value" in measure.title.lower():
            assert measure.is_test
            assert not measure.has_interval


def test_means_without_an_interval_say_why(card: Any) -> None:
    found = means(card, "accuracy", "f_score", "brier", "auc")
    assert "the pooled value has an interval" in found["accuracy", ""].note
    assert "the pooled value has an interval" in found["brier", ""].note
    assert "this measure depends on the number of rows" in found["f_score", ""].note
    assert found["auc", ""].low is not None
    for row in found.values():
        assert not isnan(row.value)
        assert (row.low is None) == ("no interval: " in row.note)


def test_mean_area_of_a_class_has_an_interval() -> None:
    rng = np.random.default_rng(2)
    truth, folds = rng.integers(0, 3, 120), np.arange(120) % 4
    scores = rng.dirichlet([1, 1, 1], 120) * 0.5 + 0.5 * np.eye(3)[truth] * rng.random((120, 1))
    scores /= scores.sum(axis=1, keepdims=True)
    made = means(heldout.score(truth, y_score=scores, folds=folds, replicates=40), "auc", "gini")
    own = fold_area_interval(FoldRanking(truth == 1, scores[:, 1], folds))
    assert made["auc", "1"].low == pytest.approx(own.low)
    assert made["gini", "1"].high == pytest.approx(2 * own.high - 1)
    assert "their spread is no standard error" in made["auc_macro", ""].note


def test_without_intervals_nothing_is_said_of_them() -> None:
    card = heldout.score([0, 1, 0, 1], [0, 1, 1, 1], folds=[0, 0, 1, 1], intervals=False)
    assert means(card, "accuracy")["accuracy", ""].note == "mean of 2 of 2 folds"


def test_a_sum_over_rows_is_pooled_and_not_averaged_over_folds() -> None:
    rng = np.random.default_rng(3)
    truth = rng.normal(size=50)
    card = heldout.score(
        truth, truth + rng.normal(size=50), task="regression", folds=np.arange(50) % 5
    )
    pooled, mean = card.results(["residual_sum_of_squares"])
    assert (pooled.fold, mean.fold) == ("", "mean")
    assert pooled.value == pytest.approx(50 * card["mse"].value)
    assert np.isnan(mean.value)
    assert mean.note == "a sum over rows is not averaged over folds"
    sums = [
        r
        for r in card.results(["residual_sum_of_squares"], per_fold=True)
        if r.fold not in ("", "mean")
    ]
    assert sum(r.value for r in sums) == pytest.approx(pooled.value)


def test_the_mean_of_folds_is_asked_for_as_after_an_evaluation(card: Any) -> None:
    mean = card["auc", "mean of folds"]
    assert mean == means(card, "auc")["auc", ""]
    assert mean.low is not None
    assert mean == card["auc"]
    assert card["auc", "pooled"].value != mean.value
    assert card["f_score", "pooled"] == card["f_score"]
    assert card["recall", "1"].value == card["recall"].value
    alone = heldout.score([0, 1, 1], y_score=[0.2, 0.9, 0.4])
    with pytest.raises(heldout.InputError, match="auc has no value of the kind 'mean of folds'"):
        alone["auc", "mean of folds"]
    # a class of that name is a class
    named = heldout.score(["pooled", "x", "x"], ["pooled", "x", "pooled"], pos_label="x")
    assert named["recall", "pooled"].value == 1.0
    assert named["recall"].value == 0.5


def test_the_table_of_one_model_has_the_interval_of_the_mean_area(card: Any) -> None:
    text = " ".join(str(card).split())
    method = "DeLong's variances within folds, logit scale, Student's t"
    assert method in card["auc", "mean of folds"].method
    pooled, mean = card["auc", "pooled"], card["auc", "mean of folds"]
    shown = f"{pooled.value:.4f} {mean.value:.4f} {mean.low:.4f} to {mean.high:.4f} mean"
    assert f"Area under the ROC curve ↑ {shown}" in text
