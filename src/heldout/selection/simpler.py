"""Which of two settings is simpler: known for common parameters of known models, or declared.

Knowledge goes by the class that owns a parameter: the same name may mean another thing elsewhere,
and the same value too (no limit is None in a tree of scikit-learn, 0 in one of XGBoost).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import inf, isnan, nan
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.nearest import no_option
from heldout.core.specs import literal, split_list
from heldout.learners.calibrated import innermost

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heldout.selection.settings import Setting


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
                return f"{value!r} is not a number"
        if self.has_shares:
            counts = [value for value in listed if isinstance(value, Integral)]
            shares = [
                value for value in listed if is_number(value) and not isinstance(value, Integral)
            ]
            if counts and shares:
                return f"{shares[0]!r} is a share and {counts[0]!r} a number"
        return _unlike_layers(listed) if self.is_layered else ""


def _is_layers(value: Any) -> bool:
    return isinstance(value, tuple | list) and all(isinstance(size, Integral) for size in value)


def _unlike_layers(values: Iterable[Any]) -> str:
    """Networks of which each is within the next are ordered; wide ones and deep ones are not."""
    layers = sorted(
        {tuple(value) if _is_layers(value) else (value,) for value in values},
        key=lambda value: (len(value), sum(value)),
    )
    for small, large in pairwise(layers):
        if any(width > other for width, other in zip(small, large, strict=False)):
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


#: numbers without an order
SEEDS = ("random_state", "seed")
HOW = 'write "n_neighbors:up", "C:down", or the values from simple to complex: "kernel:linear,rbf"'
#: stands for the value of a parameter that a model does not have
MISSING = object()


@dataclass(frozen=True, slots=True)
class Order:
    """By which parameters settings are ordered, the first of them first."""

    #: up, down, or values from simple to complex
    rules: Mapping[str, str | tuple[Any, ...]]
    #: numbers that vary and of which nothing is known, with what is in the way of an order
    unknown: Mapping[str, str] = field(default_factory=dict)
    #: parameters without an order: names, switches, seeds
    unordered: tuple[str, ...] = ()
    #: parameters that are words beside some of those names, and numbers beside others
    apart: tuple[str, ...] = ()

    def words(self, setting: Setting) -> str:
        """The order in words, of the parameters that a setting has."""
        said = {"up": "larger {}", "down": "smaller {}"}
        ordered = ", then ".join(
            said[rule].format(name)
            if isinstance(rule, str)
            else f"{name} in the order {', '.join(map(str, rule))}"
            for name, rule in self.rules.items()
            if name in setting.parameters
        )
        names = [name for name in self.unordered if name in setting.parameters]
        if not names:
            return ordered
        are = "has no order and stays" if len(names) == 1 else "have no order and stay"
        kept = f"{' and '.join(names)} {are} as in the best"
        return "; ".join(filter(None, (ordered, kept)))

    def kind(self, setting: Setting) -> tuple[str, ...]:
        """What settings must share to be compared: the model, and names without an order."""
        names = (repr(_value(setting, name)) for name in self.unordered)
        return (setting.base, *names, *(str(_is_word(setting, name)) for name in self.apart))

    def key(self, setting: Setting) -> tuple[float, ...]:
        """What sorts settings from the simplest on."""
        return tuple(
            0.0 if name in self.apart and _is_word(setting, name) else _place(setting, name, rule)
            for name, rule in self.rules.items()
        )


def _place(setting: Setting, name: str, rule: str | tuple[Any, ...]) -> float:
    value = _value(setting, name)
    if value is MISSING:
        # only settings of one model are compared, and none of them has it
        return 0.0
    if isinstance(rule, tuple):
        if value not in rule:
            raise InputError(f"simpler: {name} has the value {value!r}, which its order lacks")
        return float(rule.index(value))
    size = (_known(setting, name) or Known(rule)).size(value)
    if isnan(size):
        raise InputError(
            f"simpler: {name}={value!r} is not a number; list its values in their order"
        )
    return size if rule == "down" else -size


def parse_simpler(given: Any) -> dict[str, str | tuple[Any, ...]]:
    """Declarations of what is simpler, by parameter.

    Examples
    --------
    >>> parse_simpler("n_neighbors:up; kernel:linear,rbf")
    {'n_neighbors': 'up', 'kernel': ('linear', 'rbf')}
    """
    if not given:
        return {}
    if hasattr(given, "items"):
        return {
            name: rule if isinstance(rule, str) else tuple(rule) for name, rule in given.items()
        }
    texts = [given] if isinstance(given, str) else list(given)
    rules: dict[str, str | tuple[Any, ...]] = {}
    for text in (part for given in texts for part in split_list(given, ";")):
        name, colon, rule = (part.strip() for part in text.partition(":"))
        if not name or not colon or not rule:
            raise InputError(f"simpler: {text!r} is not an order; {HOW}")
        if rule in ("up", "down"):
            rules[name] = rule
        else:
            listed = [literal(part) for part in split_list(rule)]
            if len(listed) < 2:
                raise InputError(f"simpler: {text!r} is not an order; {HOW}")
            rules[name] = tuple(listed)
    return rules


def order_of(settings: Sequence[Setting], declared: Any = None) -> Order:
    """The order of some settings: what was declared first, then what is known.

    A declaration that cannot order the settings' values is refused.
    """
    rules = parse_simpler(declared)
    names = dict.fromkeys(name for setting in settings for name in setting.parameters)
    for name in rules:
        if name not in names:
            raise no_option("simpler: the grid", name, names, "parameter")
    ordered = dict(rules)
    unknown: dict[str, str] = {}
    varying = {name: groups for name in names if (groups := _varying(settings, name))}
    unordered = tuple(name for name in varying if name not in rules and _is_named(varying, name))
    apart = []
    for name, rule in rules.items():
        _refuse_mixed(varying.get(name, ()), name, rule)
    for name, groups in varying.items():
        if name not in rules and name not in unordered:
            words = [setting for g in groups for setting in g if _is_word(setting, name)]
            numbers = [setting for g in groups for setting in g if not _is_word(setting, name)]
            # settings of both kinds could be compared where all names are the same in them
            kind = Order({}, unordered=unordered).kind
            if not {*map(kind, words)}.isdisjoint(map(kind, numbers)):
                unknown[name] = f"{_value(words[0], name)!r} is not a number, and other values are"
                continue
            apart += [name] * bool(words)
            way, reason = _way(
                [[setting for setting in g if not _is_word(setting, name)] for g in groups], name
            )
            if way and not reason:
                ordered[name] = way
            else:
                unknown[name] = reason
    order = Order(ordered, unknown, unordered, tuple(apart))
    for setting in settings if rules else ():
        order.key(setting)
    return order


def _is_named(varying: Mapping[str, Sequence[Sequence[Setting]]], name: str) -> bool:
    """Whether none of a parameter's values can be larger than another, or it is a seed."""
    values = (_value(setting, name) for group in varying[name] for setting in group)
    return _short(name) in SEEDS or all(value is None or not _has_size(value) for value in values)


