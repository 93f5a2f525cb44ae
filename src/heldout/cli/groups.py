"""Groups of options that several commands share: what is shown, where it is written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from heldout.cli.options import flag_of
from heldout.core.options import declare, option
from heldout.core.specs import split_list
from heldout.predictions.options import CELLS, ORIENTATIONS, Roles
from heldout.report.formats import ENDINGS, FORMATS, endings_of

if TYPE_CHECKING:
    from collections.abc import Iterable

#: the heading of columns that need not be named, those columns, and those about training rows
GUESSED = "Columns (recognised by common names if not given)"
SCORES = ("truth", "predicted", "score", "score_prefix", "scores")
COLUMNS = (*SCORES, "weight", "count", "group", "fold", "repeat", "model")
TRAIN_COLUMNS = ("train_mean", "train_count_prefix")

POOL = declare("--pool", "Treat all files as one model instead of one model per file.")
ENGINE = declare(
    "--engine",
    "How rows are read: into memory, in batches (scan), or by Spark's workers [by size].",
    choices=("memory", "scan", "spark"),
)
MASTER = declare(
    "--master URL", "Where Spark runs: local[2], spark://host:7077, sc://host [this machine]."
)
MEMORY = declare("--memory SIZE", "Memory that rows may take, such as 2GiB [half of what is free].")
BINS = declare(
    "--bins N", "Round scores down to multiples of 1/N, a power of two [exact scores].", type=int
)
BY = flag_of(Roles, "by", "Also keep the counts by this column, for --by of heldout score.")
PROFIT = declare("--profit TEXT|FILE", "Profit of each cell of the confusion matrix (rows: truth).")
COST = declare("--cost TEXT|FILE", "Cost of each cell of the confusion matrix (rows: truth).")
MODELS = declare(
    "--models A,B,...",
    'Named models, "knn[n_neighbors=3]" with parameters; or package.module:name.',
    many=True,
)
STORE = declare("--store FOLDER", "Folder of the run store [HELDOUT_STORE, or .heldout].")
RUNS = declare("--runs", "FILES are stored runs: 3, 3:knn or wdbc-knn.")


def specs(texts: Iterable[str]) -> tuple[str, ...]:
    """Measures of an option that may be given more than once, or with commas between them.

    Examples
    --------
    >>> specs(["auc, f_score[beta=2]", 'recall[class="a, b"]', "precision[class=a, b], mcc"])
    ('auc', 'f_score[beta=2]', 'recall[class="a, b"]', 'precision[class=a, b]', 'mcc')
    """
    # what names no measure is left as it is, and refused as such
    return tuple(request for text in texts for request in split_list(text) or [text])


def output_help(endings: Iterable[str]) -> str:
    """What help says of a file whose ending implies its format."""
    *most, last = endings
    return f"Output file; {', '.join(most)} and {last} imply the format."


@dataclass(frozen=True, slots=True)
class Shown:
    """Which values are shown, and what they must reach."""

    everything: bool = option(
        "--all", "Show every measure, not only the most important ones (json and csv always do)."
    )
    measures: tuple[str, ...] = option(
        "--measure SPEC",
        'Measures to show: auc, "auc,brier", "f_score[beta=2]".',
        many=True,
        callback=lambda _ctx, _option, given: specs(given),
    )
    per_class: bool | None = option(
        "--per-class/--no-per-class", "Show values of single classes.", default=None
    )
    per_fold: bool = option("--per-fold", "Show values of single folds and repeats.")
    requirements: tuple[str, ...] = option(
        "--require EXPR",
        'Exit with code 3 unless every model meets it: "auc >= 0.8", "lower(auc) >= 0.75".',
        many=True,
    )


@dataclass(frozen=True, slots=True)
class Matrices:
    """How confusion matrices are shown, and of what."""

    orientation: str | None = option(
        "--orientation",
        "What the rows of the confusion matrix are [truth-rows].",
        choices=ORIENTATIONS,
    )
    confusion: str | None = option(
        "--confusion",
        "Show confusion matrices of all models and slices (with --per-fold of folds): counts, or "
        "per cent of the true class, the predicted class or all rows.",
        choices=CELLS,
    )


@dataclass(frozen=True, slots=True)
class Output:
    """Where and how a result is written, and what is said beside it."""

    form: str | None = option("--format", "Output format [table].", choices=tuple(FORMATS))
    output: Path | None = option("--output FILE", output_help(ENDINGS), type=Path)
    report: Path | None = option(
        "--report FILE", "Also write a page for people: report.html; .pdf and .md too.", type=Path
    )
    #: which charts there are is the command's to say
    charts: tuple[str, ...] = option("--plot NAME=FILE", many=True)
    digits: int = option(
        "--digits N",
        "Significant digits [4]; json and csv always have full precision.",
        default=4,
        type=click.IntRange(1, 17),
    )
    methods: bool = option("--methods", "Show how every interval and test was computed.")
    no_audit: bool = option("--no-audit", "Skip the checks for leakage and misuse.")
    quiet: bool = option("--quiet", "No notes on standard error.")


#: what is listed, and no result: for people or as JSON
LISTED = (
    flag_of(Output, "form", choices=("table", "json")),
    flag_of(
        Output,
        "output",
        output_help(endings_of(("table", "json"))),
    ),
)
