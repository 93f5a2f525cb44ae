"""What the input options of `heldout compare` and `heldout power` mean, and what they read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from heldout.cli.prediction_input import EXAMPLE, ROLES, read_files, sources_of
from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heldout.comparison.options import CompareOptions
    from heldout.comparison.results_table import ResultsTable
    from heldout.predictions.table import Predictions

__all__ = ["options_of", "predictions_of", "refuse_usage", "results_of"]

#: options that only a table of results knows, and those that it does not
OF_RESULTS = ("models", "value", "lower_is_better")
NOT_OF_RESULTS = (*ROLES, "measures", "profit", "cost", "margin", "requirements")


def refuse_usage(ctx: click.Context, given: Mapping[str, Any]) -> None:
    """An error where options do not go together."""
    kinds = [name for name in ("runs", "datasets") if given[name]]
    if len(kinds) > 1:
        raise click.UsageError("--runs and --datasets are of different things: give one", ctx)
    if not given["files"]:
        raise click.UsageError(
            "give files of predictions, or --runs with runs, or a table of results with "
            f"--datasets; heldout compare {EXAMPLE}models --positive spam shows an example",
            ctx,
        )
    if given["control"] and given["pairs"] == "best":
        raise click.UsageError("--control compares its own pairs only: leave out --pairs best", ctx)
    unknown = NOT_OF_RESULTS if given["datasets"] else OF_RESULTS
    for name in unknown:
        if given.get(name) not in (None, (), False):
            flags = {"measures": "measure", "requirements": "require"}
            flag = flags.get(name, name.replace("_", "-"))
            why = (
                "is for predictions, not for a table of results (--datasets)"
                if given["datasets"]
                else "is for a table of results: name its column of data sets (--datasets)"
            )
            raise click.UsageError(f"--{flag} {why}", ctx)
    if given["datasets"]:
        for name in ("chance", "unpaired", "shared"):
            if given[name]:
                raise click.UsageError(f"--{name} is for predictions, not for results", ctx)
        if len(given["files"]) > 1:
            raise click.UsageError("a table of results is one file", ctx)
    if given["runs"]:
        said = [name for name in ROLES if given.get(name) not in (None, (), False)]
        if said:
            flag = said[0].replace("_", "-")
            raise click.UsageError(f"--{flag} is for files; runs know their columns", ctx)


def options_of(given: Mapping[str, Any]) -> CompareOptions:
    """How the comparison is to be made, checked."""
    from heldout.comparison.options import CompareOptions

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
        control=given["control"] or "",
    )


def predictions_of(given: Mapping[str, Any], notes: list[str]) -> tuple[Predictions, ...]:
    """The predictions of all models; ``notes`` gets what is to be known about them."""
    if given.get("runs"):  # heldout power has files only
        from heldout.comparison.runs import predictions_of_runs
        from heldout.runner.store import chosen_store

        store = chosen_store(given["store"])
        assert store is not None
        return predictions_of_runs(store, given["files"], notes)
    made = read_files(given["files"], given)
    notes += dict.fromkeys(note for p in made for note in p.notes)
    if len(made) < 2:
        files = given["files"]
        one = f"{files[0]} has one model only" if len(files) == 1 else "one model only"
        raise InputError(
            f"{one}: a comparison needs two; give a second file, or name the column of models "
            "(--model)"
        )
    return made


def results_of(given: Mapping[str, Any]) -> ResultsTable:
    """The table of results."""
    from heldout.comparison.results_table import read_results

    sources, _ = sources_of(given["files"])
    return read_results(
        sources[0], datasets=given["datasets"], models=given["models"], value=given["value"]
    )
