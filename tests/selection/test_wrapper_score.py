"""``SelectCV`` with several models, its task, and its score: the measure that decided."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import heldout

X, Y = make_classification(150, 5, flip_y=0.2, random_state=0)
XR, YR = make_regression(80, 4, noise=10, random_state=0)
NAMES = np.where(Y, "yes", "no")
TWO: Any = {"a": KNeighborsClassifier(), "b": LogisticRegression()}
GRIDS: Any = {"a": {"n_neighbors": [1, 9]}, "b": {"C": [0.1, 1.0]}}


@pytest.mark.parametrize(
    ("estimator", "grid"),
    [
        (TWO, GRIDS),
        (list(TWO.values()), ["n_neighbors=1,9", "C=0.1,1"]),
        (["knn", "logistic"], ["n_neighbors=1,9", "C=0.1,1"]),
        ("knn,logistic", "n_neighbors=1,9; C=0.1,1"),
    ],
)
def test_several_models_are_one_estimator(estimator: Any, grid: Any) -> None:
    made = clone(heldout.SelectCV(estimator, grid, procedure="3-fold"))
    assert is_classifier(made)
    assert hasattr(made, "predict_proba")
    fitted = made.fit(X, NAMES)
    same = heldout.select(estimator, grid, X, NAMES, procedure="3-fold")
    assert fitted.best_params_ == same.best.parameters
    assert cross_val_score(made, X, NAMES, cv=3, error_score="raise").min() > 0.5
    areas = cross_val_score(made, X, NAMES, cv=3, scoring="roc_auc", error_score="raise")
    assert areas.min() > 0.5


def test_several_models_of_numbers_are_a_regressor() -> None:
    grid = {"ridge": {"alpha": [1.0]}, "knn": {"n_neighbors": [3]}}
    made = heldout.SelectCV({"ridge": Ridge(), "knn": KNeighborsRegressor()}, grid)
    assert is_regressor(made)
    assert made.fit(XR, YR).score(XR, YR) > 0.5


@pytest.mark.parametrize("measure", ["mae", "r2", None])
def test_the_task_of_a_named_model_follows_from_measure_or_target(measure: Any) -> None:
    made = heldout.SelectCV("ridge", {"alpha": [0.1, 10.0]}, measure=measure, procedure="3-fold")
    assert made.fit(XR, YR).selection_.dataset.task == "regression"
    assert is_regressor(made) == (measure is not None)


def test_a_classifier_still_refuses_numbers() -> None:
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        heldout.SelectCV(LogisticRegression(), {"C": [1.0]}).fit(XR, YR)


@pytest.mark.parametrize(
    ("estimator", "grid", "measure", "scoring"),
    [
        (LogisticRegression(), {"C": [0.1, 1.0]}, "log_loss", "neg_log_loss"),
        (LogisticRegression(), {"C": [0.1, 1.0]}, "auc", "roc_auc"),
        (Ridge(), {"alpha": [0.1, 10.0]}, "mae", "neg_mean_absolute_error"),
        (Ridge(), {"alpha": [0.1, 10.0]}, None, None),
    ],
)
def test_the_score_is_the_measure_and_greater_is_better(
    estimator: Any, grid: Any, measure: Any, scoring: Any
) -> None:
    data = (XR, YR) if isinstance(estimator, Ridge) else (X, Y)
    folds = heldout.KFold(4, stratify=False)
    ours = heldout.SelectCV(estimator, grid, measure=measure, procedure=folds)
    theirs = GridSearchCV(estimator, grid, scoring=scoring, cv=folds)
    expected = cross_val_score(theirs, *data, cv=3, error_score="raise")
    assert cross_val_score(ours, *data, cv=3, error_score="raise") == pytest.approx(expected)


def test_a_score_takes_names_weights_and_rows_of_one_class() -> None:
    made = heldout.SelectCV(
        LogisticRegression(), {"C": [1.0]}, measure="recall", pos_label="yes"
    ).fit(X, NAMES)
    hit = made.predict(X) == NAMES
    assert made.score(X, NAMES) == pytest.approx(hit[NAMES == "yes"].mean())
    weight = np.arange(150.0) + 1
    expected = np.average(hit[NAMES == "yes"], weights=weight[NAMES == "yes"])
    assert made.score(X, NAMES, weight) == pytest.approx(expected)
    ones = NAMES == "yes"
    assert made.score(X[ones], NAMES[ones]) == pytest.approx(hit[ones].mean())
    with pytest.raises(heldout.InputError, match="class 'maybe', which was not there in the fit"):
        made.score(X[:2], ["yes", "maybe"])