def _varying(settings: Sequence[Setting], name: str) -> list[list[Setting]]:
    """The settings of each model that has a parameter and varies it."""
    by_base: dict[str, list[Setting]] = {}
    values: dict[str, set[str]] = {}
    for setting in settings:
        if (value := _value(setting, name)) is not MISSING:
            by_base.setdefault(setting.base, []).append(setting)
            values.setdefault(setting.base, set()).add(repr(value))
    return [group for base, group in by_base.items() if len(values[base]) > 1]


def _way(groups: Sequence[Sequence[Setting]], name: str) -> tuple[str, str]:
    """Which way a parameter makes all its models simpler, and what is in the way of an order."""
    ways, reasons = set(), []
    for group in groups:
        known = {_known(setting, name) for setting in group}
        ways |= {"" if rule is None else rule.way for rule in known}
        values = [_value(setting, name) for setting in group]
        reasons += [rule.unorderable(values) for rule in known if rule is not None]
    return (ways.pop() if len(ways) == 1 else ""), next(filter(None, reasons), "")


def _refuse_mixed(
    groups: Sequence[Sequence[Setting]], name: str, rule: str | tuple[Any, ...]
) -> None:
    """An error where a declared direction does not order what is in the grid."""
    if isinstance(rule, tuple):
        return
    if rule not in ("up", "down"):
        raise InputError(f"simpler: {name}:{rule} is not an order; {HOW}")
    for group in groups:
        values = [_value(setting, name) for setting in group]
        for known in {_known(setting, name) for setting in group}:
            if reason := (known or Known(rule)).unorderable(values):
                raise InputError(f"simpler: {name}: {reason}; list its values in their order")


def _known(setting: Setting, name: str) -> Known | None:
    return known_of(_owner(setting, name), _short(name))


def _short(name: str) -> str:
    return name.rsplit("__", 1)[-1]


def _value(setting: Setting, name: str) -> Any:
    """The value of a parameter in a setting: of the grid, else as the estimator has it."""
    if name in setting.parameters:
        return setting.parameters[name]
    return getattr(_owner(setting, name), _short(name), MISSING)


def _owner(setting: Setting, name: str) -> Any:
    """The estimator that a parameter belongs to."""
    estimator = setting.model.estimator
    step = name.rpartition("__")[0]
    for part in step.split("__") if step else ():
        inner = getattr(estimator, part, None)
        if inner is None and hasattr(estimator, "get_params"):
            inner = estimator.get_params(deep=True).get(part)
        if inner is None:
            # the name of a named model, whose estimator is innermost
            break
        estimator = inner
    return innermost(estimator)[1]


def _is_word(setting: Setting, name: str) -> bool:
    return not _has_size(_value(setting, name))


def _has_size(value: Any) -> bool:
    """Whether a value can be larger or smaller: a number, no limit, sizes of layers."""
    if isinstance(value, tuple | list):
        return all(map(is_number, value))
    return value is None or is_number(value)
