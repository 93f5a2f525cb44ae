"""``heldout split``: training and test rows as a file that any tool can use."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.command import Answer, Asked, finish, refuse_paths
from heldout.cli.groups import LISTED, Output, Shown
from heldout.cli.options import SectionedCommand, flag_of, flags_of, options
from heldout.evaluation.running import Splitting
from heldout.predictions.options import DataOptions

#: the module of ``report.plots`` that draws splits
BOOK = "splits"

EPILOG = """\b
Examples:
  heldout split iris --procedure 10-fold --output splits.csv
  heldout split patients.csv --target outcome --group patient_id
  heldout split iris --splits splits.csv
  heldout split wdbc --procedure 5-fold --plot splits.png
  heldout evaluate iris --models lda --splits splits.csv

\b
Procedures: 10-fold, 10x10-fold, holdout 70:30, holdout 50:20:30,
  100x holdout 70:30, loo, leave-2-out, bootstrap 200, .632+ 200, groups,
  time 5 gap 7, column NAME; and after them stratified, stratified loosely,
  stratified by bins 10, unstratified, grouped, ungrouped, seed 7."""


@click.command(
    cls=SectionedCommand, epilog=EPILOG, short_help="Write training and test splits to a file."
)
@click.argument("data")
@options(
    "Splits",
    *flags_of(
        Splitting,
        procedure="How rows are split into training and test data [10-fold].",
        splits="Read and show splits from a file.",
        seed="Random seed; the same seed gives the same splits [0].",
    ),
)
@options(
    "Columns of the data",
    *flags_of(DataOptions, "target", "positive", "group", "time"),
    flag_of(DataOptions, "id", "Identifier of each row, used in the file of splits."),
    *flags_of(DataOptions, "ignore", "task", "drop_missing_target"),
)
@options(
    "Output",
    flag_of(Output, "output", "File for the splits: .csv, .parquet or .json."),
    LISTED[0],
    flag_of(
        Output,
        "charts",
        "Draw which rows train and which test: splits.png, splits[order=data]=FILE.",
    ),
    flag_of(Shown, "everything", "Show all test parts, not only the first 20."),
)
def command(**given: Any) -> int:
    """Split DATA into training and test rows, and show how balanced the test parts are.

    DATA is a file or a named data set (iris, wine, wdbc, digits, diabetes). The file written by
    --output has the columns row, repeat, fold, part (train, validation, test) and procedure; if
    it lists test rows only, all other rows are training rows. Options marked * may be given more
    than once.
    """
    from heldout.cli.charts import chart_of
    from heldout.cli.inputs import dataset_from
    from heldout.cli.screen import say
    from heldout.core.errors import InputError
    from heldout.procedures.apply import balance_of, splits_of
    from heldout.procedures.parse import parse_procedure
    from heldout.procedures.split_file import write_splits
    from heldout.report.listings import splits_document, splits_record

    output, file = given["output"], given["splits"]
    if given["procedure"] is not None and file is not None:
        raise InputError("--procedure and --splits exclude each other: give one of them")
    charts = [chart_of(text, BOOK) for text in given["charts"]]
    sources = [given["data"], *([file] if file else [])]
    refuse_paths((output, *(path for _, path in charts)), sources)
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
        Asked(given["form"] or "table", None, charts=charts, book=BOOK),
        Answer(
            document=lambda: splits_document(dataset, splits, even, given["everything"]),
            record=lambda: splits_record(dataset, splits, even),
            charted=(dataset, splits),
        ),
    )
