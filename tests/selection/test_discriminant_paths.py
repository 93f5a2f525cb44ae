"""All shrinkages of linear discriminants from one decomposition: as refitting, or refitted."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import heldout
from heldout.core.errors import InputError

SHARES = [None, 0.0, 1e-6, 0.01, 0.3, 1.0]
NAME = "linear discriminants: one decomposition for all shrinkages"


def both(
    X: Any, y: Any, *, solver: str = "lsqr", scaled: bool = False, shares: Any = None
) -> tuple[Any, Any]:
    estimator: Any = LinearDiscriminantAnalysis(solver=solver)
    if scaled:
        estimator = make_pipeline(StandardScaler(), estimator)
    grid = {"shrinkage": shares or SHARES}
    how: Any = {"procedure": "4-fold", "measure": "log_loss"}
    if len(set(y)) == 2:
        how["pos_label"] = min(set(y))
    with warnings.catch_warnings():
        # single rows of a class, and covariances that are singular
        warnings.simplefilter("ignore")
        exact = heldout.select(estimator, grid, X, y, **how)
        return exact, heldout.select(estimator, grid, X, y, exact=False, **how)


def assert_same(exact: Any, refitted: Any) -> None:
    for ours, theirs in zip(exact.search.scores, refitted.search.scores, strict=True):
        assert np.array_equal(ours.outcome.predicted, theirs.outcome.predicted)
        np.testing.assert_allclose(ours.outcome.scores, theirs.outcome.scores, atol=1e-8)


def classes(rows: int, features: int, count: int = 3) -> tuple[NDArray[Any], NDArray[Any]]:
    generator = np.random.default_rng(rows + features)
    y = generator.integers(count, size=rows)
    return generator.normal(size=(rows, features)) + 0.4 * y[:, np.newaxis], y


@pytest.mark.parametrize("solver", ["lsqr", "eigen"])
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("count", [2, 4])
def test_labels_and_probabilities_are_those_of_refitting(
    solver: str, scaled: bool, count: int
) -> None:
    X, y = classes(160, 6, count)
    X[:, 0] *= 30.0
    made = both(X, np.array(list("dacb"))[y], solver=solver, scaled=scaled)
    assert_same(*made)
    assert all(one.outcome.path == NAME for one in made[0].search.scores)


def test_more_features_than_rows_are_exact_where_shrinkage_allows() -> None:
    made = both(*classes(60, 90))
    assert_same(*made)
    paths = [one.outcome.path for one in made[0].search.scores]
    assert paths[:2] == ["refit", "refit"]
    assert paths[3:] == [NAME] * 3


@pytest.mark.parametrize("spoil", ["far", "outlier", "collinear", "constant", "scales"])
@pytest.mark.parametrize("scaled", [False, True])
def test_data_that_cost_digits_are_refitted_instead(spoil: str, scaled: bool) -> None:
    X, y = classes(120, 4)
    if spoil == "far":
        X += 1e5
    elif spoil == "outlier":
        X[7] = 1e7
    elif spoil == "collinear":
        X[:, 3] = X[:, 0] + X[:, 1]
    elif spoil == "constant":
        X[:, 3] = 0.1
    else:
        X *= np.geomspace(1, 1e7, 4)
    made = both(X, y, scaled=scaled)
    assert_same(*made)
    if not (scaled and spoil in ("far", "scales")):
        assert made[0].search.scores[0].outcome.path.startswith("refit")


def test_a_shrinkage_that_is_estimated_is_refitted_and_the_others_are_shared() -> None:
    X, y = classes(90, 3)
    made = both(X, y, shares=["auto", 0.2, 0.4])
    assert_same(*made)
    assert [one.outcome.path for one in made[0].search.scores] == ["refit", NAME, NAME]


def test_given_priors_are_refitted() -> None:
    X, y = classes(90, 3)
    estimator = LinearDiscriminantAnalysis(solver="lsqr", priors=[0.2, 0.3, 0.5])
    made = heldout.select(estimator, {"shrinkage": [0.1, 0.4]}, X, y, procedure="3-fold")
    assert {one.outcome.path for one in made.search.scores} == {"refit"}


def test_a_named_model_takes_the_grid_and_the_svd_solver_refuses_it() -> None:
    grid = ["solver=lsqr", "shrinkage=0.1..0.9 step 0.4"]
    made = heldout.select("lda", grid, data="iris", procedure="3-fold")
    assert [one.outcome.path for one in made.search.scores] == [NAME] * 3
    with pytest.raises(InputError, match="shrinkage"):
        heldout.select("lda", ["shrinkage=0.1,0.5"], data="iris", procedure="3-fold")


def test_rows_left_out_one_by_one_are_the_same_too() -> None:
    X, y = classes(40, 3)
    estimator = LinearDiscriminantAnalysis(solver="eigen")
    how: Any = {"procedure": "loo", "measure": "accuracy"}
    grid = {"shrinkage": [0.1, 0.5]}
    exact = heldout.select(estimator, grid, X, y, **how)
    assert np.array_equal(
        exact.search.values, heldout.select(estimator, grid, X, y, exact=False, **how).search.values
    )
