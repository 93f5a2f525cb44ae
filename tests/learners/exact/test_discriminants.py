"""Discriminant analysis without some rows equals refitting, and refuses where it would not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.learners.exact.comparing import (
    assert_equals_refit,
    blobs,
    holdouts,
    leave_one_out,
    path_of_arrays,
    refusal,
    repeated_folds,
)

LDA, QDA = LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
PRIORS = [0.2, 0.5, 0.3]
SETTINGS = [
    LDA(),
    LDA(priors=PRIORS),
    LDA(tol=1e-2),
    LDA(solver="lsqr"),
    LDA(solver="lsqr", shrinkage=0.3),
    LDA(solver="lsqr", shrinkage=1.0),
    QDA(),
    QDA(reg_param=0.2),
    QDA(priors=PRIORS),
    make_pipeline(StandardScaler(), LDA()),
    make_pipeline(StandardScaler(), LDA(solver="lsqr")),
    make_pipeline(StandardScaler(), QDA()),
]


@pytest.mark.parametrize("estimator", SETTINGS, ids=str)
@pytest.mark.parametrize("splits", [leave_one_out(120), repeated_folds(120, 7), holdouts(120)])
def test_every_setting_equals_refitting(estimator: Any, splits: Any) -> None:
    X, y = blobs()
    assert_equals_refit(estimator, X, y, splits)


@pytest.mark.parametrize("estimator", [LDA(), QDA(), LDA(solver="lsqr", shrinkage=0.1)], ids=str)
@pytest.mark.parametrize("classes", [2, 5])
def test_two_and_many_classes_equal_refitting(estimator: Any, classes: Any) -> None:
    X, y = blobs(200, 3, classes, seed=3)
    assert_equals_refit(estimator, X, y, leave_one_out(200))
    assert_equals_refit(estimator, X, y, repeated_folds(200, 10, 1))


@pytest.mark.parametrize("estimator", [LDA(), QDA()], ids=str)
def test_one_feature_equals_refitting(estimator: Any) -> None:
    X, y = blobs(80, 1)
    assert_equals_refit(estimator, X, y, leave_one_out(80))


@pytest.mark.parametrize("estimator", [LDA(), QDA()], ids=str)
def test_whole_numbers_equal_refitting(estimator: Any) -> None:
    X, y = blobs(150, 4, seed=9)
    assert_equals_refit(estimator, np.round(3 * X).astype(np.int64), y, leave_one_out(150))


def test_features_of_very_different_scale_equal_refitting() -> None:
    X, y = blobs()
    scaled = X * [1.0, 1e-6, 1e5, 3.0] + [0.0, 1e-3, 1e6, 50.0]
    assert_equals_refit(LDA(), scaled, y, leave_one_out(120))
    assert_equals_refit(make_pipeline(StandardScaler(), QDA()), scaled, y, leave_one_out(120))


def test_nearly_collinear_features_equal_refitting() -> None:
    X, y = blobs()
    noise = np.random.default_rng(1).normal(size=120)
    near = np.column_stack([X, X[:, 0] + 1e-3 * noise])
    assert_equals_refit(LDA(), near, y, leave_one_out(120))


@pytest.mark.parametrize("estimator", [LDA(), QDA(), LDA(solver="lsqr")], ids=str)
def test_collinear_features_are_refused(estimator: Any) -> None:
    X, y = blobs()
    both = np.column_stack([X, X[:, 0] + X[:, 1]])
    reason = path_of_arrays(estimator, both, y, leave_one_out(120))
    assert isinstance(reason, str)
    assert "collinear" in reason or "full rank" in reason


@pytest.mark.parametrize("estimator", [LDA(), QDA()], ids=str)
def test_a_constant_feature_is_refused(estimator: Any) -> None:
    X, y = blobs()
    reason = path_of_arrays(
        estimator, np.column_stack([X, np.full(120, 0.1)]), y, leave_one_out(120)
    )
    assert isinstance(reason, str)
    assert "constant" in reason or "full rank" in reason


def test_the_only_row_that_varies_in_a_feature_is_left_to_refitting() -> None:
    X, y = blobs()
    spike = np.zeros((120, 1))
    spike[17] = 1.0
    path = path_of_arrays(LDA(), np.column_stack([X, spike]), y, leave_one_out(120))
    assert not isinstance(path, str)
    given = np.concatenate([outcome.splits for outcome in path.run()])
    assert np.array_equal(np.setdiff1d(np.arange(120), given), [17])


def test_a_class_of_one_row_is_left_to_refitting_when_the_row_goes() -> None:
    X, y = blobs()
    y[60] = 3
    path = assert_equals_refit(LDA(), X, y, leave_one_out(120), least=0.99)
    given = np.concatenate([outcome.splits for outcome in path.run()])
    assert 60 not in given


def test_features_far_from_zero_are_refused_and_fine_when_scaled() -> None:
    X, y = blobs()
    assert "far from zero" in refusal(LDA(), X + 1e8, y, leave_one_out(120))
    assert_equals_refit(LDA(), X + 1e4, y, leave_one_out(120))
    assert_equals_refit(make_pipeline(StandardScaler(), LDA()), X + 1e4, y, leave_one_out(120))


def test_class_means_on_a_line_are_left_to_the_solver() -> None:
    # the svd solver drops the second direction of means that lie on a line
    draw = np.random.default_rng(2)
    y = np.arange(90) % 3
    X = draw.normal(size=(90, 3))
    for k in range(3):
        X[y == k] -= X[y == k].mean(axis=0)
        X[y == k, 0] += 2.0 * k
    path = path_of_arrays(LDA(tol=0.2), X, y, repeated_folds(90, 9, 1))
    assert not isinstance(path, str)
    assert list(path.run()) == []
    assert_equals_refit(LDA(), *blobs(60, 2, 3, seed=8), leave_one_out(60))


def test_ties_of_mirrored_data_are_left_to_refitting() -> None:
    half = np.random.default_rng(0).normal(size=(30, 2)) + np.array([1.0, 0.0])
    X = np.vstack([half, -half, np.zeros((1, 2))])
    y = np.repeat([0, 1, 0], [30, 30, 1])
    path = assert_equals_refit(QDA(priors=[0.5, 0.5]), X, y, leave_one_out(61), least=0.9)
    assert 60 not in np.concatenate([outcome.splits for outcome in path.run()])


def test_a_small_covariance_is_refused_as_scikit_learn_refuses_it() -> None:
    X, y = blobs()
    assert "full rank" in refusal(QDA(), 1e-3 * X, y, leave_one_out(120))
    assert_equals_refit(QDA(tol=1e-9), 1e-3 * X, y, leave_one_out(120))
