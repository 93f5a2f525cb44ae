"""What a run would do: fits and exact paths, sizes of the parts, how even the classes are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.predictions.part import plural
from karat.report.document import Column, Grid, Text
from karat.report.numbers import count_text, number_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from karat.datasets.dataset import Dataset
    from karat.learners.model import Model
    from karat.procedures.splits import Splits
    from karat.report.document import Block, Document

__all__ = ["pipeline_document", "plan_document", "show_pipeline", "show_plan"]


def show_pipeline(models: Sequence[Model], form: str) -> None:
    """The pipelines on standard output."""
    from karat.cli.output import drawn
    from karat.report.output import write_stdout

    write_stdout(drawn(pipeline_document(models), form))


def show_plan(
    given: Mapping[str, Any], dataset: Dataset, models: Sequence[Model], splits: Splits, form: str
) -> int:
    """What would be fitted, on standard output; gives the exit code."""
    from karat.cli.output import drawn
    from karat.cli.screen import note
    from karat.report.output import write_stdout

    if not given["quiet"]:
        for line in (*dataset.notes, *splits.notes):
            note(line)
    document = plan_document(dataset, models, splits, exact=not given["no_exact"])
    write_stdout(drawn(document, form))
    return 0


def pipeline_document(models: Sequence[Model]) -> Document:
    """What each model does to the data, fitted inside of each training part."""
    rows = [
        (model.name if not number else "", str(number + 1), step)
        for model in models
        for number, step in enumerate((*model.preparation, _estimator(model)))
    ]
    title = "Pipelines, each step fitted on training rows only"
    columns = (Column("model"), Column("step", "right"), Column("what", excess="wrap"))
    return (Grid(title, columns, tuple(rows)),)


def _estimator(model: Model) -> str:
    """The estimator at the end of a pipeline, in one line."""
    last = model.estimator
    while hasattr(last, "steps") and last.steps:
        last = last.steps[-1][1]
    return " ".join(repr(last).split())


def plan_document(
    dataset: Dataset, models: Sequence[Model], splits: Splits, *, exact: bool
) -> Document:
    """The number of fits and the balance of the splits."""
    head = (
        f"{dataset.source or dataset.name}: {plural(len(dataset), 'row')}, "
        f"{plural(len(dataset.features), 'feature')}, target {dataset.target}"
    )
    count = f"{plural(len(splits), 'split')} for {_each_of(len(models))}"
    about = f"{splits.procedure}, seed {splits.seed}: {count}; splits {splits.fingerprint}"
    blocks: list[Block] = [
        Text(head, "strong"),
        Text(about),
        _paths(dataset, models, splits, exact),
    ]
    blocks.append(_balance(dataset, splits))
    return tuple(blocks)


def _each_of(models: int) -> str:
    return f"each of {models:,} models" if models > 1 else "one model"


def _paths(dataset: Dataset, models: Sequence[Model], splits: Splits, exact: bool) -> Grid:
    from karat.learners.exact.paths import exact_path

    rows = []
    for model in models:
        path = exact_path(model, dataset, splits) if exact else "--no-exact"
        if isinstance(path, str):
            rows.append((model.name, f"{len(splits):,}", f"refitted: {path}"))
        else:
            rows.append((model.name, "1", f"exact, without refitting: {path.name}"))
    columns = (Column("model"), Column("fits", "right"), Column("how", excess="wrap"))
    return Grid("What would be fitted", columns, tuple(rows))


def _balance(dataset: Dataset, splits: Splits) -> Grid:
    from karat.procedures.apply import balance_of

    made = balance_of(splits, dataset)
    rows = [
        ("training rows", count_text(int(made.train_sizes.min())), _most(made.train_sizes.max())),
        ("test rows", count_text(int(made.sizes.min())), _most(made.sizes.max())),
    ]
    shares = made.shares
    if shares is not None:
        for index, label in enumerate(dataset.classes[:20]):
            low, high = float(shares[:, index].min()), float(shares[:, index].max())
            rows.append((f"share of {label} tested", number_text(low), number_text(high)))
    elif made.means is not None:
        low, high = float(made.means.min()), float(made.means.max())
        rows.append(("mean of the target tested", number_text(low), number_text(high)))
    notes = []
    if made.parted_groups is not None:
        notes.append(f"groups with rows on both sides of a split: {made.parted_groups:,}")
    columns = (Column("over the splits"), Column("least", "right"), Column("most", "right"))
    return Grid("Balance", columns, tuple(rows), notes=tuple(notes))


def _most(value: int) -> str:
    return count_text(int(value))
