"""The same values and choices as scikit-learn's grid search, on the same splits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import heldout

IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
LOGISTIC = make_pipeline(StandardScaler(), LogisticRegression())

CASES: list[tuple[Any, dict[str, Any], Any, str, str, float]] = [
    (KNeighborsClassifier(), {"n_neighbors": range(1, 11)}, IRIS, "accuracy", "accuracy", 1),
    (KNeighborsClassifier(), {"n_neighbors": [2, 9], "weights": ["uniform", "distance"]}, IRIS,
     "balanced_accuracy", "balanced_accuracy", 1),
    (SVC(), {"C": [0.1, 1, 10], "kernel": ["linear", "rbf"]}, IRIS, "accuracy", "accuracy", 1),
    (DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3, None]}, IRIS, "f_score_macro",
     "f1_macro", 1),
    (LOGISTIC, {"logisticregression__C": [0.01, 1.0]}, CANCER, "auc", "roc_auc", 1),
    (LOGISTIC, {"logisticregression__C": [0.01, 1.0]}, CANCER, "log_loss", "neg_log_loss", -1),
    (Ridge(), {"alpha": [0.01, 0.1, 1.0, 10.0]}, DIABETES, "mse", "neg_mean_squared_error", -1),
    (Ridge(), {"alpha": [0.01, 0.1, 1.0, 10.0]}, DIABETES, "rmse",
     "neg_root_mean_squared_error", -1),
    (make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": [0.1, 10.0, 100.0]}, DIABETES,
     "mae", "neg_mean_absolute_error", -1),
]  # fmt: skip


@pytest.mark.parametrize(("estimator", "grid", "data", "measure", "scoring", "sign"), CASES)
def test_values_and_choice_are_those_of_grid_search(
    estimator: Any, grid: Any, data: Any, measure: str, scoring: str, sign: float
) -> None:
    X, y = data
    splits = heldout.KFold(5)
    asked: Any = {"measure": measure, "procedure": splits, "aggregate": "folds"}
    ours = heldout.select(estimator, grid, X, y, **asked)
    grid = {name: list(values) for name, values in grid.items()}
    theirs = GridSearchCV(estimator, grid, cv=splits, scoring=scoring).fit(X, y)
    assert [one.parameters for one in ours.search.settings] == theirs.cv_results_["params"]
    expected = sign * theirs.cv_results_["mean_test_score"]
    np.testing.assert_allclose(ours.search.values, expected, rtol=1e-9, atol=1e-12)
    each = [sign * theirs.cv_results_[f"split{fold}_test_score"] for fold in range(5)]
    np.testing.assert_allclose(ours.search.table, np.column_stack(each), rtol=1e-9, atol=1e-12)
    # values that rounding alone tells apart are equal here, and the first of them is chosen
    means = theirs.cv_results_["mean_test_score"].round(10)
    assert dict(ours.best.parameters) == theirs.cv_results_["params"][int(np.argmax(means))]
    assert ours.table["rank"] == [1 + np.count_nonzero(means > one) for one in means]


def test_nested_is_cross_validation_of_grid_search() -> None:
    X, y = IRIS
    grid = {"C": [0.1, 10], "kernel": ["linear", "rbf"]}
    ours = heldout.select(SVC(), grid, X, y, nested="4x3-fold")
    inner = GridSearchCV(SVC(), grid, cv=heldout.KFold(3))
    theirs = cross_val_score(inner, X, y, cv=heldout.KFold(4))
    assert ours.nested is not None
    assert np.array_equal(ours.nested.values, theirs)
    assert ours.nested.mean == theirs.mean()
    again = heldout.select(SVC(), grid, X, y, nested=(heldout.KFold(4), heldout.KFold(3)))
    assert again.nested is not None
    assert np.array_equal(again.nested.values, theirs)


def test_nested_with_an_exact_path_is_the_same() -> None:
    X, y = IRIS
    grid = {"n_neighbors": [1, 5, 15]}
    ours = heldout.select(KNeighborsClassifier(), grid, X, y, nested="3x4-fold")
    inner = GridSearchCV(KNeighborsClassifier(), grid, cv=heldout.KFold(4))
    assert ours.nested is not None
    assert np.array_equal(ours.nested.values, cross_val_score(inner, X, y, cv=heldout.KFold(3)))


def test_the_wrapper_is_an_estimator_of_scikit_learn() -> None:
    from sklearn.base import clone, is_classifier

    X, y = IRIS
    grid = {"C": [0.1, 10], "kernel": ["linear", "rbf"]}
    wrapper = heldout.SelectCV(SVC(), grid, procedure=heldout.KFold(3))
    assert is_classifier(wrapper)
    assert clone(wrapper).get_params()["grid"] == grid
    inner = GridSearchCV(SVC(), grid, cv=heldout.KFold(3))
    expected = cross_val_score(inner, X, y, cv=heldout.KFold(4))
    assert np.array_equal(cross_val_score(wrapper, X, y, cv=heldout.KFold(4)), expected)
    names = np.array(["a", "b", "c"])[y]
    fitted = wrapper.fit(X, names)
    assert set(fitted.predict(X)) == {"a", "b", "c"}
    assert fitted.best_params_ == inner.fit(X, names).best_params_
    assert not hasattr(fitted, "predict_proba")
    assert fitted.decision_function(X).shape == (150, 3)


def test_the_wrapper_takes_two_named_classes_and_regression() -> None:
    X, y = CANCER
    names = np.array(["bad", "good"])[y]
    made = heldout.SelectCV("logistic", "C=0.1,1", procedure="3-fold", measure="auc").fit(X, names)
    assert made.classes_.tolist() == ["bad", "good"]
    assert made.predict_proba(X).shape == (569, 2)
    X, y = DIABETES
    found = heldout.SelectCV(Ridge(), {"alpha": [0.1, 1.0]}, procedure="3-fold").fit(X, y)
    assert cross_val_score(found, X, y, cv=3).mean() > 0.3
