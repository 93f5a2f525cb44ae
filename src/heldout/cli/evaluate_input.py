"""From the options of ``heldout evaluate`` to data, models, splits, and how they are run."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from heldout.cli.output_options import refuse_all_beside_some
from heldout.cli.texts import all_words, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heldout.datasets.dataset import Dataset
    from heldout.evaluation.evaluate import Running
    from heldout.learners.model import Model
    from heldout.procedures.splits import Splits

__all__ = [
    "dataset_from",
    "is_nested",
    "noted_on_error",
    "refuse_run_usage",
    "refuse_unanswered",
    "refuse_usage",
    "running_from",
    "say_first",
    "splits_from",
]


def refuse_usage(ctx: click.Context, given: Mapping[str, Any]) -> None:
    """Options that do not go together, before anything is read."""
    if not given["models"]:
        raise click.UsageError(
            "say which models with --models, such as --models knn,lda,forest "
            "or --models my_package.models:make_pipeline",
            ctx,
        )
    refuse_all_beside_some(ctx, given)
    if given["no_intervals"] and is_nested(given):
        raise click.UsageError("--interval nested and --no-intervals contradict each other", ctx)
    refuse_run_usage(ctx, given)


def is_nested(given: Mapping[str, Any]) -> bool:
    """Whether intervals are asked for by nested cross-validation."""
    return str(given["interval"]).strip().lower() == "nested"


def refuse_run_usage(ctx: click.Context, given: Mapping[str, Any]) -> None:
    """Options of the splits and of the run that do not go together."""
    if given["splits"] is not None and given["procedure"] is not None:
        raise click.UsageError("--splits FILE and --procedure are one too many: give one", ctx)
    if given["splits"] is not None and given["fold"] is not None:
        raise click.UsageError("--splits FILE and --fold are one too many: give one", ctx)
    if given["no_store"] and given["store"] is not None:
        raise click.UsageError("--store and --no-store contradict each other", ctx)
    if given["jobs"] == 0:
        raise click.UsageError("--jobs 0: give a number of workers, or -1 for all processors", ctx)
    if given["timeout"] is not None and not given["timeout"] > 0:
        raise click.UsageError("--timeout is a number of seconds above 0", ctx)


def dataset_from(given: Mapping[str, Any], *, needs_positive: bool | None = True) -> Dataset:
    """The data set with the roles that were named; a positive class unless none is needed.

    None: it is taken where the labels tell it, and else left open.
    """
    from heldout.datasets.read import read_dataset
    from heldout.procedures.apply import fold_column

    roles = ("target", "positive", "task", "group", "time", "weight", "id")
    drops = ("drop_missing_target", "drop_missing_time")
    return read_dataset(
        given["data"],
        **{name: given[name] for name in (*roles, *drops)},
        fold=fold_column(given["procedure"], given["fold"], flag="--fold"),
        labels=words(given["labels"]),
        ignore=all_words(given["ignore"]),
        by=given.get("by", ()),  # heldout select has no slices
        needs_positive=needs_positive,
    )


def refuse_unanswered(measures: Sequence[str], models: Sequence[Model]) -> None:
    """A measure of probabilities that no model gives, before anything is fitted.

    Of heldout's own models that is known; what others give shows once they are fitted.
    """
    from heldout.cli.evaluate_charts import INSTEAD, gives_decisions, probability_fix
    from heldout.core.errors import InputError
    from heldout.measures.spec import parse_request

    if not all(gives_decisions(model) for model in models):
        return
    names = ", ".join(model.name for model in models)
    for spec in measures:
        if parse_request(spec).measure.needs_probability:
            fix = next(filter(None, map(probability_fix, models)), "")
            fix = f"{fix}, or add" if fix else "leave it out, or add"
            gives = f"give{'s' * (len(models) == 1)}"
            raise InputError(
                f"{spec} needs probabilities, and {names} {gives} decision values; "
                f"{fix} a model with probabilities ({INSTEAD})"
            )


def say_first(given: Mapping[str, Any], *lines: str) -> None:
    """What is to be known of data and splits, before anything is fitted."""
    from heldout.cli.screen import gathered, note

    for line in gathered(lines) if not given["quiet"] else ():
        note(line)


@contextmanager
def noted_on_error(given: Mapping[str, Any], dataset: Dataset) -> Iterator[None]:
    """What was guessed of the data is said also where that guess ends in an error."""
    from heldout.core.errors import HeldoutError

    try:
        yield
    except HeldoutError as error:
        say_first(given, *(line for line in dataset.notes if line not in str(error)))
        raise


def splits_from(given: Mapping[str, Any], dataset: Dataset) -> Splits:
    """The splits of the procedure, or those of a file."""
    from heldout.procedures.apply import procedure_for, splits_of
    from heldout.procedures.from_file import FromFile

    wanted = given["procedure"]
    if given["splits"] is not None:
        wanted = FromFile(given["splits"])
    elif not given.get("nested"):  # nested procedures may take the folds for one of the two
        wanted = procedure_for(wanted, dataset, flag=f"--fold {given['fold']}")
    return splits_of(wanted, dataset, seed=given["seed"])


def running_from(given: Mapping[str, Any]) -> Running:
    """How the fits are run."""
    from heldout.cli.progress import shown_progress
    from heldout.evaluation.evaluate import Running

    return Running(
        jobs=given["jobs"],
        backend=given["backend"],
        scheduler=given["scheduler"],
        timeout=given["timeout"],
        store=False if given["no_store"] else given["store"],
        exact=not given["no_exact"],
        retry_failed=given["retry_failed"],
        progress=None if given["quiet"] else shown_progress(),
    )
