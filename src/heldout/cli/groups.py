"""Groups of options that several commands share: splits, what is shown, where it is written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from heldout.cli.options import flag, flag_of
from heldout.cli.texts import specs
from heldout.core.options import option

__all__ = [
    "COLUMNS",
    "COST",
    "GUESSED",
    "LISTED",
    "MODELS",
    "NO_INTERVALS",
    "Output",
    "POOL",
    "PROFIT",
    "SCORES",
    "Shown",
    "Splitting",
    "TRAINING_ERROR",
    "TRAIN_COLUMNS",
]

#: formats in which every command can write
FORMATS = ("table", "json", "csv", "markdown", "latex")

#: the heading of columns that need not be named, those columns, and those about training rows
GUESSED = "Which column is what (guessed from usual names where not given)"
SCORES = ("truth", "predicted", "score", "score_prefix", "scores")
COLUMNS = (*SCORES, "weight", "group", "fold", "repeat", "model")
TRAIN_COLUMNS = ("train_mean", "train_count_prefix")

POOL = flag("--pool", is_flag=True, help="Several files are one model, not a model each.")
PROFIT = flag(
    "--profit",
    metavar="TEXT|FILE",
    help="Profit of each cell of the confusion matrix, rows: truth.",
)
COST = flag("--cost", metavar="TEXT|FILE", help="Cost of each cell, rows: truth.")
MODELS = flag(
    "--models",
    metavar="A,B,...",
    multiple=True,
    help='Names ("knn[n_neighbors=3]"; heldout models lists them), or package.module:name. *',
)
TRAINING_ERROR = flag(
    "--training-error",
    is_flag=True,
    help="Also judge on the training rows: optimistic, and labelled so.",
)
NO_INTERVALS = flag("--no-intervals", is_flag=True, help="Values only.")


@dataclass(frozen=True, slots=True)
class Splitting:
    """How rows are split."""

    procedure: str | None = option(
        "--procedure", metavar="TEXT", help="How rows are split [10-fold]."
    )
    splits: str | None = option("--splits", metavar="FILE", help="Splits that heldout split wrote.")
    seed: int = option("--seed", default=0, type=int, metavar="N", help="Of splits and models [0].")


@dataclass(frozen=True, slots=True)
class Shown:
    """Which values are shown, and what they must reach."""

    everything: bool = option(
        "--all",
        default=False,
        is_flag=True,
        help="Every measure, not only the most important ones (json and csv always give all).",
    )
    measures: tuple[str, ...] = option(
        "--measure",
        default=(),
        metavar="SPEC",
        multiple=True,
        help="A measure: auc, or some with commas. *",
        callback=lambda _ctx, _option, given: specs(given),
    )
    per_class: bool | None = option("--per-class/--no-per-class", help="Values of single classes.")
    per_fold: bool = option(
        "--per-fold", default=False, is_flag=True, help="Values of single folds and repeats."
    )
    requirements: tuple[str, ...] = option(
        "--require",
        default=(),
        metavar="EXPR",
        multiple=True,
        help='Exit 3 unless it holds for every model: "auc >= 0.8", "lower(auc) >= 0.75". *',
    )


@dataclass(frozen=True, slots=True)
class Output:
    """Where and how a result is written, and what is said beside it."""

    form: str | None = option("--format", choices=FORMATS, help="How to write [table].")
    output: Path | None = option(
        "--output",
        type=Path,
        metavar="FILE",
        help="Write there; .json, .csv, .md, .tex and .txt imply the format.",
    )
    #: which charts there are is the command's to say
    charts: tuple[str, ...] = option("--plot", default=(), metavar="NAME=FILE", multiple=True)
    digits: int = option(
        "--digits",
        default=4,
        type=click.IntRange(1, 17),
        metavar="N",
        help="Significant digits [4]; json and csv always give all.",
    )
    no_audit: bool = option(
        "--no-audit", default=False, is_flag=True, help="No audit of what is judged."
    )
    quiet: bool = option("--quiet", default=False, is_flag=True, help="No notes on standard error.")


#: what is listed, and no result: for people or as JSON
LISTED = (
    flag_of(Output, "form", type=click.Choice(["table", "json"])),
    flag_of(Output, "output", help="Write there; .json and .txt imply the format."),
)
