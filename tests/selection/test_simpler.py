"""What is simpler goes by the class that owns a parameter, and by what its values stand for."""

from __future__ import annotations

import inspect
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import pytest
from sklearn import ensemble, feature_selection, linear_model, neural_network, svm, tree
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.feature_selection import SelectFpr, SelectKBest
from sklearn.kernel_ridge import KernelRidge
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils import all_estimators

import heldout
from heldout.core.errors import InputError
from heldout.datasets.arrays import dataset_of
from heldout.learners.request import model_for
from heldout.selection.choice import checked_order
from heldout.selection.settings import Setting, with_parameters
from heldout.selection.simpler import FAMILIES, known_of, order_of


class Mine(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # of no known type
    """An own model, with parameters that are called as those of others."""

    def __init__(self, k: int = 1, C: float = 1.0, inner: Any = None) -> None:
        self.k = k
        self.C = C
        self.inner = inner


class Own(Mine):
    """One that says what kind of model it is, and is never asked for more."""

    def fit(self, X: Any, y: Any) -> Own:
        raise AssertionError("fitted")

    def predict(self, X: Any) -> Any:
        raise AssertionError("asked")


class Subclass(KNeighborsClassifier):  # type: ignore[misc]  # of no known type
    """An own model that may do anything with its neighbours."""


def settings(estimator: Any, grid: list[dict[str, Any]]) -> list[Setting]:
    """Settings of an estimator, which nothing is going to fit."""
    model = model_for(DummyClassifier(), dataset_of(np.zeros((4, 1)), [0, 1] * 2))
    return [
        Setting(
            f"made[{at}]", "made", one, replace(model, estimator=with_parameters(estimator, one))
        )
        for at, one in enumerate(grid)
    ]


def sorted_values(estimator: Any, name: str, values: list[Any], declared: Any = None) -> list[Any]:
    """The values of a parameter from the simplest on."""
    made = settings(estimator, [{name: one} for one in values])
    order = checked_order(made, declared)
    return [one.parameters[name] for one in sorted(made, key=order.key)]


def borrowed(package: str, name: str, **defaults: Any) -> Any:
    """An estimator as a package that may be absent has it: the class, its parameters."""
    listed = [
        inspect.Parameter(one, inspect.Parameter.KEYWORD_ONLY, default=value)
        for one, value in defaults.items()
    ]

    def begin(self: Any, **given: Any) -> None:
        vars(self).update(defaults, **given)

    # scikit-learn reads parameters from it; a function is declared without
    begin.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD), *listed]
    )
    made = type(name, (ClassifierMixin, BaseEstimator), {"__init__": begin})
    made.__module__ = f"{package}.sklearn"
    return made()


def test_nothing_is_known_of_an_own_model_whatever_its_parameters_are_called() -> None:
    for name in ("k", "C"):
        with pytest.raises(InputError, match=f'which {name} is simpler\\? Declare "{name}:up"'):
            sorted_values(Mine(), name, [1, 5, 41])
    with pytest.raises(InputError, match="which n_neighbors is simpler"):
        sorted_values(Subclass(), "n_neighbors", [1, 5])
    assert sorted_values(Mine(), "k", [1, 41, 5], "k:up") == [41, 5, 1]


def test_a_parameter_of_a_known_estimator_within_is_known() -> None:
    inside = Mine(inner=tree.DecisionTreeClassifier())
    assert sorted_values(inside, "inner__max_depth", [5, None, 2]) == [2, 5, None]
    piped = make_pipeline(SelectKBest(), Mine())
    assert sorted_values(piped, "selectkbest__k", [5, 2]) == [2, 5]
    with pytest.raises(InputError, match="which mine__k is simpler"):
        sorted_values(piped, "mine__k", [5, 2])


def test_an_own_model_is_asked_about_before_anything_is_fitted() -> None:
    X, y = np.arange(20.0).reshape(-1, 1), np.tile([0, 1], 10)
    with pytest.raises(InputError, match="which k is simpler"):
        heldout.select(Own(), {"k": [1, 3]}, X, y, rule="one-se", procedure="2-fold")


