"""Which models have an exact path, and the path of a model on its data and splits."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from heldout.datasets.dataset import row_count
from heldout.learners.exact.neighbour_search import unclear_features
from heldout.learners.exact.path import ExactPath, refuse_splits
from heldout.learners.exact.problem import (
    Problem,
    Refit,
    is_exactly,
    numbers,
    one_thread_if_quick,
    unwrapped,
)

if TYPE_CHECKING:
    from heldout.core.arrays import Array, Integers
    from heldout.datasets.dataset import Dataset
    from heldout.learners.model import Model
    from heldout.procedures.splits import Splits

#: rows times classes, at most: a float is kept for each
MOST_MEMBERSHIPS = 50_000_000


class _Known(NamedTuple):
    """Where scikit-learn defines a class, and the function that makes its exact path."""

    module: str
    maker: str
    is_classifier: bool

    @property
    def looks(self) -> bool:
        """Whether it looks at the features."""
        return not self.maker.startswith("constant.")


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
    "RidgeClassifier": _Known("sklearn.linear_model._ridge", "ridge.ridge", True),
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
    try:
        estimator, known = _known_class(model.estimator)
        if known.is_classifier != (dataset.task != "regression"):
            raise Refit(f"{type(estimator).__name__} is not for this task")
        path = path_without_learner(model, dataset, splits, looks=known.looks)
        return _with_learner(estimator, known, path)
    except Refit as reason:
        return str(reason)


def path_without_learner(
    model: Model, dataset: Dataset, splits: Splits, *, looks: bool = True
) -> ExactPath:
    """The path of a model on its data, whose learner is yet to be made.

    ``looks``: whether it looks at the features.
    """
    from heldout.learners.fit import inputs

    X, is_scaled = inputs(model, dataset)[0], unwrapped(model.estimator)[1]
    if dataset.task == "regression":
        values, none = np.asarray(dataset.truth, dtype=np.float64), np.zeros(0, dtype=np.int64)
        return _path(X, values, none, 0, splits, is_scaled=is_scaled, looks=looks)
    codes = np.flatnonzero(np.bincount(dataset.truth, minlength=len(dataset.classes)))
    if model.takes == "given":
        # estimators order the labels themselves
        codes = codes[np.argsort(np.asarray(dataset.classes)[codes], kind="stable")]
    positions = np.zeros(len(dataset.classes), dtype=np.int64)
    positions[codes] = np.arange(len(codes))
    y, classes = positions[dataset.truth], len(dataset.classes)
    return _path(X, y, codes, classes, splits, is_scaled=is_scaled, looks=looks)


def _known_class(estimator: Any) -> tuple[Any, _Known]:
    """The estimator at the end of a pipeline, and what is known of it."""
    last, _ = unwrapped(estimator)
    name = type(last).__name__
    known = KNOWN.get(name)
    if known is None or not is_exactly(last, known.module, name):
        raise Refit(f"{name} has no exact path")
    return last, known


def _path(
    X: Any, y: Array, codes: Integers, classes: int, splits: Splits, *, is_scaled: bool, looks: bool
) -> ExactPath:
    values = numbers(X) if looks else np.zeros((row_count(X), 1))
    if len(values) != splits.rows:
        raise Refit("the splits are of other rows")
    if len(values) * len(codes) > MOST_MEMBERSHIPS:
        raise Refit("there are too many classes for the rows")
    refuse_splits(splits)
    waiting: Any = None
    return ExactPath(waiting, Problem(values, y, len(codes), is_scaled), splits, codes, classes)


def _with_learner(estimator: Any, known: _Known, path: ExactPath) -> ExactPath:
    problem = path.problem
    if (
        problem.is_scaled
        and unclear_features(problem.X, problem.centre, problem.X.var(axis=0)).any()
    ):
        raise Refit("a feature is so nearly constant that rounding decides about its scale")
    module, _, function = known.maker.partition(".")
    maker = getattr(import_module(f"heldout.learners.exact.{module}"), function)
    try:
        with one_thread_if_quick(problem):
            learner = maker(estimator, problem)
    except (ArithmeticError, TypeError, ValueError, np.linalg.LinAlgError) as error:
        # settings or data on which the fit itself is to say what is wrong
        raise Refit(f"{type(estimator).__name__} cannot be prepared: {error}") from None
    limit = getattr(learner, "largest_part", None)
    if limit is not None and path.parts.sizes.max(initial=0) > limit:
        raise Refit("only rows left out one by one are predicted from one fit")
    return path.with_learner(learner)
