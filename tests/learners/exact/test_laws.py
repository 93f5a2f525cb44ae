"""A law of every exact path: on any data it equals refitting, or leaves the split to it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import CategoricalNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.learners.exact.comparing import (
    assert_equals_refit,
    leave_one_out,
    path_of_arrays,
    repeated_folds,
)

CLASSIFIERS = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.2),
    QuadraticDiscriminantAnalysis(reg_param=0.1),
    GaussianNB(),
    MultinomialNB(),
    CategoricalNB(),
    KNeighborsClassifier(3),
    KNeighborsClassifier(2, weights="distance"),
    RidgeClassifier(),
]
REGRESSORS = [LinearRegression(), Ridge(), KNeighborsRegressor(3)]


@st.composite
def problems(draw: Any) -> Any:
    """Rows that are often alike: few values, several scales, repeated and constant columns."""
    rows = draw(st.integers(8, 30))
    features = draw(st.integers(1, 4))
    seed = draw(st.integers(0, 2**32 - 1))
    chance = np.random.default_rng(seed)
    kind = draw(st.sampled_from(["few", "many", "wide"]))
    if kind == "few":
        X = chance.integers(0, 4, size=(rows, features)).astype(float)
    else:
        X = np.abs(chance.normal(size=(rows, features)))
        X *= 1.0 if kind == "many" else 10.0 ** chance.integers(-4, 5, features)
    if draw(st.booleans()):
        X = np.column_stack([X, X[:, 0]])
    if draw(st.booleans()):
        X = np.column_stack([X, np.ones(rows)])
    y = chance.integers(0, draw(st.integers(2, 4)), rows)
    folds = draw(st.sampled_from([rows, 3, 5]))
    splits = leave_one_out(rows) if folds == rows else repeated_folds(rows, folds, 1, seed % 100)
    return X, y, splits


@settings(max_examples=60, deadline=None)
@given(problems(), st.sampled_from(CLASSIFIERS + REGRESSORS), st.booleans())
def test_an_exact_path_equals_refitting_or_refuses(
    problem: Any, estimator: Any, is_scaled: Any
) -> None:
    X, y, splits = problem
    model = make_pipeline(StandardScaler(), estimator) if is_scaled else estimator
    if any(estimator is one for one in REGRESSORS):
        y = y + 0.5 * X[:, 0] / np.abs(X[:, 0]).max(initial=1e-9)
    if not isinstance(path_of_arrays(model, X, y, splits), str):
        with warnings.catch_warnings():
            # scikit-learn's own on degenerate training parts
            warnings.simplefilter("ignore")
            assert_equals_refit(model, X, y, splits, least=0.0)
