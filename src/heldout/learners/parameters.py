"""Models as text: a name, and parameters in brackets with the types their texts spell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.nearest import nearest, no_option
from heldout.core.specs import literal, parse_spec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def parse_model(text: str) -> tuple[str, dict[str, Any]]:
    """The name and the parameters of a model.

    Examples
    --------
    >>> parse_model("knn[n_neighbors=3, weights=distance, p=1.5]")
    ('knn', {'n_neighbors': 3, 'weights': 'distance', 'p': 1.5})
    """
    spec = parse_spec(text)
    if not spec.name:
        raise InputError(f"{text!r} names no model; write knn or knn[n_neighbors=3]")
    head = ":".join(part.strip() for part in spec.name.split(":"))
    return head, {name: literal(value) for name, value in spec.values().items()}


def shown(name: str, parameters: Mapping[str, Any]) -> str:
    """A model as text again.

    Examples
    --------
    >>> shown("knn", {"n_neighbors": 3, "weights": "distance"})
    'knn[n_neighbors=3, weights=distance]'
    """
    if not parameters:
        return name
    return f"{name}[{', '.join(f'{key}={spelled(value)}' for key, value in parameters.items())}]"


def spelled(value: Any) -> str:
    """A value as it is written in a model's text."""
    if isinstance(value, str):
        return value if re.fullmatch(r"[A-Za-z_][\w.-]*", value) else repr(value)
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return repr(value)


def check_parameters(model: str, parameters: Iterable[str], known: Iterable[str]) -> None:
    """Refuse a parameter the model does not have, with the nearest it has."""
    known = sorted(known)
    for name in parameters:
        if name not in known:
            plain = [name for name in known if "__" not in name]
            raise no_option(model, name, known if nearest(name, known) else plain, "parameter")


def refuse_values(estimator: Any, values: Mapping[str, Any], name: str) -> None:
    """Refuse values of parameters that scikit-learn would refuse in every fold."""
    constraints = getattr(estimator, "_parameter_constraints", None)
    if constraints is None:
        return
    from sklearn.utils._param_validation import validate_parameter_constraints

    kind = type(estimator).__name__
    try:
        validate_parameter_constraints(constraints, values, caller_name=kind)
    except ValueError as error:
        raise InputError(f"{name}: {str(error).replace(f'of {kind} ', '')}") from None
