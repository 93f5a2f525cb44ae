"""The settings that a search will try: a model for every combination of a grid, checked."""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.specs import name_of
from heldout.learners.calibrated import calibrated, innermost, with_probabilities
from heldout.learners.fingerprint import GIVEN, fingerprint_of
from heldout.learners.model_names import named_once
from heldout.learners.parameters import check_parameters, parse_model, refuse_values, shown
from heldout.learners.request import model_for, models_for
from heldout.selection.grid import Grid, drawn_settings, grids_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heldout.datasets.dataset import Dataset
    from heldout.learners.model import Model
    from heldout.selection.criterion import Criterion
    from heldout.selection.options import SelectOptions


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """One combination of a grid: the model and the parameters that are its own."""

    name: str
    base: str
    parameters: Mapping[str, Any]
    model: Model


def _fingerprint(estimator: Any, takes: str) -> str:
    return fingerprint_of(estimator, GIVEN) if takes == "given" else fingerprint_of(estimator)


def settings_of(
    base: Model,
    combinations: Iterable[Mapping[str, Any]],
    dataset: Dataset,
    *,
    seed: int = 0,
    is_stored: bool = True,
) -> list[Setting]:
    """A setting of a model for each combination of parameters.

    Where nothing is stored, fingerprints need not be those of other processes.
    """
    given = parse_model(base.text)[1] if base.text else {}
    head = name_of(base.name)
    scaled: dict[bool, Model] = {}
    # with and without scaling the same parameter stands elsewhere
    places: dict[tuple[int, str], str] = {}
    settings: list[Setting] = []
    for combination in combinations:
        here, rest = base, dict(combination)
        if base.is_named and isinstance(rest.get("scale"), bool):
            is_scaled = rest.pop("scale")
            if is_scaled not in scaled:
                scaled[is_scaled] = _scaled(base, is_scaled, dataset, seed)
            here = scaled[is_scaled]
        if not hasattr(here.estimator, "get_params"):
            if rest:
                raise InputError(f"{base.name} has no get_params, so no parameter can be set")
            settings.append(Setting(base.name, base.name, {}, base))
            continue
        for key in rest:
            if (id(here), key) not in places:
                places[id(here), key] = _place(here, base.name, key)
        name = shown(head, {**given, **combination})
        own = {places[id(here), key]: value for key, value in rest.items()}
        try:
            estimator = with_parameters(here.estimator, own)
        except (ValueError, TypeError, AttributeError) as error:
            raise InputError(f"{name}: {error}") from None
        prefix, inner = innermost(estimator)
        refuse_values(inner, {key.removeprefix(prefix): value for key, value in own.items()}, name)
        fingerprint = f"{here.fingerprint};{own!r}"
        if is_stored:
            fingerprint = _fingerprint(estimator, here.takes)
        model = replace(here, name=name, estimator=estimator, fingerprint=fingerprint)
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


def _scaled(base: Model, scale: bool, dataset: Dataset, seed: int) -> Model:
    """The named model with its features scaled, or not."""
    head, given = parse_model(base.text)
    model = model_for(shown(head, {**given, "scale": scale}), dataset, seed=seed)
    is_calibrated = type(base.estimator).__name__ == "CalibratedClassifierCV"
    return calibrated(model) if is_calibrated else model


