"""Settings: a model for every combination of a grid, with names that say what differs."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.learners.fingerprint import GIVEN, fingerprint_of
from heldout.learners.parameters import check_parameters, parse_model, shown
from heldout.learners.request import model_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heldout.datasets.dataset import Dataset
    from heldout.learners.model import Model

__all__ = ["Base", "Setting", "bases_of", "innermost", "settings_of", "with_parameters"]

CALIBRATED = (
    "{name} gives no probabilities: they come from decision values by a logistic curve, "
    "fitted inside of each training part (CalibratedClassifierCV, ensemble=False)"
)


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """One combination of a grid: the model and the parameters that are its own."""

    name: str
    base: str
    parameters: Mapping[str, Any]
    model: Model


@dataclass(frozen=True, slots=True, eq=False)
class Base:
    """A model whose parameters are searched."""

    name: str
    model: Model
    #: the text it was asked for by; empty for an estimator
    text: str = ""
    notes: tuple[str, ...] = ()

    @property
    def is_named(self) -> bool:
        """Whether it is one of heldout's named models, with preparation around its estimator."""
        return bool(self.text) and ":" not in self.text.partition("[")[0]


def bases_of(
    models: Sequence[Model], texts: Sequence[str], *, needs_probability: bool
) -> list[Base]:
    """The models that are searched; a named one is given probabilities where they are needed."""
    made = []
    for model, text in zip(models, texts, strict=True):
        base = Base(model.name, model, text)
        if needs_probability and base.is_named and _is_support_vector(model.estimator):
            base = replace(
                base, model=_calibrated(model), notes=(CALIBRATED.format(name=model.name),)
            )
        made.append(base)
    return made


def _is_support_vector(estimator: Any) -> bool:
    return type(innermost(estimator)[1]).__name__ == "SVC" and not hasattr(
        estimator, "predict_proba"
    )


def _calibrated(model: Model) -> Model:
    from sklearn.calibration import CalibratedClassifierCV

    estimator = CalibratedClassifierCV(model.estimator, ensemble=False)
    words = (*model.preparation, "probabilities by a logistic curve of decision values")
    return replace(
        model,
        estimator=estimator,
        preparation=words,
        fingerprint=_fingerprint(estimator, model.takes),
    )


def _fingerprint(estimator: Any, takes: str) -> str:
    return fingerprint_of(estimator, GIVEN) if takes == "given" else fingerprint_of(estimator)


def innermost(estimator: Any) -> tuple[str, Any]:
    """The estimator that preparation and calibration are around, and the way to its parameters."""
    prefix = ""
    while True:
        if type(estimator).__name__ == "Pipeline" and getattr(estimator, "steps", None):
            name, last = estimator.steps[-1]
            prefix, estimator = f"{prefix}{name}__", last
        elif type(estimator).__name__ == "CalibratedClassifierCV":
            prefix, estimator = f"{prefix}estimator__", estimator.estimator
        else:
            return prefix, estimator


def settings_of(
    base: Base,
    combinations: Iterable[Mapping[str, Any]],
    dataset: Dataset,
    *,
    seed: int = 0,
    is_stored: bool = True,
) -> list[Setting]:
    """A setting for each combination of parameters.

    Where nothing is stored, fingerprints need not be those of other processes.
    """
    given = parse_model(base.text)[1] if base.text else {}
    head = base.name.partition("[")[0]
    scaled: dict[Any, Base] = {}
    # with and without scaling the same parameter stands elsewhere
    places: dict[tuple[int, str], str] = {}
    made: list[Setting] = []
    for combination in combinations:
        here, rest = base, dict(combination)
        if base.is_named and isinstance(rest.get("scale"), bool):
            here = _scaled(base, rest.pop("scale"), given, scaled, (dataset, seed))
        if not hasattr(here.model.estimator, "get_params"):
            if rest:
                raise InputError(f"{base.name} has no get_params, so no parameter can be set")
            made.append(Setting(base.name, base.name, {}, base.model))
            continue
        for key in rest:
            if (id(here), key) not in places:
                places[id(here), key] = _place(here, key)
        name = shown(head, {**given, **combination})
        own = {places[id(here), key]: value for key, value in rest.items()}
        try:
            estimator = with_parameters(here.model.estimator, own)
        except (ValueError, TypeError, AttributeError) as error:
            raise InputError(f"{name}: {error}") from None
        prefix, inner = innermost(estimator)
        _validate(inner, {key.removeprefix(prefix): value for key, value in own.items()}, name)
        fingerprint = f"{here.model.fingerprint};{own!r}"
        if is_stored:
            fingerprint = _fingerprint(estimator, here.model.takes)
        model = replace(here.model, name=name, estimator=estimator, fingerprint=fingerprint)
        made.append(Setting(name, base.name, dict(combination), model))
    return made


