"""The named models: which estimators they are, with which settings, and what these need.

A further model is one more entry of ``MODELS``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from karat.core.errors import InputError
from karat.core.nearest import nearest
from karat.learners.naive_bayes import naive_bayes
from karat.learners.preparation import Needs
from karat.learners.quadratic import quadratic
from karat.learners.ripper import ripper

if TYPE_CHECKING:
    from karat.datasets.dataset import Dataset

__all__ = ["MODELS", "NamedModel", "find_model"]

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
    classifier_settings: Mapping[str, Any] = field(default_factory=dict)
    regressor_settings: Mapping[str, Any] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    #: the model to take for the other task
    instead: str = ""

    def build(self, dataset: Dataset) -> tuple[Any, Needs]:
        """The estimator for a data set's task, and what it needs."""
        is_regression = dataset.task == "regression"
        what = self.regressor if is_regression else self.classifier
        settings = self.regressor_settings if is_regression else self.classifier_settings
        if not what:
            mine, other = ("classification", "regression")[:: 1 if is_regression else -1]
            raise InputError(
                f"{self.name} is a model for {mine}, and the task of {dataset.name} is {other}; "
                f"take {self.instead}"
            )
        if not isinstance(what, str):
            return what(dataset)
        module, _, name = what.partition(":")
        return getattr(import_module(module), name)(**settings), self.needs


BLIND = Needs(missing="takes", nominal="known", looks=False)
SCALED = Needs(scale=True)
TREES = Needs(missing="takes")

MODELS: tuple[NamedModel, ...] = (
    NamedModel(
        "majority",
        "the most frequent class of the training part, always",
        classifier="sklearn.dummy:DummyClassifier",
        classifier_settings={"strategy": "most_frequent"},
        needs=BLIND,
        aliases=("most_frequent", "mode", "zeror", "zero_r"),
        instead="median",
    ),
    NamedModel(
        "prior",
        "the class shares of the training part as probabilities, always",
        classifier="sklearn.dummy:DummyClassifier",
        classifier_settings={"strategy": "prior"},
        needs=BLIND,
        aliases=("dummy", "class_shares"),
        instead="mean",
    ),
    NamedModel(
        "mean",
        "the mean of the training part, always",
        regressor="sklearn.dummy:DummyRegressor",
        regressor_settings={"strategy": "mean"},
        needs=BLIND,
        aliases=("average",),
        instead="prior",
    ),
    NamedModel(
        "median",
        "the median of the training part, always",
        regressor="sklearn.dummy:DummyRegressor",
        regressor_settings={"strategy": "median"},
        needs=BLIND,
        instead="majority",
    ),
    NamedModel(
        "knn",
        "k nearest neighbours (5) of scaled features",
        classifier="sklearn.neighbors:KNeighborsClassifier",
        regressor="sklearn.neighbors:KNeighborsRegressor",
        needs=SCALED,
        aliases=(
            "k_nn",
            "nearest_neighbors",
            "nearest_neighbours",
            "k_nearest_neighbors",
            "k_nearest_neighbours",
            "kneighbors",
            "ibk",
        ),
    ),
    NamedModel(
        "lda",
        "linear discriminant analysis",
        classifier="sklearn.discriminant_analysis:LinearDiscriminantAnalysis",
        aliases=("linear_discriminant", "linear_discriminant_analysis"),
        instead="linear",
    ),
    NamedModel(
        "qda",
        "quadratic discriminant analysis",
        classifier=quadratic,
        aliases=("quadratic_discriminant", "quadratic_discriminant_analysis"),
        instead="linear",
    ),
    NamedModel(
        "nb",
        "naive Bayes: normal numbers, counted names, missing values passed over",
        classifier=naive_bayes,
        aliases=("naive_bayes", "bayes", "gaussian_nb"),
        instead="linear",
    ),
    NamedModel(
        "logistic",
        "logistic regression of scaled features, with a light ridge penalty",
        classifier="sklearn.linear_model:LogisticRegression",
        classifier_settings={"max_iter": 1000},
        needs=SCALED,
        aliases=("logistic_regression", "logreg", "logit"),
        instead="linear",
    ),
    NamedModel(
        "tree",
        "a decision tree",
        classifier="sklearn.tree:DecisionTreeClassifier",
        regressor="sklearn.tree:DecisionTreeRegressor",
        needs=TREES,
        aliases=("decision_tree", "cart", "dt"),
    ),
    NamedModel(
        "svm",
        "support vector machine of scaled features (radial kernel)",
        classifier="sklearn.svm:SVC",
        regressor="sklearn.svm:SVR",
        needs=SCALED,
        aliases=("svc", "svr", "support_vector_machine"),
    ),
    NamedModel(
        "bagging",
        "50 trees on bootstrap samples",
        classifier="sklearn.ensemble:BaggingClassifier",
        regressor="sklearn.ensemble:BaggingRegressor",
        classifier_settings={"n_estimators": 50},
        regressor_settings={"n_estimators": 50},
        needs=TREES,
        aliases=("bagged_trees", "bag"),
    ),
    NamedModel(
        "boosting",
        "gradient boosting of trees on histograms",
        classifier="sklearn.ensemble:HistGradientBoostingClassifier",
        regressor="sklearn.ensemble:HistGradientBoostingRegressor",
        needs=Needs(missing="takes", nominal="codes"),
        aliases=("gradient_boosting", "hist_gradient_boosting", "boosted_trees", "gbm", "gbdt"),
    ),
    NamedModel(
        "forest",
        "a random forest of 100 trees",
        classifier="sklearn.ensemble:RandomForestClassifier",
        regressor="sklearn.ensemble:RandomForestRegressor",
        needs=TREES,
        aliases=("random_forest", "rf"),
    ),
    NamedModel(
        "ripper",
        "rules by RIPPER (of the package wittgenstein: karat[rules])",
        classifier=ripper,
        aliases=("jrip", "rules"),
        instead="tree",
    ),
    NamedModel(
        "linear",
        "linear regression by least squares",
        regressor="sklearn.linear_model:LinearRegression",
        aliases=("linear_regression", "ols", "least_squares", "lm"),
        instead="logistic",
    ),
    NamedModel(
        "ridge",
        "ridge regression of scaled features (of class indicators in classification)",
        classifier="sklearn.linear_model:RidgeClassifier",
        regressor="sklearn.linear_model:Ridge",
        needs=SCALED,
        aliases=("ridge_regression", "ridge_classifier"),
    ),
    NamedModel(
        "lasso",
        "lasso regression of scaled features",
        regressor="sklearn.linear_model:Lasso",
        needs=SCALED,
        aliases=("lasso_regression",),
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
    found = {known[alias].name: alias for alias in reversed(alike)}
    near = f"; did you mean {' or '.join(reversed(found.values()))}?" if found else ""
    names = ", ".join(model.name for model in MODELS)
    raise InputError(
        f"no model {name!r}{near}\nmodels: {names}; or package.module:name for any other"
    )
