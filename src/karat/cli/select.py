"""``karat select``: settings chosen by cross-validation, and what to expect of the choice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from karat.cli.options import SectionedCommand, option
from karat.cli.score_output import ENDINGS, FORMATS

if TYPE_CHECKING:
    from karat.selection.selection import Selection

__all__ = ["command"]

COLUMNS = "Data"
MODELS = "Models, grid and procedure"
CHOICE = "The choice"
RUNNING = "The run"
OUTPUT = "Output"
BACKENDS = ("loky", "threading", "sequential", "dask", "ray", "spark")

EPILOG = """\b
Examples:
  karat select iris --model knn --grid n_neighbors=1..30 --measure accuracy
  karat select wdbc --model svm --grid "C=log(0.01,100,9)" --grid kernel=linear,rbf \\
      --measure log_loss --positive malignant --nested 5x5-fold
  karat select wdbc --model knn,logistic --grid "knn: n_neighbors=1..30" \\
      --grid "logistic: C=log(0.01,100,9)" --positive malignant --measure auc
  karat select iris --model tree --grid "max_depth=int(1,20)" \\
      --grid "min_samples_leaf=int(1,30)" --random 50
\b
Values: 1..30, 1..30 step 2, log(0.01,100,9), lin(0,1,11), a,b,c, true,false, none;
  with --random also uniform(a,b), loguniform(a,b), int(a,b), logint(a,b)
