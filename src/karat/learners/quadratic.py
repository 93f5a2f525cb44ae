"""Quadratic discriminant analysis, with a ridge where columns are collinear by nature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.learners.preparation import Needs, prepare

if TYPE_CHECKING:
    from karat.datasets.dataset import Dataset

__all__ = ["quadratic"]

#: share of the unit matrix in the covariances, where these are singular without it
RIDGE = 0.01
#: variance of a combination of columns of unit variance from which on it is none: as R's qda
LEAST_VARIANCE = 1e-8


def quadratic(dataset: Dataset) -> tuple[Any, Needs]:
    """Plain where all classes have a covariance of full rank; else with a ridge.

    Columns are scaled, which changes no answer (it is a change of coordinates), for scikit-learn
    judges the rank by variances in the columns' own units. Names, whose columns add up to 1, and
    columns that are constant within a class (pixels at the rim) need the ridge.
    """
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    plain = QuadraticDiscriminantAnalysis(tol=LEAST_VARIANCE)
    needs = Needs(scale=True, drops_constants=True)
    ridged = QuadraticDiscriminantAnalysis(reg_param=RIDGE, tol=LEAST_VARIANCE)
    if any(feature.is_nominal for feature in dataset.features):
        return ridged, Needs(scale=True)
    try:
        prepare(plain, dataset, needs, "qda").estimator.fit(dataset.matrix, dataset.truth)
    except ValueError:
        return ridged, needs
    return QuadraticDiscriminantAnalysis(tol=LEAST_VARIANCE), needs
