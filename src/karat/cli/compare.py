"""``karat compare``: whether models differ by more than noise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from karat.cli.options import SectionedCommand, option
from karat.cli.score_output import ENDINGS, FORMATS

__all__ = ["command"]

COLUMNS = "Which column is what (guessed from usual names where not given)"
CLASSES = "Classes and probabilities"
CHOICE = "What is compared"
MANY = "Many data sets"
TESTS = "Tests and intervals"
OUTPUT = "Output"

EPILOG = """\b
Examples:
  karat compare a.csv b.csv --truth y --score p --id row_id --measure auc
  karat compare example:models --positive spam --explain
  karat compare out_of_fold.csv --positive malignant --rope 0.01 --plot posterior.png
  karat compare --runs 1 2
  karat compare results.csv --datasets name --models model --value accuracy --plot ranks.png
\b
Tests by name (--test): mcnemar, mcnemar-midp, mcnemar-normal, mcnemar-corrected, delong, loss-t,
  permutation; independent; corrected-t, 5x2-t, 5x2-f; wilcoxon, sign, friedman. The design of
  the predictions decides which are admissible; --explain says why."""


@click.command(cls=SectionedCommand, epilog=EPILOG)
@click.argument("files", nargs=-1)
@option(COLUMNS, "--truth", metavar="COLUMN", help="The true class or value.")
@option(COLUMNS, "--predicted", metavar="COLUMN", help="The predicted class or value.")
@option(COLUMNS, "--score", metavar="COLUMN", help="Score or probability of the positive class.")
@option(COLUMNS, "--score-prefix", metavar="TEXT", help="Start of a probability column per class.")
@option(COLUMNS, "--scores", metavar="CLASS=COLUMN,...", help="The probability column of a class.")
@option(COLUMNS, "--weight", metavar="COLUMN", help="Weight of each row.")
@option(COLUMNS, "--group", metavar="COLUMN", help="Rows that belong together (a patient, a user).")
@option(COLUMNS, "--fold", metavar="COLUMN", help="Fold of a cross-validation.")
@option(COLUMNS, "--repeat", metavar="COLUMN", help="Run of a repeated cross-validation.")
@option(COLUMNS, "--model", metavar="COLUMN", help="Which model made the prediction.")
@option(COLUMNS, "--id", metavar="COLUMN", help="Name of the row, by which models are paired.")
@option(COLUMNS, "--by", metavar="COLUMN", multiple=True, help="Compare in slices too. *")
@option(COLUMNS, "--train-mean", metavar="COLUMN|NUMBER", help="Regression: mean of training part.")
@option(COLUMNS, "--train-count-prefix", metavar="TEXT", help="Start of training counts per class.")
@option(CLASSES, "--positive", metavar="CLASS", help="The class of interest, where there are two.")
@option(CLASSES, "--labels", metavar="A,B,...", help="All classes, in their order.")
@option(
    CLASSES, "--threshold", type=float, metavar="T", help="Positive where the score >= T [0.5]."
)
@option(
    CLASSES,
    "--task",
    type=click.Choice(["classification", "regression"]),
    help="The kind of problem, where the values leave it open.",
)
@option(CLASSES, "--normalise", is_flag=True, help="Divide each row's probabilities by their sum.")
@option(CHOICE, "--measure", "measures", metavar="SPEC", multiple=True, help="A measure: auc. *")
@option(CHOICE, "--profit", metavar="TEXT|FILE", help="Profit of each cell, rows: truth.")
@option(CHOICE, "--cost", metavar="TEXT|FILE", help="Cost of each cell, rows: truth.")
@option(CHOICE, "--runs", is_flag=True, help="FILES are runs: 3, 3:knn or wdbc-knn.")
@option(CHOICE, "--store", metavar="FOLDER", help="Where the runs are [KARAT_STORE, or .karat].")
@option(CHOICE, "--unpaired", is_flag=True, help="The models were judged on different rows.")
@option(CHOICE, "--chance", is_flag=True, help="Also each model against chance.")
@option(MANY, "--datasets", metavar="COLUMN", help="FILE is a table of results: the data sets.")
@option(MANY, "--models", metavar="COLUMN|A,B,...", help="Column of models; wide: their columns.")
@option(MANY, "--value", metavar="COLUMN", help="Column of values; left out: a column a model.")
@option(MANY, "--lower-is-better", is_flag=True, help="Smaller values are better.")
@option(TESTS, "--test", default="", metavar="NAME", help="A test by name [by design and measure].")
@option(TESTS, "--force", is_flag=True, help="Run a test that is not valid, and say so.")
@option(
    TESTS,
    "--alternative",
    type=click.Choice(["two-sided", "greater", "less"]),
    default="two-sided",
    help="Of the first model's value against the second's [two-sided].",
)
@option(
    TESTS, "--margin", type=float, metavar="D", help="Equivalence and non-inferiority within D."
)
@option(TESTS, "--rope", type=float, metavar="D", help="Bayesian: up to D is equivalent.")
@option(TESTS, "--level", type=float, default=0.95, metavar="L", help="Of intervals [0.95].")
@option(
    TESTS,
    "--correction",
    metavar="NAME",
    help="holm, none; many data sets: bergmann_hommel, shaffer, nemenyi, holm, bonferroni, none.",
)
@option(
    TESTS,
    "--interval",
    type=click.Choice(["newcombe", "tango"]),
    default="newcombe",
    help="Of paired shares [newcombe].",
)
@option(TESTS, "--replicates", type=int, metavar="N", help="Of the bootstrap [2000; of rows 1000].")
@option(TESTS, "--permutations", type=int, metavar="N", help="Exchanges [10000; of rows 1000].")
@option(TESTS, "--seed", type=int, default=1, metavar="N", help="Of both [1].")
@option(OUTPUT, "--explain", is_flag=True, help="Say why these tests were made.")
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
    "--plot",
    "charts",
    metavar="NAME=FILE",
    multiple=True,
    help="A chart: forest.png, posterior.svg, ranks.pdf, roc.png, all=FOLDER. *",
)
@option(OUTPUT, "--digits", type=click.IntRange(2, 17), default=4, metavar="N", help="[4]")
@option(OUTPUT, "--no-audit", is_flag=True, help="No audit of what is judged.")
@option(OUTPUT, "--quiet", is_flag=True, help="No notes on standard error.")
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Whether models differ by more than noise, by the tests that their design admits.

    FILES are predictions as karat score and karat evaluate have them: a file a model, or one
    file with a column of models; with --runs, runs of the store; with --datasets, one table of
    results on many data sets. Options marked * may be given more than once.
    """
    from karat.cli.compare_input import options_of, refuse_usage
    from karat.cli.compare_output import chart_of
    from karat.cli.score_output import implied_format
    from karat.measures.spec import parse_request
    from karat.report.output import refuse_own_input, refuse_unwritable

    refuse_usage(ctx, given)
    form = given["form"] or implied_format(given["output"], ENDINGS)
    if given["output"] is not None:
        refuse_unwritable(given["output"])
        refuse_own_input(given["output"], given["files"])
    for spec in given["measures"]:
        parse_request(spec)
    charts = [chart_of(text) for text in given["charts"]]
    options = options_of(given)
    if given["datasets"]:
        return _results(ctx, options, charts, form)
    return _predictions(ctx, options, charts, form)