@pytest.mark.parametrize(
    ("estimator", "name", "simple_first"),
    [
        (svm.NuSVC(), "nu", [0.8, 0.1]),
        (svm.NuSVR(), "nu", [0.1, 0.8]),
        (SelectFpr(), "alpha", [0.01, 0.5]),
        (linear_model.Ridge(), "alpha", [10.0, 0.1]),
        (LinearDiscriminantAnalysis(solver="lsqr"), "shrinkage", [1.0, 0.1, None]),
        (NearestCentroid(), "shrink_threshold", [0.5, 0.1, None]),
        (tree.DecisionTreeClassifier(), "max_leaf_nodes", [2, 9, None]),
        (tree.DecisionTreeClassifier(), "min_samples_leaf", [0.3, 0.1]),
        (ensemble.RandomForestClassifier(), "max_features", [1, 3, None]),
        (ensemble.RandomForestClassifier(), "max_features", [0.1, 1.0, None]),
        (ensemble.HistGradientBoostingClassifier(), "max_iter", [10, 100]),
        (PCA(), "n_components", [1, 3, None]),
        (linear_model.Lars(), "n_nonzero_coefs", [3, 10, inf]),
        (neural_network.MLPClassifier(), "hidden_layer_sizes", [5, (9,), (9, 9)]),
        (borrowed("xgboost", "XGBClassifier", max_depth=6), "max_depth", [2, 9, 0]),
        (borrowed("xgboost", "XGBClassifier", max_leaves=0), "max_leaves", [2, 9, 0]),
        (borrowed("xgboost", "XGBClassifier", gamma=0), "gamma", [5, 0]),
        (borrowed("lightgbm", "LGBMClassifier", max_depth=-1), "max_depth", [2, 9, -1]),
        (borrowed("lightgbm", "LGBMClassifier", num_leaves=31), "num_leaves", [4, 31]),
        (borrowed("catboost", "CatBoostClassifier", depth=6), "depth", [2, 6]),
    ],
)
def test_values_go_from_simple_to_complex_with_what_codes_stand_for(
    estimator: Any, name: str, simple_first: list[Any]
) -> None:
    assert sorted_values(estimator, name, simple_first[::-1]) == simple_first


@pytest.mark.parametrize(
    ("estimator", "name", "values", "why"),
    [
        (tree.DecisionTreeClassifier(), "min_samples_leaf", [5, 0.1], "0.1 is a share and 5"),
        (tree.DecisionTreeClassifier(), "min_samples_split", [2, 0.5], "0.5 is a share and 2"),
        (ensemble.RandomForestClassifier(), "max_features", [2, 0.5], "0.5 is a share and 2"),
        (PCA(), "n_components", [2, 0.9], "0.9 is a share and 2 a number"),
        (KernelRidge(), "gamma", [0.1, None], "None is not a number"),
        (
            linear_model.OrthogonalMatchingPursuit(),
            "n_nonzero_coefs",
            [2, None],
            "None is not a num",
        ),
        (borrowed("xgboost", "XGBClassifier", max_depth=6), "max_depth", [2, None], "None is no"),
        (neural_network.MLPClassifier(), "hidden_layer_sizes", [(9, 9), (10,)], "neither is with"),
        (PolynomialFeatures(), "degree", [3, (2, 3)], "(2, 3) is not a number"),
        (ensemble.GradientBoostingRegressor(), "alpha", [0.1, 0.9], 'Declare "alpha:up"'),
        (linear_model.HuberRegressor(), "epsilon", [1.1, 2.0], 'Declare "epsilon:up"'),
        (svm.SVC(), "max_iter", [-1, 100], 'Declare "max_iter:up"'),
        (linear_model.Ridge(), "max_iter", [10, None], 'Declare "max_iter:up"'),
        (ensemble.RandomForestClassifier(), "n_estimators", [10, 500], 'Declare "n_est'),
        (ensemble.BaggingClassifier(), "max_samples", [0.5, 10], 'Declare "max_samples:up"'),
        (borrowed("xgboost", "XGBRFClassifier", n_estimators=9), "n_estimators", [1, 9], "Decl"),
        # a word among numbers
        (SelectKBest(), "k", [1, 4, "all"], "'all' is not a number, and other values are: declare"),
        (SelectKBest(), "k", [1, "all"], 'from simple to complex, such as "k:1,all" (simpler='),
        (svm.SVC(), "gamma", ["scale", np.float64(0.1)], 'such as "gamma:scale,0.1" (simpler='),
        (
            ensemble.RandomForestClassifier(),
            "max_features",
            [None, "sqrt", 3],
            "'sqrt' is not a num",
        ),
        (Mine(), "k", ["all", 2], "'all' is not a number, and other values are"),
    ],
)
def test_what_has_no_known_order_is_asked_for(
    estimator: Any, name: str, values: list[Any], why: str
) -> None:
    with pytest.raises(InputError, match=f"which {name} is simpler") as caught:
        sorted_values(estimator, name, values)
    assert why in str(caught.value)
    # values that are listed are in an order, whatever they stand for
    assert sorted_values(estimator, name, values, {name: values}) == values


