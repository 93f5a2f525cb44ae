"""Probabilities of exactly 0 or 1 tie in a ranking, which is said where decision values do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import heldout

X, Y = load_breast_cancer(return_X_y=True)
SHRINKAGES = {"shrinkage": [1.0, 0.99, 0.98]}
SAID = "are exactly 0 or 1: these rows tie"


class ByDecision(LinearDiscriminantAnalysis):  # type: ignore[misc]  # of no known type
    """Linear discriminants that give no probabilities."""

    predict_proba = None


def selected(estimator: Any, measure: str = "auc", grid: Any = None) -> heldout.Selection:
    return heldout.select(estimator, grid or SHRINKAGES, X, Y, measure=measure, procedure="5-fold")


def test_many_probabilities_of_0_and_1_are_said_with_what_to_do() -> None:
    made = selected(LinearDiscriminantAnalysis(solver="lsqr"))
    (note,) = [one for one in made.notes if SAID in one]
    assert note.startswith("auc ranks by probabilities, and 59% of those of Linear")
    assert "shrinkage=1.0" in note
    # doing so gives the values and the choice of scikit-learn
    theirs = GridSearchCV(
        LinearDiscriminantAnalysis(solver="lsqr"),
        SHRINKAGES,
        scoring="roc_auc",
        cv=heldout.KFold(5),
    ).fit(X, Y)
    assert made.best.parameters != theirs.best_params_
    again = selected(ByDecision(solver="lsqr"))
    assert again.best.parameters == theirs.best_params_
    values = again.table.to_pandas().value.to_numpy()
    assert values == pytest.approx(theirs.cv_results_["mean_test_score"], rel=1e-12)
    assert not any(SAID in one for one in again.notes)


def test_nothing_is_said_where_nothing_ties_or_nothing_ranks() -> None:
    scaled = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis(solver="lsqr"))
    half = {"shrinkage": [0.5, 0.9]}
    assert not any(SAID in one for one in selected(scaled, grid=half).notes)
    plain = LinearDiscriminantAnalysis(solver="lsqr")
    assert not any(SAID in one for one in selected(plain, "accuracy").notes)
    # neighbours have no decision values that would tell rows apart
    made = heldout.select("knn", {"n_neighbors": [1, 3]}, X, Y, measure="auc", procedure="5-fold")
    assert not any(SAID in one for one in made.notes)


def test_it_is_said_of_several_classes_and_of_pipelines() -> None:
    wine, kinds = load_wine(return_X_y=True)
    made = heldout.select(
        make_pipeline(FunctionTransformer(), QuadraticDiscriminantAnalysis()),
        {"reg_param": [0.0, 0.1]}, wine, kinds, measure="hand_till", procedure="3-fold",
    )  # fmt: skip
    given = [np.asarray(one.outcome.scores) for one in made.search.scores]
    shares = [float(np.mean((one == 1).any(axis=1))) for one in given]
    assert max(shares) > 0.01
    assert any(f"{max(shares):.0%} of those of" in one for one in made.notes)
