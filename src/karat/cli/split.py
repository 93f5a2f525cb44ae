"""``karat split``: which rows train and which rows test, as a file that any tool can use."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from karat.cli.options import SectionedCommand, option, words

if TYPE_CHECKING:
    from karat.datasets.dataset import Dataset
    from karat.procedures.balance import Balance
    from karat.procedures.splits import Splits
    from karat.report.document import Document

__all__ = ["command"]

COLUMNS, SPLITS, OUTPUT = "Columns of the data", "Splits", "Output"

#: test parts and classes that the table shows
MOST_PARTS, MOST_CLASSES = 20, 8

EPILOG = """\b
Examples:
  karat split iris --procedure 10-fold --output splits.csv
  karat split patients.csv --target outcome --positive dead --group patient_id
  karat split iris --splits splits.csv
  karat evaluate iris --models lda --splits splits.csv

\b
Procedures: 10-fold, 10x10-fold, holdout 70:30, holdout 50:20:30, 100x holdout 70:30, loo,
leave-2-out, bootstrap 200, .632+ 200, groups, time 5 gap 7, column NAME; and after them
stratified, stratified loosely, stratified by bins 10, unstratified, grouped, ungrouped, seed 7."""


@click.command(
    cls=SectionedCommand, epilog=EPILOG, short_help="Write which rows train and which test."
)
@click.argument("data")
@option(SPLITS, "--procedure", metavar="TEXT", help="What makes the splits [10-fold].")
@option(SPLITS, "--splits", metavar="FILE", help="Read splits instead of making them.")
@option(SPLITS, "--seed", type=int, default=0, help="Same seed, same splits [0].")
@option(COLUMNS, "--target", metavar="COLUMN", help="The column to predict [the last].")
@option(COLUMNS, "--positive", metavar="LABEL", help="The class of interest.")
@option(COLUMNS, "--group", metavar="COLUMN", help="Rows that depend on each other stay together.")
@option(COLUMNS, "--time", metavar="COLUMN", help="The order in time, for the procedure time.")
@option(COLUMNS, "--id", "identifier", metavar="COLUMN", help="What names the rows in the file.")
@option(COLUMNS, "--ignore", metavar="COLUMN,...", help="Columns to leave out.")
@option(
    COLUMNS,
    "--task",
    type=click.Choice(["classification", "regression"]),
    help="The kind of problem, where the values leave it open.",
)
@option(COLUMNS, "--drop-missing-target", is_flag=True, help="Leave out rows without a target.")
@option(
    OUTPUT,
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the splits there: .csv, .parquet or .json.",
)
@option(OUTPUT, "--format", "form", type=click.Choice(["table", "json"]), help="[table]")
@option(OUTPUT, "--all", "everything", is_flag=True, help="All test parts, not only the first 20.")
def command(
    data: str,
    procedure: str | None,
    splits: str | None,
    seed: int,
    target: str | None,
    positive: str | None,
    group: str | None,
    time: str | None,
    identifier: str | None,
    ignore: str | None,
    task: str | None,
    drop_missing_target: bool,
    output: Path | None,
    form: str | None,
    everything: bool,
) -> int:
    """Which rows of DATA train and which test, and how even the test parts are.

    DATA is a file or the name of a set (iris, wine, wdbc, digits, diabetes). The file that
    --output writes has the columns row, repeat, fold, part (train, validation, test) and
    procedure; where it has only test rows, all other rows train.
    """
    from karat.cli.screen import gathered, note
    from karat.core.errors import InputError
    from karat.datasets.read import read_dataset
    from karat.procedures.apply import splits_of
    from karat.procedures.balance import balance
    from karat.procedures.parse import parse_procedure
    from karat.procedures.split_file import write_splits
    from karat.report.output import refuse_own_input, refuse_unwritable

    if procedure is not None and splits is not None:
        raise InputError("--procedure makes splits and --splits reads them; give one of the two")
    if output is not None:
        refuse_own_input(output, [data, *([splits] if splits else [])])
        refuse_unwritable(output)
    wanted = parse_procedure(f"file {splits}" if splits else procedure or "10-fold")
    dataset = read_dataset(
        data,
        target=target,
        positive=positive,
        group=group,
        time=time,
        fold=getattr(wanted, "column", None),
        id=identifier,
        ignore=words(ignore) or (),
        task=task,
        drop_missing_target=drop_missing_target,
    )
    made = splits_of(wanted, dataset, seed=seed)
    if output is not None:
        write_splits(made, output, identifiers=dataset.identifier)
    found = balance(
        made,
        dataset.truth,
        is_classification=dataset.task != "regression",
        classes=dataset.classes or None,
        groups=dataset.group,
    )
    for text in gathered((*dataset.notes, *made.notes)):
        note(text)
    _show(dataset, made, found, form, everything)
    return 0


def _show(
    dataset: Dataset, splits: Splits, found: Balance, form: str | None, everything: bool
) -> None:
    from karat.cli.screen import screen_width, takes_color
    from karat.report.output import write_stdout

    if form == "json":
        from karat.report.json_text import json_text

        write_stdout(json_text(_record(dataset, splits, found)), is_data=True)
        return
    from karat.report.terminal import terminal_text

    document = _document(dataset, splits, found, everything)
    write_stdout(terminal_text(document, width=screen_width(), color=takes_color(sys.stdout)))


def _record(dataset: Dataset, splits: Splits, found: Balance) -> dict[str, Any]:
    """All of it as plain data."""
    parts: list[dict[str, Any]] = []
    for index, (repeat, fold) in enumerate(found.places.tolist()):
        part: dict[str, Any] = {"repeat": repeat, "fold": fold}
        part["train"], part["test"] = int(found.train_sizes[index]), int(found.sizes[index])
        if found.counts is not None:
            names = map(str, found.classes)
            part["classes"] = dict(zip(names, found.counts[index].tolist(), strict=True))
        if found.means is not None:
            part["mean"] = float(found.means[index])
        parts.append(part)
    return {
        "call": {
            "command": "split",
            "data": dataset.source or dataset.name,
            "procedure": splits.procedure,
            "seed": splits.seed,
        },
        "procedure": splits.procedure,
        "rows": splits.rows,
        "seed": splits.seed,
        "fingerprint": splits.fingerprint,
        "notes": list(splits.notes),
        "parted_groups": found.parted_groups,
        "parts": parts,
    }


def _document(dataset: Dataset, splits: Splits, found: Balance, everything: bool) -> Document:
    """The table of test parts, and what was got."""
    from karat.report.document import Column, Grid, Text
    from karat.report.numbers import number_text

    heads = ["repeat", "fold", "train", "test"]
    shares = found.shares
    has_classes = shares is not None and len(found.classes) <= MOST_CLASSES
    heads += [str(label) for label in found.classes] if has_classes else []
    heads += ["mean"] if found.means is not None else []
    rows = []
    count = len(splits) if everything else min(len(splits), MOST_PARTS)
    for index in range(count):
        sizes = (*found.places[index], found.train_sizes[index], found.sizes[index])
        cells = [f"{int(value):,}" for value in sizes]
        if has_classes and shares is not None:
            cells += [f"{share:.1%}" for share in shares[index]]
        if found.means is not None:
            cells.append(number_text(float(found.means[index])))
        rows.append(tuple(cells))
    notes = [f"... and {len(splits) - count:,} more (--all)"] if count < len(splits) else []
    title = "Test parts, with the share of each class" if has_classes else "Test parts"
    columns = tuple(Column(head, "right", excess="cut") for head in heads)
    return (
        Text(f"{splits.procedure} of {dataset.name}: {_plural(splits.rows, 'row')}, "
             f"{_plural(len(splits), 'split')}", "strong"),
        Grid(title, columns, tuple(rows), notes=tuple(notes)),
        *(Text(line) for line in _got(found)),
        Text(f"fingerprint {splits.fingerprint}", "quiet"),
    )  # fmt: skip


def _got(found: Balance) -> list[str]:
    """How even classes and groups came out."""
    lines = []
    if found.counts is not None:
        lines.append(
            f"classes: at most {found.largest_deviation:.2f} rows "
            f"({100 * found.largest_share_deviation:.2f} percentage points) off their share"
        )
    if found.parted_groups is not None:
        said = f"parted {found.parted_groups:,} times" if found.parted_groups else "all whole"
        lines.append(f"groups: {said}")
    return lines


def _plural(count: int, word: str) -> str:
    return f"{count:,} {word}{'s' * (count != 1)}"