def with_parameters(estimator: Any, values: Mapping[str, Any]) -> Any:
    """A copy of an estimator with some parameters set, which is a clone with those set.

    Copying what lies on the way to the parameters takes a fraction of the time.
    """
    if all(_can_be_reached(estimator, name) for name in values):
        for name, value in values.items():
            estimator = _with(estimator, name, value)
        return estimator if values else copy.copy(estimator)
    from sklearn.base import clone

    return clone(estimator).set_params(**values)


def _can_be_reached(estimator: Any, name: str) -> bool:
    """Whether setting an attribute is all that ``set_params`` would do."""
    first, _, rest = name.partition("__")
    from sklearn.base import BaseEstimator

    if type(estimator).set_params is BaseEstimator.set_params:
        inner = getattr(estimator, first, None)
        return hasattr(estimator, first) and (not rest or _can_be_reached(inner, rest))
    if type(estimator).__name__ == "Pipeline" and rest:
        steps = dict(estimator.steps)
        return first in steps and _can_be_reached(steps[first], rest)
    return False


def _with(estimator: Any, name: str, value: Any) -> Any:
    first, _, rest = name.partition("__")
    made = copy.copy(estimator)
    if not rest:
        setattr(made, first, value)
    elif type(estimator).__name__ == "Pipeline":
        made.steps = [
            (key, _with(step, rest, value) if key == first else step)
            for key, step in estimator.steps
        ]
    else:
        setattr(made, first, _with(getattr(estimator, first), rest, value))
    return made


def _scaled(
    base: Base, scale: bool, given: dict[str, Any], known: dict[Any, Base], where: tuple[Any, int]
) -> Base:
    """The named model with its features scaled, or not."""
    if scale not in known:
        text = shown(parse_model(base.text)[0], {**given, "scale": scale})
        model = model_for(text, where[0], seed=where[1])
        calibrated = type(base.model.estimator).__name__ == "CalibratedClassifierCV"
        known[scale] = replace(base, model=_calibrated(model) if calibrated else model)
    return known[scale]


def _place(base: Base, name: str) -> str:
    """Where a parameter stands in the estimator: as it is called, or in its last step."""
    estimator = base.model.estimator
    known = estimator.get_params(deep=True)
    prefix, inner = innermost(estimator)
    if base.is_named:
        own = name.removeprefix(f"{parse_model(base.text)[0]}__")
        if f"{prefix}{own}" in known:
            return f"{prefix}{own}"
        check_parameters(base.name, [own], [*inner.get_params(deep=True), "scale"])
    if name in known:
        return name
    if f"{prefix}{name}" in known:
        # what the last step of a pipeline is set by needs no long name
        return f"{prefix}{name}"
    check_parameters(base.name, [name], known)
    return name


def _validate(estimator: Any, values: Mapping[str, Any], name: str) -> None:
    """Refuse values that scikit-learn would refuse in every fold."""
    constraints = getattr(estimator, "_parameter_constraints", None)
    if constraints is None:
        return
    from sklearn.utils._param_validation import validate_parameter_constraints

    kind = type(estimator).__name__
    try:
        validate_parameter_constraints(constraints, values, caller_name=kind)
    except ValueError as error:
        raise InputError(f"{name}: {str(error).replace(f'of {kind} ', '')}") from None
