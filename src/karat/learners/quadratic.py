"""Quadratic discriminant analysis, with a ridge where columns are collinear by nature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.learners.preparation import Needs

if TYPE_CHECKING:
    from karat.datasets.dataset import Dataset

__all__ = ["quadratic"]

#: share of the unit matrix in the covariances, where a column a level makes these singular
RIDGE = 0.01


def quadratic(dataset: Dataset) -> tuple[Any, Needs]:
    """Plain on numbers; on names, whose columns add up to 1, scaled and with a ridge."""
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    if any(feature.is_nominal for feature in dataset.features):
        return QuadraticDiscriminantAnalysis(reg_param=RIDGE), Needs(scale=True)
    return QuadraticDiscriminantAnalysis(), Needs(drops_constants=True)