Charts: parameter, training (with --training-error), heat, learning"""


@click.command(cls=SectionedCommand, epilog=EPILOG)
@click.argument("data")
@option(COLUMNS, "--target", metavar="COLUMN", help="What is predicted [the last column].")
@option(COLUMNS, "--positive", metavar="CLASS", help="The class of interest, of two.")
@option(COLUMNS, "--labels", metavar="A,B,...", help="All classes, in their order.")
@option(COLUMNS, "--group", metavar="COLUMN", help="Rows that belong together, never parted.")
@option(COLUMNS, "--time", metavar="COLUMN", help="What orders the rows in time.")
@option(COLUMNS, "--fold", metavar="COLUMN", help="The fold of each row (procedure: column).")
@option(COLUMNS, "--weight", metavar="COLUMN", help="Weight of each row in measures.")
@option(COLUMNS, "--id", metavar="COLUMN", help="Name of the row.")
@option(COLUMNS, "--ignore", metavar="A,B,...", multiple=True, help="Columns to leave out. *")
@option(
    COLUMNS,
    "--task",
    type=click.Choice(["classification", "regression"]),
    help="The kind of problem, where the target leaves it open.",
)
@option(
    COLUMNS,
    "--drop-missing-target",
    is_flag=True,
    help="Leave out rows without a target instead of refusing them.",
)
@option(
    MODELS,
    "--model",
    "models",
    metavar="A,B,...",
    multiple=True,
    help="Named models, or package.module:name. *",
)
@option(
    MODELS,
    "--grid",
    "grids",
    metavar="NAME=VALUES",
    multiple=True,
    help='A parameter and its values; "model: NAME=VALUES" for one of several models. *',
)
@option(MODELS, "--random", type=int, metavar="N", help="Draw so many settings of the grid.")
@option(MODELS, "--procedure", metavar="TEXT", help="How rows are split [10-fold].")
@option(MODELS, "--splits", metavar="FILE", help="Splits that karat split wrote.")
@option(
    MODELS,
    "--nested",
    metavar="OUTERxINNER",
    help='5x5-fold, or "10-fold / 5-fold": outer folds estimate, inner folds choose.',
)
@option(MODELS, "--seed", type=int, default=0, metavar="N", help="Of splits, draws, models [0].")
@option(MODELS, "--yes", is_flag=True, help="Allow more than 100,000 fits.")
@option(CHOICE, "--measure", metavar="SPEC", help="What decides [accuracy; rmse].")
@option(
    CHOICE,
    "--aggregate",
    type=click.Choice(["folds", "pooled"]),
    default="folds",
    help="The mean over splits, or the rows of all folds together [folds].",
)
@option(
    CHOICE,
    "--rule",
    type=click.Choice(["best", "one-se"]),
    default="best",
    help="The best, or the simplest within one standard error of it [best].",
)
@option(
    CHOICE,
    "--simpler",
    metavar="NAME:up|down",
    multiple=True,
    help='Which way is simpler: "k:up", "kernel:linear,rbf" (known for common parameters). *',
)
@option(CHOICE, "--race", is_flag=True, help="Give up hopeless settings after each split.")
@option(
    CHOICE,
    "--training-error",
    is_flag=True,
    help="Also judge on the training rows: optimistic, and labelled so.",
)
@option(CHOICE, "--level", type=float, default=0.95, metavar="L", help="Of intervals [0.95].")
@option(CHOICE, "--draws", type=int, metavar="N", help="Of the bias-corrected estimate [1000].")
@option(RUNNING, "--jobs", type=int, default=1, metavar="N", help="Workers; -1: all cores [1].")
@option(RUNNING, "--backend", type=click.Choice(BACKENDS), default="loky", help="Of joblib [loky].")
@option(RUNNING, "--scheduler", metavar="ADDRESS", help="Of a Dask, Ray or Spark cluster.")
@option(RUNNING, "--timeout", type=float, metavar="SECONDS", help="For a fit; then it failed.")
@option(RUNNING, "--store", metavar="FOLDER", help="Of finished folds [.karat].")
@option(RUNNING, "--no-store", is_flag=True, help="Keep nothing: a broken run starts anew.")
@option(RUNNING, "--retry-failed", is_flag=True, help="Try folds again that failed before.")
@option(RUNNING, "--no-exact", is_flag=True, help="Refit where an exact shortcut exists.")
@option(OUTPUT, "--all", "everything", is_flag=True, help="Show all settings, not the 30 best.")
@option(OUTPUT, "--format", "form", type=click.Choice(FORMATS), help="How to write [table].")
@option(
    OUTPUT,
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write there; .json, .csv, .md and .tex imply the format.",
)
@option(
    OUTPUT,
    "--plot",
    "charts",
    metavar="NAME=FILE",
    multiple=True,
    help="A chart: parameter.png, training=t.pdf, heat.svg, learning.png. *",
)
@option(
    OUTPUT,
    "--save",
    type=click.Path(path_type=Path),
    metavar="FILE.skops",
    help="Fit the chosen setting on all training data and save it (needs skops).",
)
@option(
    OUTPUT,
    "--digits",
    type=click.IntRange(1, 17),
    default=4,
    metavar="N",
    help="Significant digits [4]; json and csv always give all.",
)
@option(OUTPUT, "--no-audit", is_flag=True, help="No audit of what is judged.")
@option(OUTPUT, "--quiet", is_flag=True, help="No notes and no progress on standard error.")
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Settings of models chosen by cross-validation, with an honest estimate of the choice.

    DATA is a file (CSV, TSV, Parquet, Arrow, JSON Lines, ARFF), "-" for standard input, or a
    named set: iris, wine, wdbc, digits, diabetes. All settings are judged on the same splits;
    the value of the best of them is optimistic, so a bias-corrected one (or, with --nested, a
    nested one) stands beside it. A holdout of three parts (50:20:30) chooses on its second
    part and judges once on its third. Options marked * may be given more than once.
    """
    from karat.cli.audit_lines import audit_selection, say_audit
    from karat.cli.select_input import charts_of, refuse_usage
    from karat.cli.select_output import write
    from karat.measures.spec import parse_request

    refuse_usage(ctx, given)
    form = given["form"] or ENDINGS.get(given["output"].suffix if given["output"] else "", "table")
    _refuse_unwritable(given)
    charts = charts_of(given["charts"], has_training=given["training_error"])
    if given["measure"] is not None:
        parse_request(given["measure"])
    selection = _selected(given)
    _notes(selection, given)
    for name, path in charts:
        selection.plot(name, path=path)
    if given["save"] is not None:
        selection.save(given["save"])
    audit_selection(ctx, selection)
    write(ctx, selection, form)
    say_audit(ctx)
    return 0


def _refuse_unwritable(given: dict[str, Any]) -> None:
    from karat.report.output import refuse_own_input, refuse_unwritable
    from karat.selection.save import refuse_model_path

    if given["save"] is not None:
        refuse_model_path(given["save"])
    for name in ("output", "save"):
        if given[name] is not None:
            refuse_unwritable(given[name])
            refuse_own_input(given[name], [given["data"]])


def _selected(given: dict[str, Any]) -> Selection:
    from karat.cli.screen import note
    from karat.cli.select_input import selection_from

    try:
        return selection_from(given)
    except KeyboardInterrupt:
        if not given["no_store"]:
            note("interrupted; finished fits are kept, and the same command resumes the search")
        raise


def _notes(selection: Selection, given: dict[str, Any]) -> None:
    from karat.cli.screen import gathered, note

    if not given["quiet"]:
        for line in gathered(selection.notes):
            note(line)
