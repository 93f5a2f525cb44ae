"""``heldout report``: the page of a file of predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from heldout.cli import score
from heldout.cli.options import SectionedCommand, SectionOption

EPILOG = """\b
Examples:
  heldout report predictions.csv --truth label --score p_spam --positive spam
  heldout report a.csv b.csv --output page.html
  heldout evaluate data.csv --models logistic,forest --report page.html"""

#: how a result is written otherwise is for the other commands
OTHERS = ("form", "output", "report", "charts", "curves")


@click.pass_context
def _report(ctx: click.Context, /, page: Path, **given: Any) -> int:
    """Score a file of predictions and write a page for people: one HTML file.

    The page opens from disk, loads nothing and holds no rows: the measures with their
    intervals, curves, a threshold to move, the audit, and every number to download. FILES
    and options are those of heldout score; the other commands write their page with --report.
    Options marked * may be given more than once.
    """
    from heldout.cli.pages import refuse_report

    refuse_report(page, "--output")
    missing: dict[str, Any] = {"form": None, "output": None, "charts": (), "curves": ()}
    return score.score_files(ctx, {**given, **missing, "report": page})


command = SectionedCommand(
    "report",
    params=[
        *(parameter for parameter in score.command.params if parameter.name not in OTHERS),
        SectionOption(
            ["--output", "page"],
            section="Output",
            type=click.Path(path_type=Path),
            default=Path("report.html"),
            help="The page [report.html].",
            metavar="FILE",
        ),
    ],
    callback=_report,
    help=_report.__doc__,
    short_help="Write a self-contained HTML page of the results.",
    epilog=EPILOG,
)
