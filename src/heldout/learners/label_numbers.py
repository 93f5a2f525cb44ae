"""Labels as whole numbers from 0 for classifiers that take no others, and back again."""

from __future__ import annotations

import sys
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin  # noqa: TID253  imported late
from sklearn.utils.metaestimators import available_if  # noqa: TID253  imported late

#: packages whose classifiers refuse labels other than 0, 1, 2 ... without a gap
NUMBERED = frozenset({"xgboost"})


def with_label_numbers(estimator: Any) -> Any:
    """The estimator, or where it or a part of it needs numbers for labels, one that gives them."""
    if not sys.modules.keys() & NUMBERED:
        return estimator
    parts = [estimator]
    if hasattr(estimator, "get_params"):
        parts += estimator.get_params(deep=True).values()
    packages = {kind.__module__.partition(".")[0] for part in parts for kind in type(part).__mro__}
    return LabelNumbers(estimator) if packages & NUMBERED else estimator


class LabelNumbers(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # of no known type
    """A classifier that is fitted to the numbers of the labels and answers with the labels.

    The training part numbers them: one that lacks a class leaves no gap.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the estimator itself, no copy of it."""
        self.classes_, numbers = np.unique(y, return_inverse=True)
        self.estimator.fit(X, numbers)
        return self

    def predict(self, X: Any) -> Any:
        """The labels of the predicted numbers."""
        return self.classes_[np.asarray(self.estimator.predict(X)).astype(np.intp).ravel()]

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))  # type: ignore[untyped-decorator]  # as above
    def predict_proba(self, X: Any) -> Any:
        """A column for each label, in sorted order."""
        return self.estimator.predict_proba(X)
