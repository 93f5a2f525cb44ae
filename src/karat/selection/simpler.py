"""Which of two settings is simpler: known for common parameters, or declared."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from karat.core.errors import InputError
from karat.core.nearest import did_you_mean
from karat.learners.parameters import parse_model, split_models

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from karat.selection.settings import Setting

__all__ = ["KNOWN", "Order", "order_of", "parse_simpler"]

#: parameters of which it is known which way models become simpler (smoother, smaller)
KNOWN: Mapping[str, str] = {
    "n_neighbors": "up", "radius": "up", "C": "down", "alpha": "up", "gamma": "down",
    "degree": "down", "max_depth": "down", "max_leaf_nodes": "down", "min_samples_leaf": "up",
    "min_samples_split": "up", "min_impurity_decrease": "up", "ccp_alpha": "up",
    "n_estimators": "down", "max_iter": "down", "learning_rate": "down", "max_features": "down",
    "l2_regularization": "up", "reg_param": "up", "shrinkage": "up", "var_smoothing": "up",
    "n_components": "down", "epsilon": "up", "k": "down", "n_knots": "down",
}  # fmt: skip
HOW = 'write "n_neighbors:up", "C:down", or the values from simple to complex: "kernel:linear,rbf"'


@dataclass(frozen=True, slots=True)
class Order:
    """By which parameters settings are ordered, the first of them first."""

    #: up, down, or values from simple to complex
    rules: Mapping[str, str | tuple[Any, ...]]
    #: parameters that vary and of which nothing is known
    unknown: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The order in words."""
        said = {"up": "larger {}", "down": "smaller {}"}
        return ", then ".join(
            said[rule].format(name)
            if isinstance(rule, str)
            else f"{name} in the order {', '.join(map(str, rule))}"
            for name, rule in self.rules.items()
        )

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
    unknown = []
    for name in varying:
        short = name.rsplit("__", 1)[-1]
        if name in made:
            continue
        if short in KNOWN and _is_number(settings, name):
            made[name] = KNOWN[short]
        else:
            unknown.append(name)
    return Order(made, tuple(unknown))


def _is_number(settings: Sequence[Setting], name: str) -> bool:
    values = [one.parameters.get(name) for one in settings]
    return all(
        value is None or (isinstance(value, int | float) and not isinstance(value, bool))
        for value in values
    )
