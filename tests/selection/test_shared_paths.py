"""Many settings from one pass predict what the same settings predict when refitted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import heldout
from heldout.selection.shared_paths import shared_paths
from tests.learners.exact.comparing import blobs, slope

PROCEDURES = ["loo", "2x5-fold"]


def check(estimator: Any, grid: dict[str, Any], X: Any, y: Any, procedure: str) -> set[str]:
    """Both ways give the same; which paths were taken."""
    measure = "accuracy" if y.dtype.kind != "f" else "mse"
    shared, refit = (
        heldout.select(estimator, grid, X, y, measure=measure, procedure=procedure, exact=exact)
        for exact in (True, False)
    )
    taken = set()
    for one, other in zip(shared.search.scores, refit.search.scores, strict=True):
        np.testing.assert_array_equal(one.outcome.rows, other.outcome.rows)
        np.testing.assert_allclose(one.outcome.predicted, other.outcome.predicted, atol=1e-8)
        if other.outcome.scores is not None:
            np.testing.assert_allclose(one.outcome.scores, other.outcome.scores, atol=1e-8)
        taken.add(one.outcome.path)
        assert other.outcome.path == "refit"
    return taken


def ready(estimator: Any, grid: Any, X: Any, y: Any, procedure: str) -> tuple[Any, Any, Any]:
    """Settings, data and splits as a search has them."""
    made = heldout.select(estimator, grid, X, y, procedure=procedure).search
    return made.settings, made.dataset, made.splits


@pytest.mark.parametrize("procedure", PROCEDURES)
@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("features", [3, 20])
def test_all_numbers_of_neighbours(procedure: str, weights: Any, features: int) -> None:
    X, y = blobs(80, features)
    names = np.array(["x", "y", "z"])[y]
    model = KNeighborsClassifier(weights=weights)
    taken = check(model, {"n_neighbors": [1, 3, 20]}, X, names, procedure)
    assert taken == {"nearest neighbours: one search"}


@pytest.mark.parametrize("procedure", PROCEDURES)
@pytest.mark.parametrize("seed", range(3))
def test_few_neighbours_that_are_near_copies_far_from_zero(procedure: str, seed: int) -> None:
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(20, 5))[draw.integers(0, 20, 80)] + 1e4
    X, y = X + 1e-4 * draw.normal(size=(80, 5)), draw.integers(0, 2, 80)
    # the rounding of squares decides about the nearest, not about the last of the longest list
    check(KNeighborsClassifier(algorithm="brute"), {"n_neighbors": [1, 2, 3, 20]}, X, y, procedure)


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_neighbours_of_scaled_regression(procedure: str) -> None:
    X, y = slope(80)
    model = make_pipeline(StandardScaler(), KNeighborsRegressor())
    check(model, {"kneighborsregressor__n_neighbors": [1, 2, 5]}, X, y, procedure)


def test_numbers_that_are_searched_another_way_leave_the_others_their_search() -> None:
    X, y = blobs(60, 4)
    grid = {"n_neighbors": [1, 5, 9, 40]}
    shared = shared_paths(*ready(KNeighborsClassifier(), grid, X, y, "5-fold"))
    assert len(shared) == 3
    check(KNeighborsClassifier(), grid, X, y, "5-fold")


def test_ties_are_refitted() -> None:
    draw = np.random.default_rng(3)
    X, y = draw.integers(0, 5, size=(50, 2)).astype(float), draw.integers(0, 2, 50)
    taken = check(KNeighborsClassifier(), {"n_neighbors": [1, 2, 39]}, X, y, "5-fold")
    assert taken != {"nearest neighbours: one search"}


@pytest.mark.parametrize("procedure", PROCEDURES)
@pytest.mark.parametrize("is_scaled", [False, True])
def test_all_penalties(procedure: str, is_scaled: bool) -> None:
    X, y = slope(60)
    model = make_pipeline(StandardScaler(), Ridge()) if is_scaled else Ridge()
    name = "ridge__alpha" if is_scaled else "alpha"
    taken = check(model, {name: [0.1, 1.0, 100.0]}, X, y, procedure)
    assert "refit" not in taken


def test_penalties_of_a_classifier() -> None:
    X, y = blobs(60)
    assert "refit" not in check(RidgeClassifier(), {"alpha": [0.1, 10.0]}, X, y, "5-fold")
