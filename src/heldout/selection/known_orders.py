"""Of which parameters of which models it is known which way these become simpler.

Knowledge goes by the class that owns a parameter: the same name may mean another thing elsewhere,
and the same value too (no limit is None in a tree of scikit-learn, 0 in one of XGBoost).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import inf, isnan, nan
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Known", "is_number", "known_of"]


def is_number(value: Any) -> bool:
    """Whether a value can be larger or smaller than another.

    Examples
    --------
    >>> is_number(0.1), is_number(True), is_number("auto"), is_number(None)
    (True, False, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class Known:
    """Which way a parameter makes its model simpler (smoother, smaller), and what its codes mean.

    Examples
    --------
    >>> depth = Known("down", endless=0)
    >>> depth.size(3), depth.size(0), depth.size(None)
    (3.0, inf, nan)
    """

    #: ``up`` or ``down``
    way: str
    #: the number that None stands for; undefined where it stands for another default
    none: float = nan
    #: numbers up to this one are codes for no limit
    endless: float = -inf
    #: whole numbers count, and fractions are shares: the two have no common order
    has_shares: bool = False
    #: units of layers
    is_layered: bool = False

    def size(self, value: Any) -> float:
        """A value as a number that can be compared; undefined where it is none."""
        if value is None:
            return self.none
        if self.is_layered and _is_layers(value):
            return float(sum(value))
        if not is_number(value):
            return nan
        return inf if value <= self.endless else float(value)

    def unorderable(self, values: Iterable[Any]) -> str:
        """Why some values have no order among each other; empty where they have one."""
        listed = list(values)
        for value in listed:
            if isnan(self.size(value)):
                return f"{value!r} is no number"
        if self.has_shares:
            counts = [one for one in listed if isinstance(one, Integral)]
            shares = [one for one in listed if is_number(one) and not isinstance(one, Integral)]
            if counts and shares:
                return f"{shares[0]!r} is a share and {counts[0]!r} a number"
        return _unlike_layers(listed) if self.is_layered else ""


def _is_layers(value: Any) -> bool:
    return isinstance(value, tuple | list) and all(isinstance(one, Integral) for one in value)


def _unlike_layers(values: Iterable[Any]) -> str:
    """Networks of which each is within the next are ordered; wide ones and deep ones are not."""
    layers = sorted(
        {tuple(one) if _is_layers(one) else (one,) for one in values},
        key=lambda one: (len(one), sum(one)),
    )
    for small, large in pairwise(layers):
        if any(one > other for one, other in zip(small, large, strict=False)):
            return f"of {small} and {large} neither is within the other"
    return ""


UP, DOWN = Known("up"), Known("down")
#: None is no limit
LIMIT = Known("down", none=inf)
#: None is no penalty
PENALTY = Known("up", none=0.0)
#: None is all of them
FEATURES = Known("down", none=inf, has_shares=True)
PARTS = Known("up", has_shares=True)
#: 0 and below are no limit
DEPTH = Known("down", endless=0)

TREE = {
    "max_depth": LIMIT, "max_leaf_nodes": LIMIT, "min_samples_leaf": PARTS,
    "min_samples_split": PARTS, "min_weight_fraction_leaf": UP, "min_impurity_decrease": UP,
    "ccp_alpha": UP, "max_features": FEATURES,
}  # fmt: skip
STEPS = {"n_estimators": DOWN, "learning_rate": DOWN}
KERNEL = {"gamma": DOWN, "degree": DOWN}
PENALISED = {"reg_alpha": UP, "reg_lambda": UP}
XGBOOST = PENALISED | {
    "max_depth": DEPTH, "max_leaves": DEPTH, "gamma": UP, "min_child_weight": UP,
    "learning_rate": DOWN,
}  # fmt: skip
LIGHTGBM = PENALISED | STEPS | {
    "max_depth": DEPTH, "num_leaves": DOWN, "max_leaves": DOWN, "min_child_samples": UP,
    "min_data_in_leaf": UP, "min_child_weight": UP, "min_split_gain": UP, "lambda_l1": UP,
    "lambda_l2": UP,
}  # fmt: skip
CATBOOST = STEPS | {
    "iterations": DOWN, "depth": DOWN, "max_depth": DOWN, "max_leaves": DOWN, "num_leaves": DOWN,
    "l2_leaf_reg": UP, "reg_lambda": UP, "min_data_in_leaf": UP, "min_child_samples": UP,
}  # fmt: skip

#: by package: classes, and what is known of their parameters. More trees of a forest are larger
#: and smoother, and iterations of a solver end where it has converged: of these nothing is known
FAMILIES: Mapping[str, Mapping[str, Mapping[str, Known]]] = {
    "sklearn": {
        "KNeighborsClassifier KNeighborsRegressor KNNImputer": {"n_neighbors": UP},
        "RadiusNeighborsClassifier RadiusNeighborsRegressor": {"radius": UP},
        "SVC": {"C": DOWN} | KERNEL,
        "SVR": {"C": DOWN, "epsilon": UP} | KERNEL,
        # nu bounds the share of support vectors from below: in a classifier they are rows
        # within the margin, in a regression rows outside of a tube that becomes narrower
        "NuSVC": {"nu": UP} | KERNEL,
        "NuSVR": {"C": DOWN, "nu": DOWN} | KERNEL,
        "LinearSVC LogisticRegression": {"C": DOWN},
        "LinearSVR": {"C": DOWN, "epsilon": UP},
        "PassiveAggressiveClassifier": {"C": DOWN, "max_iter": DOWN},
        "PassiveAggressiveRegressor": {"C": DOWN, "max_iter": DOWN, "epsilon": UP},
        "SGDClassifier SGDRegressor Perceptron": {"alpha": UP, "max_iter": DOWN},
        "Ridge RidgeClassifier Lasso LassoLars ElasticNet MultiTaskLasso MultiTaskElasticNet "
        "HuberRegressor QuantileRegressor GammaRegressor PoissonRegressor TweedieRegressor "
        "GaussianProcessRegressor BernoulliNB CategoricalNB ComplementNB "
        "MultinomialNB": {"alpha": UP},
        "KernelRidge": {"alpha": UP} | KERNEL,
        "Lars OrthogonalMatchingPursuit": {"n_nonzero_coefs": DOWN},
        "LinearDiscriminantAnalysis": {"shrinkage": PENALTY, "n_components": LIMIT},
        "QuadraticDiscriminantAnalysis": {"reg_param": UP, "shrinkage": PENALTY},
        "NearestCentroid": {"shrink_threshold": PENALTY},
        "GaussianNB": {"var_smoothing": UP},
        "MLPClassifier MLPRegressor": {
            "hidden_layer_sizes": Known("down", is_layered=True), "alpha": UP, "max_iter": DOWN,
        },
        "DecisionTreeClassifier DecisionTreeRegressor ExtraTreeClassifier ExtraTreeRegressor "
        "RandomForestClassifier RandomForestRegressor ExtraTreesClassifier "
        "ExtraTreesRegressor": TREE,
        "GradientBoostingClassifier GradientBoostingRegressor": TREE | STEPS,
        "HistGradientBoostingClassifier HistGradientBoostingRegressor": {
            "max_iter": DOWN, "learning_rate": DOWN, "max_leaf_nodes": LIMIT, "max_depth": LIMIT,
            "min_samples_leaf": UP, "l2_regularization": UP, "max_features": DOWN,
            "max_bins": DOWN,
        },
        "AdaBoostClassifier AdaBoostRegressor": STEPS,
        "BaggingClassifier BaggingRegressor": {"max_features": FEATURES},
        "PCA": {"n_components": FEATURES},
        "TruncatedSVD IncrementalPCA FactorAnalysis FastICA NMF KernelPCA PLSRegression "
        "PLSCanonical CCA PLSSVD NeighborhoodComponentsAnalysis LatentDirichletAllocation "
        "BernoulliRBM GaussianRandomProjection SparseRandomProjection SparsePCA "
        "Isomap LocallyLinearEmbedding SkewedChi2Sampler": {"n_components": LIMIT},
        "RBFSampler Nystroem": {"n_components": DOWN} | KERNEL,
        "PolynomialFeatures": {"degree": DOWN},
        "SplineTransformer": {"degree": DOWN, "n_knots": DOWN},
        "SelectKBest": {"k": DOWN},
        # larger, and more columns pass
        "SelectFpr SelectFdr SelectFwe": {"alpha": DOWN},
        "SelectFromModel CountVectorizer TfidfVectorizer": {"max_features": LIMIT},
    },
    "xgboost": {
        "XGBClassifier XGBRegressor XGBRanker": XGBOOST | {"n_estimators": DOWN},
        "XGBRFClassifier XGBRFRegressor": XGBOOST,
    },
    "lightgbm": {"LGBMClassifier LGBMRegressor LGBMRanker": LIGHTGBM},
    "catboost": {"CatBoostClassifier CatBoostRegressor CatBoostRanker": CATBOOST},
    "heldout": {"MixedNaiveBayes": {"alpha": UP, "var_smoothing": UP}},
}  # fmt: skip


def known_of(owner: Any, name: str) -> Known | None:
    """What is known of a parameter of an estimator; None where that is nothing.

    Examples
    --------
    >>> from sklearn.svm import NuSVC, NuSVR
    >>> known_of(NuSVC(), "nu").way, known_of(NuSVR(), "nu").way, known_of(NuSVR(), "tol")
    ('up', 'down', None)
    """
    kind = type(owner)
    for classes, parameters in FAMILIES.get(kind.__module__.partition(".")[0], {}).items():
        if kind.__name__ in classes.split():
            return parameters.get(name)
    return None
