"""From options to what is read: predictions, data, splits, how fits are run."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from heldout.cli.screen import say
from heldout.core.errors import HeldoutError, InputError
from heldout.core.options import from_flags, options_of, values_of
from heldout.core.specs import all_words, pairs, words
from heldout.predictions.options import DataOptions, Roles

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from heldout.assess.scorecard import Scorecard
    from heldout.datasets.dataset import Dataset
    from heldout.evaluation.running import Running
    from heldout.predictions.table import Predictions
    from heldout.predictions.tally_file import TallyHeader
    from heldout.procedures.splits import Splits
    from heldout.tables.column import Label


def refuse(condition: object, message: str) -> None:
    """A usage error of the command under way where a condition holds."""
    if condition:
        raise click.UsageError(message, click.get_current_context())


def refuse_beside_splits(given: Mapping[str, Any], *others: str) -> None:
    """A usage error where splits are given, and also what would make them."""
    for other in others:
        refuse(
            given["splits"] is not None and given[other] is not None,
            f"--splits FILE and --{other} exclude each other: give one of them",
        )


def first_flag_of(
    given: Mapping[str, Any], names: Sequence[str], *, but: Sequence[str] = ()
) -> str:
    """The flag of the first of some options that was given; empty where none was."""
    flags = {option.name: option.opts[0] for option in click.get_current_context().command.params}
    stated = (n for n in names if n not in but and given.get(n) not in (None, (), False))
    return next((flags[name] for name in stated), "")


def refuse_contradictions(given: Mapping[str, Any]) -> None:
    """An error where of two options that are given one would be unheard."""
    refuse(
        given["everything"] and given["measures"],
        "--all shows every measure, --measure some: give one of them",
    )
    method = given["method"].strip().lower()
    refuse(
        given["no_intervals"] and method,
        f"--interval {method} and --no-intervals contradict each other",
    )


def refuse_run_usage(given: Mapping[str, Any]) -> None:
    """Options of the splits and of the run that do not go together."""
    refuse_beside_splits(given, "procedure", "fold")
    refuse(
        given["no_store"] and given["store"] is not None,
        "--store and --no-store contradict each other",
    )
    refuse(given["jobs"] == 0, "--jobs 0: give a number of workers, or -1 for all processors")
    refuse(
        given["timeout"] is not None and not given["timeout"] > 0,
        "--timeout must be a number of seconds above 0",
    )


#: options that name columns or say how rows of predictions are to be read
ROLES = tuple(option.name for option in options_of(Roles))


def read_files(
    files: Sequence[str], given: Mapping[str, Any], *, pool: bool = False, is_paired: bool = False
) -> tuple[Predictions, ...]:
    """The predictions of each model; roles for which a command has no option are guessed."""
    from heldout.engines.reading import read_rows

    stated = _roles_from(given)
    sources, called = sources_of(files)
    how: dict[str, Any] = {name: given.get(name) for name in ("engine", "memory", "bins", "master")}
    return read_rows(
        sources, stated, pool=pool, dialect="flags", called=called, is_paired=is_paired, **how
    )


def scan_tally(
    files: Sequence[str], given: Mapping[str, Any], path: Path, **how: Any
) -> tuple[tuple[Predictions, ...], TallyHeader] | None:
    """The tally of files whose rows are not kept; None where they are to be read into memory."""
    from heldout.engines.reading import write_scanned_tally

    sources, _ = sources_of(files)
    asked = {name: given[name] for name in ("engine", "memory")}
    return write_scanned_tally(sources, _roles_from(given), path, **asked, **how)


def _roles_from(given: Mapping[str, Any]) -> Roles:
    """What options say of columns and classes."""
    return from_flags(
        Roles,
        given,
        scores=pairs(given.get("scores"), "--scores"),
        labels=words(given.get("labels")),
        train_mean=number_or_text(given.get("train_mean")),
    )


def number_or_text(text: str | None) -> float | str | None:
    """A number where the text is one, else the text (a column's name).

    Examples
    --------
    >>> number_or_text("2.5"), number_or_text("train_mean")
    (2.5, 'train_mean')
    """
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def stored_predictions(given: Mapping[str, Any], notes: list[str]) -> tuple[Predictions, ...]:
    """The predictions of stored runs; ``notes`` gets what is to be known about them."""
    from heldout.evaluation.stored import predictions_of_runs
    from heldout.runner.store import chosen_store

    other = first_flag_of(given, (*ROLES, "pool"))
    refuse(other, f"{other} is for files; runs know their columns")
    store = chosen_store(given["store"])
    assert store is not None
    return predictions_of_runs(store, given["files"], notes)


def sources_of(files: Sequence[str]) -> tuple[list[str], list[str]]:
    """Where each file is, and what messages call it (empty: by its path).

    What ships with heldout is called as the reader did, not by where it is.
    """
    from heldout.tables.read import location_of

    sources = [str(location_of(name)) for name in files]
    pairs = zip(sources, files, strict=True)
    return sources, ["" if source == name else name for source, name in pairs]


def cells_of(given: Mapping[str, Any], classes: Sequence[Label]) -> dict[str, Any]:
    """The profit and the cost of each cell of the confusion matrix, where they are given."""
    from heldout.measures.profit import parse_cells

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


def refuse_without_classes(given: Mapping[str, Any], classes: Sequence[Label]) -> None:
    """An error for an option of how classes are shown where the task is regression."""
    for name in ("confusion", "orientation", "per_class"):
        if given.get(name) and not classes:
            flag = f"--{name.replace('_', '-')}"
            raise InputError(f"{flag} is for classification, and the task is regression")


def shown_matrices(given: Mapping[str, Any]) -> dict[str, Any]:
    """How confusion matrices are shown, and whether of folds, and of all models and slices."""
    from heldout.report.confusion_tables import View

    view = View(given["orientation"] or "truth-rows", given["confusion"] or "counts")
    return {"view": view, "folds": given["per_fold"], "is_asked": given["confusion"] is not None}


def shown_values(given: Mapping[str, Any], card: Scorecard, *, is_data: bool) -> dict[str, Any]:
    """Which values are shown: of every measure, and of single classes, folds and slices."""
    how = {name: given[name] for name in ("per_class", "per_fold")}
    if given["by"] and not is_data:
        from heldout.report.decisions import shown_slices

        how["slices"] = shown_slices(card.slices(*given["measures"]))
    return {"everything": given["everything"] or is_data, **how}


def data_roles(given: Mapping[str, Any], fold: str | None = None) -> DataOptions:
    """What is said of a data set; the column of folds may be named by the procedure."""
    from heldout.procedures.apply import fold_column

    return from_flags(
        DataOptions,
        given,
        fold=fold_column(given["procedure"], fold, flag="--fold"),
        labels=words(given.get("labels")),
        ignore=all_words(given["ignore"]),
    )


def dataset_from(given: Mapping[str, Any], *, needs_positive: bool | None = True) -> Dataset:
    """The data set with the roles that were named; a positive class unless none is needed.

    None: it is taken where the labels tell it, and else left open.
    """
    from heldout.datasets.read import read_dataset

    roles = data_roles(given, given.get("fold"))
    return read_dataset(given["data"], **values_of(roles), needs_positive=needs_positive)


def splits_from(given: Mapping[str, Any], dataset: Dataset) -> Splits:
    """The splits of the procedure, or those of a file."""
    from heldout.procedures.apply import procedure_for, splits_of
    from heldout.procedures.split_file import FromFile

    wanted = given["procedure"]
    if given["splits"] is not None:
        wanted = FromFile(given["splits"])
    elif not given.get("nested"):  # nested procedures may take the folds for one of the two
        wanted = procedure_for(wanted, dataset, flag=f"--fold {given['fold']}")
    return splits_of(wanted, dataset, seed=given["seed"])


def running_from(given: Mapping[str, Any]) -> Running:
    """How the fits are run."""
    from heldout.cli.screen import progress_bar
    from heldout.evaluation.running import Running

    return from_flags(Running, given, progress=None if given["quiet"] else progress_bar())


@contextmanager
def notes_on_error(given: Mapping[str, Any], dataset: Dataset) -> Iterator[None]:
    """What was guessed of the data is said also where that guess ends in an error."""
    try:
        yield
    except HeldoutError:
        say(given, dataset.notes)
        raise


@contextmanager
def advice_on_interrupt(given: Mapping[str, Any], what: str) -> Iterator[None]:
    """Whoever breaks fits off is told that nothing finished is lost, and how to go on."""
    from heldout.cli.screen import note

    try:
        yield
    except KeyboardInterrupt:
        if not given["no_store"]:
            note(f"interrupted; finished {what}")
        raise
