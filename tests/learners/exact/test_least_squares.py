"""Linear and ridge models without some rows equal refitting, and refuse where they would not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.learners.exact.comparing import (
    assert_equals_refit,
    blobs,
    holdouts,
    leave_one_out,
    refusal,
    repeated_folds,
    slope,
)

SPLITS = [leave_one_out(120), repeated_folds(120, 7), holdouts(120)]


def scaled(estimator: Any) -> Any:
    return make_pipeline(StandardScaler(), estimator)


@pytest.mark.parametrize(
    "estimator",
    [
        LinearRegression(),
        LinearRegression(fit_intercept=False),
        Ridge(),
        Ridge(alpha=25.0, fit_intercept=False),
        Ridge(alpha=0.01, solver="svd"),
        Ridge(alpha=1e4, solver="cholesky"),
        scaled(LinearRegression()),
        scaled(Ridge()),
        scaled(Ridge(alpha=1e4)),
    ],
    ids=str,
)
@pytest.mark.parametrize("splits", SPLITS)
def test_every_setting_equals_refitting(estimator: Any, splits: Any) -> None:
    X, y = slope()
    assert_equals_refit(estimator, X * [1.0, 10.0, 0.1, 3.0] + 2.0, y, splits)


@pytest.mark.parametrize(
    "estimator", [RidgeClassifier(), scaled(RidgeClassifier(alpha=5.0))], ids=str
)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("splits", SPLITS)
def test_the_ridge_classifier_equals_refitting(estimator: Any, classes: Any, splits: Any) -> None:
    X, y = blobs(classes=classes)
    assert_equals_refit(estimator, X, y, splits)


def test_singular_values_of_very_different_scale_are_refitted() -> None:
    X, y = slope()
    X[:, 0] += 1e10
    told = refusal(Ridge(fit_intercept=False, solver="svd"), X, y, leave_one_out(120))
    assert told == "features are collinear or of very different scale"
    X, _ = slope()
    estimator = Ridge(1e-3, fit_intercept=False, solver="svd")
    assert_equals_refit(estimator, X * [1e3, 1.0, 1.0, 1.0], y, leave_one_out(120))


def test_more_features_than_rows_equal_refitting() -> None:
    X, y = slope(40, 90)
    assert_equals_refit(Ridge(), X, y, leave_one_out(40))
    assert_equals_refit(Ridge(fit_intercept=False), X, y, repeated_folds(40, 5))
    assert "as many features" in refusal(LinearRegression(), X, y, leave_one_out(40))
    assert "more scaled features" in refusal(scaled(Ridge()), X, y, leave_one_out(40))


def test_a_feature_given_twice_equals_refitting_with_a_penalty_only() -> None:
    X, y = slope()
    twice = np.column_stack([X, X[:, 0]])
    assert_equals_refit(Ridge(), twice, y, leave_one_out(120))
    assert_equals_refit(scaled(Ridge()), twice, y, repeated_folds(120, 6))
    assert "collinear" in refusal(LinearRegression(), twice, y, leave_one_out(120))


@pytest.mark.parametrize("estimator", [Ridge(), scaled(Ridge())], ids=str)
def test_a_constant_feature_equals_refitting(estimator: Any) -> None:
    X, y = slope()
    assert_equals_refit(estimator, np.column_stack([X, np.full(120, 0.1)]), y, leave_one_out(120))


@pytest.mark.parametrize("estimator", [LinearRegression(), scaled(Ridge())], ids=str)
def test_a_feature_that_hangs_on_one_row_is_left_to_refitting(estimator: Any) -> None:
    X, y = slope()
    spike = np.zeros((120, 1))
    spike[17] = 1.0
    X = np.column_stack([X, spike])
    path = assert_equals_refit(estimator, X, y, leave_one_out(120), least=0.99)
    assert 17 not in np.concatenate([outcome.splits for outcome in path.run()])


def test_features_and_targets_far_from_zero_equal_refitting() -> None:
    X, y = slope()
    assert_equals_refit(Ridge(), X + 1e4, y + 1e4, leave_one_out(120))
    assert_equals_refit(scaled(Ridge()), X + 1e4, y + 1e4, leave_one_out(120))


@pytest.mark.parametrize(
    ("estimator", "reason"),
    [
        (Ridge(alpha=0.0), "alpha"),
        (Ridge(alpha=np.array([1.0])), "alpha"),
        (Ridge(solver="lsqr"), "solver"),
        (Ridge(positive=True), "positive"),
        (LinearRegression(positive=True), "positive"),
        (LinearRegression(tol=1e-3), "tol"),
        (scaled(Ridge(fit_intercept=False)), "intercept"),
    ],
    ids=str,
)
def test_what_is_not_known_is_refused(estimator: Any, reason: Any) -> None:
    X, y = slope()
    assert reason in refusal(estimator, X, y, leave_one_out(120))


def test_class_weights_are_refused() -> None:
    X, y = blobs()
    model = RidgeClassifier(class_weight="balanced")
    assert "class_weight" in refusal(model, X, y, leave_one_out(120))
