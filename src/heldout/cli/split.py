"""``heldout split``: which rows train and which rows test, as a file that any tool can use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from heldout.cli import data_options as data
from heldout.cli import output_options as shown
from heldout.cli.options import SectionedCommand, options
from heldout.cli.output import drawn, refuse_paths, write_text

if TYPE_CHECKING:
    from heldout.datasets.dataset import Dataset
    from heldout.procedures.balance import Balance
    from heldout.procedures.splits import Splits
    from heldout.report.document import Document, Grid

__all__ = ["command"]

#: test parts and classes that the table shows
MOST_PARTS, MOST_CLASSES = 20, 8

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
    data.PROCEDURE.but(help="What makes the splits [10-fold]."),
    data.SPLITS.but(help="Read splits instead of making them."),
    data.SEED.but(help="Same seed, same splits [0]."),
)
@options(
    "Columns of the data",
    data.TARGET,
    data.POSITIVE,
    data.GROUP,
    data.TIME,
    data.ID.but(help="What names the rows in the file."),
    data.IGNORE,
    data.TASK,
    data.DROP_MISSING_TARGET,
)
@options(
    "Output",
    shown.OUTPUT.but(help="Write the splits there: .csv, .parquet or .json."),
    shown.TABLE_OR_JSON,
    shown.EVERYTHING.but(help="All test parts, not only the first 20."),
)
def command(**given: Any) -> int:
    """Which rows of DATA train and which test, and how even the test parts are.

    DATA is a file or the name of a set (iris, wine, wdbc, digits, diabetes). The file that
    --output writes has the columns row, repeat, fold, part (train, validation, test) and
    procedure; where it has only test rows, all other rows train. Options marked * may be
    given more than once.
    """
    from heldout.cli.screen import gathered, note
    from heldout.cli.texts import all_words
    from heldout.core.errors import InputError
    from heldout.datasets.read import read_dataset
    from heldout.procedures.apply import balance_of, splits_of
    from heldout.procedures.parse import parse_procedure
    from heldout.procedures.split_file import write_splits

    output, splits = given["output"], given["splits"]
    if given["procedure"] is not None and splits is not None:
        raise InputError("--procedure makes splits and --splits reads them; give one of the two")
    refuse_paths((output,), [given["data"], *([splits] if splits else [])])
    wanted = parse_procedure(f"file {splits}" if splits else given["procedure"] or "10-fold")
    roles = ("target", "positive", "group", "time", "id", "task", "drop_missing_target")
    dataset = read_dataset(
        given["data"],
        **{name: given[name] for name in roles},
        fold=getattr(wanted, "column", None),
        ignore=all_words(given["ignore"]),
        needs_positive=False,
    )
    made = splits_of(wanted, dataset, seed=given["seed"])
    if output is not None:
        write_splits(made, output, identifiers=dataset.identifier)
    found = balance_of(made, dataset)
    for text in gathered((*dataset.notes, *made.notes)):
        note(text)
    if given["form"] == "json":
        from heldout.report.json_text import json_text

        text = json_text(_record(dataset, made, found))
    else:
        text = drawn(_document(dataset, made, found, given["everything"]), "table")
    # --output has the splits; what is said of them goes to the screen
    write_text(text, given["form"] or "table", None)
    return 0


def _record(dataset: Dataset, splits: Splits, found: Balance) -> dict[str, Any]:
    """All of it as plain data."""
    parts: list[dict[str, Any]] = []
    repeats, folds = found.places[:, 0].tolist(), _folds(splits, found).tolist()
    for index, (repeat, fold) in enumerate(zip(repeats, folds, strict=True)):
        part: dict[str, Any] = {"repeat": repeat, "fold": fold}
        part["train"], part["test"] = int(found.train_sizes[index]), int(found.sizes[index])
        part |= _content(found, index)
        if found.validation is not None:
            part["validation"] = int(found.validation.sizes[index])
            told = _content(found.validation, index).items()
            part |= {f"validation_{name}": value for name, value in told}
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


def _content(found: Balance, index: int) -> dict[str, Any]:
    """The rows of each class in a part, or the mean of its target."""
    if found.means is not None:
        return {"mean": float(found.means[index])}
    if found.counts is None:
        return {}
    return {
        "classes": dict(zip(map(str, found.classes), found.counts[index].tolist(), strict=True))
    }


def _document(dataset: Dataset, splits: Splits, found: Balance, everything: bool) -> Document:
    """The table of test parts, that of validation parts, and what was got."""
    from heldout.core.wording import plural
    from heldout.report.document import Text

    kinds = (("Test", found), ("Validation", found.validation))
    return (
        Text(f"{splits.procedure} of {dataset.name}: {plural(splits.rows, 'row')}, "
             f"{plural(len(splits), 'split')}", "strong"),
        *(_grid(kind, splits, one, everything) for kind, one in kinds if one is not None),
        *(Text(line) for line in _got(found)),
        Text(f"fingerprint {splits.fingerprint}", "quiet"),
    )  # fmt: skip


def _grid(kind: str, splits: Splits, found: Balance, everything: bool) -> Grid:
    """The table of test parts, or of validation parts."""
    from heldout.report.document import Column, Grid
    from heldout.report.numbers import number_text

    heads = ["repeat", "fold", "train", kind.lower()]
    shares = found.shares
    has_classes = shares is not None and len(found.classes) <= MOST_CLASSES
    heads += [str(label) for label in found.classes] if has_classes else []
    heads += ["mean"] if found.means is not None else []
    rows, folds = [], _folds(splits, found)
    count = len(splits) if everything else min(len(splits), MOST_PARTS)
    for index in range(count):
        sizes = (found.train_sizes[index], found.sizes[index])
        cells = [f"{found.places[index, 0]:,}", str(folds[index]), *(f"{n:,}" for n in sizes)]
        is_empty = not found.sizes[index]
        if has_classes and shares is not None:
            cells += ["" if is_empty else f"{share:.1%}" for share in shares[index]]
        if found.means is not None:
            cells.append("" if is_empty else number_text(float(found.means[index])))
        rows.append(tuple(cells))
    notes = [f"... and {len(splits) - count:,} more (--all)"] if count < len(splits) else []
    title = f"{kind} parts" + ", with the share of each class" * has_classes
    columns = tuple(Column(head, "right", excess="cut") for head in heads)
    return Grid(title, columns, tuple(rows), notes=tuple(notes))


def _folds(splits: Splits, found: Balance) -> Any:
    """The folds by their own names, where they have any."""
    from heldout.procedures.splits import fold_names
    from heldout.runner.layout import named

    return named(found.places[:, 1], fold_names(splits))


def _got(found: Balance) -> list[str]:
    """How even classes and groups came out."""
    lines = []
    if found.counts is not None:
        lines.append(f"classes: {_off(found)}")
    if found.validation is not None and found.counts is not None:
        lines.append(f"classes of validation parts: {_off(found.validation)}")
    if found.parted_groups is not None:
        said = f"parted {found.parted_groups:,} times" if found.parted_groups else "all whole"
        lines.append(f"groups: {said}")
    return lines


def _off(found: Balance) -> str:
    return (
        f"at most {found.largest_deviation:.2f} rows "
        f"({100 * found.largest_share_deviation:.2f} percentage points) off their share"
    )
