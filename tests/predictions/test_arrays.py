"""Predictions from arrays and lists, odd arguments included."""

from __future__ import annotations

import datetime
import inspect
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import heldout
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
        (([0, 1],), {}, "nothing to score: give y_pred= or y_score="),
        (
            (["spam", "eggs"], None, [0.2, 0.8]),
            {},
            "y_true has two classes, 'eggs', 'spam': choose the positive one with pos_label='eggs' "
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
            "y_pred: not a whole number, so not a class label, in 2 rows (first: position 0); a "
            "score "
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
            "labels=: None is not a label; a label is a text, a number, or true or false",
        ),
    ],
)
def test_bad_arrays_are_refused(arrays: Any, options: dict[str, Any], message: str) -> None:
    assert refusal(*arrays, **options) == message


def test_zero_weights_also_leave_the_columns_of_scores() -> None:
    predictions = from_arrays([0, 1, 2], None, THREE, sample_weight=[1, 0, 1], labels=[0, 1, 2])
    assert predictions.scores is not None
    assert predictions.scores.tolist() == THREE[[0, 2]].tolist()


ODD: tuple[Any, ...] = (
    None,
    "x",
    "",
    b"x",
    0,
    -1,
    2.5,
    float("nan"),
    float("inf"),
    10**400,
    True,
    1j,
    [],
    [1],
    [None],
    [[]],
    [[1], [1, 2]],
    ["a", 1, None],
    (),
    {},
    {"a": 1},
    {1: [1, 2, 3]},
    {"a": {"b": object()}},
    {1, 2},
    object(),
    object,
    len,
    iter([1, 0, 1]),
    np.array(1),
    np.array([]),
    np.zeros((3, 2)),
    np.zeros((3, 2, 2)),
    np.zeros((0, 2)),
    np.array(["a", "b", "c"]),
    np.array([1 + 2j, 0, 1]),
    np.array([object(), object(), object()]),
    np.ma.masked_array([1, 0, 1], [True, False, False]),
    datetime.date(2020, 1, 1),
    slice(1, 2),
    pd.DataFrame({"a": [1, 0, 1]}),
    pd.DataFrame(),
    pd.Series(["x", None, "y"]),
    range(3),
)


def spoken(error: heldout.InputError) -> None:
    """A message is one line or two, names something, and is no bare repr."""
    text = str(error)
    assert 10 < len(text) < 700, text
    assert text.count("\n") <= 1, text
    assert not re.search(r"--[a-z]", text), text


@pytest.mark.parametrize("name", [*inspect.signature(heldout.score).parameters])
@pytest.mark.parametrize("base", ["scores", "labels", "regression", "matrix"])
def test_score_takes_or_refuses_whatever_is_given(name: str, base: str) -> None:
    given: dict[str, dict[str, Any]] = {
        "scores": {"y_true": [0, 1, 1], "y_score": [0.2, 0.9, 0.4]},
        "labels": {"y_true": ["a", "b", "c"], "y_pred": ["a", "b", "b"]},
        "regression": {"y_true": [0.5, 1.5, 2.5], "y_pred": [0.5, 1.0, 2.0]},
        "matrix": {"confusion": [[5, 1], [2, 3]], "orientation": "truth-rows", "pos_label": "1"},
    }
    for odd in ODD:
        try:
            heldout.score(**{**given[base], name: odd})
        except heldout.InputError as error:
            spoken(error)


@pytest.mark.parametrize("name", [*inspect.signature(heldout.from_arrays).parameters])
def test_from_arrays_takes_or_refuses_whatever_is_given(name: str) -> None:
    for odd in ODD:
        try:
            heldout.from_arrays(**{"y_true": [0, 1, 1], "y_pred": [0, 1, 0], name: odd})
        except heldout.InputError as error:
            spoken(error)


@pytest.mark.parametrize(
    "name", [n for n in inspect.signature(heldout.read_predictions).parameters if n != "more"]
)
def test_read_predictions_takes_or_refuses_whatever_is_given(name: str) -> None:
    table = {"y_true": [0, 1, 1], "y_score": [0.2, 0.9, 0.4]}
    for odd in ODD:
        try:
            heldout.read_predictions(**{"source": table, name: odd})
        except heldout.InputError as error:
            spoken(error)


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        ("threshold", "x", "threshold='x': give a finite number"),
        ("prior", 2, "prior=: the share of the positive class is 2, not in (0, 1)"),
        (
            "prior",
            [0.2, 0.3, 0.5],
            "prior=: 3 shares for 2 classes; give one for each, in the order 0, 1",
        ),
        ("prior", [0.2, 0.3], "prior=: the shares sum to 0.5; they must sum to 1"),
        (
            "slices",
            [1],
            "slices=[1]: give a mapping of names to columns, such as {'country': ['de', ",
        ),
        (
            "pos_label",
            [1],
            "pos_label=: [1] is not a label; a label is a text, a number, or true or",
        ),
        ("normalise", "yes", "normalise='yes': give True or False"),
        ("level", "95", "level='95': give a number such as 0.95"),
        ("random_state", 1.5, "random_state=1.5: give a whole number, 0 or more (a seed)"),
        ("profit", [[1, 2]], "profit= is 1 x 2, and 2 classes need 2 x 2"),
        ("orientation", "truth-rows", "orientation= says what the rows of confusion= are; give"),
        ("model", 3, "model=3: give a name"),
    ],
)
def test_a_wrong_argument_is_named_with_the_fix(argument: str, value: Any, message: str) -> None:
    with pytest.raises(heldout.InputError) as caught:
        heldout.score([0, 1, 1], y_score=[0.2, 0.9, 0.4], **{argument: value})
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "prior", [0.25, "0.25", [0.75, 0.25], (0.75, 0.25), np.array([0.75, 0.25]), {1: 0.25, 0: 0.75}]
)
def test_a_prior_may_be_given_in_any_of_its_forms(prior: Any) -> None:
    made = heldout.from_arrays([0, 1, 1], y_score=[0.2, 0.9, 0.4], prior=prior)
    assert made.prior is not None
    assert made.prior.table.tolist() == [[0.75, 0.25]]


def test_one_share_is_that_of_the_positive_class_wherever_it_stands() -> None:
    made = heldout.from_arrays(["no", "yes"], ["no", "no"], pos_label="no", prior=0.25)
    assert made.prior is not None
    assert made.prior.table.tolist() == [[0.25, 0.75]]


def test_predictions_take_no_further_arguments() -> None:
    made = heldout.from_arrays([0, 1, 1], y_score=[0.2, 0.9, 0.4])
    with pytest.raises(heldout.InputError, match="threshold= goes to heldout"):
        heldout.score(made, threshold=0.3)
    other = heldout.from_arrays(["a", "b"], ["a", "b"], pos_label="a")
    with pytest.raises(heldout.InputError, match="differ in their classes or the positive one"):
        heldout.score((made, other))
