"""``heldout split``: which rows train and which rows test, as a file that any tool can use."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.command import Answer, Asked, finish, refuse_paths
from heldout.cli.groups import LISTED, Output, Shown, Splitting
from heldout.cli.options import SectionedCommand, flag_of, flags_of, options
from heldout.predictions.options import DataOptions

__all__ = ["command"]

EPILOG = """\b
Examples:
  heldout split iris --procedure 10-fold --output splits.csv
  heldout split patients.csv --target outcome --positive dead --group patient_id
  heldout split iris --splits splits.csv
  heldout evaluate iris --models lda --splits splits.csv

\b
Procedures: 10-fold, 10x10-fold, holdout 70:30, holdout 50:20:30, 100x holdout 70:30, loo,
leave-2-out, bootstrap 200, .632+ 200, groups, time 5 gap 7, column NAME; and after them
stratified, stratified loosely, stratified by bins 10, unstratified, grouped, ungrouped, seed 7."""


@click.command(
    cls=SectionedCommand, epilog=EPILOG, short_help="Write which rows train and which test."
)
@click.argument("data")
@options(
    "Splits",
    *flags_of(
        Splitting,
        procedure="What makes the splits [10-fold].",
        splits="Read splits instead of making them.",
        seed="Same seed, same splits [0].",
    ),
)
@options(
    "Columns of the data",
    *flags_of(DataOptions, "target", "positive", "group", "time"),
    flag_of(DataOptions, "id", "What names the rows in the file."),
    *flags_of(DataOptions, "ignore", "task", "drop_missing_target"),
)
@options(
    "Output",
    flag_of(Output, "output", "Write the splits there: .csv, .parquet or .json."),
    LISTED[0],
    flag_of(Shown, "everything", "All test parts, not only the first 20."),
)
def command(**given: Any) -> int:
    """Which rows of DATA train and which test, and how even the test parts are.

    DATA is a file or the name of a set (iris, wine, wdbc, digits, diabetes). The file that
    --output writes has the columns row, repeat, fold, part (train, validation, test) and
    procedure; where it has only test rows, all other rows train. Options marked * may be
    given more than once.
    """
    from heldout.cli.inputs import dataset_from
    from heldout.cli.screen import say
    from heldout.core.errors import InputError
    from heldout.procedures.apply import balance_of, splits_of
    from heldout.procedures.parse import parse_procedure
    from heldout.procedures.split_file import write_splits
    from heldout.report.listings import splits_document, splits_record

    output, file = given["output"], given["splits"]
    if given["procedure"] is not None and file is not None:
        raise InputError("--procedure makes splits and --splits reads them; give one of the two")
    refuse_paths((output,), [given["data"], *([file] if file else [])])
    procedure = parse_procedure(f"file {file}" if file else given["procedure"] or "10-fold")
    dataset = dataset_from({**given, "procedure": procedure}, needs_positive=False)
    splits = splits_of(procedure, dataset, seed=given["seed"])
    if output is not None:
        write_splits(splits, output, identifiers=dataset.identifier)
    even = balance_of(splits, dataset)
    say(given, (*dataset.notes, *splits.notes))
    return finish(
        given,
        # --output has the splits; what is said of them goes to the screen
        Asked(given["form"] or "table", None),
        Answer(
            document=lambda: splits_document(dataset, splits, even, given["everything"]),
            record=lambda: splits_record(dataset, splits, even),
        ),
    )
