"""Which models have an exact path, and the path of a model on its data and splits."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.datasets.dataset import row_count
from heldout.learners.exact.neighbour_search import unclear_features
from heldout.learners.exact.path import ExactPath, refusal
from heldout.learners.exact.problem import (
    Problem,
    is_exactly,
    numbers,
    one_thread_if_small,
    unwrapped,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.learners.exact.problem import Learner
    from heldout.learners.model import Model
    from heldout.procedures.splits import Splits

__all__ = ["ExactPath", "MOST_MEMBERSHIPS", "exact_path", "path_of_arrays"]


@dataclass(frozen=True, slots=True)
class _Known:
    """Where scikit-learn defines a class, and the function that makes its exact path."""

    module: str
    maker: str
    is_classifier: bool


#: rows times classes, at most: a float is kept for each
MOST_MEMBERSHIPS = 50_000_000

#: looked up by name and then compared with the class itself
KNOWN = {
    "LinearDiscriminantAnalysis": _Known(
        "sklearn.discriminant_analysis", "linear_discriminant.linear_discriminant", True
    ),
    "QuadraticDiscriminantAnalysis": _Known(
        "sklearn.discriminant_analysis", "quadratic_discriminant.quadratic_discriminant", True
    ),
    "GaussianNB": _Known("sklearn.naive_bayes", "gaussian_bayes.gaussian_bayes", True),
    "MultinomialNB": _Known("sklearn.naive_bayes", "count_bayes.multinomial_bayes", True),
    "BernoulliNB": _Known("sklearn.naive_bayes", "count_bayes.bernoulli_bayes", True),
    "ComplementNB": _Known("sklearn.naive_bayes", "count_bayes.complement_bayes", True),
    "CategoricalNB": _Known("sklearn.naive_bayes", "count_bayes.categorical_bayes", True),
    "KNeighborsClassifier": _Known(
        "sklearn.neighbors._classification", "neighbours.neighbours", True
    ),
    "KNeighborsRegressor": _Known("sklearn.neighbors._regression", "neighbours.neighbours", False),
    "LinearRegression": _Known("sklearn.linear_model._base", "ridge.linear", False),
    "Ridge": _Known("sklearn.linear_model._ridge", "ridge.ridge", False),
    "RidgeClassifier": _Known("sklearn.linear_model._ridge", "ridge.ridge_classifier", True),
    "DummyClassifier": _Known("sklearn.dummy", "constant.constant_class", True),
    "DummyRegressor": _Known("sklearn.dummy", "constant.constant_value", False),
    "SVC": _Known("sklearn.svm._classes", "support_vectors.support_vectors", True),
}


def exact_path(model: Model, dataset: Dataset, splits: Splits) -> ExactPath | str:
    """The way to predict all splits of a model from one fit, or why it must be refitted.

    Recognised are scikit-learn's own classes (not subclasses) with settings for which the
    result equals refitting: labels identical, probabilities to 1e-8. Splits of which that
    is not certain are left out of what the path gives, and are to be refitted.
    """
    known = _known_class(model.estimator)
    if isinstance(known, str):
        return known
    from heldout.learners.fit import inputs

    X, _ = inputs(model, dataset)
    values = _values(known[1], X)
    if isinstance(values, str):
        return values
    if dataset.task == "regression":
        truth = np.asarray(dataset.truth, dtype=np.float64)
        return _path(known, values, truth, np.zeros(0, dtype=np.int64), 0, splits)
    codes = np.flatnonzero(np.bincount(dataset.truth, minlength=len(dataset.classes)))
    if model.takes == "given":
        # estimators order the labels themselves
        codes = codes[np.argsort(np.asarray(dataset.classes)[codes], kind="stable")]
    positions = np.zeros(len(dataset.classes), dtype=np.int64)
    positions[codes] = np.arange(len(codes))
    return _path(known, values, positions[dataset.truth], codes, len(dataset.classes), splits)


def path_of_arrays(estimator: Any, X: Any, y: Any, splits: Splits) -> ExactPath | str:
    """The exact path of an estimator on arrays; classes are numbered in sorted order."""
    known = _known_class(estimator)
    if isinstance(known, str):
        return known
    values = _values(known[1], X)
    if isinstance(values, str):
        return values
    if not known[1].is_classifier:
        target = np.asarray(y, dtype=np.float64)
        return _path(known, values, target, np.zeros(0, dtype=np.int64), 0, splits)
    labels, codes = np.unique(np.asarray(y), return_inverse=True)
    return _path(known, values, codes, np.arange(len(labels)), len(labels), splits)


def _values(known: _Known, X: Any) -> NDArray[np.float64] | str:
    """The features; zeros for a model that does not look at them."""
    return np.zeros((row_count(X), 1)) if known.maker.startswith("constant.") else numbers(X)


def _known_class(estimator: Any) -> tuple[Any, _Known, bool] | str:
    """The estimator at the end of a pipeline, what is known of it, whether it is scaled."""
    inner = unwrapped(estimator)
    if isinstance(inner, str):
        return inner
    last, is_scaled = inner
    name = type(last).__name__
    known = KNOWN.get(name)
    if known is None or not is_exactly(last, known.module, name):
        return f"{name} has no exact path"
    return last, known, is_scaled


def _scale_refusal(problem: Problem) -> str | None:
    if problem.is_scaled:
        variance = problem.X.var(axis=0)
        if unclear_features(problem.X, problem.centre, variance).any():
            return "a feature is so nearly constant that rounding decides about its scale"
    return None


def _path(
    kind: tuple[Any, _Known, bool],
    X: NDArray[np.float64],
    y: NDArray[Any],
    codes: NDArray[np.int64],
    classes: int,
    splits: Splits,
) -> ExactPath | str:
    estimator, known, is_scaled = kind
    if known.is_classifier != (classes > 0):
        return f"{type(estimator).__name__} is not for this task"
    if len(X) != splits.rows:
        return "the splits are of other rows"
    if len(X) * len(codes) > MOST_MEMBERSHIPS:
        return "there are too many classes for the rows"
    problem = Problem(X, y, len(codes), is_scaled)
    refused = refusal(splits) or _scale_refusal(problem)
    if refused is not None:
        return refused
    module, _, function = known.maker.partition(".")
    maker = getattr(import_module(f"heldout.learners.exact.{module}"), function)
    try:
        with one_thread_if_small(problem):
            learner: Learner | str = maker(estimator, problem)
    except (ArithmeticError, TypeError, ValueError, np.linalg.LinAlgError) as error:
        # settings or data on which the fit itself is to say what is wrong
        return f"{type(estimator).__name__} cannot be prepared: {error}"
    if isinstance(learner, str):
        return learner
    path = ExactPath(learner, problem, splits, codes, classes)
    limit = getattr(learner, "largest_part", None)
    if limit is not None and path.parts.sizes.max(initial=0) > limit:
        return "only rows left out one by one are predicted from one fit"
    return path
