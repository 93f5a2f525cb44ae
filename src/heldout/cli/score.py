"""``heldout score``: every measure that can be stated of a table of predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from heldout.cli import data_options as data
from heldout.cli import output_options as shown
from heldout.cli import prediction_options as files
from heldout.cli.options import SectionedCommand, flag, options
from heldout.cli.output import DATA, format_of, refuse_paths, refuse_shared

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]

EPILOG = """\b
Examples:
  heldout score predictions.csv --truth label --score p_spam --positive spam
  heldout score a.csv b.csv --measure auc --measure "f_score[beta=2]"
  heldout score example:iris_predictions --all
  heldout score --matrix "50,10;5,35" --orientation truth-rows --positive first
  heldout score predictions.csv --require "auc >= 0.8" --output scores.json"""


@click.command(cls=SectionedCommand, epilog=EPILOG)
@click.argument("files", nargs=-1)
@options(
    files.GUESSED,
    *files.SCORE_COLUMNS,
    *files.DESIGN_COLUMNS,
    data.ID,
    data.BY,
    flag("--naive", metavar="COLUMN", help="Regression: a naive forecast."),
    *files.TRAIN_COLUMNS,
)
@options(
    "Classes and probabilities",
    data.POSITIVE,
    data.LABELS,
    flag("--prior", metavar="CLASS=SHARE,...", help="Class probabilities before predicting."),
    files.THRESHOLD,
    files.TASK,
    files.NORMALISE,
    files.POOL,
)
@options(
    "Matrices",
    flag(
        "--matrix",
        metavar="TEXT|FILE",
        help='A confusion matrix instead of FILES: "50,10;5,35" or a CSV file.',
    ),
    flag(
        "--orientation",
        type=click.Choice(["truth-rows", "prediction-rows"]),
        help="What the rows of --matrix are.",
    ),
    files.PROFIT,
    files.COST,
)
@options(
    "What is shown",
    shown.EVERYTHING,
    shown.MEASURES.but(
        help='A measure: auc, "f_score[beta=2]", precision_macro, "recall[class=a]". *'
    ),
    shown.PER_CLASS.but(
        help="Values of single classes, where there are several [up to 50 classes]."
    ),
    shown.PER_FOLD.but(help="Values of single folds."),
    shown.REQUIRE,
)
@options(
    "Decisions",
    flag(
        "--best",
        metavar="RULE",
        multiple=True,
        help='The threshold that is best: youden, "f_score[beta=2]", profit, "recall >= 0.9". *',
    ),
    flag(
        "--prevalence",
        metavar="P,...",
        multiple=True,
        help="Precision, NPV and profit where positives are so frequent. *",
    ),
    flag("--rank", metavar="SPEC", help="The models from best to worst by a measure."),
)
@options(
    "Intervals",
    shown.LEVEL,
    shown.INTERVAL.but(
        help="wilson, clopper-pearson, jeffreys, ...; delong, delong-plain, newcombe; "
        "percentile, basic, bca, bayesian [by measure and design].",
    ),
    shown.REPLICATES.but(
        help="Bootstrap replicates [2000 of counts, 400 of rows and scores, 100 of long rankings]."
    ),
    data.SEED.but(default=1, help="Of the bootstrap [1]."),
    flag("--stratified", is_flag=True, help="Resample within each true class."),
    shown.NO_INTERVALS,
)
@options(
    "Output",
    shown.FORMAT,
    shown.OUTPUT,
    shown.DIGITS,
    shown.PLOT.but(
        help="A chart: roc.png, pr.svg, roc=figure1.pdf, thresholds:f_score=f.png, all=FOLDER. *"
    ),
    flag(
        "--curve",
        "curves",
        metavar="NAME=FILE",
        multiple=True,
        help='Points of a curve: roc=points.csv, "pr[band=pointwise]=pr.csv". *',
    ),
    shown.NO_AUDIT,
    shown.QUIET,
)
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Every measure that can be stated of predictions.

    FILES are CSV, TSV, Parquet, Arrow or JSON Lines, also compressed; globs; "-" for standard
    input; or example:NAME for the data that ships with heldout. Several files are a model each.
    Options marked * may be given more than once.
    """
    from heldout.assess.options import unused_method
    from heldout.cli.audit_lines import audit_card, say_audit
    from heldout.cli.chart_files import draw_charts, missing_lines, scorecard_charts
    from heldout.cli.charts import chart_of, targets_of
    from heldout.cli.requirements import requirements_of, unmet
    from heldout.cli.score_curves import curve_of
    from heldout.cli.score_input import card_of
    from heldout.cli.score_output import text_of, write
    from heldout.cli.score_tables import tables_of
    from heldout.cli.screen import complain, gathered, note
    from heldout.measures.spec import parse_request
    from heldout.report.class_order import order_note

    form = format_of(given, given["files"])
    requirements = requirements_of(given)
    for spec in given["measures"]:
        parse_request(spec)
    charts = [chart_of(text) for text in given["charts"]]
    curves = [curve_of(text) for text in given["curves"]]
    targets = [
        (f"--curve {text}", path) for text, (*_, path) in zip(given["curves"], curves, strict=True)
    ]
    refuse_shared([("--output", given["output"]), *targets_of(charts), *targets])
    refuse_paths((path for _, path in targets), given["files"])
    card = card_of(ctx, given)
    everything = given["everything"] or form in DATA
    how = {"per_class": given["per_class"], "per_fold": given["per_fold"]}
    results = card.results(given["measures"] or None, everything=everything, **how)
    if not everything and not given["measures"]:
        # a matrix that was given is asked about
        for name in ("profit", "cost"):
            if given[name] is not None:
                results += card.results((name, f"{name}_per_row"), **how)
    failures = unmet(card, requirements)
    if not given["quiet"]:
        for line in gathered(card.notes):
            note(line)
        if everything and not given["measures"] and card.left_out:
            note(card.left_out)
        if said := unused_method(card.intervals, results):
            note(said)
        shown = (r.measure for r in results)
        is_stated = given["labels"] is not None or given["matrix"] is not None
        if not is_stated and (said := order_note(card.classes, shown)):
            note(said)
    tables = tables_of(card, given)
    files, lacks = _points(card, curves)
    for line in (*lacks, *missing_lines(card, charts)) if not given["quiet"] else ():
        note(line)
    audit_card(ctx, card, results)
    write(files, text_of(ctx, card, results, tables, form), form, given["output"])
    say_audit(ctx)
    for line in failures:
        complain(line)
    return draw_charts(card.plot, charts, scorecard_charts(card)) or (3 if failures else 0)


def _points(card: Any, curves: Any) -> tuple[dict[Path, str | bytes], list[str]]:
    """What curves are written as, and a line on all that is missing there."""
    from heldout.cli.score_curves import points_of

    files: dict[Path, str | bytes] = {}
    lacks: list[str] = []
    for name, drawing, path in curves:
        made = points_of(card, name, drawing)
        files[path] = made.text
        lacks += made.lacks(path)
    return files, lacks
