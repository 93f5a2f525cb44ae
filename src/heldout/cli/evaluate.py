"""``heldout evaluate``: models judged on data along a procedure, resumed where it stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from heldout.cli import data_options as data
from heldout.cli import output_options as shown
from heldout.cli.options import SectionedCommand, flag, options
from heldout.cli.output import DATA, format_of, refuse_paths, refuse_shared

__all__ = ["command"]

EPILOG = """\b
Examples:
  heldout evaluate iris --models knn,lda,qda,nb,tree,svm,forest --procedure 10x10-fold
  heldout evaluate wdbc --models "knn[n_neighbors=3],lda" --procedure loo
  heldout evaluate patients.csv --target outcome --positive dead --group patient_id \\
      --models my_package.models:make_pipeline --predictions out_of_fold.csv
  heldout evaluate wdbc --models svm --procedure "holdout 70:30" --training-error
\b
Procedures: holdout 70:30, holdout 50:20:30, 100x holdout 70:30, 5-fold, 50x10-fold, 5x2-fold,
  loo, leave-2-out, bootstrap 200, .632 200, .632+ 200, time 5 gap 7, groups, column fold"""


@click.command(cls=SectionedCommand, epilog=EPILOG)
@click.argument("data")
@options("Data", *data.DATA_COLUMNS, data.BY)
@options(
    "Models and procedure",
    data.MODELS,
    data.PROCEDURE.but(help="How rows are split, see below [10-fold]."),
    data.SPLITS,
    data.SEED,
    data.TRAINING_ERROR,
    flag(
        "--permutations",
        type=int,
        metavar="N",
        help="Against chance: refit on N permutations of the labels.",
    ),
)
@options(
    "The run",
    *data.RUN,
    flag("--fail-on-error", is_flag=True, help="Exit 3 if a model failed in any split."),
    flag("--dry-run", is_flag=True, help="Say what would be fitted, and how balanced."),
    flag("--show-pipeline", is_flag=True, help="Say how each model prepares the data."),
)
@options(
    "What is shown",
    shown.EVERYTHING,
    shown.MEASURES,
    shown.PER_CLASS,
    shown.PER_FOLD,
    flag("--timings", is_flag=True, help="Seconds of fitting and predicting, by model."),
    shown.REQUIRE,
)
@options(
    "Intervals",
    shown.LEVEL,
    shown.INTERVAL.but(
        help="As in heldout score, or nested (many more fits) [by measure and procedure]."
    ),
    shown.REPLICATES,
    shown.NO_INTERVALS,
)
@options(
    "Output",
    shown.FORMAT,
    shown.OUTPUT,
    flag(
        "--predictions",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write the out-of-fold predictions: .csv, .tsv, .jsonl, .parquet.",
    ),
    shown.PLOT.but(help="A chart: roc.png, roc_average.png, calibration=c.pdf, all=FOLDER. *"),
    shown.DIGITS,
    shown.NO_AUDIT,
    shown.QUIET.but(help="No notes and no progress on standard error."),
)
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Models judged on data along a procedure.

    DATA is a file (CSV, TSV, Parquet, Arrow, JSON Lines, ARFF), "-" for standard input, or a
    named set: iris, wine, wdbc, digits, diabetes. Preparation is fitted inside of each
    training part. Finished folds are kept: the same command resumes a broken run. Options
    marked * may be given more than once.
    """
    from heldout.cli.charts import chart_of, targets_of
    from heldout.cli.evaluate_asked import refuse_unfit
    from heldout.cli.evaluate_charts import refuse_charts
    from heldout.cli.evaluate_input import (
        dataset_from,
        noted_on_error,
        refuse_unanswered,
        refuse_usage,
        say_first,
        splits_from,
    )
    from heldout.cli.evaluate_permutations import refuse_permutations
    from heldout.cli.evaluate_plan import show_plan
    from heldout.cli.evaluate_positive import asks_for_positive
    from heldout.cli.requirements import requirements_of
    from heldout.cli.screen import note
    from heldout.evaluation.evaluate import intervals_of
    from heldout.learners.request import models_for
    from heldout.learners.told_apart import named_once
    from heldout.measures.spec import parse_request

    refuse_usage(ctx, given)
    form = format_of(given, [given["data"]])
    _refuse_predictions(given)
    requirements = requirements_of(given)
    for spec in given["measures"]:
        parse_request(spec)
    charts = [chart_of(text) for text in given["charts"]]
    own = [("--output", given["output"]), ("--predictions", given["predictions"])]
    refuse_shared([*own, *targets_of(charts)])
    intervals = intervals_of(
        level=given["level"], interval=given["interval"], replicates=given["replicates"]
    )
    refuse_permutations(given)
    is_asked = asks_for_positive(given, requirements, charts)
    dataset = dataset_from(given, needs_positive=is_asked or None)
    with noted_on_error(given, dataset):
        refuse_unfit(given, dataset, requirements)
        models, repeated = named_once(models_for(given["models"], dataset, seed=given["seed"]))
        refuse_unanswered(given["measures"], models)
    if (given["show_pipeline"] or given["dry_run"]) and not given["quiet"]:
        for line in repeated:
            note(line)
    if given["show_pipeline"] and not given["dry_run"]:
        return show_plan(given, models, form)
    with noted_on_error(given, dataset):
        splits = splits_from(given, dataset)
        refuse_charts(charts, models, dataset, splits)
    say_first(given, *dataset.notes_for(models), *splits.notes)
    if given["dry_run"]:
        return show_plan(given, models, form, (dataset, splits))
    work = (dataset, models, splits)
    options = None if given["no_intervals"] else intervals
    evaluation = _evaluated(given, work, options, repeated)
    return _report(ctx, evaluation, form, requirements, charts)


