"""Names that tell models apart, and what was named more than once."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from heldout.learners.parameters import shown, spelled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.learners.model import Model

#: how a name is told apart from another that is the same
AGAIN = re.compile(r"(.+) \(\d+\)")
#: so many parameters fit into a name, and so long a value
MOST, LONGEST = 3, 30


def told_apart(models: Sequence[Model]) -> list[Model]:
    """The models with names of their own.

    Two ``KNeighborsClassifier`` become ``KNeighborsClassifier[n_neighbors=1]`` and
    ``KNeighborsClassifier[n_neighbors=3]``; two that are the same become the second ``(2)``.
    """
    return _by_number(_by_parameters(list(models)))


def named_once(
    models: Sequence[Model], done: str = "judged"
) -> tuple[tuple[Model, ...], tuple[str, ...]]:
    """The models without those that were named before, and notes that they were.

    Models under names that the caller gave them stay, though they are the same.
    """
    kept: dict[str, Model] = {}
    notes: dict[str, None] = {}
    for model in models:
        match = AGAIN.fullmatch(model.name)
        before = kept.get(match[1]) if match else None
        if before is not None and before.fingerprint == model.fingerprint:
            notes[f"{before.name} was named more than once and is {done} once"] = None
        else:
            kept[model.name] = model
    return tuple(kept.values()), tuple(notes)


def _by_parameters(models: list[Model]) -> list[Model]:
    named = list(models)
    for name in dict.fromkeys(model.name for model in models):
        places = [index for index, model in enumerate(models) if model.name == name]
        if len(places) == 1:
            continue
        given = [_plain(models[index].estimator) for index in places]
        differing = [
            key
            for key in given[0]
            if all(key in settings for settings in given)
            and len({spelled(settings[key]) for settings in given}) > 1
        ]
        if not 0 < len(differing) <= MOST:
            continue
        short = [key.rpartition("__")[2] for key in differing]
        words = short if len(set(short)) == len(short) else differing
        for index, settings in zip(places, given, strict=True):
            values = dict(zip(words, (settings[key] for key in differing), strict=True))
            named[index] = replace(models[index], name=shown(name, values))
    return named


def _plain(estimator: Any) -> dict[str, Any]:
    """The parameters of an estimator whose values can stand in a name."""
    if not callable(getattr(estimator, "get_params", None)):
        return {}
    kinds = (str, int, float, bool, type(None), tuple)
    return {
        key: value
        for key, value in estimator.get_params(deep=True).items()
        if isinstance(value, kinds) and len(repr(value)) <= LONGEST
    }


def _by_number(models: list[Model]) -> list[Model]:
    taken = {model.name for model in models}
    seen: dict[str, int] = {}
    named = []
    for model in models:
        name, count = model.name, seen.get(model.name, 0)
        if count:
            while name in taken:
                count += 1
                name = f"{model.name} ({count})"
            taken.add(name)
        seen[model.name] = max(count, 1)
        named.append(model if name == model.name else replace(model, name=name))
    return named