def _place(model: Model, shown_as: str, name: str) -> str:
    """Where a parameter stands in the estimator: as it is called, or in its last step."""
    known = model.estimator.get_params(deep=True)
    prefix, inner = innermost(model.estimator)
    if model.is_named:
        own = name.removeprefix(f"{parse_model(model.text)[0]}__")
        if f"{prefix}{own}" in known:
            return f"{prefix}{own}"
        check_parameters(shown_as, [own], [*inner.get_params(deep=True), "scale"])
    if name not in known and f"{prefix}{name}" in known:
        # what the last step of a pipeline is set by needs no long name
        return f"{prefix}{name}"
    check_parameters(shown_as, [name], known)
    return name


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
    asked: SelectOptions,
    *,
    splits: int,
    nested: int = 0,
    is_stored: bool = True,
) -> tuple[tuple[Setting, ...], tuple[str, ...]]:
    """The settings of a search, and what there is to say of them.

    Refuses what no fit could mend: unknown parameters, an empty grid, a measure that needs
    probabilities of a model that has none, far too many fits. ``splits`` are those of the
    search, ``nested`` those within outer folds.
    """
    random, seed = asked.random, asked.seed
    models, repeated = named_once(models_for(estimator, dataset, seed=seed), done="tried")
    if grid is None and len(models) == 1:
        raise InputError("; ".join((*repeated, NO_GRID)))
    names = [model.name for model in models]
    grids = grids_of(grid, names)
    count = count_settings(grids, random)
    fits = count * (splits + nested)
    if fits > MOST_FITS and not asked.yes:
        more = f" and {nested:,} nested ones" * bool(nested)
        raise InputError(
            f"{count:,} settings in {splits:,} splits{more} are {fits:,} fits; "
            f"say {argument('yes', True)} to do them, or draw some: {argument('random', 50)}"
        )
    notes = list(repeated)
    if criterion.request.measure.needs_probability:
        models, curves = with_probabilities(models)
        notes += curves
    several = _only_own(grids, models)
    settings: list[Setting] = []
    for base in models:
        here = several[base.name]
        if random is None:
            combinations: Any = (combination for grid in here for combination in grid.settings())
        else:
            combinations = drawn_settings(here, random, seed=seed, name=base.name)
        settings += settings_of(base, combinations, dataset, seed=seed, is_stored=is_stored)
    _refuse_no_probability(settings, criterion)
    if random is not None and len(settings) < random * len(models):
        notes.append(f"there are only {len(settings):,} different settings to draw")
    return _apart(settings, notes), tuple(notes)


def _only_own(grids: dict[str, list[Grid]], models: Sequence[Model]) -> dict[str, list[Grid]]:
    """Parameters that were given for all models stay with those that have them."""
    if len(models) == 1:
        return grids
    own_grids: dict[str, list[Grid]] = {}
    for model in models:
        has_parameters = hasattr(model.estimator, "get_params")
        known = set(model.estimator.get_params(deep=True)) if has_parameters else set()
        known |= {name.rsplit("__", 1)[-1] for name in known}
        if model.is_named:
            known.add("scale")
        own_grids[model.name] = [
            Grid({name: values for name, values in grid.values.items() if name in known})
            for grid in grids[model.name]
        ]
    housed = {name for own in own_grids.values() for grid in own for name in grid.values}
    for name in (name for own in grids.values() for grid in own for name in grid.values):
        if name not in housed:
            raise InputError(f"none of the models has a parameter {name!r}")
    return own_grids


def _refuse_no_probability(settings: Sequence[Setting], criterion: Criterion) -> None:
    """A measure of probabilities and settings of which none has any, before a fit.

    Where some have them, the others are without a value in the end, and say why.
    """
    if not criterion.request.measure.needs_probability:
        return
    for setting in settings:
        estimator = setting.model.estimator
        gives_decisions = hasattr(estimator, "decision_function")
        is_class = setting.model.task != "regression"
        if not is_class or not gives_decisions or hasattr(estimator, "predict_proba"):
            return
    names = list(dict.fromkeys(setting.base for setting in settings))
    gives = "gives" if len(names) == 1 else "give"
    raise InputError(
        f"{criterion.name} needs probabilities, and {', '.join(names)} "
        f"{gives} decision values; choose by auc or accuracy, or wrap the estimator in "
        "CalibratedClassifierCV"
    )


def _apart(settings: list[Setting], notes: list[str]) -> tuple[Setting, ...]:
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
            by_name[name] = replace(setting, name=name, model=replace(setting.model, name=name))
    again = [count for count in times.values() if count > 1]
    if len(again) == 1:
        often = "twice" if again[0] == 2 else f"{again[0]:,} times"
        notes.append(f"1 setting came {often}; it is tried once")
    elif again:
        often = "twice" if max(again) == 2 else "more than once"
        notes.append(f"{len(again):,} settings came {often}; each is tried once")
    return tuple(by_name.values())