def _refuse_predictions(given: dict[str, Any]) -> None:
    """An error where the predictions cannot be written, before anything is fitted."""
    from heldout.evaluation.tables import refuse_ending

    refuse_paths((given["predictions"],), [given["data"]])
    if given["predictions"] is not None:
        refuse_ending(given["predictions"])


def _evaluated(
    given: dict[str, Any], work: tuple[Any, Any, Any], options: Any, said: tuple[str, ...]
) -> Any:
    from heldout.cli.evaluate_input import is_nested, running_from
    from heldout.cli.printing import printed_to_stderr
    from heldout.cli.screen import note
    from heldout.evaluation.evaluate import evaluated

    try:
        with printed_to_stderr():
            return evaluated(
                *work,
                running=running_from(given),
                seed=given["seed"],
                training_error=given["training_error"],
                intervals=options,
                nested=is_nested(given),
                said=said,
            )
    except KeyboardInterrupt:
        if not given["no_store"]:
            note("interrupted; finished folds are kept, and the same command resumes the run")
        raise


def _report(ctx: click.Context, evaluation: Any, form: str, requirements: Any, charts: Any) -> int:
    from heldout.cli.audit_lines import audit_evaluation, say_audit
    from heldout.cli.chart_files import draw_charts, missing_lines, scorecard_charts
    from heldout.cli.evaluate_charts import fix_by_name
    from heldout.cli.evaluate_output import text_of
    from heldout.cli.evaluate_permutations import noted, permuted
    from heldout.cli.output import write_text
    from heldout.cli.requirements import unmet
    from heldout.cli.screen import complain, note
    from heldout.core.errors import InputError
    from heldout.evaluation.evaluation import failure_note
    from heldout.report.evaluation import main_results

    given = ctx.params
    failed = [line for name, o in evaluation.outcomes.items() for line in failure_note(name, o)]
    if given["fail_on_error"] and not evaluation.predictions:
        for line in failed:
            complain(line)
        return 3
    everything = given["everything"] or form in DATA
    how = {"per_class": given["per_class"], "per_fold": given["per_fold"]}
    if everything or given["measures"]:
        results = evaluation.results(given["measures"] or None, everything=everything, **how)
    else:
        results = main_results(evaluation, **how)
    failures = unmet(evaluation, requirements)
    if not given["quiet"]:
        _say_notes(given, evaluation, results, everything=everything)
    lacks = missing_lines(evaluation.scorecard, charts, fix_by_name(evaluation.models))
    for line in lacks if not given["quiet"] else ():
        note(line)
    chance: Any = ()
    problems: list[str] = []
    if given["permutations"] is not None:
        try:
            chance = permuted(given, evaluation)
        except InputError as error:  # what was fitted is shown all the same
            problems.append(str(error))
    audit_evaluation(ctx, evaluation, results)
    text = text_of(ctx, evaluation, noted(results, chance), form, chance)
    if given["predictions"] is not None:
        evaluation.predictions.write(given["predictions"])
        renamed = {} if given["quiet"] else evaluation.predictions.renamed
        for name, called in renamed.items():
            note(f"{given['predictions']}: column {name!r} is called {called!r} there, where its "
                 "name means something else")  # fmt: skip
    write_text(text, form, given["output"])
    say_audit(ctx)
    if given["fail_on_error"]:
        failures += failed
    for line in (*problems, *failures):
        complain(line)
    code = draw_charts(evaluation.plot, charts, scorecard_charts(evaluation.scorecard))
    return code or (2 if problems else 3 if failures else 0)


def _say_notes(given: dict[str, Any], evaluation: Any, results: Any, *, everything: bool) -> None:
    """What the run and its data had to say, and what came from the store."""
    from heldout.assess.options import unused_method
    from heldout.assess.remarks import OPEN
    from heldout.cli.screen import gathered, note
    from heldout.evaluation.evaluation import PARTLY, WITHOUT_REFITTING
    from heldout.report.class_order import order_note

    exact = (WITHOUT_REFITTING, PARTLY + WITHOUT_REFITTING)
    if evaluation.outcomes.recalled:
        note(evaluation.outcomes.recalled)
    # said before the fits; and nothing that is shown depends on a class that was left open
    said_first = {*evaluation.dataset.notes, *evaluation.splits.notes, OPEN}
    for line in gathered(line for line in evaluation.notes if line not in said_first):
        is_stored = not evaluation.outcomes.fitted and line.startswith(exact)
        note(f"the stored folds were computed {line}" if is_stored else line)
    if everything and not given["measures"] and evaluation.scorecard.left_out:
        note(evaluation.scorecard.left_out)
    if said := unused_method(evaluation.intervals, results):
        note(said)
    shown = (r.measure for r in results)
    if given["labels"] is None and (said := order_note(evaluation.scorecard.classes, shown)):
        note(said)
