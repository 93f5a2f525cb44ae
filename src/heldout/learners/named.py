"""The named models: which estimators they are, with which settings, and what these need.

A further model is one more entry of ``MODELS``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError, MissingExtra
from heldout.core.nearest import nearest
from heldout.learners.preparation import Needs, prepare

if TYPE_CHECKING:
    from heldout.datasets.dataset import Dataset

#: short names are soon half alike by chance
ALIKE = 0.6

Builder = Callable[["Dataset"], tuple[Any, Needs]]


@dataclass(frozen=True, slots=True)
class NamedModel:
    """A name for an estimator of each task, with settings other than the estimator's own."""

    name: str
    summary: str
    #: ``package.module:Class``, or a function of the data set that chooses; "" for none
    classifier: str | Builder = ""
    regressor: str | Builder = ""
    needs: Needs = field(default_factory=Needs)
    settings: Mapping[str, Any] = field(default_factory=dict)
    #: other names, apart by spaces
    also: str = ""
    #: the model to take for the other task
    instead: str = ""

    @property
    def aliases(self) -> tuple[str, ...]:
        """The other names."""
        return tuple(self.also.split())

    def build(self, dataset: Dataset) -> tuple[Any, Needs]:
        """The estimator for a data set's task, and what it needs."""
        is_regression = dataset.task == "regression"
        what = self.regressor if is_regression else self.classifier
        if not what:
            mine, other = ("classification", "regression")[:: 1 if is_regression else -1]
            raise InputError(
                f"{self.name} is a model for {mine}, and the task of {dataset.name} is {other}; "
                f"take {self.instead}"
            )
        if not isinstance(what, str):
            return what(dataset)
        module, _, name = what.partition(":")
        return getattr(import_module(module), name)(**self.settings), self.needs


#: nothing is encoded or filled in: the estimators below take codes, and NaN where there is any
AS_IT_IS = Needs(missing="takes", nominal="known")
#: share of the unit matrix in the covariances, where these are singular without it
RIDGE = 0.01
#: variance of a combination of columns of unit variance from which on it is none: as R's qda
LEAST_VARIANCE = 1e-8


def naive_bayes(dataset: Dataset) -> tuple[Any, Needs]:
    """Gaussian for numbers, categorical for names; one of heldout's for both and for gaps."""
    features = dataset.features
    levels = [len(feature.levels) if feature.levels is not None else 0 for feature in features]
    if features and not np.isnan(dataset.matrix).any():
        from sklearn.naive_bayes import CategoricalNB, GaussianNB

        if not any(levels):
            return GaussianNB(), AS_IT_IS
        if all(levels):
            # a level that a training part lacks is known all the same
            return CategoricalNB(min_categories=levels), AS_IT_IS
    from heldout.learners.mixed_naive_bayes import MixedNaiveBayes

    return MixedNaiveBayes(levels=levels), AS_IT_IS


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


def ripper(dataset: Dataset) -> tuple[Any, Needs]:
    """RIPPER of the package wittgenstein, one class against the others where there are several."""
    if find_spec("wittgenstein") is None:
        raise MissingExtra("wittgenstein", "the model ripper", "rules")
    from heldout.learners.rules import Rules

    return Rules(), Needs()


def both(stem: str) -> Any:
    """The classifier and the regressor whose names begin alike."""
    return {"classifier": f"{stem}Classifier", "regressor": f"{stem}Regressor"}


BLIND = Needs(missing="takes", nominal="known", looks=False)
SCALED = Needs(scale=True)
TREES = Needs(missing="takes")

