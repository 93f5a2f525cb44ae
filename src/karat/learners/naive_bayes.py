"""Naive Bayes for whatever features there are: the estimator that fits their kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.learners.preparation import Needs

if TYPE_CHECKING:
    from karat.datasets.dataset import Dataset

__all__ = ["naive_bayes"]

#: nothing is encoded or filled in: the estimators below take codes, and NaN where there is any
AS_IT_IS = Needs(missing="takes", nominal="known")


def naive_bayes(dataset: Dataset) -> tuple[Any, Needs]:
    """Gaussian for numbers, categorical for names; one of karat's for both and for gaps."""
    features = dataset.features
    levels = [len(one.levels) if one.levels is not None else 0 for one in features]
    if features and not np.isnan(dataset.matrix).any():
        from sklearn.naive_bayes import CategoricalNB, GaussianNB

        if not any(levels):
            return GaussianNB(), AS_IT_IS
        if all(levels):
            # a level that a training part lacks is known all the same
            return CategoricalNB(min_categories=levels), AS_IT_IS
    from karat.learners.mixed_naive_bayes import MixedNaiveBayes

    return MixedNaiveBayes(levels=levels), AS_IT_IS
