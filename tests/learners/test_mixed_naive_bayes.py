"""Naive Bayes over numbers and names equals scikit-learn's where these can do it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from heldout.learners.mixed_naive_bayes import MixedNaiveBayes

RNG = np.random.Generator(np.random.PCG64(3))
Y = RNG.integers(0, 3, 90)
NUMBERS = RNG.normal(size=(90, 3)) + Y[:, np.newaxis]
NAMES = RNG.integers(0, 4, (90, 2)).astype(float)


def test_numbers_alone_are_gaussian() -> None:
    own = MixedNaiveBayes().fit(NUMBERS, Y)
    other = GaussianNB().fit(NUMBERS, Y)
    assert own.predict_proba(NUMBERS) == pytest.approx(other.predict_proba(NUMBERS), abs=1e-12)
    assert np.array_equal(own.predict(NUMBERS), other.predict(NUMBERS))


@pytest.mark.parametrize("alpha", [1.0, 0.3])
def test_names_alone_are_categorical(alpha: float) -> None:
    own = MixedNaiveBayes(levels=[4, 5], alpha=alpha).fit(NAMES, Y)
    other = CategoricalNB(min_categories=[4, 5], alpha=alpha).fit(NAMES, Y)
    assert own.predict_proba(NAMES) == pytest.approx(other.predict_proba(NAMES), abs=1e-12)


def test_both_together_are_the_product_of_both_over_the_prior() -> None:
    both = np.column_stack([NAMES[:, :1], NUMBERS, NAMES[:, 1:]])
    found = MixedNaiveBayes(levels=[4, 0, 0, 0, 4]).fit(both, Y).predict_proba(both)
    product = GaussianNB().fit(NUMBERS, Y).predict_proba(NUMBERS)
    product = product * CategoricalNB(min_categories=4).fit(NAMES, Y).predict_proba(NAMES)
    product = product / (np.bincount(Y) / len(Y))
    assert found == pytest.approx(product / product.sum(axis=1, keepdims=True), abs=1e-9)


def test_missing_value_says_nothing() -> None:
    whole = MixedNaiveBayes(levels=[0, 0, 0, 4]).fit(np.column_stack([NUMBERS, NAMES[:, 0]]), Y)
    gaps = np.full((1, 4), np.nan)
    assert whole.predict_proba(gaps)[0] == pytest.approx(np.bincount(Y) / len(Y))
    some = np.column_stack([NUMBERS, NAMES[:, 0]])
    some[0, 0] = np.nan
    without = MixedNaiveBayes(levels=[0, 0, 4]).fit(some[:, 1:], Y)
    with_column = MixedNaiveBayes(levels=[0, 0, 0, 4]).fit(some, Y)
    assert with_column.theta_[:, 1:] == pytest.approx(without.theta_)
    class_rows = np.equal(Y, Y[0]) & (np.arange(90) > 0)
    assert with_column.theta_[Y[0], 0] == pytest.approx(NUMBERS[class_rows, 0].mean())


def test_class_without_values_in_a_column_is_taken_to_be_like_all_rows() -> None:
    some = NUMBERS.copy()
    some[Y == 1, 2] = np.nan
    fitted = MixedNaiveBayes().fit(some, Y)
    assert fitted.theta_[1, 2] == pytest.approx(np.nanmean(some[:, 2]))
    assert np.isfinite(fitted.predict_proba(some)).all()


def test_constant_columns_give_finite_probabilities() -> None:
    fitted = MixedNaiveBayes().fit(np.ones((6, 2)), [0, 1, 0, 1, 0, 1])
    assert fitted.predict_proba(np.ones((2, 2))) == pytest.approx(np.full((2, 2), 0.5))
