"""Naive Bayes over numbers and names together, in which a missing value says nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin  # noqa: TID253  this file is imported late

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.core.arrays import Array, Floats

#: how many rows a class needs in a column before its spread can be told
ENOUGH = 1


class MixedNaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # of no known type
    """Normal densities of numbers times smoothed shares of names, class by class.

    Equal to scikit-learn's GaussianNB where all features are numbers, and to its
    CategoricalNB where all are names. A missing value (NaN) is passed over, in training and
    in prediction; a class without any value in a column is taken to be like all rows.

    Parameters
    ----------
    levels
        For each column the number of levels behind its codes, 0 for numbers.
    alpha
        Rows added to each level.
    var_smoothing
        Share of the largest variance that is added to all variances.
    """

    def __init__(
        self, levels: Sequence[int] = (), *, alpha: float = 1.0, var_smoothing: float = 1e-9
    ) -> None:
        self.levels = levels
        self.alpha = alpha
        self.var_smoothing = var_smoothing

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the densities and shares of each class."""
        X = np.asarray(X, np.float64)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.n_features_in_ = X.shape[1]
        if len(self.levels) not in (0, X.shape[1]):
            raise ValueError(f"levels has {len(self.levels)} values for {X.shape[1]} columns")
        levels = list(self.levels) or [0] * X.shape[1]
        counts = np.bincount(codes, minlength=len(self.classes_))
        self.class_log_prior_ = np.log(counts / counts.sum())
        self._numeric = [index for index, count in enumerate(levels) if not count]
        self._nominal = [index for index, count in enumerate(levels) if count]
        self._fit_numbers(X[:, self._numeric], codes)
        self.log_shares_ = [
            self._shares(X[:, index], codes, levels[index]) for index in self._nominal
        ]
        return self

    def _fit_numbers(self, X: Floats, codes: NDArray[np.intp]) -> None:
        shape = (len(self.classes_), X.shape[1])
        self.theta_, self.var_ = np.zeros(shape), np.ones(shape)
        # the columns that say something at all
        self._told = ~np.isnan(X).all(axis=0)
        if not self._told.any():
            return
        all_means, all_spreads = _moments(X[:, self._told])
        added = self.var_smoothing * float(all_spreads.max())
        for code in range(shape[0]):
            part = X[codes == code][:, self._told]
            enough = np.count_nonzero(~np.isnan(part), axis=0) >= ENOUGH
            means, spreads = all_means.copy(), all_spreads.copy()
            if enough.any():
                means[enough], spreads[enough] = _moments(part[:, enough])
            self.theta_[code, self._told] = means
            self.var_[code, self._told] = spreads + added
        # a training part whose columns are all constant has no spread to add
        self.var_ = np.maximum(self.var_, np.finfo(np.float64).tiny * 1e10)

    def _shares(self, column: Floats, codes: NDArray[np.intp], levels: int) -> Floats:
        known = ~np.isnan(column)
        cells = codes[known] * levels + column[known].astype(np.intp)
        size = len(self.classes_) * levels
        counts = np.bincount(cells, minlength=size).reshape(-1, levels) + self.alpha
        return np.log(counts) - np.log(counts.sum(axis=1, keepdims=True))

    def _joint(self, X: Any) -> Floats:
        X = np.asarray(X, np.float64)
        joint = np.tile(self.class_log_prior_, (len(X), 1))
        numbers = X[:, self._numeric][:, self._told] if self._numeric else X[:, :0]
        gaps = np.isnan(numbers)
        means, spreads = (
            values[:, self._told] if self._numeric else values
            for values in (self.theta_, self.var_)
        )
        for code in range(len(self.classes_)):
            terms = np.log(2 * np.pi * spreads[code])
            terms = terms + (numbers - means[code]) ** 2 / spreads[code]
            joint[:, code] -= 0.5 * np.where(gaps, 0.0, terms).sum(axis=1)
        for index, shares in zip(self._nominal, self.log_shares_, strict=True):
            # a level that was not there in the fit says nothing, as a missing one
            known = X[:, index] < shares.shape[1]
            joint[known] += shares.T[X[known, index].astype(np.intp)]
        return joint

    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithms of the probabilities of the classes."""
        joint = self._joint(X)
        top = joint.max(axis=1, keepdims=True)
        return joint - (top + np.log(np.exp(joint - top).sum(axis=1, keepdims=True)))

    def predict_proba(self, X: Any) -> Floats:
        """The probabilities of the classes."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> Array:
        """The most probable class."""
        return self.classes_[np.argmax(self._joint(X), axis=1)]


def _moments(X: Floats) -> tuple[Floats, Floats]:
    """Mean and variance of each column over the values it has."""
    known = ~np.isnan(X)
    count = known.sum(axis=0)
    means = np.where(known, X, 0.0).sum(axis=0) / count
    return means, np.where(known, (X - means) ** 2, 0.0).sum(axis=0) / count
