"""From outcomes to predictions: design, priors, scores, ids."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.datasets.dataset import Dataset, Feature
from heldout.evaluation.predictions import predictions_of
from heldout.tables.column import Column
from tests.evaluation.outcomes import binary_data, folds_of, holdouts, outcome_of


def probabilities(rows: Any) -> tuple[Any, Any]:
    positive = np.linspace(0.1, 0.9, len(rows))
    return (positive >= 0.5).astype(int), np.column_stack([1 - positive, positive])


def test_folds_and_repeats_are_columns_of_the_design() -> None:
    data = binary_data()
    splits = folds_of([[0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1]], "2x2-fold")
    made = predictions_of(
        "m", outcome_of(splits, probabilities, data, score_kind="probability"), data, splits
    )
    fold, repeat = made.design.fold, made.design.repeat
    assert fold is not None
    assert repeat is not None
    assert (repeat.codes + 1).tolist() == [1] * 6 + [2] * 6
    assert (fold.codes + 1).tolist() == [1, 1, 1, 2, 2, 2] * 2
    assert made.design.procedure == "2x2-fold"
    assert made.design.test_share == pytest.approx(1.0)
    assert made.identifier is not None
    assert made.identifier.tolist() == [1, 2, 3, 4, 5, 6, 1, 3, 5, 2, 4, 6]


def test_one_holdout_has_neither_fold_nor_repeat_and_only_test_rows() -> None:
    data = binary_data()
    splits = holdouts(6, [1, 4])
    made = predictions_of("m", outcome_of(splits, probabilities, data), data, splits)
    assert made.design.fold is None
    assert made.design.repeat is None
    assert made.truth.tolist() == [1, 0]
    assert made.design.test_share == 0.5


def test_prior_is_that_of_each_splits_training_rows() -> None:
    data = binary_data()
    splits = folds_of([[0, 0, 1, 0, 1, 1]])
    made = predictions_of("m", outcome_of(splits, probabilities, data), data, splits)
    assert made.prior is not None
    assert made.prior.kind == "training counts"
    assert made.prior.table.tolist() == [[2.0, 1.0], [1.0, 2.0]]
    assert made.prior.codes is not None
    assert made.prior.codes.tolist() == [0, 0, 0, 1, 1, 1]


def test_score_is_of_the_positive_class_whichever_it_is() -> None:
    splits = folds_of([[0, 0, 0, 1, 1, 1]])
    for positive in (0, 1):
        data = binary_data(positive=positive)
        outcome = outcome_of(splits, probabilities, data, score_kind="probability")
        made = predictions_of("m", outcome, data, splits)
        assert made.scores is not None
        assert outcome.scores is not None
        assert made.scores.tolist() == outcome.scores[:, positive].tolist()
        assert not made.score_problem


def test_one_decision_value_is_turned_round_for_the_first_class() -> None:
    splits = folds_of([[0, 0, 0, 1, 1, 1]])

    def decide(rows: Any) -> tuple[Any, Any]:
        value = np.arange(len(rows)) - 2.5
        return (value >= 0).astype(int), value[:, None]

    for positive, sign in ((1, 1), (0, -1)):
        data = binary_data(positive=positive)
        outcome = outcome_of(splits, decide, data, score_kind="decision")
        made = predictions_of("svm", outcome, data, splits)
        assert made.scores is not None
        assert made.scores.tolist() == [sign * v for v in (-2.5, -1.5, -0.5, 0.5, 1.5, 2.5)]
        assert made.score_problem == "the scores of svm are decision values"
        assert "brier" not in {r.measure for r in heldout.score(made).results()}


def test_group_weight_and_identifier_come_with_their_rows() -> None:
    group = Column("patient", np.array([0, 0, 1, 1, 2, 2]), ("a", "b", "c"))
    names = np.array(["r1", "r2", "r3", "r4", "r5", "r6"], dtype=object)
    weight = np.arange(1.0, 7.0)
    data = binary_data(group=group, weight=weight, identifier=names)
    splits = holdouts(6, [1, 4])
    made = predictions_of("m", outcome_of(splits, probabilities, data), data, splits)
    assert made.design.group is not None
    assert made.design.group.codes.tolist() == [0, 2]
    assert made.weight is not None
    assert made.weight.tolist() == [2.0, 5.0]
    assert made.identifier is not None
    assert made.identifier.tolist() == ["r2", "r5"]


def test_regression_has_the_mean_of_each_training_part() -> None:
    truth = np.array([1.0, 2.0, 3.0, 6.0])
    data = Dataset("hand", "regression", truth, (Feature("x", truth),))
    splits = folds_of([[0, 0, 1, 1]])
    outcome = outcome_of(splits, lambda rows: (truth[rows] + 1, None), data)
    made = predictions_of("m", outcome, data, splits)
    assert made.train_mean is not None
    assert made.train_mean.tolist() == [4.5, 4.5, 1.5, 1.5]
    assert heldout.score(made)["mae"].value == 1.0


def test_a_split_that_failed_leaves_its_rows_out_and_keeps_the_others_places() -> None:
    data = binary_data()
    splits = folds_of([[0, 0, 1, 1, 2, 2]], "3-fold")
    whole = outcome_of([splits[0], splits[2]], probabilities, data)
    from dataclasses import replace

    outcome = replace(whole, splits=np.array([0, 2]), failures=((1, "ValueError: no"),))
    made = predictions_of("m", outcome, data, splits)
    assert made.design.fold is not None
    assert [made.design.fold.levels[c] for c in made.design.fold.codes] == [1, 1, 3, 3]
