"""Searches: shared exact paths, resumed work, training values, validation parts, races."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import heldout
from heldout.core.errors import InputError

WINE = load_wine(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
SCALED = make_pipeline(StandardScaler(), KNeighborsClassifier())
PENALTIES = "alpha=log(0.001,1000,7)"
SHARES = "shrinkage=none,0,0.001,0.1,0.5,1"


@pytest.mark.parametrize(
    ("estimator", "grid", "data", "measure"),
    [
        (KNeighborsClassifier(), "n_neighbors=1..12", WINE, "log_loss[clip=1e-15]"),
        (KNeighborsClassifier(weights="distance"), "n_neighbors=1..5", WINE, "brier"),
        (SCALED, "n_neighbors=1..9", WINE, "brier"),
        (KNeighborsRegressor(), "n_neighbors=1..9", DIABETES, "mse"),
        (Ridge(), PENALTIES, DIABETES, "mse"),
        (make_pipeline(StandardScaler(), Ridge()), PENALTIES, DIABETES, "mae"),
        (RidgeClassifier(), PENALTIES, WINE, "accuracy"),
        (make_pipeline(StandardScaler(), RidgeClassifier()), PENALTIES, WINE, "accuracy"),
        (LinearDiscriminantAnalysis(solver="lsqr"), SHARES, WINE, "log_loss"),
        (LinearDiscriminantAnalysis(solver="eigen"), SHARES, WINE, "brier"),
        (make_pipeline(StandardScaler(), LinearDiscriminantAnalysis(solver="lsqr")), SHARES, WINE,
         "log_loss"),
    ],
)  # fmt: skip
def test_shared_paths_equal_refitting(estimator: Any, grid: str, data: Any, measure: str) -> None:
    X, y = data
    how: Any = {"measure": measure, "procedure": "4-fold"}
    exact = heldout.select(estimator, grid, X, y, **how)
    refitted = heldout.select(estimator, grid, X, y, exact=False, **how)
    np.testing.assert_allclose(exact.search.table, refitted.search.table, rtol=1e-8)
    for ours, theirs in zip(exact.search.scores, refitted.search.scores, strict=True):
        np.testing.assert_allclose(ours.outcome.predicted, theirs.outcome.predicted, rtol=1e-8)
    paths = " ".join(one.outcome.path for one in exact.search.scores)
    assert "one search" in paths or "one decomposition" in paths


def test_leave_one_out_shares_its_search_too() -> None:
    X, y = WINE[0][::3], WINE[1][::3]
    how: Any = {"procedure": "loo"}
    made = heldout.select(KNeighborsClassifier(), "n_neighbors=1,4", X, y, **how)
    plain = heldout.select(KNeighborsClassifier(), "n_neighbors=1,4", X, y, exact=False, **how)
    assert np.array_equal(made.search.values, plain.search.values)


def test_a_resumed_search_does_no_work_twice(tmp_path: Path) -> None:
    how: Any = {"data": "iris", "procedure": "4-fold", "store": tmp_path}
    first = heldout.select("tree", {"max_depth": [1, 2]}, **how)
    assert (first.search.fitted, first.search.reused) == (8, 0)
    more = heldout.select("tree", {"max_depth": [1, 2, 3]}, **how)
    assert (more.search.fitted, more.search.reused) == (4, 8)
    again = heldout.select(
        "tree", {"max_depth": [1, 2, 3]}, nested="2x4-fold", **{**how, "procedure": None}
    )
    assert (again.search.fitted, again.search.reused) == (0, 12)
    assert np.array_equal(again.search.table, more.search.table)


def test_training_error_of_one_neighbour_is_zero_and_validation_error_is_not() -> None:
    made = heldout.select(
        "knn", "n_neighbors=1..10", data="iris", measure="error_rate", training_error=True
    )
    assert made.training is not None
    assert made.training[0] == 0
    assert made.search.values[0] > 0.03
    assert made.training[5] > 0
    assert "training (optimistic)" in repr(made)


def test_the_validation_part_chooses_and_the_test_part_judges_once() -> None:
    X, y = WINE
    made = heldout.select("tree", {"max_depth": [1, 2, 4]}, X, y, procedure="holdout 50:20:30")
    assert made.tested is not None
    split = heldout.Holdout("50:20:30").splits(len(y), truth=y)[0]
    assert split.validation is not None
    for score in made.search.scores:
        assert np.array_equal(score.outcome.rows, split.validation)
    assert np.array_equal(made.tested.outcomes["chosen setting"].rows, split.test)
    trained = np.sort(np.concatenate([split.train, split.validation]))
    assert np.array_equal(made.tested.splits[0].train, trained)
    assert made.estimate.notes[0].words == "test part"
    assert made.estimate.low is not None
    rows = made.model.tree_.n_node_samples[0]
    assert rows == len(trained)


def test_changing_the_test_part_changes_no_choice() -> None:
    X, y = WINE
    how: Any = {"procedure": heldout.Holdout("50:20:30", stratify=False)}
    first = heldout.select("tree", {"max_depth": [1, 2, 4]}, X, y, **how)
    part = heldout.Holdout("50:20:30", stratify=False).splits(len(y), truth=y)[0]
    spoiled = X.copy()
    spoiled[part.test] = 0.0
    second = heldout.select("tree", {"max_depth": [1, 2, 4]}, spoiled, y, **how)
    assert np.array_equal(first.search.table, second.search.table)
    assert first.choice == second.choice
    assert first.estimate != second.estimate


def test_a_race_drops_hopeless_settings_and_says_why() -> None:
    how: Any = {"data": "wine", "procedure": "10-fold"}
    made = heldout.select("tree", {"max_depth": [1, 3, 4]}, race=True, **how)
    whole = heldout.select("tree", {"max_depth": [1, 3, 4]}, **how)
    assert list(made.search.dropped) == [0]
    dropped = made.search.dropped[0]
    assert 3 <= dropped.after < 10
    assert made.search.fitted == 20 + dropped.after
    assert "dropped after" in " ".join(made.notes)
    assert made.best == whole.best
    assert np.isnan(made.search.values[0])
    assert np.array_equal(made.search.table[1:], whole.search.table[1:])
    assert np.array_equal(
        made.search.table[0, : dropped.after], whole.search.table[0, : dropped.after]
    )


def test_settings_that_fail_are_last_and_are_told() -> None:
    made = heldout.select("knn", "n_neighbors=3,500", data="iris", procedure="3-fold")
    assert made.best.parameters == {"n_neighbors": 3}
    assert np.isnan(made.search.values[1])
    assert any("failed" in note for note in made.notes)
    assert "left out" in made.estimate.note
    with pytest.raises(InputError, match="no setting has a value"):
        heldout.select("knn", "n_neighbors=400,500", data="iris", procedure="3-fold")


def test_several_models_have_their_own_grids() -> None:
    made = heldout.select(
        {"near": "knn", "line": "lda"},
        {"near": {"n_neighbors": [1, 5]}, "line": {"shrinkage": [0.1, 0.5], "solver": ["lsqr"]}},
        data="iris",
        procedure="3-fold",
    )
    assert [one.base for one in made.search.settings] == ["near", "near", "line", "line"]
    texts = heldout.select("knn,tree", ["knn: n_neighbors=1..3"], data="iris", procedure="3-fold")
    assert [one.name for one in texts.search.settings][-1] == "tree"
    with pytest.raises(InputError, match="none of the models has a parameter 'gamma'"):
        heldout.select("knn,tree", ["gamma=1,2"], data="iris")


def test_pooled_values_are_of_all_folds_together() -> None:
    X, y = WINE
    made = heldout.select(
        "tree", {"max_depth": [1, 3]}, X, y, procedure="7-fold", aggregate="pooled"
    )
    right = [np.mean(one.outcome.predicted == y[one.outcome.rows]) for one in made.search.scores]
    np.testing.assert_allclose(made.search.values, right)


def test_weights_count_in_the_values() -> None:
    X, y = WINE
    weight = np.arange(1.0, len(y) + 1)
    made = heldout.select(
        "tree", {"max_depth": [1, 3]}, X, y, procedure="3-fold", sample_weight=weight
    )
    one = made.search.scores[0].outcome
    first = one.split_of == 0
    right = one.predicted[first] == y[one.rows[first]]
    assert made.search.table[0, 0] == pytest.approx(
        np.average(right, weights=weight[one.rows[first]])
    )


def test_search_tries_failed_fits_again_where_asked_to(tmp_path: Path) -> None:
    how: Any = {"data": "iris", "procedure": "3-fold", "store": tmp_path, "exact": False}
    too_many: Any = {"n_neighbors": [2, 1000]}
    assert heldout.select("knn", too_many, **how).search.fitted == 6
    again = heldout.select("knn", too_many, **how)
    assert again.search.fitted == 0
    assert any("retry_failed=True" in note for note in again.notes)
    assert heldout.select("knn", too_many, retry_failed=True, **how).search.fitted == 3
