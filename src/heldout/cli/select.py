"""``heldout select``: model settings chosen by cross-validation, and what to expect of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from heldout.cli.command import Answer, asked_of, call_of, finish
from heldout.cli.groups import Output, Shown
from heldout.cli.options import SectionedCommand, flag_of, flags_of, options
from heldout.cli.screen import say
from heldout.core.errors import InputError
from heldout.core.options import declare, from_flags, options_of
from heldout.evaluation.running import Running, Splitting
from heldout.predictions.options import DataOptions
from heldout.selection.options import SelectOptions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heldout.cli.command import Asked
    from heldout.selection.selection import Selection

EPILOG = """\b
Examples:
  heldout select iris --model knn --grid n_neighbors=1..30 --measure accuracy
  heldout select wdbc --model svm --grid "C=log(0.01,100,9)" \\
      --grid kernel=linear,rbf --measure log_loss --positive malignant \\
      --nested 5x5-fold
  heldout select wdbc --model knn,logistic --grid "knn: n_neighbors=1..30" \\
      --grid "logistic: C=log(0.01,100,9)" --positive malignant --measure auc
  heldout select iris --model tree --grid "max_depth=int(1,20)" \\
      --grid "min_samples_leaf=int(1,30)" --random 50
\b
Values: 1..30, 1..30 step 2, log(0.01,100,9), lin(0,1,11), a,b,c, true,false,
  none; with --random also uniform(a,b), loguniform(a,b), int(a,b),
  logint(a,b)
Charts: parameter, training (with --training-error), heat, learning"""


#: heldout select has no slices
COLUMNS = tuple(option.name for option in options_of(DataOptions) if option.name != "by")


@click.command(
    cls=SectionedCommand,
    epilog=EPILOG,
    short_help="Choose model settings and estimate how well the choice performs.",
)
@click.argument("data")
@options("Data", *flags_of(DataOptions, *COLUMNS))
@options(
    "Models, grid and procedure",
    declare(
        "--model A,B,...",
        "Named models (heldout models lists them) or package.module:name.",
        name="models",
        many=True,
    ),
    declare(
        "--grid NAME=VALUES",
        'Values of a parameter to try; "model: NAME=VALUES" for one of several models.',
        name="grids",
        many=True,
    ),
    flag_of(SelectOptions, "random"),
    *flags_of(Splitting, "procedure", "splits"),
    *flags_of(SelectOptions, "nested", "seed", "yes"),
)
@options(
    "Choice",
    *flags_of(SelectOptions, "measure", "aggregate", "rule", "simpler", "race"),
    *flags_of(SelectOptions, "training_error", "level", "draws"),
)
@options("Running", *flags_of(Running))
@options(
    "Output",
    flag_of(Shown, "everything", "Show all settings, not only the 30 best."),
    *flags_of(Output, "form", "output", "report"),
    flag_of(
        Output,
        "charts",
        "Draw a chart: parameter.png, training=t.pdf, heat.svg, learning.png, all=FOLDER.",
    ),
    declare(
        "--save FILE.skops",
        "Fit the chosen setting on all training data and save it (needs heldout[models]).",
        type=Path,
    ),
    *flags_of(Output, "digits", "methods", "no_audit"),
    flag_of(Output, "quiet", "No notes and no progress on standard error."),
)
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Choose model settings by cross-validation, with an honest estimate of the choice.

    DATA is a file (CSV, TSV, Parquet, Arrow, JSON Lines, ARFF), "-" for standard input, or a
    named data set: iris, wine, wdbc, digits, diabetes. All settings are evaluated on the same
    splits. The value of the best setting is optimistic, so a bias-corrected estimate (or, with
    --nested, a nested one) is shown beside it. A holdout of three parts (50:20:30) chooses on
    the second part and tests once on the third. Options marked * may be given more than once.
    """
    from heldout.cli.charts import book_of, draw_charts
    from heldout.cli.findings import audit_selection
    from heldout.cli.inputs import advice_on_interrupt
    from heldout.cli.screen import prints_to_stderr
    from heldout.report.selection import (
        expected_line,
        selection_document,
        selection_record,
        selection_rows,
    )
    from heldout.selection.fitted_model import refuse_model_path

    _refuse_usage(given)
    if given["save"] is not None:
        refuse_model_path(given["save"])
    also = [("--save", given["save"])]
    asked = asked_of(given, [given["data"]], also=also, book="selection")
    for name, _ in asked.charts:
        is_training = book_of("selection").asked(name)[0] == "training"
        if is_training and not given["training_error"]:
            raise InputError("--plot training needs the training values: give --training-error")
    _refuse_measure(given)
    with prints_to_stderr():
        kept = "fits are stored, and the same command resumes the search"
        with advice_on_interrupt(given, kept):
            selection = _selection(given, asked)
        say(given, selection.run_notes)
    code = finish(
        given,
        replace(asked, charts=()),
        Answer(
            document=lambda: selection_document(selection, everything=given["everything"]),
            record=lambda: {"call": call_of(ctx), **selection_record(selection)},
            rows=lambda: selection_rows(selection),
            audit=lambda: audit_selection(selection),
            charted=selection,
            page=lambda: (
                *selection_document(selection, everything=given["everything"]),
                expected_line(selection),
            ),
        ),
    )
    with prints_to_stderr():
        # a model to be saved and a learning curve are fitted here
        if given["save"] is not None:
            _save(selection, given)
        return draw_charts(book_of("selection"), selection, asked.charts, given) or code


