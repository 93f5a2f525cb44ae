"""Features that are constant, nearly so, or so in one training part: as refitting scales them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from heldout.learners.exact.neighbour_search import is_constant_to_the_scaler, unclear_features
from tests.learners.exact.comparing import (
    assert_equals_refit,
    blobs,
    leave_one_out,
    path_of_arrays,
    refusal,
    repeated_folds,
    slope,
)

CONSTANTS = (0.1, 1 / 3, 1.0, 1234.567, 3e12 + 0.7)
VALUES = (LinearRegression(), Ridge(), Ridge(1e-10), KNeighborsRegressor(3, weights="distance"))
CLASSES = (
    RidgeClassifier(),
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(solver="lsqr"),
    QuadraticDiscriminantAnalysis(),
    GaussianNB(),
    KNeighborsClassifier(3, weights="distance"),
)
LEARNERS = [*VALUES, *CLASSES]


def scaled(estimator: Any) -> Any:
    return make_pipeline(StandardScaler(), estimator)


def problem_of(estimator: Any, rows: int = 60) -> tuple[Any, Any]:
    X, y = slope(rows) if estimator in VALUES else blobs(rows, classes=2)
    return X.copy(), y


def assert_is_right(estimator: Any, X: Any, y: Any) -> None:
    """What is not refused equals refitting, in parts of one row and of several."""
    for splits in (leave_one_out(len(X)), repeated_folds(len(X), 5, 1)):
        if not isinstance(path_of_arrays(estimator, X, y, splits), str):
            assert_equals_refit(estimator, X, y, splits, least=0.0, refits=4)


@pytest.mark.parametrize("constant", CONSTANTS)
@pytest.mark.parametrize("estimator", LEARNERS, ids=str)
def test_a_constant_feature_is_no_feature_of_rounding_errors(
    estimator: Any, constant: float
) -> None:
    X, y = problem_of(estimator)
    X[:, 0] = constant
    assert_is_right(scaled(estimator), X, y)
    assert_is_right(estimator, X, y)


@pytest.mark.parametrize("share", [1e-16, 1e-14, 1e-11, 1e-8])
@pytest.mark.parametrize("estimator", LEARNERS, ids=str)
def test_a_nearly_constant_feature_is_refitted_where_rounding_decides(
    estimator: Any, share: float
) -> None:
    X, y = problem_of(estimator)
    X[:, 0] = 0.1 * (1.0 + share * X[:, 0])
    assert_is_right(scaled(estimator), X, y)
    X[7, 0] = 5.0
    assert_is_right(scaled(estimator), X, y)


@pytest.mark.parametrize("estimator", LEARNERS, ids=str)
def test_a_feature_constant_in_a_training_part_is_refitted_there(estimator: Any) -> None:
    X, y = problem_of(estimator)
    X[:, 0] = 0.1
    X[7, 0] = 0.2
    assert_is_right(scaled(estimator), X, y)


@pytest.mark.parametrize("offset", [1e4, 1e6, 1e8, 1e10])
@pytest.mark.parametrize("estimator", LEARNERS, ids=str)
def test_features_far_from_zero_are_refitted_where_rounding_shows(
    estimator: Any, offset: float
) -> None:
    X, y = problem_of(estimator)
    assert_is_right(scaled(estimator), X + offset, y)
    assert_is_right(estimator, X + offset, y)


def test_scaled_least_squares_with_a_constant_feature_is_refitted() -> None:
    X, y = slope()
    X[:, 0] = 0.1
    told = refusal(scaled(LinearRegression()), X, y, leave_one_out(120))
    assert told == "a feature is constant"
    X[:, 0] += 1e-15 * X[:, 1]
    told = refusal(scaled(Ridge()), X, y, leave_one_out(120))
    assert told == "a feature is so nearly constant that rounding decides about its scale"


def test_scaled_least_squares_far_from_zero_are_centred_in_full() -> None:
    X, y = slope()
    X[:, 0] = 1e8 + 0.3 + 7.0 * np.round(X[:, 0])
    assert_equals_refit(scaled(LinearRegression()), X, y, repeated_folds(120, 3), tolerance=1e-10)


def test_a_varied_feature_very_far_from_zero_is_not_taken_for_constant() -> None:
    X, y = slope()
    X[:, 0] = 1e12 + 0.5 * np.round(X[:, 0])
    assert "far from zero" in refusal(Ridge(1e-3), X, y, leave_one_out(120))


def test_neighbours_leave_out_the_part_in_which_rounding_decides_about_a_scale() -> None:
    X, y = blobs(60, classes=2)
    X[:, 0] = 0.1 * (1.0 + 1e-10 * X[:, 0])
    X[7, 0] += 1e-7
    splits = repeated_folds(60, 5, 1)
    path = path_of_arrays(scaled(KNeighborsClassifier(3)), X, y, splits)
    assert not isinstance(path, str)
    given = {int(position) for outcome in path.run() for position in outcome.splits}
    assert {position for position in range(5) if 7 in splits.split(position).test} == (
        set(range(5)) - given
    )


@pytest.mark.parametrize("added", [1e-3, 0.1, 0.5])
def test_quadratic_discriminants_with_an_added_diagonal_heed_the_offset(added: float) -> None:
    X, y = blobs(classes=2)
    estimator = QuadraticDiscriminantAnalysis(reg_param=added)
    assert "far from zero" in refusal(estimator, X + 1e8, y, repeated_folds(120, 5))
    assert_equals_refit(estimator, X + 1e3, y, repeated_folds(120, 5))


def test_least_squares_discriminants_heed_the_square_of_the_offset() -> None:
    X, y = blobs()
    estimator = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1)
    assert "far from zero" in refusal(estimator, X + 1e5, y, leave_one_out(120))
    assert_equals_refit(estimator, X + 10.0, y, leave_one_out(120))


def test_class_means_far_from_zero_are_refitted_though_their_spread_is_rounding() -> None:
    X, y = blobs(classes=2)
    X[:, 0] = 1e10 + 1e-4 * X[:, 0]
    assert "far from zero" in refusal(GaussianNB(var_smoothing=1e-3), X, y, leave_one_out(120))


@pytest.mark.parametrize("constant", CONSTANTS)
def test_rule_of_constant_features_is_that_of_the_scaler(constant: float) -> None:
    draw = np.random.default_rng(0)
    for share in (1e-18, 3e-16, 1e-15, 1e-14, 1e-12, 1e-10, 1e-7, 1e-5):
        X = constant * (1.0 + share * draw.normal(size=(50, 4)))
        kept = StandardScaler().fit(X)
        centre, variance = X.mean(axis=0), X.var(axis=0)
        unclear = unclear_features(X, centre, variance)
        is_constant = is_constant_to_the_scaler(50, centre, variance)
        assert ((kept.scale_ == 1.0) == is_constant)[~unclear].all()
        assert unclear.tolist() == [bool(np.ptp(line) > 0) and share < 1e-9 for line in X.T]