def _results(ctx: click.Context, options: Any, charts: Any, form: str) -> int:
    from karat.cli.compare_input import results_of
    from karat.cli.compare_output import draw, write_results
    from karat.comparison.compare_results import compare_results_table

    given = ctx.params
    comparison = compare_results_table(
        results_of(given),
        options,
        correction=given["correction"] or "",
        higher_is_better=not given["lower_is_better"],
    )
    draw(comparison, charts)
    write_results(ctx, comparison, form)
    return 0


def _predictions(ctx: click.Context, options: Any, charts: Any, form: str) -> int:
    from karat.cli.audit_lines import audit_models, say_audit
    from karat.cli.compare_input import cells_of, predictions_of
    from karat.cli.compare_output import draw, write
    from karat.cli.screen import gathered, note
    from karat.comparison.compare import compare_predictions

    given = ctx.params
    notes: list[str] = []
    predictions = predictions_of(given, notes)
    comparison = compare_predictions(
        predictions,
        given["measures"] or None,
        options,
        unpaired=given["unpaired"],
        **cells_of(given, predictions[0].classes),
    )
    chance: Any = ()
    if given["chance"]:
        from karat.comparison.chance import against_chance

        chance = against_chance(
            comparison.predictions,
            comparison.requests,
            permutations=options.row_draws[1],
            seed=given["seed"],
        )
    if not given["quiet"]:
        for line in gathered(notes):
            note(line)
    draw(comparison, charts)
    audit_models(ctx, predictions)
    write(ctx, comparison, chance, form)
    say_audit(ctx)
    return 0
