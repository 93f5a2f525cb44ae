"""``heldout split``: which rows train and which rows test, as a file that any tool can use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from heldout.cli.command import Answer, Asked, finish, refuse_paths
from heldout.cli.groups import LISTED, Output, Shown, Splitting
from heldout.cli.options import SectionedCommand, flag_of, flags_of, options
from heldout.predictions.options import DataOptions

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
            document=lambda: _document(dataset, splits, even, given["everything"]),
            record=lambda: _record(dataset, splits, even),
        ),
    )


def _record(dataset: Dataset, splits: Splits, even: Balance) -> dict[str, Any]:
    """All of it as plain data."""
    parts: list[dict[str, Any]] = []
    repeats, folds = even.places[:, 0].tolist(), _folds(splits, even).tolist()
    for index, (repeat, fold) in enumerate(zip(repeats, folds, strict=True)):
        part: dict[str, Any] = {"repeat": repeat, "fold": fold}
        part["train"], part["test"] = int(even.train_sizes[index]), int(even.sizes[index])
        part |= _content(even, index)
        if even.validation is not None:
            part["validation"] = int(even.validation.sizes[index])
            told = _content(even.validation, index).items()
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
        "parted_groups": even.parted_groups,
        "parts": parts,
    }


def _content(even: Balance, index: int) -> dict[str, Any]:
    """The rows of each class in a part, or the mean of its target."""
    if even.means is not None:
        return {"mean": float(even.means[index])}
    if even.counts is None:
        return {}
    return {"classes": dict(zip(map(str, even.classes), even.counts[index].tolist(), strict=True))}


def _document(dataset: Dataset, splits: Splits, even: Balance, everything: bool) -> Document:
    """The table of test parts, that of validation parts, and what was got."""
    from heldout.core.wording import plural
    from heldout.report.document import Text

    kinds = (("Test", even), ("Validation", even.validation))
    return (
        Text(f"{splits.procedure} of {dataset.name}: {plural(splits.rows, 'row')}, "
             f"{plural(len(splits), 'split')}", "strong"),
        *(_grid(kind, splits, part, everything) for kind, part in kinds if part is not None),
        *(Text(line) for line in _evenness(even)),
        Text(f"fingerprint {splits.fingerprint}", "quiet"),
    )  # fmt: skip


def _grid(kind: str, splits: Splits, even: Balance, everything: bool) -> Grid:
    """The table of test parts, or of validation parts."""
    from heldout.report.document import Column, Grid
    from heldout.report.numbers import number_text

    heads = ["repeat", "fold", "train", kind.lower()]
    shares = even.shares
    has_classes = shares is not None and len(even.classes) <= MOST_CLASSES
    heads += [str(label) for label in even.classes] if has_classes else []
    heads += ["mean"] if even.means is not None else []
    rows, folds = [], _folds(splits, even)
    count = len(splits) if everything else min(len(splits), MOST_PARTS)
    for index in range(count):
        sizes = (even.train_sizes[index], even.sizes[index])
        cells = [f"{even.places[index, 0]:,}", str(folds[index]), *(f"{n:,}" for n in sizes)]
        is_empty = not even.sizes[index]
        if has_classes and shares is not None:
            cells += ["" if is_empty else f"{share:.1%}" for share in shares[index]]
        if even.means is not None:
            cells.append("" if is_empty else number_text(float(even.means[index])))
        rows.append(tuple(cells))
    notes = [f"... and {len(splits) - count:,} more (--all)"] if count < len(splits) else []
    title = f"{kind} parts" + ", with the share of each class" * has_classes
    columns = tuple(Column(head, "right", excess="cut") for head in heads)
    return Grid(title, columns, tuple(rows), notes=tuple(notes))


def _folds(splits: Splits, even: Balance) -> Any:
    """The folds by their own names, where they have any."""
    from heldout.procedures.splits import fold_names
    from heldout.runner.layout import named

    return named(even.places[:, 1], fold_names(splits))


def _evenness(even: Balance) -> list[str]:
    """How even classes and groups came out."""
    lines = []
    if even.counts is not None:
        lines.append(f"classes: {_off(even)}")
    if even.validation is not None and even.counts is not None:
        lines.append(f"classes of validation parts: {_off(even.validation)}")
    if even.parted_groups is not None:
        said = f"parted {even.parted_groups:,} times" if even.parted_groups else "all whole"
        lines.append(f"groups: {said}")
    return lines


def _off(even: Balance) -> str:
    return (
        f"at most {even.largest_deviation:.2f} rows "
        f"({100 * even.largest_share_deviation:.2f} percentage points) off their share"
    )
