"""Arrays with scikit-learn's names become the same predictions as columns do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from heldout.core.errors import InputError
from heldout.predictions.arrays import from_arrays
from tests.predictions.tables import labels

THREE = np.array([[0.7, 0.1, 0.2], [0.2, 0.7, 0.1], [0.1, 0.7, 0.2]])


def refusal(*arrays: Any, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        from_arrays(*arrays, **options)
    return str(caught.value)


def test_arrays_are_not_copied() -> None:
    truth, score, weight = np.array([0, 1, 1]), np.array([0.1, 0.2, 0.9]), np.array([1.0, 2.0, 3.0])
    predictions = from_arrays(truth, None, score, sample_weight=weight)
    assert predictions.scores is not None
    assert np.shares_memory(predictions.scores, score)
    assert predictions.weight is not None
    assert np.shares_memory(predictions.weight, weight)
    assert predictions.truth.dtype == np.int8


@pytest.mark.parametrize(
    "truth",
    [
        [0, 1, 1],
        (0.0, 1.0, 1.0),
        np.array([False, True, True]),
        np.array([[0], [1], [1]]),
        pd.Series([0, 1, 1], index=[5, 3, 9]),
        ["0", "1", "1"],
        pd.Categorical(["0", "1", "1"]),
        np.array([0, 1, 1], np.uint8),
    ],
)
def test_truth_comes_in_many_forms(truth: Any) -> None:
    predictions = from_arrays(truth, [0, 1, 0], [0.1, 0.8, 0.3])
    assert predictions.task == "binary"
    assert predictions.truth.tolist() == [0, 1, 1]
    assert predictions.predicted is not None
    assert predictions.predicted.tolist() == [0, 1, 0]
    assert predictions.positive == 1


def test_columns_of_scores_follow_the_labels_given_not_the_sorted_ones() -> None:
    # https://github.com/scikit-learn/scikit-learn/issues/30910
    predictions = from_arrays(
        ["dog", "cat"], None, [[1, 0], [0, 1]], labels=["dog", "cat"], pos_label="dog"
    )
    assert predictions.classes == ("dog", "cat")
    assert predictions.scores is not None
    assert predictions.scores.tolist() == [1.0, 0.0]
    assert labels(predictions)[1] == ["dog", "cat"]


def test_columns_of_scores_follow_the_sorted_classes_where_nothing_is_said() -> None:
    predictions = from_arrays(["c", "a", "b"], None, THREE)
    assert predictions.classes == ("a", "b", "c")
    assert predictions.scores is not None
    assert np.shares_memory(predictions.scores, THREE)
    assert labels(predictions)[1] == ["a", "b", "b"]


def test_columns_of_a_data_frame_are_matched_by_name() -> None:
    frame = pd.DataFrame(THREE, columns=["c", "a", "b"])
    predictions = from_arrays(["c", "a", "b"], None, frame)
    assert predictions.scores is not None
    assert predictions.scores[0].tolist() == [0.1, 0.2, 0.7]


def test_a_class_absent_from_truth_needs_labels() -> None:
    # https://github.com/scikit-learn/scikit-learn/issues/4033
    assert refusal([1, 2, 2], None, THREE) == (
        "y_score has 3 columns, and there are 2 classes (1, 2); give labels= in the order of the "
        "columns"
    )
    predictions = from_arrays([1, 2, 2], None, THREE, labels=[1, 2, 3])
    assert predictions.classes == (1, 2, 3)
    assert predictions.truth.tolist() == [0, 1, 1]


def test_a_category_with_an_order_of_its_own_needs_labels() -> None:
    truth = pd.Categorical(["low", "mid", "high"], categories=["low", "mid", "high"])
    assert refusal(truth, None, THREE) == (
        "the classes of y_true have an order of their own ('low', 'mid', 'high'), so that of the "
        "columns of y_score is not clear; give labels= in its order"
    )
    predictions = from_arrays(truth, None, THREE, labels=["high", "low", "mid"])
    assert predictions.classes == ("high", "low", "mid")


def test_two_columns_of_scores_give_the_positive_one_and_are_checked_for_their_sum() -> None:
    predictions = from_arrays([0, 1], None, np.array([[0.8, 0.2], [0.3, 0.6]]), threshold=0.5)
    assert predictions.scores is not None
    assert predictions.scores.tolist() == [0.2, 0.6]
    assert predictions.score_problem == (
        "y_score: probabilities do not sum to 1 (0.9) in 1 row (first: position 1)"
    )


def test_one_class_is_completed_by_scores() -> None:
    # https://github.com/scikit-learn/scikit-learn/pull/8459
    assert from_arrays([1], None, [0.4]).classes == (0, 1)
    assert from_arrays([1], None, [[0.6, 0.4]]).classes == (0, 1)
    assert from_arrays([0, 0], [0, 0], pos_label=1).positive == 1


def test_everything_else_travels_along() -> None:
    predictions = from_arrays(
        ["a", "b", "a"],
        ["a", "a", "a"],
        pos_label="a",
        groups=[1, 1, 2],
        folds=[2, 1, 1],
        repeats=[1, 1, 1],
        ids=["x", "y", "z"],
        train_counts=[3, 4],
        slices={"y_true": ["m", "f", None]},
        model="tree",
    )
    assert predictions.design.group is not None
    assert predictions.design.group.codes.tolist() == [0, 0, 1]
    assert predictions.prior is not None
    assert predictions.prior.table.tolist() == [[3, 4]]
    assert predictions.slices[0].name == "y_true"
    assert predictions.slices[0].levels == ("f", "m", "(missing)")
    assert predictions.model == "tree"


def test_training_counts_of_each_row() -> None:
    predictions = from_arrays([0, 1, 1], [0, 1, 1], train_counts=[[3, 4], [5, 2], [3, 4]])
    assert predictions.prior is not None
    assert predictions.prior.codes is not None
    table = predictions.prior.table[predictions.prior.codes]
    assert table.tolist() == [[3, 4], [5, 2], [3, 4]]


def test_regression_takes_naive_forecasts_and_training_means() -> None:
    predictions = from_arrays([1.5, 2.5], [1, 2], naive=[1, 1], train_mean=2)
    assert predictions.task == "regression"
    assert predictions.train_mean is not None
    assert predictions.train_mean.tolist() == [2.0, 2.0]
    rows = from_arrays([1.5, 2.5], [1, 2], train_mean=np.array([1.0, 3.0]))
    assert rows.train_mean is not None
    assert rows.train_mean.tolist() == [1.0, 3.0]


@pytest.mark.parametrize(
    ("arrays", "options", "message"),
    [
        (
            ([0, 1, 1], [0, 1]),
            {},
            "y_true has 3 values and y_pred has 2; they must be of one length",
        ),
        (
            ([0, 1, 1], None, THREE[:2]),
            {},
            "y_true has 3 values and y_score has 2; they must be of one length",
        ),
        (([], []), {}, "y_true is empty; give at least one prediction"),
        (([0, 1],), {}, "nothing to judge: give y_pred= or y_score="),
        (
            (["spam", "eggs"], None, [0.2, 0.8]),
            {},
            "y_true has two classes, 'eggs', 'spam': say which one is positive, pos_label='eggs' "
            "or pos_label='spam'",
        ),
        (
            ([0, 1], None, [0.2, float("nan")]),
            {},
            "y_score: NaN in 1 row (first: position 1); the score must be a number in every row "
            "(inf and -inf are above and below all)",
        ),
        (
            (["a", "b", "c"], None, [[1, 0, 0], [0, np.nan, 0], [0, 0, 1]]),
            {},
            "y_score[:, 1]: NaN in 1 row (first: position 1); the score must be a number in every "
            "row (inf and -inf are above and below all)",
        ),
        (
            ([0, 1], [0, 1]),
            {"sample_weight": [0, 0]},
            "sample_weight: all 2 rows of the arrays have weight 0; at least one needs a weight "
            "above 0",
        ),
        (
            ([0, 1], [0.2, 0.8]),
            {},
            "y_pred: no whole number, so no class label, in 2 rows (first: position 0); a score "
            "goes to y_score=, a numeric target needs task='regression'",
        ),
        (
            ([0, 1], np.zeros((2, 2))),
            {},
            "y_pred must have one dimension, but has the shape (2, 2); give one value for each row",
        ),
        (
            ([0, 1], [0, 1]),
            {"train_counts": [1, 2, 3]},
            "train_counts has 3 columns, and there are 2 classes (0, 1); give a count for each, in "
            "the order of labels=",
        ),
        (
            ([0, 1], [0, 1]),
            {"train_counts": [[1, 2], [0, 0]]},
            "train_counts: no counts of a training part in 1 row (first: position 1); counts must "
            "be finite, 0 or more, and above 0 for some class",
        ),
        (
            ([0, 1], [0, 1]),
            {"ids": ["x", "x"]},
            "ids: id 'x' comes twice (position 0 and position 1; 1 row too many); remove the "
            "copies or say repeats=, or say groups= if rows of one id are different cases",
        ),
        (
            ([0, 1], [0, 1]),
            {"pos_label": None, "labels": [None]},
            "labels=: None is no label; a label is a text, a number, or true or false",
        ),
    ],
)
def test_bad_arrays_are_refused(arrays: Any, options: dict[str, Any], message: str) -> None:
    assert refusal(*arrays, **options) == message


def test_zero_weights_also_leave_the_columns_of_scores() -> None:
    predictions = from_arrays([0, 1, 2], None, THREE, sample_weight=[1, 0, 1], labels=[0, 1, 2])
    assert predictions.scores is not None
    assert predictions.scores.tolist() == THREE[[0, 2]].tolist()
