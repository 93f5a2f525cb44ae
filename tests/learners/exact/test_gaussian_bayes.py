"""Gaussian naive Bayes without a row, where its shortcuts through the sums could go wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from heldout.learners.exact.gaussian_bayes import ClassColumns
from tests.learners.exact.comparing import (
    assert_equals_refit,
    blobs,
    leave_one_out,
    path_of_arrays,
    repeated_folds,
)


@pytest.mark.parametrize("smoothing", [1e-9, 0.3])
def test_the_feature_of_the_largest_variance_may_be_another_without_a_row(smoothing: float) -> None:
    X, y = blobs(60, 5)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    X[7, 1], X[21, 3], X[40, 4] = 9.0, -9.0, 9.1
    X *= 1.0 / X.std(axis=0) * [1.0, 1.002, 0.5, 1.001, 1.0]
    assert len({int(np.delete(X, row, axis=0).var(axis=0).argmax()) for row in range(60)}) > 2
    model = GaussianNB(var_smoothing=smoothing)
    assert_equals_refit(model, X, y, leave_one_out(60), refits=60)


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("model", [GaussianNB(), make_pipeline(StandardScaler(), GaussianNB())])
def test_variances_whose_product_is_no_float_equal_refitting(size: float, model: Any) -> None:
    X, y = blobs(90, 60)
    assert_equals_refit(model, X * size, y, leave_one_out(90), refits=30)


def test_features_of_very_different_size_equal_refitting() -> None:
    X, y = blobs(90, 8)
    model = GaussianNB(var_smoothing=0.0)
    assert_equals_refit(model, X * 10.0 ** np.arange(-8, 8, 2), y, leave_one_out(90), refits=30)


def test_a_class_of_two_rows_equals_refitting_and_one_of_a_row_is_refitted() -> None:
    X, y = blobs(60, 3)
    y[[11, 48]], y[30] = 3, 4
    # one row has no variance but what is added to it
    model = GaussianNB(var_smoothing=0.1)
    path = assert_equals_refit(model, X, y, leave_one_out(60), least=0.95, refits=60)
    done = np.concatenate([outcome.splits for outcome in path.run()])
    assert set(range(60)) - set(done.tolist()) == {30}


def test_some_splits_alone_are_predicted_as_among_all() -> None:
    X, y = blobs()
    path = path_of_arrays(GaussianNB(), X, y, leave_one_out(120))
    assert not isinstance(path, str)
    (whole,) = path.run()
    (some,) = path.run(slice(31, 77))
    assert whole.scores is not None
    assert some.scores is not None
    assert np.array_equal(some.rows, np.arange(31, 77))
    assert np.array_equal(some.predicted, whole.predicted[31:77])
    assert np.allclose(some.scores, whole.scores[31:77], rtol=1e-12, atol=1e-15)


def test_folds_without_some_classes_equal_refitting() -> None:
    X, y = blobs(60, 3, classes=6)
    assert_equals_refit(GaussianNB(), X, y, repeated_folds(60, 30), least=0.9, refits=60)


def test_columns_of_some_rows_lie_by_class_and_know_their_rows() -> None:
    X, y = blobs(40, 3)
    columns = ClassColumns.of(X, y, 4)
    assert np.array_equal(columns.values, X[columns.rows].T)
    assert np.array_equal(y[columns.rows], np.sort(y))
    assert [k for k, _ in columns.classes()] == [0, 1, 2]
    rows = np.random.default_rng(0).permutation(40)[:17]
    some = columns.only(rows)
    assert np.array_equal(some.values, X[rows][some.rows].T)
    for k, own in some.classes():
        assert (y[rows][some.rows][own] == k).all()
    assert some.edges[-1] == 17
    assert columns.only(np.arange(40)) is columns
