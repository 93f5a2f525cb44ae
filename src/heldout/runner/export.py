"""The predictions of a run in a store as a table: a row a prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.core.errors import InputError
from heldout.core.wording import plural
from heldout.runner.history import outcome_of, past_run
from heldout.runner.prediction_columns import (
    About,
    columns_of,
    objects,
    plain_column,
    refuse_ending,
    stacked,
    write_table,
)

if TYPE_CHECKING:
    from pathlib import Path

    from heldout.core.arrays import Array
    from heldout.runner.history import PastRun
    from heldout.runner.store import Store

#: so many models are named; of more, their number
MOST = 5


def export_run(
    store: Store, number: int, path: Path, *, older: bool = False, every: bool = False
) -> tuple[int, list[str]]:
    """Write the predictions to a file by its ending; gives the rows, and what to know."""
    refuse_ending(path)
    notes: list[str] = []
    table = table_of_run(store, number, notes, older=older, every=every)
    write_table(table, path)
    return len(table["model"]), notes


def table_of_run(
    store: Store, number: int, notes: list[str], *, older: bool = False, every: bool = False
) -> dict[str, Array]:
    """The table of ``heldout evaluate --predictions``, of all models that were evaluated in a run.

    Of a model that changed under its name the newest is taken, and with ``older`` the others
    too, each under a name of its own. Settings of a search are taken where nothing was
    evaluated, and with ``every``; so are predictions of training rows, which have ``part``
    train, in a column that is there only then.
    """
    run = past_run(store, number)
    if not run.done:
        raise InputError(f"{store.folder}: run {number} has no predictions yet")
    asked = [
        model
        for model in run.models
        if every or (model.part == "test" and model.purpose == run.purpose)
    ]
    chosen = [model for model in asked if older or not model.is_older]
    notes.extend(
        f"{model.name}: left out, since the model has changed under its name (--older adds it)"
        for model in asked
        if model not in chosen and model.part == "test"
    )
    notes.extend(() if every else _of_searches(run))
    if run.state == "unfinished":
        notes.append(_how_far(run))
    known, with_part = _about(run), any(model.part != "test" for model in chosen)
    parts = [
        columns_of(model.name, outcome_of(store, model, notes), known, with_part=with_part)
        for model in chosen
    ]
    return stacked([part for part in parts if len(part["model"])])


def _of_searches(run: PastRun) -> list[str]:
    """Notes on what heldout select has put into a run, which is left out."""
    notes = []
    if run.besides:
        count = plural(len(run.besides), "setting")
        notes.append(
            f"left out: {count} that only heldout select asked for (--all adds what it did)"
        )
    if any(model.part == "train" for model in run.models):
        notes.append("predictions of training rows are left out (--all adds them, as part train)")
    return notes


def _how_far(run: PastRun) -> str:
    """How many folds of a run there are, by model where some are still to be done."""
    left = [model for model in run.judged if run.left(model)]
    begun = _some([f"{m.name} has {m.done:,} of {run.splits:,}" for m in left if m.done])
    none = _some([model.name for model in left if not model.done])
    by_model = ", ".join(filter(None, (begun, none and f"none of {none}")))
    return (
        f"run {run.number} is unfinished: {run.done:,} of {run.total:,} folds are there "
        f"({by_model}); run the same command again to continue"
    )


def _some(texts: list[str]) -> str:
    """The first few of many texts."""
    more = len(texts) - MOST
    return ", ".join(texts if more <= 1 else [*texts[:MOST], f"{more:,} more"])


def _about(run: PastRun) -> About:
    facts = run.facts

    def column(name: str) -> Array | None:
        return None if facts.get(name) is None else plain_column(objects(facts[name]))

    weight = facts.get("weight")
    return About(
        run.procedure,
        run.seed,
        plain_column(objects(facts["classes"])).tolist(),
        facts.get("positive"),
        run.truth,
        run.places,
        column("id"),
        None if weight is None else np.array(weight, dtype=np.float64),
        column("group"),
        # runs of before have none
        facts.get("folds", ()),
    )
