"""Data sets from X and y of any Python kind; what was guessed is said, what is wrong refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from heldout.core.errors import InputError
from heldout.datasets.arrays import dataset_of

X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
NAMED = pd.DataFrame(X, columns=["a", "b"])


def test_float_matrix_is_taken_without_a_copy() -> None:
    data = dataset_of(X, [0, 1, 0, 1])
    assert data.matrix is X
    assert data.frame is X
    assert [feature.name for feature in data.features] == ["x0", "x1"]


@pytest.mark.parametrize(
    "given",
    [
        NAMED,
        pl.from_pandas(NAMED),
        pa.Table.from_pandas(NAMED, preserve_index=False),
        {"a": X[:, 0], "b": X[:, 1].tolist()},
    ],
    ids=["pandas", "polars", "arrow", "mapping"],
)
def test_named_columns_of_any_kind_are_one_data_set(given: Any) -> None:
    data = dataset_of(given, [0, 1, 0, 1])
    assert np.array_equal(data.matrix, X)
    assert data.fingerprint == dataset_of(NAMED, [0, 1, 0, 1]).fingerprint


@pytest.mark.parametrize(
    ("y", "task", "classes", "positive"),
    [
        ([0, 1, 0, 1], "binary", (0, 1), 1),
        ([True, False, True, True], "binary", (False, True), 1),
        (["b", "a", "c", "a"], "multiclass", ("a", "b", "c"), None),
        ([1.0, 0.0, 1.0, 0.0], "binary", (0, 1), 1),
        ([1.5, 2.0, 3.0, 4.0], "regression", (), None),
        ([1, 2, 3, 4], "regression", (), None),
        (pd.Categorical(["lo", "hi", "mid", "lo"], ["lo", "mid", "hi"]), "multiclass",
         ("lo", "mid", "hi"), None),
    ],
)  # fmt: skip
def test_task_follows_from_the_target(
    y: Any, task: str, classes: tuple[Any, ...], positive: int | None
) -> None:
    data = dataset_of(X, y)
    assert (data.task, data.classes, data.positive) == (task, classes, positive)
    if classes:
        assert data.labels.tolist() == np.asarray(y).tolist()


def test_few_whole_numbers_are_classes_unless_said_otherwise() -> None:
    y = [3, 4, 5] * 4
    assert dataset_of(np.arange(24.0).reshape(12, 2), y).classes == (3, 4, 5)
    told = dataset_of(np.arange(24.0).reshape(12, 2), y).notes[0]
    assert "3 distinct whole numbers; otherwise use task='regression'" in told
    assert dataset_of(np.arange(24.0).reshape(12, 2), y, task="regression").classes == ()


def test_text_target_asks_for_the_positive_class_in_the_words_of_python() -> None:
    with pytest.raises(InputError, match="pos_label='no' or pos_label='yes'"):
        dataset_of(X, ["no", "yes", "no", "yes"])
    assert dataset_of(X, ["no", "yes", "no", "yes"], pos_label="no").positive == 0


def test_sparse_matrix_stays_sparse_and_counts_in_the_fingerprint() -> None:
    data = dataset_of(sparse.csc_matrix(X), [0, 1, 0, 1])
    assert sparse.issparse(data.frame)
    assert data.features == ()
    other = dataset_of(sparse.csc_matrix(X + 1), [0, 1, 0, 1])
    assert data.fingerprint != other.fingerprint
    with pytest.raises(InputError, match="no columns of numbers or names"):
        _ = data.matrix


def test_texts_are_given_as_they_are() -> None:
    data = dataset_of(["good film", "bad film", "fine", "poor"], [1, 0, 1, 0])
    assert data.frame.tolist() == ["good film", "bad film", "fine", "poor"]
    assert data.fingerprint != dataset_of(["a", "b", "c", "d"], [1, 0, 1, 0]).fingerprint


def test_groups_weights_folds_and_times_are_kept() -> None:
    data = dataset_of(
        X,
        [0, 1, 0, 1],
        groups=["p", "q", "p", "q"],
        sample_weight=[1, 2, 3, 4],
        folds=[1, 1, 2, 2],
        time=np.array(["2020-01-02", "2020-01-01", "2021-01-01", "2019-01-01"], "datetime64[D]"),
    )
    assert data.group is not None
    assert data.group.codes.tolist() == [0, 1, 0, 1]
    assert data.weight is not None
    assert data.weight.tolist() == [1, 2, 3, 4]
    assert data.fold is not None
    assert data.fold.levels == (1, 2)
    assert data.time is not None
    assert np.argsort(data.time).tolist() == [3, 1, 0, 2]


@pytest.mark.parametrize("change", ["value", "label", "group", "order"])
def test_fingerprint_notices_every_change(change: str) -> None:
    whole = dataset_of(X, [0, 1, 0, 1], groups=[1, 1, 2, 2]).fingerprint
    other = X.copy()
    other[0, 0] += change == "value"
    y = [1, 1, 0, 1] if change == "label" else [0, 1, 0, 1]
    groups = [1, 2, 2, 2] if change == "group" else [1, 1, 2, 2]
    other = other[:, ::-1] if change == "order" else other
    assert dataset_of(other, y, groups=groups).fingerprint != whole


@pytest.mark.parametrize(
    ("given", "y", "told"),
    [
        (X, [0, 1], "y has 2 values and X has 4; they must"),
        (X, [0, 1, None, 1], "y: no value in 1 row .first: position 2"),
        (X, [[0, 1], [1, 0], [0, 0], [1, 1]], "one dimension|mixes|holds values"),
        ([[1, 2], [3]], [0, 1], "row 0 has 2 values and row 1 has 1"),
        (X, [], "y is empty"),
        (3, [0, 1], "X must be an array"),
        (X, [1, 1, 1, 1], "all 4 rows have the label 1"),
        (X, ["a", "b", "a", "b"], "choose the positive one"),
    ],
)
def test_bad_arrays_are_refused(given: Any, y: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        dataset_of(given, y)
