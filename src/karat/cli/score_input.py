"""From the options of ``karat score`` to a scorecard: files or a matrix are read here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from karat.cli.options import number_or_text, pairs, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from karat.assess.options import IntervalOptions
    from karat.assess.scorecard import Scorecard
    from karat.predictions.table import Label, Predictions

__all__ = ["card_of"]

#: options that name columns or say how rows are to be read, passed on as they are
ROLES = (
    "truth",
    "predicted",
    "score",
    "score_prefix",
    "train_count_prefix",
    "prior",
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
    "naive",
    "normalise",
)
EXAMPLE = "example:"


def card_of(ctx: click.Context, given: Mapping[str, Any]) -> Scorecard:
    """What the files (or the matrix) say, ready to be measured."""
    from karat.assess.scorecard import score_matrix, score_predictions

    options = _intervals(given)
    if given["matrix"] is None:
        predictions = _predictions(ctx, given)
        classes = predictions[0].classes
        return score_predictions(predictions, intervals=options, **_values(given, classes))
    from karat.predictions.matrix import read_matrix

    _refuse_beside_matrix(ctx, given)
    counts = read_matrix(
        given["matrix"],
        orientation=given["orientation"],
        labels=words(given["labels"]),
        positive=given["positive"],
    )
    return score_matrix(counts, intervals=options, **_values(given, counts.classes))


def _intervals(given: Mapping[str, Any]) -> IntervalOptions | None:
    """How intervals are wanted; None: not at all."""
    from karat.assess.options import interval_options

    options = interval_options(
        level=given["level"],
        method=given["interval"],
        replicates=given["replicates"],
        seed=given["seed"],
        stratified=given["stratified"],
    )
    return None if given["no_intervals"] else options


def _values(given: Mapping[str, Any], classes: Sequence[Label]) -> dict[str, Any]:
    """The profit and the cost of each cell of the confusion matrix, where they are given."""
    from karat.core.errors import InputError
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


def _predictions(ctx: click.Context, given: Mapping[str, Any]) -> tuple[Predictions, ...]:
    from karat.data import example
    from karat.predictions.read import read_roles
    from karat.predictions.roles import Roles

    if given["orientation"] is not None:
        raise click.UsageError("--orientation says what the rows of --matrix are: give one", ctx)
    if not given["files"]:
        raise click.UsageError(
            "give a file of predictions, - for standard input, or --matrix; "
            f"karat score {EXAMPLE}spam --positive spam shows an example",
            ctx,
        )
    sources = [
        str(example(name.removeprefix(EXAMPLE))) if name.startswith(EXAMPLE) else name
        for name in given["files"]
    ]
    stated: dict[str, Any] = {name: given[name] for name in ROLES}
    stated["scores"] = pairs(given["scores"], "--scores")
    roles = Roles(
        labels=words(given["labels"]),
        train_mean=number_or_text(given["train_mean"]),
        **stated,
    )
    # what ships with karat is called as the reader did, not by where it is
    called = [name if name.startswith(EXAMPLE) else "" for name in given["files"]]
    return read_roles(sources, roles, pool=given["pool"], dialect="flags", called=called)


def _refuse_beside_matrix(ctx: click.Context, given: Mapping[str, Any]) -> None:
    """Counts have no columns, so nothing may be said of columns."""
    others = ("scores", "train_mean", "pool")
    about_rows = [name for name in (*ROLES, *others) if name != "positive"]
    said = [name for name in about_rows if given[name] not in (None, (), False)]
    if given["files"] or said:
        other = f"--{said[0].replace('_', '-')}" if said else "the files"
        raise click.UsageError(f"--matrix gives counts, not rows: leave out {other}", ctx)
