"""Which interval a design allows, and which value stands for what."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.results import Result
from heldout.assess.scorecard import score_predictions
from heldout.evaluation.predictions import predictions_of
from heldout.predictions.table import Predictions
from heldout.tables.column import Column
from heldout.uncertainty.cross_validation import (
    FoldRanking,
    corrected_t_interval,
    fold_area_interval,
)
from tests.evaluation.outcomes import binary_data, folds_of, holdouts, outcome_of

ROWS = 60
RNG = np.random.default_rng(11)
SCORE = np.clip(0.5 + 0.25 * (np.arange(ROWS) % 2 - 0.5) + RNG.normal(0, 0.2, ROWS), 0.01, 0.99)


def scored(rows: Any) -> tuple[Any, Any]:
    positive = SCORE[rows]
    return (positive >= 0.5).astype(int), np.column_stack([1 - positive, positive])


def judged(splits: Any, **more: Any) -> Predictions:
    data = binary_data(ROWS, **more)
    outcome = outcome_of(splits, scored, data, score_kind="probability")
    return predictions_of("m", outcome, data, splits)


def deal(folds: int, repeats: int = 1) -> Any:
    rng = np.random.default_rng(2)
    tables = []
    for _ in range(repeats):
        pairs = rng.permutation(ROWS // 2)  # rows come in pairs of both classes
        tables.append((np.argsort(pairs) % folds).repeat(2))
    name = f"{repeats}x{folds}-fold" if repeats > 1 else f"{folds}-fold"
    return folds_of(tables, name)


def results(p: Predictions, *measures: str, **how: Any) -> dict[tuple[str, str, str], Result]:
    made = score_predictions((p,)).results(measures, **how)
    return {(r.measure, r.repeat, r.fold): r for r in made}


def test_one_holdout_has_the_usual_intervals() -> None:
    card = heldout.score(judged(holdouts(ROWS, list(range(20)))))
    assert card["accuracy"].method == "Wilson"
    assert card["auc"].method.startswith("DeLong")


def test_one_run_of_folds_pools_rows_for_means_and_averages_folds_for_the_area() -> None:
    p = judged(deal(5))
    found = results(p, "accuracy", "brier", "f_score", "auc", "average_precision")
    assert found["accuracy", "", ""].method == "Wilson, folds pooled (Bayle et al. 2020)"
    assert found["brier", "", ""].method == (
        "Student's t without skewness (Hall 1992), folds pooled (Bayle et al. 2020)"
    )
    assert found["f_score", "", ""].low is not None
    assert found["auc", "", ""].low is None
    assert "see the mean of the folds" in found["auc", "", ""].note
    assert "predictions of several folds' models" in found["average_precision", "", ""].note
    area = found["auc", "", "mean"]
    assert p.scores is not None
    assert p.design.fold is not None
    expected = fold_area_interval(FoldRanking(p.truth == 1, p.scores, p.design.fold.codes))
    assert (area.low, area.high) == (expected.low, expected.high)


def test_folds_from_elsewhere_are_as_good_as_our_own() -> None:
    p = judged(deal(5))
    elsewhere = replace(p, design=replace(p.design, procedure=""))
    asked = ("accuracy", "auc", "average_precision", "ece", "f_score")
    for key, found in results(elsewhere, *asked).items():
        own = results(p, *asked)[key]
        assert (found.value, found.low, found.high) == (own.value, own.low, own.high)
        assert (found.method, found.note) == (own.method, own.note)


def test_value_of_repeats_is_the_mean_of_their_pooled_values() -> None:
    splits = deal(5, 3)
    p = judged(splits)
    found = results(p, "auc", "accuracy", per_fold=True)
    single = [found["auc", str(r), "all"].value for r in (1, 2, 3)]
    assert found["auc", "", ""].value == pytest.approx(np.mean(single))
    assert "pooled values of 3 repeats" in found["auc", "", ""].note
    folds = [found["auc", str(r), str(k)].value for r in (1, 2, 3) for k in range(1, 6)]
    mean = found["auc", "", "mean"]
    assert mean.value == pytest.approx(np.mean(folds))
    assert mean.note.startswith("mean of 15 of 15 folds")
    expected = corrected_t_interval(np.array(folds), 0.25, folds=5)
    assert mean.low == pytest.approx(expected.low)
    assert mean.high == pytest.approx(expected.high)
    assert "see the mean of the folds" in found["auc", "", ""].note


def test_repeated_folds_give_means_an_interval_that_is_no_narrower_than_the_rows() -> None:
    found = results(judged(deal(5, 3)), "accuracy")
    whole = found["accuracy", "", ""]
    wilson = heldout.score(judged(holdouts(ROWS, list(range(ROWS - 1)))))["accuracy"]
    assert whole.low is not None
    assert whole.high is not None
    assert wilson.low is not None
    assert wilson.high is not None
    assert whole.high - whole.low >= 0.95 * (wilson.high - wilson.low)


def test_a_model_that_says_the_same_everywhere_does_not_get_a_point() -> None:
    # stratified folds hide the spread of a majority vote entirely
    splits = deal(5, 3)
    data = binary_data(ROWS)
    outcome = outcome_of(splits, lambda rows: (np.zeros(len(rows), int), None), data)
    found = results(predictions_of("majority", outcome, data, splits), "accuracy")
    whole = found["accuracy", "", ""]
    assert whole.value == 0.5
    assert whole.low == pytest.approx(0.3773, abs=1e-3)
    assert "Wilson on 60 rows" in whole.method


def test_an_interval_of_splits_that_vary_too_little_gives_way_to_that_of_the_rows() -> None:
    splits = folds_of([np.arange(ROWS) % 7, np.arange(ROWS)[::-1] % 7], "2x7-fold")
    data = binary_data(ROWS)
    outcome = outcome_of(splits, lambda rows: (np.zeros(len(rows), int), None), data)
    whole = results(predictions_of("majority", outcome, data, splits), "accuracy")[
        "accuracy", "", ""
    ]
    assert whole.method.startswith("Wilson on 60 rows, wider than the corrected t over 14 splits")
    assert whole.low == pytest.approx(0.3773, abs=1e-3)


def test_repeated_holdout_has_the_corrected_interval_for_any_measure() -> None:
    rng = np.random.default_rng(3)
    tests = [sorted(rng.permutation(ROWS)[:18].tolist()) for _ in range(8)]
    p = judged(holdouts(ROWS, *tests, name="8x holdout 70:30"))
    found = results(p, "auc", "f_score", per_fold=True)
    values = np.array([found["auc", str(r), "all"].value for r in range(1, 9)])
    expected = corrected_t_interval(values, 18 / 42).within((0, 1))
    assert found["auc", "", ""].low == pytest.approx(expected.low)
    assert found["f_score", "", ""].low is not None
    assert ("auc", "", "mean") not in found


def test_leave_one_out_says_its_condition_and_makes_no_table_of_single_rows() -> None:
    p = judged(folds_of([np.arange(ROWS)], "loo"))
    found = results(p, "accuracy", "auc", per_fold=True)
    assert set(found) == {("accuracy", "", ""), ("auc", "", "")}
    assert "leave-one-out" in found["accuracy", "", ""].note
    assert found["auc", "", ""].low is None


def test_groups_widen_what_pooled_folds_give() -> None:
    group = Column("patient", np.arange(ROWS) // 6, tuple(range(10)))
    plain = results(judged(deal(5)), "accuracy")["accuracy", "", ""]
    grouped = results(judged(deal(5), group=group), "accuracy")["accuracy", "", ""]
    assert grouped.method != plain.method
    assert "effective rows" in grouped.method or "group" in grouped.method


@pytest.mark.parametrize("name", ["time 5", "bootstrap 5", ".632+ 5"])
def test_time_order_and_bootstrap_have_no_interval_and_say_why(name: str) -> None:
    p = judged(deal(5))
    other = replace(p, design=replace(p.design, procedure=name))
    found = results(other, "accuracy", "auc")
    for result in found.values():
        assert result.low is None
    assert "known to be valid" in found["accuracy", "", ""].note


def test_share_of_test_rows_follows_from_training_counts_and_from_folds() -> None:
    p = judged(deal(5, 3))
    told = results(p, "brier")["brier", "", "mean"]
    silent = replace(p, design=replace(p.design, test_share=None))
    assert results(silent, "brier")["brier", "", "mean"].low == pytest.approx(told.low)
    structure = replace(silent, prior=None)
    assert results(structure, "brier")["brier", "", "mean"].low == pytest.approx(told.low)