MODELS: tuple[NamedModel, ...] = (
    NamedModel(
        "majority",
        "always the most frequent class of the training part",
        classifier="sklearn.dummy:DummyClassifier",
        settings={"strategy": "most_frequent"},
        needs=BLIND,
        also="most_frequent mode zeror zero_r",
        instead="median",
    ),
    NamedModel(
        "prior",
        "always the class proportions of the training part",
        classifier="sklearn.dummy:DummyClassifier",
        settings={"strategy": "prior"},
        needs=BLIND,
        also="dummy class_shares",
        instead="mean",
    ),
    NamedModel(
        "mean",
        "always the mean of the training part",
        regressor="sklearn.dummy:DummyRegressor",
        settings={"strategy": "mean"},
        needs=BLIND,
        also="average",
        instead="prior",
    ),
    NamedModel(
        "median",
        "always the median of the training part",
        regressor="sklearn.dummy:DummyRegressor",
        settings={"strategy": "median"},
        needs=BLIND,
        instead="majority",
    ),
    NamedModel(
        "knn",
        "k nearest neighbours (k = 5) on scaled features",
        **both("sklearn.neighbors:KNeighbors"),
        needs=SCALED,
        also="k_nn nearest_neighbors nearest_neighbours k_nearest_neighbors k_nearest_neighbours "
        "kneighbors ibk",
    ),
    NamedModel(
        "lda",
        "linear discriminant analysis",
        classifier="sklearn.discriminant_analysis:LinearDiscriminantAnalysis",
        also="linear_discriminant linear_discriminant_analysis",
        instead="linear",
    ),
    NamedModel(
        "qda",
        "quadratic discriminant analysis",
        classifier=quadratic,
        also="quadratic_discriminant quadratic_discriminant_analysis",
        instead="linear",
    ),
    NamedModel(
        "nb",
        "naive Bayes: Gaussian for numbers, frequencies for categories; ignores missing values",
        classifier=naive_bayes,
        also="naive_bayes bayes gaussian_nb",
        instead="linear",
    ),
    NamedModel(
        "logistic",
        "logistic regression on scaled features, with a light ridge penalty",
        classifier="sklearn.linear_model:LogisticRegression",
        settings={"max_iter": 1000},
        needs=SCALED,
        also="logistic_regression logreg logit",
        instead="linear",
    ),
    NamedModel(
        "tree",
        "a decision tree",
        **both("sklearn.tree:DecisionTree"),
        needs=TREES,
        also="decision_tree cart dt",
    ),
    NamedModel(
        "svm",
        "support vector machine on scaled features (radial kernel)",
        classifier="sklearn.svm:SVC",
        regressor="sklearn.svm:SVR",
        needs=SCALED,
        also="svc svr support_vector_machine",
    ),
    NamedModel(
        "bagging",
        "50 trees on bootstrap samples",
        **both("sklearn.ensemble:Bagging"),
        settings={"n_estimators": 50},
        needs=TREES,
        also="bagged_trees bag",
    ),
    NamedModel(
        "boosting",
        "gradient boosting of trees on histograms",
        **both("sklearn.ensemble:HistGradientBoosting"),
        needs=Needs(missing="takes", nominal="codes"),
        also="gradient_boosting hist_gradient_boosting boosted_trees gbm gbdt",
    ),
    NamedModel(
        "forest",
        "a random forest of 100 trees",
        **both("sklearn.ensemble:RandomForest"),
        needs=TREES,
        also="random_forest rf",
    ),
    NamedModel(
        "ripper",
        "RIPPER rules (package wittgenstein: heldout[rules])",
        classifier=ripper,
        also="jrip rules",
        instead="tree",
    ),
    NamedModel(
        "linear",
        "linear regression by least squares",
        regressor="sklearn.linear_model:LinearRegression",
        also="linear_regression ols least_squares lm",
        instead="logistic",
    ),
    NamedModel(
        "ridge",
        "ridge regression on scaled features (in classification, of class indicators)",
        classifier="sklearn.linear_model:RidgeClassifier",
        regressor="sklearn.linear_model:Ridge",
        needs=SCALED,
        also="ridge_regression ridge_classifier",
    ),
    NamedModel(
        "lasso",
        "lasso regression on scaled features",
        regressor="sklearn.linear_model:Lasso",
        needs=SCALED,
        also="lasso_regression",
        instead="logistic",
    ),
)


def _plain(name: str) -> str:
    return name.strip().casefold().replace("-", "_").replace(" ", "_")


def find_model(name: str) -> NamedModel:
    """The model of a name or alias, however it is written.

    Examples
    --------
    >>> find_model("Random-Forest").name
    'forest'
    """
    known = {alias: model for model in MODELS for alias in (model.name, *model.aliases)}
    if _plain(name) in known:
        return known[_plain(name)]
    alike = nearest(_plain(name), known, alike=ALIKE)
    alias_of = {known[alias].name: alias for alias in reversed(alike)}
    near = f"; did you mean {' or '.join(reversed(alias_of.values()))}?" if alias_of else ""
    names = ", ".join(model.name for model in MODELS)
    raise InputError(
        f"no model {name!r}{near}\nmodels: {names}; or package.module:name for any other"
    )
