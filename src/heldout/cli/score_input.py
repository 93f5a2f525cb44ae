"""From the options of ``heldout score`` to a scorecard: files or a matrix are read here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from heldout.cli.output_options import refuse_all_beside_some
from heldout.cli.prediction_input import EXAMPLE, ROLES, cells_of, read_files
from heldout.cli.texts import words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heldout.assess.options import IntervalOptions
    from heldout.assess.scorecard import Scorecard
    from heldout.predictions.table import Predictions

__all__ = ["card_of"]


def card_of(ctx: click.Context, given: Mapping[str, Any]) -> Scorecard:
    """What the files (or the matrix) say, ready to be measured."""
    from heldout.assess.scorecard import score_matrix, score_predictions

    refuse_all_beside_some(ctx, given)
    options = _intervals(given)
    if given["matrix"] is None:
        predictions = _predictions(ctx, given)
        classes = predictions[0].classes
        return score_predictions(predictions, intervals=options, **cells_of(given, classes))
    from heldout.predictions.matrix import read_matrix

    _refuse_beside_matrix(ctx, given)
    counts = read_matrix(
        given["matrix"],
        orientation=given["orientation"],
        labels=words(given["labels"]),
        positive=given["positive"],
    )
    return score_matrix(counts, intervals=options, **cells_of(given, counts.classes))


def _intervals(given: Mapping[str, Any]) -> IntervalOptions | None:
    """How intervals are wanted; None: not at all."""
    from heldout.assess.options import interval_options

    options = interval_options(
        level=given["level"],
        method=given["interval"],
        replicates=given["replicates"],
        seed=given["seed"],
        stratified=given["stratified"],
    )
    return None if given["no_intervals"] else options


def _predictions(ctx: click.Context, given: Mapping[str, Any]) -> tuple[Predictions, ...]:
    if given["orientation"] is not None:
        raise click.UsageError("--orientation says what the rows of --matrix are: give one", ctx)
    if not given["files"]:
        raise click.UsageError(
            "give a file of predictions, - for standard input, or --matrix; "
            f"heldout score {EXAMPLE}spam --positive spam shows an example",
            ctx,
        )
    return read_files(given["files"], given, pool=given["pool"])


def _refuse_beside_matrix(ctx: click.Context, given: Mapping[str, Any]) -> None:
    """Counts have no columns, so nothing may be said of columns."""
    about_rows = [name for name in (*ROLES, "pool") if name not in ("positive", "labels")]
    said = [name for name in about_rows if given[name] not in (None, (), False)]
    if given["files"] or said:
        other = f"--{said[0].replace('_', '-')}" if said else "the files"
        raise click.UsageError(f"--matrix gives counts, not rows: leave out {other}", ctx)