def _refuse_usage(given: Mapping[str, Any]) -> None:
    """Options that do not go together, before anything is read."""
    from heldout.cli.inputs import refuse, refuse_beside_splits, refuse_run_usage
    from heldout.core.specs import split_list

    refuse(not given["models"], "give the model with --model, such as --model knn")
    models = [name for text in given["models"] for name in split_list(text)]
    if not given["grids"] and len(set(models)) == 1:
        how = "say what to try with --grid, such as --grid n_neighbors=1..30"
        refuse(
            len(models) > 1,
            f"--model names {models[0]} more than once, which leaves nothing to choose from, "
            f"and the grid is empty: {how}, or name another model",
        )
        refuse(True, f"the grid is empty: {how}")
    refuse_run_usage(given)
    refuse_beside_splits(given, "nested")
    refuse(given["draws"] is not None and given["draws"] < 20, "--draws: give a number from 20")
    refuse(given["simpler"] and given["rule"] == "best", "--simpler goes with --rule one-se")


def _refuse_measure(given: Mapping[str, Any]) -> None:
    """An error where not one measure that there is decides."""
    from heldout.cli.groups import specs
    from heldout.measures.spec import parse_request

    if given["measure"] is not None:
        if len(specs([given["measure"]])) > 1:
            raise InputError("--measure: one measure decides; heldout evaluate shows several")
        parse_request(given["measure"])


def _selection(given: Mapping[str, Any], asked: Asked) -> Selection:
    from heldout.cli.inputs import dataset_from, running_from, splits_from
    from heldout.report.plots.selection import refuse_chart
    from heldout.selection.criterion import needs_positive, with_either
    from heldout.selection.nested import nested_folds, parse_nested, refuse_unused_folds
    from heldout.selection.select import selected, setup_of

    both = parse_nested(given["nested"], given["procedure"])
    how = from_flags(SelectOptions, given, simpler=list(given["simpler"]))
    is_asked = needs_positive(given["measure"])
    reading = {**given, "procedure": nested_folds(both, given["procedure"])}
    dataset = with_either(dataset_from(reading, needs_positive=is_asked or None), given["measure"])
    refuse_unused_folds(both, dataset, flag=f"--fold {given['fold']}")
    splits = splits_from({**given, "procedure": both[1]} if both else given, dataset)
    tried = list(given["models"]), list(given["grids"]) or None
    setup, notes = setup_of(*tried, dataset, splits, how, running_from(given), nested=both)
    for name, _ in asked.charts:
        refuse_chart(name, setup.settings)
    say(given, (*dataset.notes_for(setup.models), *splits.notes))
    return selected(setup, splits, nested=both, said=notes)


def _save(selection: Selection, given: Mapping[str, Any]) -> None:
    from heldout.selection.fitted_model import loading_call

    selection.save(given["save"])
    say(given, (f"saved; in Python: {loading_call(given['save'])}",))
