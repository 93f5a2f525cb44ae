"""Predictions of runs in the store, ready to be compared; runs of different data are refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from heldout.core.errors import InputError
from heldout.datasets.dataset import Dataset
from heldout.evaluation.predictions import predictions_of
from heldout.predictions.table import Predictions, only_weighing
from heldout.procedures.splits import ListedSplits, Split
from heldout.runner.history import outcome_of, past_runs
from heldout.runner.run_rows import PURPOSES
from heldout.tables.column import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.runner.history import PastModel, PastRun
    from heldout.runner.store import Store


def predictions_of_runs(
    store: Store, names: Sequence[str], notes: list[str] | None = None
) -> tuple[Predictions, ...]:
    """The predictions of the runs (or of single models of them) that were named.

    Parameters
    ----------
    names
        The number of a run (``3``: all its models), a model of it (``3:knn``), or data and
        model (``wdbc-knn``: the newest finished run of them).
    notes
        Gets what is to be known about damaged parts of the store.

    Raises
    ------
    InputError
        Where runs are of other data or other splits than the first: their values differ for
        more reasons than their models.
    """
    known = past_runs(store) if store.path.is_file() else []
    if not known:
        raise InputError(f"{store.folder} holds no runs: heldout evaluate makes them")
    chosen: list[tuple[PastRun, PastModel]] = []
    for name in names:
        chosen += [pair for pair in _named(known, name, store) if pair not in chosen]
    if not chosen:
        raise InputError("name the runs to compare, such as 1 2; heldout runs lists them")
    _refuse_other_data([run for run, _ in chosen])
    if notes is not None:
        notes += [*store.notes, *_untold([run for run, _ in chosen])]
    predictions = [_predictions(run, model, store, notes) for run, model in chosen]
    titles = [p.model for p in predictions]
    return tuple(
        replace(p, model=f"{p.model} (run {run.number})") if titles.count(p.model) > 1 else p
        for p, (run, _) in zip(predictions, chosen, strict=True)
    )


def _named(known: Sequence[PastRun], name: str, store: Store) -> list[tuple[PastRun, PastModel]]:
    number, colon, model = name.partition(":")
    if number.isdigit():
        runs = [run for run in known if run.number == int(number)]
        if not runs:
            there = ", ".join(str(run.number) for run in known)
            raise InputError(f"{store.folder}: no run has the number {number}; there are: {there}")
        # a setting of a search that was not evaluated is taken by its name alone
        of = runs[0].tested if colon else runs[0].judged
        models = [(runs[0], m) for m in of if not colon or m.name == model]
        if not models:
            there = ", ".join(m.name for m in runs[0].tested)
            raise InputError(f"run {number} has no model {model!r}; it has {there}")
        return models
    # inner folds and curves of a search have the names of its data and settings, too
    shown = [run for run in known if not run.is_inner]
    every = [
        (run, m)
        for purpose in PURPOSES
        for run in reversed(shown)
        for m in run.tested
        if f"{run.data}-{m.name}" == name and m.done and m.purpose == purpose
    ]
    if not every:
        called = dict.fromkeys(f"{run.data}-{m.name}" for run in shown for m in run.judged)
        raise InputError(
            f"{store.folder}: no run is called {name!r}; there are {', '.join(called)} "
            f"(or by number: {', '.join(str(run.number) for run in known)})"
        )
    return every[:1]


def _untold(runs: Sequence[PastRun]) -> list[str]:
    """A note on each run of an older store, which does not say whether rows have weights."""
    return [
        f"run {run.number} was stored without weights and groups: if its rows have any, they "
        "count alike here and as if they did not depend on each other; evaluate it again"
        for run in dict.fromkeys(runs)
        if not {"weight", "group"} <= run.facts.keys()
    ]


def _refuse_other_data(runs: Sequence[PastRun]) -> None:
    first = runs[0]
    for other in runs[1:]:
        if other.data_fingerprint != first.data_fingerprint:
            raise InputError(
                f"runs {first.number} ({first.data}, {first.rows:,} rows) and {other.number} "
                f"({other.data}, {other.rows:,} rows) are of different data (fingerprints "
                f"{first.data_fingerprint[:8]} and {other.data_fingerprint[:8]}): evaluate both "
                "models on the same data, or give heldout evaluate all data sets at once"
            )
        if other.splits_fingerprint != first.splits_fingerprint:
            raise InputError(
                f"runs {first.number} ({first.procedure}, seed {first.seed}) and {other.number} "
                f"({other.procedure}, seed {other.seed}) have different splits: evaluate both "
                "models with the same procedure and seed"
            )


def _predictions(
    run: PastRun, model: PastModel, store: Store, notes: list[str] | None
) -> Predictions:
    remarks: list[str] = [] if notes is None else notes
    outcome = outcome_of(store, model, remarks)
    if not len(outcome.rows):
        raise InputError(f"run {run.number} has no predictions of {model.name} yet")
    if model.done < run.splits:
        remarks.append(f"{model.name} of run {run.number} has {model.done} of {run.splits} splits")
    return only_weighing(predictions_of(model.name, outcome, _dataset(run), _splits(run)))


def _dataset(run: PastRun) -> Dataset:
    """What the store keeps of the data: all but the features."""
    facts, group = run.facts, None
    if (names := facts.get("group")) is not None:
        levels = tuple(dict.fromkeys(names))
        code = {name: number for number, name in enumerate(levels)}
        group = Column("group", np.array([code[name] for name in names], np.int64), levels)
    weight, ids = facts.get("weight"), facts["id"]
    return Dataset(
        run.data,
        facts["task"],
        run.truth,
        (),
        target="",
        classes=tuple(facts["classes"]),
        positive=facts["positive"],
        group=group,
        weight=None if weight is None else np.array(weight, np.float64),
        identifier=None if ids is None else np.array([str(name) for name in ids]),
        source=run.source,
    )


def _splits(run: PastRun) -> ListedSplits:
    """The repeats and folds of a run, without the rows of each, which the outcomes know."""
    none = np.zeros(0, np.int64)
    places = (Split(int(repeat), int(fold), none, none) for repeat, fold in run.places)
    return ListedSplits(run.procedure, run.rows, run.seed, (), tuple(places))
