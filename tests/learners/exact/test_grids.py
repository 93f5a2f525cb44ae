"""Many settings from one pass equal those settings one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from karat.core.errors import InputError
from karat.learners.exact.grids import knn_grid, ridge_grid
from tests.learners.exact.comparing import blobs, leave_one_out, repeated_folds, slope


def assert_lines_equal(grid: Any, estimator: Any, name: Any, X: Any, y: Any, splits: Any) -> None:
    for line, value in enumerate(grid.settings):
        model = clone(estimator)
        last = model[-1] if hasattr(model, "steps") else model
        last.set_params(**{name: value})
        for position in range(0, len(splits), max(1, len(splits) // 6)):
            split = splits.split(position)
            wanted = clone(model).fit(X[split.train], y[split.train]).predict(X[split.test])
            found = grid.predicted[line, grid.split_of == position]
            if wanted.dtype.kind == "f":
                assert np.allclose(found, wanted, atol=1e-8)
            else:
                assert np.array_equal(found, wanted)


@pytest.mark.parametrize("splits", [leave_one_out(80), repeated_folds(80, 5)])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_all_numbers_of_neighbours_equal_one_by_one(splits: Any, weights: Any) -> None:
    X, y = blobs(80)
    names = np.array(["x", "y", "z"])[y]
    model = KNeighborsClassifier(weights=weights)
    grid = knn_grid(model, [1, 3, 20], X, names, splits)
    assert not grid.refitted.any()
    assert_lines_equal(grid, model, "n_neighbors", X, names, splits)


def test_neighbours_of_scaled_regression_equal_one_by_one() -> None:
    X, y = slope(80)
    model = make_pipeline(StandardScaler(), KNeighborsRegressor())
    for splits in (leave_one_out(80), repeated_folds(80, 5)):
        grid = knn_grid(model, range(1, 6), X, y, splits)
        assert_lines_equal(grid, model, "n_neighbors", X, y, splits)


def test_ties_are_refitted_in_the_settings_they_touch() -> None:
    draw = np.random.default_rng(3)
    X, y = draw.integers(0, 5, size=(50, 2)).astype(float), draw.integers(0, 2, 50)
    splits = repeated_folds(50, 5, 1)
    grid = knn_grid(KNeighborsClassifier(), [1, 2, 39], X, y, splits)
    assert grid.refitted.any()
    assert_lines_equal(grid, KNeighborsClassifier(), "n_neighbors", X, y, splits)


def test_the_grid_scores_as_a_grid_search() -> None:
    X, y = blobs(150, 18)
    splits = repeated_folds(150, 5, 1)
    counts = [1, 4, 9]
    grid = knn_grid(KNeighborsClassifier(), counts, X, y, splits)
    search = GridSearchCV(
        KNeighborsClassifier(),
        {"n_neighbors": counts},
        cv=PredefinedSplit(splits.assignment[0]),
        refit=False,
    ).fit(X, y)
    hits = grid.predicted == y[grid.rows]
    shares = [[hits[k, grid.split_of == f].mean() for f in range(5)] for k in range(3)]
    assert np.allclose(np.mean(shares, axis=1), search.cv_results_["mean_test_score"])


@pytest.mark.parametrize("splits", [leave_one_out(60), repeated_folds(60, 5)])
@pytest.mark.parametrize("model", [Ridge(), make_pipeline(StandardScaler(), Ridge())], ids=str)
def test_all_penalties_equal_one_by_one(splits: Any, model: Any) -> None:
    X, y = slope(60)
    grid = ridge_grid(model, [0.1, 1.0, 100.0], X, y, splits)
    assert not grid.refitted.any()
    assert_lines_equal(grid, model, "alpha", X, y, splits)


def test_penalties_of_a_classifier_equal_one_by_one() -> None:
    X, y = blobs(60)
    splits = repeated_folds(60, 5)
    grid = ridge_grid(RidgeClassifier(), [0.1, 10.0], X, y, splits)
    assert_lines_equal(grid, RidgeClassifier(), "alpha", X, y, splits)


def test_settings_that_make_no_sense_are_refused() -> None:
    X, y = slope(20)
    with pytest.raises(InputError, match="ks"):
        knn_grid(KNeighborsRegressor(), [0], X, y, leave_one_out(20))
    with pytest.raises(InputError, match="alphas"):
        ridge_grid(Ridge(), [], X, y, leave_one_out(20))
