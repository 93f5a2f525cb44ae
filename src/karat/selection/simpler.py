"""Which of two settings is simpler: known for common parameters, or declared."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from karat.core.errors import InputError
from karat.core.nearest import did_you_mean
from karat.learners.parameters import parse_model, split_models
from karat.selection.settings import innermost

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from karat.selection.settings import Setting

__all__ = ["KNOWN", "Order", "order_of", "parse_simpler"]

#: parameters of which it is known which way models become simpler (smoother, smaller)
KNOWN: Mapping[str, str] = {
    "n_neighbors": "up", "radius": "up", "C": "down", "nu": "up", "alpha": "up", "gamma": "down",
    "degree": "down", "max_depth": "down", "max_leaf_nodes": "down", "max_leaves": "down",
    "num_leaves": "down", "min_samples_leaf": "up", "min_samples_split": "up",
    "min_weight_fraction_leaf": "up", "min_impurity_decrease": "up", "min_child_weight": "up",
    "min_child_samples": "up", "min_data_in_leaf": "up", "min_split_gain": "up", "ccp_alpha": "up",
    "n_estimators": "down", "max_iter": "down", "iterations": "down", "learning_rate": "down",
    "max_features": "down", "max_bins": "down", "l2_regularization": "up", "reg_alpha": "up",
    "reg_lambda": "up", "lambda_l1": "up", "lambda_l2": "up", "l2_leaf_reg": "up",
    "reg_param": "up", "shrinkage": "up", "shrink_threshold": "up", "var_smoothing": "up",
    "n_components": "down", "epsilon": "up", "k": "down", "n_knots": "down",
    "hidden_layer_sizes": "down", "n_nonzero_coefs": "down", "max_terms": "down",
}  # fmt: skip
#: the same names mean something else there; None: nothing that makes a model simpler
ELSEWHERE: Mapping[tuple[str, str], str | None] = {
    ("XGBClassifier", "gamma"): "up", ("XGBRegressor", "gamma"): "up",
    ("GradientBoostingRegressor", "alpha"): None,
}  # fmt: skip
#: numbers without an order
SEEDS = ("random_state", "seed")
HOW = 'write "n_neighbors:up", "C:down", or the values from simple to complex: "kernel:linear,rbf"'


@dataclass(frozen=True, slots=True)
class Order:
    """By which parameters settings are ordered, the first of them first."""

    #: up, down, or values from simple to complex
    rules: Mapping[str, str | tuple[Any, ...]]
    #: numbers that vary and of which nothing is known
    unknown: tuple[str, ...] = ()
    #: parameters without an order: names, switches, seeds
    unordered: tuple[str, ...] = ()

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

    def are_comparable(self, one: Setting, other: Setting) -> bool:
        """Whether one can be simpler than the other: the same model, the same names."""
        return self.kind(one) == self.kind(other)

    def kind(self, setting: Setting) -> tuple[str, ...]:
        """What settings must share to be compared: the model, and names without an order."""
        names = (repr(setting.parameters.get(name)) for name in self.unordered)
        return (setting.base, *names)

    def key(self, setting: Setting) -> tuple[float, ...]:
        """What sorts settings from the simplest on."""
        return tuple(
            _place(name, rule, setting.parameters.get(name)) for name, rule in self.rules.items()
        )


def _place(name: str, rule: str | tuple[Any, ...], value: Any) -> float:
    if isinstance(rule, tuple):
        if value not in rule:
            raise InputError(f"simpler: {name} has the value {value!r}, which its order lacks")
        return float(rule.index(value))
    if value is None:
        # no limit on depth or leaves: the most complex
        return inf
    if isinstance(value, tuple | list) and all(isinstance(one, int) for one in value):
        # units of all layers
        value = sum(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"simpler: {name}={value!r} is no number; list its values in their order")
    return float(value) if rule == "down" else -float(value)


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
    found: dict[str, str | tuple[Any, ...]] = {}
    for text in (part.strip() for one in texts for part in one.split(";")):
        name, colon, rule = (part.strip() for part in text.partition(":"))
        if not name or not colon or not rule:
            raise InputError(f"simpler: {text!r} is no order; {HOW}")
        if rule in ("up", "down"):
            found[name] = rule
        else:
            listed = [parse_model(f"x[v={part}]")[1]["v"] for part in split_models(rule)]
            if len(listed) < 2:
                raise InputError(f"simpler: {text!r} is no order; {HOW}")
            found[name] = tuple(listed)
    return found


def order_of(settings: Sequence[Setting], declared: Any = None) -> Order:
    """The order of some settings: what was declared first, then what is known."""
    rules = parse_simpler(declared)
    names: dict[str, set[str]] = {}
    for setting in settings:
        for name, value in setting.parameters.items():
            names.setdefault(name, set()).add(repr(value))
    for name in rules:
        if name not in names:
            hint = did_you_mean(name, names) or f"; the grid has {', '.join(names) or 'none'}"
            raise InputError(f"simpler: the grid has no parameter {name!r}{hint}")
    varying = [name for name, values in names.items() if len(values) > 1]
    made = dict(rules)
    unknown, unordered = [], []
    for name in varying:
        if name in made:
            continue
        values = [one.parameters[name] for one in settings if name in one.parameters]
        known = _known(settings, name)
        if known is not None and all(map(_has_size, values)):
            made[name] = known
        elif name.rsplit("__", 1)[-1] in SEEDS or not all(map(_has_size, values)):
            unordered.append(name)
        else:
            unknown.append(name)
    return Order(made, tuple(unknown), tuple(unordered))


def _known(settings: Sequence[Setting], name: str) -> str | None:
    """Which way a parameter makes its model simpler, where that is known of all models."""
    short = name.rsplit("__", 1)[-1]
    found = {
        ELSEWHERE.get((_owner(one, name), short), KNOWN.get(short))
        for one in settings
        if name in one.parameters
    }
    return found.pop() if len(found) == 1 else None


def _owner(setting: Setting, name: str) -> str:
    """The class of the estimator that a parameter belongs to."""
    estimator = setting.model.estimator
    step = name.rpartition("__")[0]
    if step and hasattr(estimator, "get_params"):
        estimator = estimator.get_params(deep=True).get(step, estimator)
    return type(innermost(estimator)[1]).__name__


def _has_size(value: Any) -> bool:
    """Whether a value can be larger or smaller: a number, no limit, sizes of layers."""
    if isinstance(value, tuple | list):
        return all(isinstance(one, int) and not isinstance(one, bool) for one in value)
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
