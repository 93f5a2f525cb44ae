"""Nearest neighbours without some rows equal refitting; ties that decide are left to refitting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
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
    slope,
)

SETTINGS = [
    {},
    {"n_neighbors": 1},
    {"n_neighbors": 70},
    {"weights": "distance"},
    {"p": 1, "weights": "distance"},
    {"p": 3},
    {"metric": "manhattan", "algorithm": "brute"},
    {"metric": "chebyshev", "algorithm": "ball_tree"},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("features", [4, 18])
@pytest.mark.parametrize("is_scaled", [False, True])
def test_every_setting_equals_refitting(settings: Any, features: Any, is_scaled: Any) -> None:
    X, y = blobs(100, features)
    model = KNeighborsClassifier(**settings)
    model = make_pipeline(StandardScaler(), model) if is_scaled else model
    assert_equals_refit(model, X, y, leave_one_out(100), refits=12)
    assert_equals_refit(model, X, y, repeated_folds(100, 4), refits=4)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_every_setting_of_regression_equals_refitting(settings: Any) -> None:
    X, y = slope(100)
    model = KNeighborsRegressor(**settings)
    assert_equals_refit(model, X, y, leave_one_out(100), refits=10)
    assert_equals_refit(make_pipeline(StandardScaler(), model), X, y, holdouts(100))


@pytest.mark.parametrize("settings", [{}, {"weights": "distance"}, {"algorithm": "brute"}], ids=str)
@pytest.mark.parametrize("is_scaled", [False, True])
def test_iris_with_its_ties_equals_refitting(settings: Any, is_scaled: Any) -> None:
    X, y = load_iris(return_X_y=True)
    model = KNeighborsClassifier(**settings)
    model = make_pipeline(StandardScaler(), model) if is_scaled else model
    assert_equals_refit(model, X, y, leave_one_out(150), least=0.95, refits=50)
    assert_equals_refit(model, X, y, repeated_folds(150, 10), least=0.5)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("algorithm", ["auto", "brute"])
def test_grid_points_equal_refitting_or_are_left_to_it(weights: Any, algorithm: Any) -> None:
    draw = np.random.default_rng(0)
    X, y = draw.integers(0, 4, size=(80, 2)).astype(float), draw.integers(0, 2, 80)
    model = KNeighborsClassifier(weights=weights, algorithm=algorithm)
    assert_equals_refit(model, X, y, leave_one_out(80), least=0.0, refits=80)
    assert_equals_refit(model, X.astype(np.int64), y, leave_one_out(80), least=0.0, refits=80)


def test_ties_among_rows_of_one_class_do_not_matter() -> None:
    X = np.repeat([[0.0], [1.0], [5.0], [6.0]], 10, axis=0)
    y = np.repeat([0, 0, 1, 1], 10)
    assert_equals_refit(KNeighborsClassifier(3), X, y, leave_one_out(40), least=0.0, refits=40)
    few = np.repeat([[0.0], [1.0], [5.0], [6.0]], 2, axis=0)
    y = np.repeat([0, 0, 1, 1], 2)
    assert_equals_refit(KNeighborsClassifier(2), few, y, leave_one_out(8))


def test_a_tie_between_classes_is_left_to_refitting() -> None:
    X = np.array([[0.0], [1.0], [-1.0], [30.0], [31.0], [-30.0], [-31.0]])
    y = np.array([0, 0, 1, 0, 0, 1, 1])
    path = path_of_arrays(KNeighborsClassifier(1), X, y, leave_one_out(7))
    assert not isinstance(path, str)
    given = np.concatenate([outcome.splits for outcome in path.run()])
    assert 0 not in given
    assert len(given) > 2


def test_features_far_from_zero_are_left_to_refitting_where_rounding_decides() -> None:
    X, y = blobs(100, 18)
    assert_equals_refit(
        KNeighborsClassifier(), X + 1e6, y, leave_one_out(100), least=0.0, refits=100
    )


@pytest.mark.parametrize("settings", [{}, {"p": 1}, {"algorithm": "brute"}], ids=str)
@pytest.mark.parametrize("apart", [1e-5, 1e-9, 1e-13])
def test_weights_of_near_copies_are_not_taken_from_the_rounding_of_scales(
    settings: Any, apart: float
) -> None:
    draw = np.random.default_rng(0)
    X = draw.normal(size=(15, 3))[draw.integers(0, 15, 60)] + apart * draw.normal(size=(60, 3))
    y = draw.integers(0, 2, 60)
    model = KNeighborsClassifier(3, weights="distance", **settings)
    scaled = make_pipeline(StandardScaler(), model)
    assert_equals_refit(scaled, X, y, leave_one_out(60), least=0.0, refits=60)


def test_exact_copies_in_scaled_features_have_all_the_weight() -> None:
    X, y = blobs(60, 3)
    X[30:] = X[:30]
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(weights="distance"))
    assert_equals_refit(model, X, y, leave_one_out(60))
    # a feature that rounding alone tells apart is no copy
    X[30:, 0] += np.spacing(X[30:, 0])
    assert_equals_refit(model, X, y, leave_one_out(60), least=0.0, refits=60)


@pytest.mark.parametrize("is_scaled", [False, True])
def test_rows_that_are_all_alike_are_left_to_refitting(is_scaled: bool) -> None:
    y = blobs(20)[1]
    model = KNeighborsClassifier(3, algorithm="brute")
    model = make_pipeline(StandardScaler(), model) if is_scaled else model
    for splits in (leave_one_out(20), repeated_folds(20, 4)):
        path = path_of_arrays(model, np.zeros((20, 2)), y, splits)
        assert not isinstance(path, str)
        assert list(path.run()) == []


def test_an_outlier_that_changes_its_own_scale_equals_refitting() -> None:
    X, y = blobs(60, 3)
    X[7, 1] = 500.0
    model = make_pipeline(StandardScaler(), KNeighborsClassifier())
    path = assert_equals_refit(model, X, y, leave_one_out(60), least=0.9, refits=60)
    # its own scale is another without it, and so may be its neighbours
    assert 7 not in np.concatenate([outcome.splits for outcome in path.run()])


def test_more_neighbours_than_rows_are_left_to_refitting() -> None:
    X, y = blobs(20, 2)
    path = path_of_arrays(KNeighborsClassifier(20), X, y, leave_one_out(20))
    assert not isinstance(path, str)
    assert list(path.run()) == []


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"weights": np.sqrt}, "weights"),
        ({"metric": "cosine"}, "metric"),
        ({"p": 0.5}, "p="),
        ({"metric_params": {"w": [1, 2, 1, 1]}}, "metric_params"),
    ],
    ids=str,
)
def test_what_is_not_known_is_refused(settings: Any, reason: Any) -> None:
    X, y = blobs()
    assert reason in refusal(KNeighborsClassifier(**settings), X, y, leave_one_out(120))
