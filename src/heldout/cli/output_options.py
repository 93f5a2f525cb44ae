"""Options of what is shown, how sure it is, and where and how it is written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from heldout.cli.options import flag
from heldout.cli.output import FORMATS
from heldout.cli.texts import specs

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "DIGITS",
    "EVERYTHING",
    "FORMAT",
    "INTERVAL",
    "LEVEL",
    "MEASURES",
    "NO_AUDIT",
    "NO_INTERVALS",
    "OUTPUT",
    "PER_CLASS",
    "PER_FOLD",
    "PLOT",
    "QUIET",
    "REPLICATES",
    "REQUIRE",
    "TABLE_OR_JSON",
    "refuse_all_beside_some",
]

EVERYTHING = flag(
    "--all",
    "everything",
    is_flag=True,
    help="Every measure, not only the most important ones (json and csv always give all).",
)
MEASURES = flag(
    "--measure",
    "measures",
    metavar="SPEC",
    multiple=True,
    help="A measure: auc, or some with commas. *",
    callback=lambda _ctx, _option, given: specs(given),
)
PER_CLASS = flag("--per-class/--no-per-class", default=None, help="Values of single classes.")
PER_FOLD = flag("--per-fold", is_flag=True, help="Values of single folds and repeats.")
REQUIRE = flag(
    "--require",
    "requirements",
    metavar="EXPR",
    multiple=True,
    help='Exit 3 unless it holds for every model: "auc >= 0.8", "lower(auc) >= 0.75". *',
)

LEVEL = flag("--level", type=float, default=0.95, metavar="L", help="Of intervals [0.95].")
#: which methods there are is the command's to say
INTERVAL = flag("--interval", default="", metavar="METHOD")
REPLICATES = flag("--replicates", type=int, metavar="N", help="Bootstrap replicates.")
NO_INTERVALS = flag("--no-intervals", is_flag=True, help="Values only.")

FORMAT = flag("--format", "form", type=click.Choice(FORMATS), help="How to write [table].")
TABLE_OR_JSON = FORMAT.but(type=click.Choice(["table", "json"]))
OUTPUT = flag(
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write there; .json, .csv, .md, .tex and .txt imply the format.",
)
#: which charts there are is the command's to say
PLOT = flag("--plot", "charts", metavar="NAME=FILE", multiple=True)
DIGITS = flag(
    "--digits",
    type=click.IntRange(1, 17),
    default=4,
    metavar="N",
    help="Significant digits [4]; json and csv always give all.",
)
NO_AUDIT = flag("--no-audit", is_flag=True, help="No audit of what is judged.")
QUIET = flag("--quiet", is_flag=True, help="No notes on standard error.")


def refuse_all_beside_some(ctx: click.Context, given: Mapping[str, Any]) -> None:
    """An error where every measure and some measures are asked for: one of it would be unheard."""
    if given["everything"] and given["measures"]:
        raise click.UsageError("--all shows every measure: leave it out, or --measure", ctx)
