"""``karat score``: every measure that can be stated of a table of predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from karat.cli.options import SectionedCommand, option
from karat.cli.score_output import DATA, ENDINGS, FORMATS

__all__ = ["command"]


COLUMNS = "Which column is what (guessed from usual names where not given)"
CLASSES = "Classes and probabilities"
MATRICES = "Matrices"
CHOICE = "What is shown"
DECISIONS = "Decisions"
INTERVALS = "Intervals"
OUTPUT = "Output"

EPILOG = """\b
Examples:
  karat score predictions.csv --truth label --score p_spam --positive spam
  karat score a.csv b.csv --measure auc --measure "f_score[beta=2]"
  karat score example:iris_predictions --all
  karat score --matrix "50,10;5,35" --orientation truth-rows --positive first
  karat score predictions.csv --require "auc >= 0.8" --output scores.json"""


@click.command(cls=SectionedCommand, epilog=EPILOG)
@click.argument("files", nargs=-1)
@option(COLUMNS, "--truth", metavar="COLUMN", help="The true class or value.")
@option(COLUMNS, "--predicted", metavar="COLUMN", help="The predicted class or value.")
@option(COLUMNS, "--score", metavar="COLUMN", help="Score or probability of the positive class.")
@option(COLUMNS, "--score-prefix", metavar="TEXT", help="Start of a probability column per class.")
@option(
    COLUMNS, "--scores", metavar="CLASS=COLUMN,...", help="The probability column of each class."
)
@option(COLUMNS, "--weight", metavar="COLUMN", help="Weight of each row.")
@option(COLUMNS, "--group", metavar="COLUMN", help="Rows that belong together (a patient, a user).")
@option(COLUMNS, "--fold", metavar="COLUMN", help="Fold of a cross-validation.")
@option(COLUMNS, "--repeat", metavar="COLUMN", help="Run of a repeated cross-validation.")
@option(COLUMNS, "--model", metavar="COLUMN", help="Which model made the prediction.")
@option(COLUMNS, "--id", metavar="COLUMN", help="Name of the row.")
@option(COLUMNS, "--by", metavar="COLUMN", multiple=True, help="Judge slices of the rows too. *")
@option(COLUMNS, "--naive", metavar="COLUMN", help="Regression: a naive forecast.")
@option(COLUMNS, "--train-mean", metavar="COLUMN|NUMBER", help="Regression: mean of training part.")
@option(COLUMNS, "--train-count-prefix", metavar="TEXT", help="Start of training counts per class.")
@option(CLASSES, "--positive", metavar="CLASS", help="The class of interest, where there are two.")
@option(CLASSES, "--labels", metavar="A,B,...", help="All classes, in their order.")
@option(
    CLASSES, "--prior", metavar="CLASS=SHARE,...", help="Class probabilities before predicting."
)
@option(
    CLASSES, "--threshold", type=float, metavar="T", help="Positive where the score >= T [0.5]."
)
@option(
    CLASSES,
    "--task",
    type=click.Choice(["classification", "regression"]),
    help="The kind of problem, where the values leave it open.",
)
@option(
    CLASSES,
    "--normalise",
    is_flag=True,
    help="Divide the probabilities of each row by their sum (rounded digits).",
)
@option(CLASSES, "--pool", is_flag=True, help="Several files are one model, not a model each.")
@option(
    MATRICES,
    "--matrix",
    metavar="TEXT|FILE",
    help='A confusion matrix instead of FILES: "50,10;5,35" or a CSV file.',
)
@option(
    MATRICES,
    "--orientation",
    type=click.Choice(["truth-rows", "prediction-rows"]),
    help="What the rows of --matrix are.",
)
@option(
    MATRICES,
    "--profit",
    metavar="TEXT|FILE",
    help="Profit of each cell of the confusion matrix, rows: truth.",
)
@option(MATRICES, "--cost", metavar="TEXT|FILE", help="Cost of each cell, rows: truth.")
@option(
    CHOICE,
    "--all",
    "everything",
    is_flag=True,
    help="Every measure, not only the most important ones (json and csv always give all).",
)
@option(
    CHOICE,
    "--measure",
    "measures",
    metavar="SPEC",
    multiple=True,
    help='A measure: auc, "f_score[beta=2]", precision_macro, "recall[class=a]". *',
)
@option(
    CHOICE,
    "--per-class/--no-per-class",
    default=None,
    help="Values of single classes, where there are several [up to 50 classes].",
)
@option(CHOICE, "--per-fold", is_flag=True, help="Values of single folds.")
@option(
    CHOICE,
    "--require",
    "requirements",
    metavar="EXPR",
    multiple=True,
    help='Exit 3 unless it holds for every model: "auc >= 0.8", "lower(auc) >= 0.75". *',
)
@option(
    DECISIONS,
    "--best",
    metavar="RULE",
    multiple=True,
    help='The threshold that is best: youden, "f_score[beta=2]", profit, "recall >= 0.9". *',
)
@option(
    DECISIONS,
    "--prevalence",
    metavar="P,...",
    multiple=True,
    help="Precision, NPV and profit where positives are so frequent. *",
)
@option(DECISIONS, "--rank", metavar="SPEC", help="The models from best to worst by a measure.")
@option(INTERVALS, "--level", type=float, default=0.95, metavar="L", help="Of intervals [0.95].")
@option(
    INTERVALS,
    "--interval",
    default="",
    metavar="METHOD",
    help="wilson, clopper-pearson, jeffreys, ...; delong, delong-plain; "
    "percentile, basic, bca, bayesian [by measure and design].",
)
@option(
    INTERVALS,
    "--replicates",
    type=int,
    metavar="N",
    help="Bootstrap replicates [2000 of counts, 400 of rows and scores, 100 of long rankings].",
)
@option(INTERVALS, "--seed", type=int, default=1, metavar="N", help="Of the bootstrap [1].")
@option(INTERVALS, "--stratified", is_flag=True, help="Resample within each true class.")
@option(INTERVALS, "--no-intervals", is_flag=True, help="Values only.")
@option(OUTPUT, "--format", "form", type=click.Choice(FORMATS), help="How to write [table].")
@option(
    OUTPUT,
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write there; .json, .csv, .md, .tex and .txt imply the format.",
)
@option(
    OUTPUT,
    "--digits",
    type=click.IntRange(1, 17),
    default=4,
    metavar="N",
    help="Significant digits [4]; json and csv always give all.",
)
@option(
    OUTPUT,
    "--plot",
    "charts",
    metavar="NAME=FILE",
    multiple=True,
    help="A chart: roc.png, pr.svg, roc=figure1.pdf, thresholds:f_score=f.png, all=FOLDER. *",
)
@option(
    OUTPUT,
    "--curve",
    "curves",
    metavar="NAME=FILE",
    multiple=True,
    help='Points of a curve: roc=points.csv, "pr[band=pointwise]=pr.csv". *',
)
@option(OUTPUT, "--no-audit", is_flag=True, help="No audit of what is judged.")
@option(OUTPUT, "--quiet", is_flag=True, help="No notes on standard error.")
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Every measure that can be stated of predictions.

    FILES are CSV, TSV, Parquet, Arrow or JSON Lines, also compressed; globs; "-" for standard
    input; or example:NAME for the data that ships with karat. Several files are a model each.
    Options marked * may be given more than once.
    """
    from karat.cli.audit_lines import audit_card, say_audit
    from karat.cli.charts import chart_of
    from karat.cli.requirements import parse_requirement, unmet
    from karat.cli.score_curves import curve_of, write_curve
    from karat.cli.score_input import card_of
    from karat.cli.score_output import implied_format, write
    from karat.cli.score_tables import tables_of
    from karat.cli.screen import complain, gathered, note
    from karat.measures.spec import parse_request
    from karat.report.output import refuse_own_input, refuse_unwritable

    form = given["form"] or implied_format(given["output"], ENDINGS)
    if given["output"] is not None:
        refuse_unwritable(given["output"])
        refuse_own_input(given["output"], given["files"])
    requirements = [parse_requirement(text) for text in given["requirements"]]
    for spec in given["measures"]:
        parse_request(spec)
    charts = [chart_of(text) for text in given["charts"]]
    curves = [curve_of(text) for text in given["curves"]]
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
    tables = tables_of(card, given)
    for name, path in charts:
        card.plot(name, path=path)
    for asked in curves:
        write_curve(card, *asked)
    audit_card(ctx, card)
    write(ctx, card, results, tables, form)
    say_audit(ctx)
    for line in failures:
        complain(line)
    return 3 if failures else 0
