"""The settings that a search will try, counted and checked before any is fitted."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.learners.parameters import split_models
from heldout.learners.request import models_for
from heldout.selection.grid import drawn_settings, grids_of
from heldout.selection.settings import bases_of, settings_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.datasets.dataset import Dataset
    from heldout.learners.model import Model
    from heldout.selection.grid import Grid
    from heldout.selection.scoring import Criterion
    from heldout.selection.settings import Base, Setting

__all__ = ["NO_GRID", "candidates", "count_settings"]

#: fits of a search that nobody asks for by accident
MOST_FITS = 100_000
#: several models are chosen from as they are; one leaves nothing to choose
NO_GRID = (
    "the grid is empty: say what to try, such as --grid n_neighbors=1..30 "
    '(grid={"n_neighbors": range(1, 31)}); a single setting is judged by heldout evaluate'
)
#: how a name is told apart from another that is the same
AGAIN = re.compile(r"(.+) \(\d+\)")


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
    models, texts, repeated = _once(asked, _texts(estimator, len(asked)))
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
            "say --yes (yes=True) to do them, or draw some: --random 50 (random=50)"
        )
    needs = criterion.request.measure.needs_probability
    bases = bases_of(models, texts, needs_probability=needs)
    several = _only_own(grids, bases)
    made: list[Setting] = []
    for base in bases:
        here = several[base.name]
        if random is None:
            combinations: Any = (one for grid in here for one in grid.settings())
        else:
            combinations = drawn_settings(here, random, seed=seed, name=base.name)
        made += settings_of(base, combinations, dataset, seed=seed, is_stored=is_stored)
    _refuse_no_probability(made, criterion)
    notes = [*repeated, *(note for base in bases for note in base.notes)]
    if random is not None and len(made) < random * len(bases):
        notes.append(f"there are only {len(made):,} different settings to draw")
    return _apart(made, notes), tuple(notes)


def _once(
    models: Sequence[Model], texts: Sequence[str]
) -> tuple[list[Model], list[str], list[str]]:
    """The models and their texts without those that came before, and notes that they did."""
    first: dict[str, Model] = {}
    kept: list[tuple[Model, str]] = []
    notes: dict[str, None] = {}
    for model, text in zip(models, texts, strict=True):
        match = AGAIN.fullmatch(model.name)
        before = first.get(match[1]) if match else None
        if before is not None and before.fingerprint == model.fingerprint:
            notes[f"{before.name} was named more than once and is tried once"] = None
            continue
        first[model.name] = model
        kept.append((model, text))
    return [model for model, _ in kept], [text for _, text in kept], list(notes)


def _texts(estimator: Any, count: int) -> list[str]:
    """The text of each model that was asked for by one."""
    if isinstance(estimator, str):
        return split_models(estimator)
    if hasattr(estimator, "items"):
        return [one if isinstance(one, str) else "" for one in estimator.values()]
    if isinstance(estimator, (list, tuple)):
        return [
            text
            for one in estimator
            for text in (split_models(one) if isinstance(one, str) else [""])
        ]
    return [""] * count


def _only_own(grids: dict[str, list[Grid]], bases: Sequence[Base]) -> dict[str, list[Grid]]:
    """Parameters that were given for all models stay with those that have them."""
    if len(bases) == 1:
        return grids
    made: dict[str, list[Grid]] = {}
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
        made[base.name] = kept
    for name in homeless:
        if name not in housed:
            raise InputError(f"none of the models has a parameter {name!r}")
    return made


def _refuse_no_probability(settings: Sequence[Setting], criterion: Criterion) -> None:
    """A measure of probabilities and settings of which none has any, before a fit.

    Where some have them, the others are without a value in the end, and say why.
    """
    if not criterion.request.measure.needs_probability:
        return
    if not all(_gives_decisions(one.model) for one in settings):
        return
    names = list(dict.fromkeys(one.base for one in settings))
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
    for one in settings:
        name, number = one.name, 1
        while name in by_name and by_name[name].model.fingerprint != one.model.fingerprint:
            number += 1
            name = f"{one.name} ({number})"
        times[name] += 1
        if name not in by_name:
            model = one.model if name == one.model.name else replace(one.model, name=name)
            by_name[name] = replace(one, name=name, model=model)
    again = [count for count in times.values() if count > 1]
    if len(again) == 1:
        often = "twice" if again[0] == 2 else f"{again[0]:,} times"
        notes.append(f"1 setting came {often} and is tried once")
    elif again:
        often = "twice" if max(again) == 2 else "more than once"
        notes.append(f"{len(again):,} settings came {often} and are tried once each")
    return list(by_name.values())
