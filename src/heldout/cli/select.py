"""``heldout select``: settings chosen by cross-validation, and what to expect of the choice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from heldout.cli import data_options as data
from heldout.cli import output_options as shown
from heldout.cli.options import SectionedCommand, flag, options
from heldout.cli.output import format_of, refuse_paths, refuse_shared

if TYPE_CHECKING:
    from heldout.selection.selection import Selection

__all__ = ["command"]

EPILOG = """\b
Examples:
  heldout select iris --model knn --grid n_neighbors=1..30 --measure accuracy
  heldout select wdbc --model svm --grid "C=log(0.01,100,9)" --grid kernel=linear,rbf \\
      --measure log_loss --positive malignant --nested 5x5-fold
  heldout select wdbc --model knn,logistic --grid "knn: n_neighbors=1..30" \\
      --grid "logistic: C=log(0.01,100,9)" --positive malignant --measure auc
  heldout select iris --model tree --grid "max_depth=int(1,20)" \\
      --grid "min_samples_leaf=int(1,30)" --random 50
\b
Values: 1..30, 1..30 step 2, log(0.01,100,9), lin(0,1,11), a,b,c, true,false, none;
  with --random also uniform(a,b), loguniform(a,b), int(a,b), logint(a,b)
Charts: parameter, training (with --training-error), heat, learning"""


@click.command(cls=SectionedCommand, epilog=EPILOG)
@click.argument("data")
@options("Data", *data.DATA_COLUMNS)
@options(
    "Models, grid and procedure",
    flag(
        "--model",
        "models",
        metavar="A,B,...",
        multiple=True,
        help="Named models (heldout models lists them), or package.module:name. *",
    ),
    flag(
        "--grid",
        "grids",
        metavar="NAME=VALUES",
        multiple=True,
        help='A parameter and its values; "model: NAME=VALUES" for one of several models. *',
    ),
    flag("--random", type=int, metavar="N", help="Draw so many settings of the grid."),
    data.PROCEDURE,
    data.SPLITS,
    flag(
        "--nested",
        metavar="OUTERxINNER",
        help='5x5-fold, or "10-fold / 5-fold": outer folds estimate, inner folds choose.',
    ),
    data.SEED.but(help="Of splits, draws, models [0]."),
    flag("--yes", is_flag=True, help="Allow more than 100,000 fits."),
)
@options(
    "The choice",
    flag("--measure", metavar="SPEC", help="What decides [accuracy; rmse]."),
    flag(
        "--aggregate",
        type=click.Choice(["folds", "pooled"]),
        help="Mean over splits, or the rows of all folds together [as in evaluate].",
    ),
    flag(
        "--rule",
        type=click.Choice(["best", "one-se"]),
        default="best",
        help="The best, or the simplest within one standard error of it [best].",
    ),
    flag(
        "--simpler",
        metavar="NAME:up|down",
        multiple=True,
        help='Which way is simpler: "k:up", "kernel:linear,rbf" (known for common parameters). *',
    ),
    flag("--race", is_flag=True, help="Give up hopeless settings after each split."),
    data.TRAINING_ERROR,
    shown.LEVEL,
    flag("--draws", type=int, metavar="N", help="Of the bias-corrected estimate [1000]."),
)
@options("The run", *data.RUN)
@options(
    "Output",
    shown.EVERYTHING.but(help="Show all settings, not the 30 best."),
    shown.FORMAT,
    shown.OUTPUT,
    shown.PLOT.but(
        help="A chart: parameter.png, training=t.pdf, heat.svg, learning.png, all=FOLDER. *"
    ),
    flag(
        "--save",
        type=click.Path(path_type=Path),
        metavar="FILE.skops",
        help="Fit the chosen setting on all training data and save it (needs skops).",
    ),
    shown.DIGITS,
    shown.NO_AUDIT,
    shown.QUIET.but(help="No notes and no progress on standard error."),
)
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Settings of models chosen by cross-validation, with an honest estimate of the choice.

    DATA is a file (CSV, TSV, Parquet, Arrow, JSON Lines, ARFF), "-" for standard input, or a
    named set: iris, wine, wdbc, digits, diabetes. All settings are judged on the same splits;
    the value of the best of them is optimistic, so a bias-corrected one (or, with --nested, a
    nested one) stands beside it. A holdout of three parts (50:20:30) chooses on its second
    part and judges once on its third. Options marked * may be given more than once.
    """
    from heldout.cli.audit_lines import audit_selection, say_audit
    from heldout.cli.chart_files import draw_charts
    from heldout.cli.charts import targets_of
    from heldout.cli.printing import printed_to_stderr
    from heldout.cli.select_input import charts_of, refuse_usage
    from heldout.cli.select_output import write
    from heldout.cli.texts import specs
    from heldout.core.errors import InputError
    from heldout.measures.spec import parse_request
    from heldout.report.plots.selection import CHARTS, every_chart

    refuse_usage(ctx, given)
    form = format_of(given, [given["data"]])
    _refuse_saving(given)
    charts = charts_of(given["charts"], has_training=given["training_error"])
    own = [("--output", given["output"]), ("--save", given["save"])]
    refuse_shared([*own, *targets_of(charts, CHARTS)])
    if given["measure"] is not None:
        if len(specs([given["measure"]])) > 1:
            raise InputError("--measure: one measure decides; heldout evaluate shows several")
        parse_request(given["measure"])
    with printed_to_stderr():
        selection = _selected(given)
        _notes(selection, given)
    audit_selection(ctx, selection)
    write(ctx, selection, form)
    say_audit(ctx)
    with printed_to_stderr():
        # a model to be saved and a learning curve are fitted here
        if given["save"] is not None:
            _save(selection, given)
        return draw_charts(selection.plot, charts, lambda _: every_chart(selection))


def _refuse_saving(given: dict[str, Any]) -> None:
    """An error where the model cannot be saved, before anything is fitted."""
    from heldout.selection.fitted_model import refuse_model_path

    if given["save"] is not None:
        refuse_model_path(given["save"])
    refuse_paths((given["save"],), [given["data"]])


def _selected(given: dict[str, Any]) -> Selection:
    from heldout.cli.screen import note
    from heldout.cli.select_input import selection_from

    try:
        return selection_from(given)
    except KeyboardInterrupt:
        if not given["no_store"]:
            note("interrupted; finished fits are kept, and the same command resumes the search")
        raise


def _save(selection: Selection, given: dict[str, Any]) -> None:
    from heldout.cli.screen import note
    from heldout.selection.fitted_model import loading_call

    selection.save(given["save"])
    if not given["quiet"]:
        note(f"saved; in Python: {loading_call(given['save'])}")


def _notes(selection: Selection, given: dict[str, Any]) -> None:
    from heldout.cli.screen import gathered, note

    if not given["quiet"]:
        said_first = {*selection.dataset.notes, *selection.splits.notes}
        for line in gathered(line for line in selection.notes if line not in said_first):
            note(line)
