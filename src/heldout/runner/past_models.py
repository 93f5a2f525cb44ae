"""The models of a run in a store: how far each is, and which of a name is meant."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from heldout.runner.purpose import PURPOSES, goes_before

if TYPE_CHECKING:
    import sqlite3

__all__ = ["PastModel", "models_of"]


@dataclass(frozen=True, slots=True)
class PastModel:
    """What a run has of one model."""

    series: int
    name: str
    part: str
    fingerprint: str
    #: splits that gave predictions, that failed, and that were computed, by a fit each or by an
    #: exact path (one that was tried again counts again)
    done: int
    failed: int
    computed: int
    #: when it was last asked for; another model of this name was asked for later
    used: str = ""
    #: what it was fitted for
    purpose: str = "evaluate"
    is_older: bool = False


MODELS = """
    SELECT series.id, series.model, series.part, series.fingerprint,
        coalesce(
            sealed.count,
            (SELECT sum(count) FROM piece WHERE series = series.id AND NOT failed),
            0
        ),
        coalesce((SELECT sum(count) FROM piece WHERE series = series.id AND failed), 0),
        series.fits, series.used, series.purpose
    FROM series LEFT JOIN sealed ON sealed.series = series.id
    WHERE series.run = ? ORDER BY series.id
"""


def models_of(connection: sqlite3.Connection, run: int, splits: int) -> tuple[PastModel, ...]:
    """All models of a run, those too that have changed since or are settings of a search."""
    found = connection.execute(MODELS, (run,)).fetchall()
    return _told_apart(_as_tested([_once(PastModel(*row), splits) for row in found]))


def _once(model: PastModel, splits: int) -> PastModel:
    """A model, with splits that were stored both in a block and singly counted once."""
    if not splits:  # a damaged file has lost how many there are
        return model
    done = min(model.done, splits)
    return replace(model, done=done, failed=min(model.failed, splits - done))


def _as_tested(models: list[PastModel]) -> list[PastModel]:
    """What a model says of its training rows, under the name of what it says of its tests."""
    tests = {model.fingerprint: model for model in models if model.part == "test"}
    return [replace(one, name=tests.get(one.fingerprint, one).name) for one in models]


def _told_apart(models: list[PastModel]) -> tuple[PastModel, ...]:
    """Models that changed under their names: all but the newest of a name say so in it.

    So does a setting of a search that is another model than the one evaluated by its name.
    """
    newest: dict[tuple[str, str, str], PastModel] = {}
    for model in models:
        key = model.name, model.part, model.purpose
        last = newest.setdefault(key, model)
        if (model.used, model.series) > (last.used, last.series):
            newest[key] = model
    made: list[PastModel] = []
    for model in models:
        name, part, purpose = key = model.name, model.part, model.purpose
        before = [newest.get((name, part, one)) for one in PURPOSES if goes_before(one, purpose)]
        if any(one is not None for one in before):
            model = replace(model, name=f"{name} ({purpose})")
        if newest[key].series != model.series:
            when = model.used.partition(".")[0].replace("T", " ") or "undated"
            name = f"{model.name} (older, {when})"
            if any(one.name == name and one.part == model.part for one in made):
                name = f"{name[:-1]}, {model.fingerprint[:6]})"
            model = replace(model, name=name, is_older=True)
        made.append(model)
    return tuple(made)
