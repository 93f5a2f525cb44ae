"""The settings that a search will try: a model for every combination of a grid, checked."""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.learners.fingerprint import GIVEN, fingerprint_of
from heldout.learners.parameters import check_parameters, parse_model, shown, split_models
from heldout.learners.request import model_for, models_for, named_once
from heldout.selection.grid import drawn_settings, grids_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heldout.datasets.dataset import Dataset
    from heldout.learners.model import Model
    from heldout.selection.criterion import Criterion
    from heldout.selection.grid import Grid

__all__ = [
    "Base",
    "NO_GRID",
    "Setting",
    "bases_of",
    "candidates",
    "count_settings",
    "innermost",
    "settings_of",
    "with_parameters",
]

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
    bases = []
    for model, text in zip(models, texts, strict=True):
        base = Base(model.name, model, text)
        if needs_probability and base.is_named and _is_support_vector(model.estimator):
            base = replace(
                base, model=_calibrated(model), notes=(CALIBRATED.format(name=model.name),)
            )
        bases.append(base)
    return bases


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
    settings: list[Setting] = []
    for combination in combinations:
        here, rest = base, dict(combination)
        if base.is_named and isinstance(rest.get("scale"), bool):
            here = _scaled(base, rest.pop("scale"), given, scaled, (dataset, seed))
        if not hasattr(here.model.estimator, "get_params"):
            if rest:
                raise InputError(f"{base.name} has no get_params, so no parameter can be set")
            settings.append(Setting(base.name, base.name, {}, base.model))
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
        settings.append(Setting(name, base.name, dict(combination), model))
    return settings


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
    changed = copy.copy(estimator)
    if not rest:
        setattr(changed, first, value)
    elif type(estimator).__name__ == "Pipeline":
        changed.steps = [
            (key, _with(step, rest, value) if key == first else step)
            for key, step in estimator.steps
        ]
    else:
        setattr(changed, first, _with(getattr(estimator, first), rest, value))
    return changed


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


#: fits of a search that nobody asks for by accident
MOST_FITS = 100_000
#: several models are chosen from as they are; one leaves nothing to choose
NO_GRID = (
    "the grid is empty: say what to try, such as --grid n_neighbors=1..30 "
    '(grid={"n_neighbors": range(1, 31)}); a single setting is judged by heldout evaluate'
)


def count_settings(grids: dict[str, list[Grid]], random: int | None) -> int:
    """How many settings there will be, before any is made."""
    if random is None:
        return sum(len(grid) for several in grids.values() for grid in several)
    return sum(
        random
        if any(grid.distributions for grid in several)
        else min(random, sum(len(grid) for grid in several))
        for several in grids.values()
    )


def candidates(
    estimator: Any,
    grid: Any,
    dataset: Dataset,
    criterion: Criterion,
    *,
    splits: int,
    nested: int = 0,
    random: int | None = None,
    seed: int = 0,
    yes: bool = False,
    is_stored: bool = True,
) -> tuple[list[Setting], tuple[str, ...]]:
    """The settings of a search, and what there is to say of them.

    Refuses what no fit could mend: unknown parameters, an empty grid, a measure that needs
    probabilities of a model that has none, far too many fits. ``splits`` are those of the
    search, ``nested`` those within outer folds.
    """
    asked = models_for(estimator, dataset, seed=seed)
    models, repeated = named_once(asked, done="tried")
    texts = [
        text
        for model, text in zip(asked, _texts(estimator, len(asked)), strict=True)
        if any(model is kept for kept in models)
    ]
    if grid is None and len(models) == 1:
        raise InputError("; ".join((*repeated, NO_GRID)))
    names = [model.name for model in models]
    grids = grids_of(grid, names)
    count = count_settings(grids, random)
    fits = count * (splits + nested)
    if fits > MOST_FITS and not yes:
        more = f" and {nested:,} nested ones" * bool(nested)
        raise InputError(
            f"{count:,} settings in {splits:,} splits{more} are {fits:,} fits; "
            f"say {argument('yes', True)} to do them, or draw some: {argument('random', 50)}"
        )
    needs = criterion.request.measure.needs_probability
    bases = bases_of(models, texts, needs_probability=needs)
    several = _only_own(grids, bases)
    settings: list[Setting] = []
    for base in bases:
        here = several[base.name]
        if random is None:
            combinations: Any = (combination for grid in here for combination in grid.settings())
        else:
            combinations = drawn_settings(here, random, seed=seed, name=base.name)
        settings += settings_of(base, combinations, dataset, seed=seed, is_stored=is_stored)
    _refuse_no_probability(settings, criterion)
    notes = [*repeated, *(note for base in bases for note in base.notes)]
    if random is not None and len(settings) < random * len(bases):
        notes.append(f"there are only {len(settings):,} different settings to draw")
    return _apart(settings, notes), tuple(notes)


