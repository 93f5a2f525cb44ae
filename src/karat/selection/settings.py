"""Settings: a model for every combination of a grid, with names that say what differs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from karat.core.errors import InputError
from karat.learners.fingerprint import fingerprint_of
from karat.learners.parameters import check_parameters, parse_model, shown
from karat.learners.request import model_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from karat.datasets.dataset import Dataset
    from karat.learners.model import Model

__all__ = ["Base", "Setting", "bases_of", "settings_of"]

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
        """Whether it is one of karat's named models, with preparation around its estimator."""
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
    return type(_innermost(estimator)[1]).__name__ == "SVC" and not hasattr(
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
    return fingerprint_of(estimator, "given") if takes == "given" else fingerprint_of(estimator)


def _innermost(estimator: Any) -> tuple[str, Any]:
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
    base: Base, combinations: Iterable[Mapping[str, Any]], dataset: Dataset, *, seed: int = 0
) -> list[Setting]:
    """A setting for each combination of parameters."""
    from sklearn.base import clone

    given = parse_model(base.text)[1] if base.text and not base.text.endswith(")") else {}
    head = parse_model(base.text)[0] if base.is_named else base.name.partition("[")[0]
    scaled: dict[Any, Base] = {}
    places: dict[str, str] = {}
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
        estimator = clone(here.model.estimator)
        for name in rest:
            if name not in places:
                places[name] = _place(here, name)
        try:
            estimator.set_params(**{places[name]: value for name, value in rest.items()})
        except (ValueError, TypeError, AttributeError) as error:
            raise InputError(f"{shown(base.name, combination)}: {error}") from None
        name = shown(head, {**given, **combination})
        _validate(_innermost(estimator)[1], name)
        model = replace(
            here.model,
            name=name,
            estimator=estimator,
            fingerprint=_fingerprint(estimator, here.model.takes),
        )
        made.append(Setting(name, base.name, dict(combination), model))
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
    prefix, inner = _innermost(estimator)
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


def _validate(estimator: Any, name: str) -> None:
    """Refuse values that scikit-learn would refuse in every fold."""
    if not hasattr(estimator, "_parameter_constraints"):
        return
    try:
        estimator._validate_params()
    except ValueError as error:
        text = str(error).replace(f"of {type(estimator).__name__} ", "")
        raise InputError(f"{name}: {text}") from None
