"""RIPPER of the package wittgenstein as a classifier of any number of classes."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin  # noqa: TID253  this file is imported late

if TYPE_CHECKING:
    from heldout.core.arrays import Array, Booleans, Floats


class Rules(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # of no known type
    """A set of rules for the rarer of two classes, or for each of several against the others.

    Parameters
    ----------
    k
        Rounds of optimisation.
    prune_size
        Share of the rows that prune the rules the others grew.
    n_discretize_bins
        Into how many parts numbers are cut.
    random_state
        Decides which rows prune.
    """

    def __init__(
        self,
        *,
        k: int = 2,
        prune_size: float = 0.33,
        n_discretize_bins: int = 10,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.prune_size = prune_size
        self.n_discretize_bins = n_discretize_bins
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the rules."""
        learner = import_module("wittgenstein").RIPPER
        self.classes_, codes = np.unique(y, return_inverse=True)
        counts = np.bincount(codes)
        self._targets = [int(np.argmin(counts))] if len(counts) == 2 else list(range(len(counts)))
        self.rules_ = [
            self._one(learner(**self.get_params()), X, codes == code) for code in self._targets
        ]
        return self

    @staticmethod
    def _one(ruleset: Any, X: Any, is_target: Booleans) -> Any:
        ruleset.fit(X, is_target.astype(int), pos_class=1)  # returns nothing
        return ruleset

    def predict_proba(self, X: Any) -> Floats:
        """The share of each class among the training rows that the same rule covers."""
        shares = np.column_stack([np.asarray(rule.predict_proba(X))[:, 1] for rule in self.rules_])
        if len(self._targets) == 1:
            shares = np.column_stack([1 - shares, shares])
            return shares if self._targets == [1] else shares[:, ::-1]
        return shares / shares.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> Array:
        """The class of the largest share."""
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]
