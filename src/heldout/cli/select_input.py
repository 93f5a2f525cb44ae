"""From the options of ``heldout select`` to a selection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from heldout.cli.evaluate_input import (
    dataset_from,
    refuse_run_usage,
    running_from,
    say_first,
    splits_from,
)
from heldout.core.errors import InputError
from heldout.learners.parameters import split_models

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from heldout.selection.selection import Selection

__all__ = ["charts_of", "refuse_usage", "selection_from"]


def refuse_usage(ctx: click.Context, given: Mapping[str, Any]) -> None:
    """Options that do not go together, before anything is read."""
    if not given["models"]:
        raise click.UsageError("say which model with --model, such as --model knn", ctx)
    models = [name for text in given["models"] for name in split_models(text)]
    if not given["grids"] and len(set(models)) == 1:
        how = "say what to try with --grid, such as --grid n_neighbors=1..30"
        if len(models) > 1:
            raise click.UsageError(
                f"--model names {models[0]} more than once, which leaves nothing to choose from, "
                f"and the grid is empty: {how}, or name another model",
                ctx,
            )
        raise click.UsageError(f"the grid is empty: {how}", ctx)
    refuse_run_usage(ctx, given)
    if given["splits"] is not None and given["nested"] is not None:
        raise click.UsageError("--splits FILE and --nested are one too many: give one", ctx)
    if given["draws"] is not None and given["draws"] < 20:
        raise click.UsageError("--draws: give a number from 20", ctx)
    if given["simpler"] and given["rule"] == "best":
        raise click.UsageError("--simpler goes with --rule one-se", ctx)


def charts_of(texts: Sequence[str], *, has_training: bool) -> list[tuple[str, Path]]:
    """The charts and their files, checked before anything is fitted."""
    from heldout.cli.charts import chart_of
    from heldout.report.plots.selection import chart_named

    def known(text: str) -> str:
        name, _ = chart_named(text)
        if name == "training" and not has_training:
            raise InputError("--plot training needs the training values: say --training-error")
        return name

    return [chart_of(text, known) for text in texts]


def selection_from(given: Mapping[str, Any]) -> Selection:
    """The search that the options ask for."""
    from heldout.evaluation.evaluate import intervals_of
    from heldout.report.plots.selection import refuse_chart
    from heldout.selection.criterion import criterion_for, needs_positive, with_either
    from heldout.selection.nested import (
        inner_count,
        nested_folds,
        parse_nested,
        refuse_unused_folds,
    )
    from heldout.selection.select import selected
    from heldout.selection.settings import candidates

    both = parse_nested(given["nested"], given["procedure"])
    intervals = intervals_of(level=given["level"])
    is_asked = needs_positive(given["measure"])
    reading = {**given, "procedure": nested_folds(both, given["procedure"])}
    dataset = with_either(dataset_from(reading, needs_positive=is_asked or None), given["measure"])
    refuse_unused_folds(both, dataset, flag=f"--fold {given['fold']}")
    criterion = criterion_for(given["measure"], dataset.task, aggregate=given["aggregate"])
    asked = dict(given)
    if both is not None:
        asked["procedure"] = both[1]
    splits = splits_from(asked, dataset)
    settings, said = candidates(
        list(given["models"]),
        list(given["grids"]) or None,
        dataset,
        criterion,
        splits=len(splits),
        nested=inner_count(both, dataset, len(splits), seed=given["seed"]),
        random=given["random"],
        seed=given["seed"],
        yes=given["yes"],
        is_stored=not given["no_store"],
    )
    for name, _ in charts_of(given["charts"], has_training=given["training_error"]):
        refuse_chart(name, settings)
    say_first(given, *dataset.notes_for(one.model for one in settings), *splits.notes)
    return selected(
        dataset,
        settings,
        splits,
        criterion,
        running=running_from(given),
        seed=given["seed"],
        nested=both,
        rule=given["rule"],
        simpler=list(given["simpler"]),
        race=given["race"],
        training_error=given["training_error"],
        intervals=intervals,
        draws=given["draws"],
        said=said,
    )
