"""``heldout power``: the smallest difference a design can detect, and what a given one needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from heldout.cli.command import Answer, Asked, call_of, finish, format_of
from heldout.cli.groups import Output, Shown
from heldout.cli.options import SectionedCommand, flag_of, flags_of, options
from heldout.comparison.options import CompareOptions, PlannedDesign
from heldout.core.options import declare, from_flags
from heldout.predictions.options import Roles
from heldout.uncertainty.options import IntervalOptions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heldout.comparison.power.noise import Goal

EPILOG = """\b
Examples:
  heldout power example:models --positive spam --difference 0.02
  heldout power --rows 300 --discordance 0.15
  heldout power --difference 0.02 --discordance 0.15
  heldout power --difference 0.03 --auc 0.8 --prevalence 0.3 --correlation 0.5
  heldout power --claim equivalence --margin 0.02 --discordance 0.15
  heldout power --rows 1000 --spread 0.4
  heldout power --folds 10 --repeats 10 --spread 0.03 --difference 0.02"""


@click.command(
    cls=SectionedCommand,
    epilog=EPILOG,
    short_help="Find the smallest detectable difference, or the rows it needs.",
)
@click.argument("files", nargs=-1)
@options(
    "From predictions (as heldout compare reads them)",
    *flags_of(Roles, "truth", "predicted", "score", "model", "id", "fold", "repeat", "group"),
    flag_of(Roles, "positive"),
    flag_of(Shown, "measures", 'Measures to compare: auc, "auc,brier", "f_score[beta=2]".'),
)
@options(
    "From numbers",
    *flags_of(PlannedDesign, "rows", "discordance", "auc", "prevalence", "correlation"),
    *flags_of(PlannedDesign, "spread", "folds", "repeats"),
)
@options(
    "Goal",
    declare("--difference D", "Difference to detect.", type=float),
    declare(
        "--claim",
        "What to show [difference].",
        choices=("difference", "non-inferiority", "equivalence"),
        default="difference",
    ),
    declare("--margin D", "Margin of non-inferiority or equivalence of equal models.", type=float),
    declare("--power P", "Power: probability of detecting it [0.8].", default=0.8),
    flag_of(IntervalOptions, "level", "Confidence level of the test [0.95]."),
    declare("--one-sided", "One-sided test: the direction is known beforehand."),
)
@options("Output", *flags_of(Output, "form", "output", "quiet"))
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Show the smallest difference that a design can detect, or how many rows a difference needs.

    From FILES of predictions, whose own noise is used, or from numbers. Options marked * may be
    given more than once.
    """
    from heldout.cli.inputs import refuse
    from heldout.comparison.power.noise import Goal
    from heldout.comparison.power.power import planned_power, wanted_of
    from heldout.report.data_text import plain
    from heldout.report.listings import power_document
    from heldout.report.table import Rows

    asked = Asked(format_of(given, given["files"]), given["output"])
    goal = Goal(given["level"], given["power"], given["one_sided"], given["claim"])
    wanted = wanted_of(goal, given["difference"], given["margin"])
    planned = from_flags(PlannedDesign, given)
    if given["files"]:
        for name in planned.given:
            refuse(True, f"--{name} cannot be used with files")
        records = _from_files(given, wanted, goal)
    else:
        records = [planned_power(planned, wanted, goal)]
    return finish(
        given,
        asked,
        Answer(
            document=lambda: power_document(records, goal),
            record=lambda: {
                "call": call_of(ctx),
                "results": [{name: plain(value) for name, value in r.items()} for r in records],
            },
            rows=lambda: Rows.of(records),
        ),
    )


def _from_files(given: Mapping[str, Any], wanted: float | None, goal: Goal) -> list[dict[str, Any]]:
    from heldout.cli.compare import predictions_of
    from heldout.cli.screen import say
    from heldout.comparison.compare import compare_predictions
    from heldout.comparison.power.power import seen_power

    notes: list[str] = []
    predictions = predictions_of(given, notes)
    options = CompareOptions(level=given["level"], correction="none")
    comparison = compare_predictions(predictions, given["measures"] or None, options)
    say(given, notes)
    return seen_power(comparison, wanted, goal)
