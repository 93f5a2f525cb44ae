"""From the options of ``karat compare`` to what is compared: files, runs, or a table of results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from karat.cli.options import number_or_text, pairs, words
from karat.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from karat.comparison.options import CompareOptions
    from karat.comparison.results_table import ResultsTable
    from karat.predictions.table import Label, Predictions

__all__ = ["cells_of", "options_of", "predictions_of", "refuse_usage", "results_of"]

EXAMPLE = "example:"
#: options that name columns or say how rows are to be read, passed on as they are
ROLES = (
    "truth",
    "predicted",
    "score",
    "score_prefix",
    "train_count_prefix",
    "positive",
    "weight",
    "group",
    "fold",
    "repeat",
    "model",
    "id",
    "by",
    "threshold",
    "task",
    "normalise",
)
#: options that only a table of results knows, and those that it does not
OF_RESULTS = ("models", "value", "lower_is_better")
NOT_OF_RESULTS = (*ROLES, "scores", "labels", "train_mean", "measures", "profit", "cost", "margin")


def refuse_usage(ctx: click.Context, given: Mapping[str, Any]) -> None:
    """An error where options do not go together."""
    kinds = [name for name in ("runs", "datasets") if given[name]]
    if len(kinds) > 1:
        raise click.UsageError("--runs and --datasets are of different things: give one", ctx)
    if not given["files"]:
        raise click.UsageError(
            "give files of predictions, or --runs with runs, or a table of results with "
            f"--datasets; karat compare {EXAMPLE}models --positive spam shows an example",
            ctx,
        )
    unknown = NOT_OF_RESULTS if given["datasets"] else OF_RESULTS
    for name in unknown:
        if given[name] not in (None, (), False):
            flag = "measure" if name == "measures" else name.replace("_", "-")
            why = (
                "is for predictions, not for a table of results (--datasets)"
                if given["datasets"]
                else "is for a table of results: name its column of data sets (--datasets)"
            )
            raise click.UsageError(f"--{flag} {why}", ctx)
    if given["datasets"]:
        for name in ("chance", "unpaired"):
            if given[name]:
                raise click.UsageError(f"--{name} is for predictions, not for results", ctx)
        if len(given["files"]) > 1:
            raise click.UsageError("a table of results is one file", ctx)
    if given["runs"]:
        said = [name for name in ROLES if given[name] not in (None, (), False)]
        if said:
            flag = said[0].replace("_", "-")
            raise click.UsageError(f"--{flag} is for files; runs know their columns", ctx)


def options_of(given: Mapping[str, Any]) -> CompareOptions:
    """How the comparison is to be made, checked."""
    from karat.comparison.options import CompareOptions

    return CompareOptions(
        level=given["level"],
        alternative=given["alternative"],
        test=given["test"],
        force=given["force"],
        interval=given["interval"],
        replicates=given["replicates"],
        permutations=given["permutations"],
        seed=given["seed"],
        rope=given["rope"],
        margin=given["margin"],
        correction="holm" if given["datasets"] else given["correction"] or "holm",
    )


def predictions_of(given: Mapping[str, Any], notes: list[str]) -> tuple[Predictions, ...]:
    """The predictions of all models; ``notes`` gets what is to be known about them."""
    if given["runs"]:
        from karat.comparison.runs import predictions_of_runs
        from karat.runner.store import chosen_store

        store = chosen_store(given["store"])
        assert store is not None
        return predictions_of_runs(store, given["files"], notes)
    from karat.predictions.read import read_roles
    from karat.predictions.roles import Roles

    sources, called = _sources(given["files"])
    stated: dict[str, Any] = {name: given[name] for name in ROLES}
    stated["scores"] = pairs(given["scores"], "--scores")
    roles = Roles(
        labels=words(given["labels"]), train_mean=number_or_text(given["train_mean"]), **stated
    )
    made = read_roles(sources, roles, pool=False, dialect="flags", called=called)
    notes += dict.fromkeys(note for p in made for note in p.notes)
    if len(made) < 2:
        one = f"{given['files'][0]} has one model only" if len(sources) == 1 else "one model only"
        raise InputError(
            f"{one}: a comparison needs two; give a second file, or name the column of models "
            "(--model)"
        )
    return made


def results_of(given: Mapping[str, Any]) -> ResultsTable:
    """The table of results."""
    from karat.comparison.results_table import read_results

    sources, _ = _sources(given["files"])
    return read_results(
        sources[0], datasets=given["datasets"], models=given["models"], value=given["value"]
    )


def cells_of(given: Mapping[str, Any], classes: Sequence[Label]) -> dict[str, Any]:
    """The profit and the cost of each cell of the confusion matrix, where they are given."""
    from karat.measures.cell_values import parse_cells

    values = {}
    for name in ("profit", "cost"):
        if given[name] is None:
            continue
        if not classes:
            raise InputError(f"--{name} is for classification, and the task is regression")
        labels = [str(label) for label in classes]
        try:
            values[name] = parse_cells(given[name], classes=len(classes), labels=labels)
        except InputError as error:
            raise InputError(f"--{name}: {error}") from error
    return values


def _sources(files: Sequence[str]) -> tuple[list[str], list[str]]:
    """Where each file is, and what messages call it (empty: by its path)."""
    from karat.data import example

    sources = [
        str(example(name.removeprefix(EXAMPLE))) if name.startswith(EXAMPLE) else name
        for name in files
    ]
    return sources, [name if name.startswith(EXAMPLE) else "" for name in files]
