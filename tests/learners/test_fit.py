"""One fit at a time equals scikit-learn's cross_val_predict, for all kinds of learners."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Perceptron, Ridge, RidgeClassifier
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from heldout.datasets.arrays import dataset_of
from heldout.datasets.dataset import Dataset
from heldout.datasets.read import read_dataset
from heldout.learners.fit import fit_and_predict
from heldout.learners.model import Model
from heldout.learners.request import models_for
from heldout.procedures.splits import Split

IRIS = read_dataset("iris")
DIABETES = read_dataset("diabetes")
WDBC = read_dataset("wdbc")


def pooled(model: Model, data: Dataset, splits: Any) -> tuple[Any, Any, str]:
    """Predictions of all rows, each from the split that tests it."""
    predicted: Any = None
    scores: Any = None
    kind = ""
    for fold, (train, test) in enumerate(splits, start=1):
        (outcome,) = fit_and_predict(model, data, Split(1, fold, train, test), position=fold - 1)
        if predicted is None:
            predicted = np.zeros(len(data), outcome.predicted.dtype)
            if outcome.scores is not None:
                scores = np.zeros((len(data), outcome.scores.shape[1]))
        predicted[test] = outcome.predicted
        if scores is not None:
            scores[test] = outcome.scores
        kind = outcome.score_kind
        assert outcome.splits.tolist() == [fold - 1]
        assert outcome.rows is test
    return predicted, scores, kind


@pytest.mark.parametrize(
    "estimator",
    [
        KNeighborsClassifier(),
        KNeighborsClassifier(3, weights="distance"),
        LinearDiscriminantAnalysis(),
        GaussianNB(),
        DecisionTreeClassifier(random_state=1),
        RandomForestClassifier(5, random_state=2),
        make_pipeline(StandardScaler(), LogisticRegression()),
        make_pipeline(StandardScaler(), SVC()),
        RidgeClassifier(),
        Perceptron(random_state=0),
    ],
    ids=lambda one: type(one).__name__,
)
@pytest.mark.parametrize("kind", ["text", "integer", "boolean"])
def test_classifier_equals_cross_val_predict(estimator: Any, kind: str) -> None:
    data = IRIS if kind != "boolean" else WDBC
    rows = np.arange(len(data)) if kind != "boolean" else np.arange(0, len(data), 4)
    X = data.matrix[rows]
    y = {"text": data.labels, "integer": data.truth + 3, "boolean": data.truth == 0}[kind][rows]
    splits = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    own = dataset_of(X, y)
    (model,) = models_for(estimator, own)
    predicted, scores, score_kind = pooled(model, own, splits)
    wanted = cross_val_predict(estimator, X, y, cv=splits)
    assert np.array_equal(np.asarray(own.classes)[predicted], wanted)
    if hasattr(estimator, "predict_proba"):
        assert score_kind == "probability"
        wanted = cross_val_predict(estimator, X, y, cv=splits, method="predict_proba")
    else:
        assert score_kind == "decision"
        wanted = cross_val_predict(estimator, X, y, cv=splits, method="decision_function")
    assert np.array_equal(scores, wanted.reshape(len(X), -1))


@pytest.mark.parametrize(
    "estimator",
    [
        Ridge(),
        KNeighborsRegressor(),
        DecisionTreeRegressor(random_state=1),
        RandomForestRegressor(5, random_state=2),
    ],
    ids=lambda one: type(one).__name__,
)
def test_regressor_equals_cross_val_predict(estimator: Any) -> None:
    X, y = DIABETES.matrix, DIABETES.truth
    splits = list(KFold(3, shuffle=True, random_state=0).split(X))
    (model,) = models_for(estimator, DIABETES)
    predicted, scores, _ = pooled(model, DIABETES, splits)
    assert scores is None
    assert np.array_equal(predicted, cross_val_predict(estimator, DIABETES.frame, y, cv=splits))


@pytest.mark.parametrize(
    ("name", "estimator"),
    [
        ("knn", make_pipeline(StandardScaler(), KNeighborsClassifier())),
        ("knn[scale=false, n_neighbors=1]", KNeighborsClassifier(1)),
        ("lda", LinearDiscriminantAnalysis()),
        ("nb", GaussianNB()),
        ("logistic", make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))),
        ("svm[kernel=linear]", make_pipeline(StandardScaler(), SVC(kernel="linear"))),
        ("forest[n_estimators=5, random_state=3]", RandomForestClassifier(5, random_state=3)),
    ],
)
def test_named_model_equals_the_pipeline_it_stands_for(name: str, estimator: Any) -> None:
    splits = list(StratifiedKFold(3, shuffle=True, random_state=0).split(IRIS.matrix, IRIS.truth))
    (model,) = models_for(name, IRIS)
    predicted, _, _ = pooled(model, IRIS, splits)
    assert np.array_equal(
        predicted, cross_val_predict(estimator, IRIS.matrix, IRIS.truth, cv=splits)
    )


def test_own_pipeline_is_given_the_data_frame_as_it_is() -> None:
    frame = pd.DataFrame({"n": np.arange(30.0) % 7, "s": list("abc") * 10})
    y = np.where(frame["s"] == "a", "yes", "no")
    columns = ColumnTransformer([("s", OneHotEncoder(), ["s"]), ("n", StandardScaler(), ["n"])])
    estimator = make_pipeline(columns, LogisticRegression())
    data = dataset_of(frame, y, pos_label="yes")
    splits = list(KFold(3).split(frame))
    (model,) = models_for(estimator, data)
    predicted, _, _ = pooled(model, data, splits)
    assert np.array_equal(
        np.asarray(data.classes)[predicted], cross_val_predict(estimator, frame, y, cv=splits)
    )


def test_training_rows_come_once_and_are_marked() -> None:
    train = np.array([0, 0, 50, 50, 100, 101, 3])
    (model,) = models_for("tree", IRIS)
    test, trained = fit_and_predict(
        model, IRIS, Split(1, 1, train, np.array([1, 2])), part=("test", "train")
    )
    assert (test.part, trained.part) == ("test", "train")
    assert trained.rows.tolist() == [0, 3, 50, 100, 101]
    assert np.array_equal(trained.predicted, IRIS.truth[trained.rows])
    assert test.train_counts is not None
    assert test.train_counts.tolist() == [[3, 2, 2]]
    assert test.train_rows is not None
    assert test.train_rows.tolist() == [7]


def test_class_that_the_training_part_lacks_has_probability_zero() -> None:
    train, test = np.arange(50, 150, 2), np.array([0, 51, 101])
    for name in ("nb", "forest[n_estimators=3]", "logistic"):
        (model,) = models_for(name, IRIS)
        (outcome,) = fit_and_predict(model, IRIS, Split(1, 1, train, test))
        assert outcome.scores is not None
        assert outcome.scores[:, 0].tolist() == [0, 0, 0]
        assert outcome.scores.sum(axis=1) == pytest.approx([1, 1, 1])
        assert outcome.predicted[1:].tolist() == [1, 2]
    (model,) = models_for("svm", IRIS)
    (outcome,) = fit_and_predict(model, IRIS, Split(1, 1, train, test))
    assert outcome.scores is not None
    assert outcome.scores[:, 0].tolist() == [-np.inf] * 3


def test_regression_outcome_has_the_mean_of_the_training_part() -> None:
    (model,) = models_for("mean", DIABETES)
    train = np.arange(100)
    (outcome,) = fit_and_predict(model, DIABETES, Split(1, 1, train, np.array([200])))
    assert outcome.train_mean is not None
    assert outcome.predicted[0] == pytest.approx(outcome.train_mean[0])
    assert outcome.train_mean[0] == pytest.approx(DIABETES.truth[:100].mean())


def test_row_with_unusable_output_is_named_as_the_data_name_it() -> None:
    class Failing(GaussianNB):  # type: ignore[misc]  # of no known type
        def predict_proba(self, X: Any) -> Any:
            found = super().predict_proba(X)
            found[1] = np.nan
            return found

    split = Split(1, 1, np.arange(0, 150, 2), np.arange(1, 150, 2))
    model = Model("failing", Failing(), IRIS.task, "matrix", "failing")
    with pytest.raises(ValueError, match=r"NaN in 1 of 75 rows \(first: row 4 of iris\)"):
        fit_and_predict(model, IRIS, split)
    named = replace(IRIS, identifier=np.array([f"P{i}" for i in range(150)], dtype=object))
    with pytest.raises(ValueError, match=r"\(first: row P3\)"):
        fit_and_predict(model, named, split)
