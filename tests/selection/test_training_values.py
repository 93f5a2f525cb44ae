"""Training values: each split's model on the rows that it was trained on, and on no others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

import heldout

X, Y = make_classification(150, 5, flip_y=0.2, random_state=0)
GRID: Any = {"n_neighbors": [1, 2, 5, 15]}


def test_they_are_the_train_scores_of_grid_search() -> None:
    made = heldout.select(
        KNeighborsClassifier(), GRID, X, Y, procedure="5-fold", training_error=True
    )
    cv = heldout.KFold(5, random_state=0)
    other = GridSearchCV(KNeighborsClassifier(), GRID, cv=cv, return_train_score=True).fit(X, Y)
    assert made.training == pytest.approx(other.cv_results_["mean_train_score"], abs=1e-12)
    assert made.search.values == pytest.approx(other.cv_results_["mean_test_score"], abs=1e-12)
    assert any("fitted in every split" in note for note in made.notes)


def test_neither_the_validation_nor_the_test_part_takes_part() -> None:
    how: Any = {"procedure": heldout.Holdout("50:20:30", stratify=False), "training_error": True}
    split = heldout.Holdout("50:20:30", stratify=False).splits(150, truth=Y)[0]
    made = heldout.select(KNeighborsClassifier(), GRID, X, Y, **how)
    model = KNeighborsClassifier(5).fit(X[split.train], Y[split.train])
    assert made.training is not None
    assert made.training[2] == pytest.approx(model.score(X[split.train], Y[split.train]))
    spoiled = np.where(np.isin(np.arange(150), split.train), Y, 1 - Y)
    other = heldout.select(KNeighborsClassifier(), GRID, X, spoiled, **how)
    assert np.array_equal(made.training, other.training)


def test_a_race_has_them_of_those_that_finish() -> None:
    iris = load_iris(return_X_y=True)
    grid = {"n_neighbors": [5, 7, 100]}
    how: Any = {"procedure": "10-fold", "training_error": True}
    made = heldout.select("knn", grid, *iris, race=True, **how)
    whole = heldout.select("knn", grid, *iris, **how)
    assert made.table.columns()["status"] == ["", "", "dropped"]
    assert made.training is not None
    assert whole.training is not None
    assert made.training[:2] == pytest.approx(whole.training[:2])
    assert np.isnan(made.training[2])
