"""Naive Bayes without some rows equals refitting, and refuses where it would not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.naive_bayes import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    MultinomialNB,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.learners.exact.comparing import (
    assert_equals_refit,
    blobs,
    holdouts,
    leave_one_out,
    refusal,
    repeated_folds,
    slope,
)

PRIORS = [0.2, 0.5, 0.3]
SPLITS = [leave_one_out(120), repeated_folds(120, 7), holdouts(120)]


def counts() -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(4)
    y = draw.integers(0, 3, 120)
    return draw.poisson(1.0 + y[:, np.newaxis] * draw.random(5)).astype(float), y


@pytest.mark.parametrize(
    "estimator",
    [
        GaussianNB(),
        GaussianNB(var_smoothing=0.1),
        GaussianNB(var_smoothing=0.0),
        GaussianNB(priors=PRIORS),
        make_pipeline(StandardScaler(), GaussianNB(var_smoothing=0.05)),
    ],
    ids=str,
)
@pytest.mark.parametrize("splits", SPLITS)
def test_every_setting_of_gaussian_bayes_equals_refitting(estimator: Any, splits: Any) -> None:
    X, y = blobs()
    assert_equals_refit(estimator, X * [1.0, 5.0, 0.2, 30.0], y, splits)


@pytest.mark.parametrize(
    "estimator",
    [
        MultinomialNB(),
        MultinomialNB(alpha=0.01, fit_prior=False),
        MultinomialNB(class_prior=PRIORS),
        BernoulliNB(),
        BernoulliNB(binarize=1.0, alpha=0.5),
        ComplementNB(),
        ComplementNB(norm=True),
        CategoricalNB(min_categories=20),
        CategoricalNB(min_categories=[20, 12, 15, 15, 20], alpha=0.3, fit_prior=False),
        DummyClassifier(),
        DummyClassifier(strategy="most_frequent"),
    ],
    ids=str,
)
@pytest.mark.parametrize("splits", SPLITS)
def test_every_setting_on_counts_equals_refitting(estimator: Any, splits: Any) -> None:
    # counts make ties, which are left to refitting
    X, y = counts()
    assert_equals_refit(estimator, X, y, splits, least=0.9)


@pytest.mark.parametrize("estimator", [MultinomialNB(), BernoulliNB(), CategoricalNB()], ids=str)
def test_whole_numbers_equal_refitting(estimator: Any) -> None:
    X, y = counts()
    assert_equals_refit(estimator, X.astype(np.int64), y, leave_one_out(120), least=0.9)


@pytest.mark.parametrize("estimator", [MultinomialNB(), ComplementNB()], ids=str)
def test_weights_instead_of_counts_equal_refitting(estimator: Any) -> None:
    X, y = blobs()
    assert_equals_refit(estimator, np.abs(X), y, leave_one_out(120))


@pytest.mark.parametrize("strategy", ["mean", "median"])
@pytest.mark.parametrize("rows", [60, 61])
def test_mean_and_median_equal_refitting(strategy: Any, rows: Any) -> None:
    X, y = slope(rows)
    model = DummyRegressor(strategy=strategy)
    assert_equals_refit(model, X, y, leave_one_out(rows), refits=rows)
    assert_equals_refit(model, X, np.round(y), leave_one_out(rows))
    assert_equals_refit(model, X, y, repeated_folds(rows, 7))


def test_a_model_that_ignores_features_takes_any() -> None:
    y = blobs()[1]
    texts = np.full((120, 1), "word", dtype=object)
    assert_equals_refit(DummyClassifier(), texts, y, leave_one_out(120))


def test_the_only_row_of_the_last_category_is_left_to_refitting() -> None:
    X, y = counts()
    X[33, 2] = 40
    path = assert_equals_refit(CategoricalNB(), X, y, leave_one_out(120), least=0.9)
    assert 33 not in np.concatenate([outcome.splits for outcome in path.run()])
    assert_equals_refit(CategoricalNB(), X, y, repeated_folds(120, 10), least=0.1)


@pytest.mark.parametrize("is_scaled", [False, True])
def test_constant_features_equal_refitting(is_scaled: Any) -> None:
    X, y = blobs()
    model = make_pipeline(StandardScaler(), GaussianNB()) if is_scaled else GaussianNB()
    assert_equals_refit(model, np.column_stack([X, np.full(120, 0.1)]), y, leave_one_out(120))


@pytest.mark.parametrize("is_scaled", [False, True])
def test_a_variance_that_hangs_on_one_row_is_left_to_refitting(is_scaled: Any) -> None:
    X, y = blobs()
    spike = np.zeros((120, 1))
    spike[17] = 1e3
    model = make_pipeline(StandardScaler(), GaussianNB()) if is_scaled else GaussianNB()
    X = np.column_stack([X, spike])
    path = assert_equals_refit(model, X, y, leave_one_out(120), least=0.99)
    assert 17 not in np.concatenate([outcome.splits for outcome in path.run()])


@pytest.mark.parametrize("smoothing", [1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("is_scaled", [False, True])
def test_what_is_added_to_variances_follows_the_training_part(
    smoothing: Any, is_scaled: Any
) -> None:
    X, y = blobs()
    model = GaussianNB(var_smoothing=smoothing)
    model = make_pipeline(StandardScaler(), model) if is_scaled else model
    assert_equals_refit(model, X, y, leave_one_out(120), refits=30, tolerance=1e-11)


def test_tiny_classes_equal_refitting() -> None:
    X, y = blobs(40, 2)
    y[:2] = 3
    assert_equals_refit(GaussianNB(), X, y, leave_one_out(40), least=0.9)


def test_features_far_from_zero_equal_refitting_or_are_refused() -> None:
    X, y = blobs()
    assert_equals_refit(GaussianNB(), X + 1e5, y, leave_one_out(120))
    assert "far from zero" in refusal(GaussianNB(), X + 1e8, y, leave_one_out(120))


@pytest.mark.parametrize(
    ("estimator", "reason"),
    [
        (GaussianNB(priors=[0.5, 0.5, 0.0]), "priors"),
        (MultinomialNB(alpha=0.0), "alpha"),
        (MultinomialNB(alpha=[1.0, 2.0, 1.0, 1.0, 1.0]), "alpha"),
        (MultinomialNB(force_alpha=False), "force_alpha"),
        (BernoulliNB(binarize=None), "0 or 1"),
        (make_pipeline(StandardScaler(), MultinomialNB()), "counts"),
        (DummyClassifier(strategy="stratified"), "strategy"),
    ],
    ids=str,
)
def test_what_is_not_known_is_refused(estimator: Any, reason: Any) -> None:
    X, y = counts()
    assert reason in refusal(estimator, X, y, leave_one_out(120))


def test_negative_counts_and_broken_categories_are_refused() -> None:
    X, y = counts()
    assert "negative" in refusal(MultinomialNB(), X - 1, y, leave_one_out(120))
    assert "whole numbers" in refusal(CategoricalNB(), X + 0.5, y, leave_one_out(120))


@pytest.mark.parametrize("smoothing", [0.0, 1e-40])
def test_a_feature_of_one_value_within_a_class_is_not_given_a_variance_of_rounding(
    smoothing: float,
) -> None:
    X, y = blobs(30, 3)
    X[:, 1] = np.where(y == 1, -2.7, X[:, 1])
    reason = refusal(GaussianNB(var_smoothing=smoothing), X, y, leave_one_out(30))
    assert "constant within a class" in reason
    assert_equals_refit(GaussianNB(), X, y, leave_one_out(30), least=0.9)