def test_names_alone_and_none_have_no_order_and_nobody_is_asked() -> None:
    for values in (["linear", "rbf"], [None, "balanced"], [True, False]):
        made = settings(Mine(), [{"k": one} for one in values])
        assert checked_order(made).unordered == ("k",)


def test_a_word_among_numbers_is_asked_about_before_anything_is_fitted() -> None:
    X, y = np.arange(40.0).reshape(-1, 2), np.tile([0, 1], 10)
    piped = make_pipeline(SelectKBest(), Own())
    grid = {"selectkbest__k": [1, 2, "all"]}
    with pytest.raises(InputError, match="which selectkbest__k is simpler"):
        heldout.select(piped, grid, X, y, rule="one-se", procedure="2-fold")


def test_a_declared_direction_orders_codes_and_refuses_a_mixture() -> None:
    boosted = borrowed("lightgbm", "LGBMClassifier", max_depth=-1)
    assert sorted_values(boosted, "max_depth", [-1, 3, 9], "max_depth:down") == [3, 9, -1]
    with pytest.raises(InputError, match=r"0\.1 is a share and 5 a number; list its values"):
        sorted_values(PCA(), "n_components", [5, 0.1], "n_components:down")
    with pytest.raises(InputError, match="'scale' is not a number; list its values"):
        sorted_values(svm.SVC(), "gamma", ["scale", 0.1], "gamma:down")
    with pytest.raises(InputError, match="k:upp is not an order"):
        sorted_values(Mine(), "k", [1, 2], {"k": "upp"})


def test_words_that_stand_beside_other_names_only_leave_numbers_their_order() -> None:
    # a list of grids: of the linear kernel gamma is the default, a word, which nothing reads
    grid = [{"kernel": "linear", "C": 1.0}, {"kernel": "linear", "C": 2.0}]
    grid += [{"kernel": "rbf", "gamma": one} for one in (0.1, 1.0)]
    order = checked_order(made := settings(svm.SVC(), grid))
    assert order.rules == {"C": "down", "gamma": "down"}
    assert [order.key(one)[1] for one in made] == [0.0, 0.0, 0.1, 1.0]
    kinds = [order.kind(setting) for setting in made]
    assert kinds[0] == kinds[1] != kinds[2] == kinds[3]
    with pytest.raises(InputError, match="'scale' is not a number, and other values are"):
        checked_order(settings(svm.SVC(), [*grid, {"kernel": "rbf", "gamma": "scale"}]))


def test_a_setting_without_a_parameter_has_that_of_its_estimator() -> None:
    grid = [{"C": 0.1, "kernel": "linear"}, {"C": 10.0}, {"kernel": "rbf"}]
    order = order_of(made := settings(svm.SVC(), grid))
    assert [order.kind(one)[1] for one in made] == ["'linear'", "'rbf'", "'rbf'"]
    assert [order.key(one) for one in made] == [(0.1,), (10.0,), (1.0,)]


def test_every_class_that_is_known_exists_and_has_the_parameters() -> None:
    there = dict(all_estimators())
    for classes, parameters in FAMILIES["sklearn"].items():
        for name in classes.split():
            known = inspect.signature(there[name]).parameters
            assert set(parameters) <= set(known) | {"degree"}, name
            assert known_of(object.__new__(there[name]), next(iter(parameters))) is not None
    assert known_of(feature_selection.SelectKBest(), "k") is not None