def _texts(estimator: Any, count: int) -> list[str]:
    """The text of each model that was asked for by one."""
    if isinstance(estimator, str):
        return split_models(estimator)
    if hasattr(estimator, "items"):
        return [given if isinstance(given, str) else "" for given in estimator.values()]
    if isinstance(estimator, (list, tuple)):
        return [
            text
            for given in estimator
            for text in (split_models(given) if isinstance(given, str) else [""])
        ]
    return [""] * count


def _only_own(grids: dict[str, list[Grid]], bases: Sequence[Base]) -> dict[str, list[Grid]]:
    """Parameters that were given for all models stay with those that have them."""
    if len(bases) == 1:
        return grids
    own_grids: dict[str, list[Grid]] = {}
    homeless: dict[str, None] = {}
    housed: set[str] = set()
    for base in bases:
        has_parameters = hasattr(base.model.estimator, "get_params")
        known = base.model.estimator.get_params(deep=True) if has_parameters else {}
        short = {name.rsplit("__", 1)[-1] for name in known} | set(known)
        if base.is_named:
            short.add("scale")
        kept = []
        for grid in grids[base.name]:
            own = {name: values for name, values in grid.values.items() if name in short}
            housed |= set(own)
            homeless |= dict.fromkeys(name for name in grid.values if name not in own)
            kept.append(replace(grid, values=own))
        own_grids[base.name] = kept
    for name in homeless:
        if name not in housed:
            raise InputError(f"none of the models has a parameter {name!r}")
    return own_grids


def _refuse_no_probability(settings: Sequence[Setting], criterion: Criterion) -> None:
    """A measure of probabilities and settings of which none has any, before a fit.

    Where some have them, the others are without a value in the end, and say why.
    """
    if not criterion.request.measure.needs_probability:
        return
    if not all(_gives_decisions(setting.model) for setting in settings):
        return
    names = list(dict.fromkeys(setting.base for setting in settings))
    gives = "gives" if len(names) == 1 else "give"
    raise InputError(
        f"{criterion.name} needs probabilities, and {', '.join(names)} "
        f"{gives} decision values; choose by auc or accuracy, or wrap the estimator in "
        "CalibratedClassifierCV"
    )


def _gives_decisions(model: Model) -> bool:
    """Whether a model has decision values, and no probabilities."""
    estimator = model.estimator
    has_decisions = hasattr(estimator, "decision_function")
    is_class = model.task != "regression"
    return is_class and has_decisions and not hasattr(estimator, "predict_proba")


def _apart(settings: list[Setting], notes: list[str]) -> list[Setting]:
    """Settings under names of their own; those that are the same are tried once."""
    if not settings:
        raise InputError("the grid is empty; give at least one setting")
    by_name: dict[str, Setting] = {}
    times: Counter[str] = Counter()
    for setting in settings:
        name, number = setting.name, 1
        while name in by_name and by_name[name].model.fingerprint != setting.model.fingerprint:
            number += 1
            name = f"{setting.name} ({number})"
        times[name] += 1
        if name not in by_name:
            model = (
                setting.model if name == setting.model.name else replace(setting.model, name=name)
            )
            by_name[name] = replace(setting, name=name, model=model)
    again = [count for count in times.values() if count > 1]
    if len(again) == 1:
        often = "twice" if again[0] == 2 else f"{again[0]:,} times"
        notes.append(f"1 setting came {often}; it is tried once")
    elif again:
        often = "twice" if max(again) == 2 else "more than once"
        notes.append(f"{len(again):,} settings came {often}; each is tried once")
    return list(by_name.values())
