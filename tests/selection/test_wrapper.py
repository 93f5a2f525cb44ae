"""``SelectCV`` among scikit-learn's tools: checks, copies, labels, pickles, sparse rows."""

from __future__ import annotations

import pickle
import warnings
from typing import Any
from unittest import SkipTest

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import estimator_checks_generator

import heldout

IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
#: a row of weight 2 is no row that stands twice, as weights count in measures alone and rows
#: fall into folds
REFUSED = {
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
}
#: slow on small machines, and about nothing that the wrapper does itself
LONG = {"check_classifiers_train", "check_regressors_train"}


@pytest.mark.parametrize(
    "estimator",
    [
        heldout.SelectCV(
            DecisionTreeClassifier(random_state=0), {"max_depth": [2, 5]}, procedure="2-fold"
        ),
        heldout.SelectCV(Ridge(), {"alpha": [0.1, 1.0]}, procedure="2-fold"),
    ],
)
def test_it_passes_the_checks_of_scikit_learn(estimator: Any) -> None:
    failed = {}
    for made, check in estimator_checks_generator(estimator):
        name = check.func.__name__
        if name in LONG:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                check(made)
            except SkipTest:
                continue
            except Exception as error:
                failed[name] = str(error)
    assert set(failed) <= REFUSED, failed


def test_its_parameters_and_those_inside_are_searched_and_copied() -> None:
    X, y = IRIS
    made = heldout.SelectCV(SVC(), {"C": [0.1, 1.0]}, procedure="3-fold")
    assert clone(made.set_params(estimator__gamma=0.5)).get_params()["estimator__gamma"] == 0.5
    outer = GridSearchCV(made, {"estimator__gamma": [0.01, 1.0]}, cv=2).fit(X, y)
    assert set(outer.best_params_) == {"estimator__gamma"}
    with pytest.raises(NotFittedError):
        clone(made).predict(X)


def test_a_positive_class_is_asked_for_where_the_measure_depends_on_it() -> None:
    X, y = CANCER
    names = np.array(["a", "b"], dtype=object)[y]
    made = heldout.SelectCV("logistic", "C=0.1,1", procedure="3-fold", measure="recall")
    with pytest.raises(ValueError, match="choose the positive one with pos_label='a' or"):
        made.fit(X, names)
    first, last = (clone(made).set_params(pos_label=one).fit(X, names) for one in "ab")
    assert first.classes_.tolist() == last.classes_.tolist() == ["a", "b"]
    assert last.best_score_ == clone(made).fit(X, y).best_score_ != first.best_score_
    either = heldout.SelectCV("logistic", "C=0.1,1", procedure="3-fold", measure="auc").fit(
        X, names
    )
    other = clone(either).set_params(pos_label="a").fit(X, names)
    assert other.best_score_ == pytest.approx(either.best_score_, abs=1e-12)


def test_weights_of_rows_count_in_the_measure_and_not_in_the_fits() -> None:
    X, y = IRIS
    weight = np.where(y == 2, 3.0, 1.0)
    made = heldout.SelectCV("tree", "max_depth=1,2", procedure="3-fold")
    ours = clone(made).fit(X, y, sample_weight=weight)
    theirs = heldout.select(
        "tree", "max_depth=1,2", X, y, procedure="3-fold", sample_weight=weight,
    )  # fmt: skip
    assert ours.best_score_ == theirs.best.value != clone(made).fit(X, y).best_score_
    with pytest.raises(ValueError, match="sample_weight"):
        clone(made).fit(X, y, sample_weight=weight[:5])


def test_it_is_written_and_read_with_what_it_found() -> None:
    X, y = IRIS
    made = heldout.SelectCV(SVC(), {"C": [0.1, 1.0]}, procedure="3-fold").fit(X, y)
    again = pickle.loads(pickle.dumps(made))
    assert np.array_equal(again.predict(X), made.predict(X))
    assert again.selection_.best == made.selection_.best
    profit = "profit_per_row[matrix=10,-1;-5,0]"
    chosen = heldout.select("tree", "max_depth=1,2", *CANCER, measure=profit, procedure="2-fold")
    read = pickle.loads(pickle.dumps(chosen)).criterion
    assert read.request.values == chosen.criterion.request.values
    assert read.text == chosen.criterion.text == profit


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.dok_matrix, sparse.coo_matrix])
def test_sparse_rows_are_taken(kind: Any) -> None:
    X, y = IRIS
    made = heldout.SelectCV(LogisticRegression(max_iter=500), {"C": [0.1, 1.0]}, procedure="3-fold")
    dense = clone(made).fit(X, y)
    assert np.array_equal(made.fit(kind(X), y).predict(kind(X)), dense.predict(X))


def test_names_of_columns_are_kept() -> None:
    frame = load_iris(as_frame=True)
    made = heldout.SelectCV(SVC(), {"C": [0.1, 1.0]}, procedure="3-fold")
    fitted = made.fit(frame.data, frame.target)
    assert fitted.feature_names_in_.tolist() == frame.data.columns.tolist()
    assert cross_val_score(made, frame.data, frame.target, cv=3).min() > 0.9
