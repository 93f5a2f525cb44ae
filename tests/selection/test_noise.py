"""Pure noise: the best of many settings looks good, and honest estimates say that it is not."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.base import BaseEstimator, ClassifierMixin

import heldout
from tests.selection.making import limits


class Centroids(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # of no known type
    """The nearer of two means, in a few features that a number picks."""

    def __init__(self, pick: int = 0) -> None:
        self.pick = pick

    def fit(self, X: Any, y: Any) -> Self:
        self.columns_ = np.random.default_rng(self.pick).integers(X.shape[1], size=3)
        self.classes_ = np.unique(y)
        self.means_ = np.array([X[y == one][:, self.columns_].mean(axis=0) for one in (0, 1)])
        return self

    def predict(self, X: Any) -> Any:
        apart = X[:, np.newaxis, self.columns_] - self.means_
        return self.classes_[(apart**2).sum(axis=2).argmin(axis=1)]


@pytest.fixture(scope="module")
def chosen() -> heldout.Selection:
    generator = np.random.default_rng(5)
    X = generator.normal(size=(500, 50))
    y = generator.permutation(np.repeat([0, 1], 250))
    grid = {"pick": range(200)}
    return heldout.select(Centroids(), grid, X, y, nested="5x3-fold")


def test_the_best_of_many_settings_looks_better_than_chance(chosen: heldout.Selection) -> None:
    assert len(chosen.search.settings) == 200
    right = round(chosen.best.value * 500)
    assert binomtest(right, 500, 0.5, alternative="greater").pvalue < 0.01


def test_the_bias_corrected_interval_contains_chance(chosen: heldout.Selection) -> None:
    made = chosen.bias_corrected
    low, high = limits(made)
    assert low < 0.5 < high
    assert made.value < chosen.best.value - 0.03


def test_the_nested_interval_contains_chance(chosen: heldout.Selection) -> None:
    made = chosen.estimate
    assert made.model == "chosen setting"
    low, high = limits(made)
    assert low < 0.5 < high


def test_the_optimism_is_above_zero(chosen: heldout.Selection) -> None:
    made = chosen.optimism
    assert made is not None
    assert limits(made)[0] > 0


def test_noise_is_not_told_from_the_best(chosen: heldout.Selection) -> None:
    same, p_values, _ = chosen.same
    assert same.mean() > 0.9
    assert np.nanmin(p_values) >= 0
