"""``heldout evaluate``: models evaluated on data; an interrupted run is resumed."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from heldout.cli.command import DATA, Answer, Asked, asked_of, call_of, finish
from heldout.cli.groups import (
    MODELS,
    Matrices,
    Output,
    Shown,
)
from heldout.cli.options import SectionedCommand, flag_of, flags_of, options
from heldout.cli.screen import complain, say
from heldout.core.errors import InputError
from heldout.core.options import declare, from_flags
from heldout.evaluation.running import EvaluateOptions, Running, Splitting
from heldout.predictions.options import DataOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from heldout.assess.results import Result
    from heldout.evaluation.evaluation import Evaluation
    from heldout.report.table import Document

EPILOG = """\b
Examples:
  heldout evaluate iris --models knn,lda,qda,nb,tree,svm,forest --procedure 10x10-fold
  heldout evaluate wdbc --models "knn[n_neighbors=3],lda" --procedure loo
  heldout evaluate patients.csv --target outcome --positive dead --group patient_id \\
      --models my_package.models:make_pipeline --predictions out_of_fold.csv
  heldout evaluate wdbc --models svm --procedure "holdout 70:30" --training-error
  heldout evaluate iris wine wdbc digits a.csv b.arff --models knn,lda,forest --measure accuracy
\b
Named models: majority, prior, mean, median, knn, lda, qda, nb, logistic, tree, svm, bagging,
  boosting, forest, ripper, linear, ridge, lasso (heldout models describes them)
\b
Procedures: holdout 70:30, holdout 50:20:30, 100x holdout 70:30, 5-fold, 50x10-fold, 5x2-fold,
  loo, leave-2-out, bootstrap 200, .632 200, .632+ 200, time 5 gap 7, groups, column fold"""

HINT = "All measures: --all. Some: --measure NAME. Single folds: --per-fold"

#: what labels are permuted for where no measure is named, and how often at least
DEFAULT = {"binary": "accuracy", "multiclass": "accuracy", "regression": "mse"}
FEWEST_PERMUTATIONS = 19


def one_or_several(_: click.Context, __: click.Parameter, data: tuple[str, ...]) -> Any:
    """One data set by its name, or the names of several."""
    return data[0] if len(data) == 1 else data


@click.command(cls=SectionedCommand, epilog=EPILOG)
@click.argument("data", nargs=-1, required=True, callback=one_or_several)
@options("Data", *flags_of(DataOptions))
@options(
    "Models and procedure",
    MODELS,
    *flags_of(
        Splitting, procedure="How rows are split into training and test data, see below [10-fold]."
    ),
    flag_of(EvaluateOptions, "training_error"),
    declare(
        "--permutations N", "Test against chance: refit on N permutations of the labels.", type=int
    ),
)
@options(
    "Running",
    *flags_of(Running),
    declare("--fail-on-error", "Exit with code 3 if a model failed in any split."),
    declare("--dry-run", "Show what would be fitted and how balanced the splits are."),
    declare("--show-pipeline", "Show how each model prepares the data."),
)
@options(
    "Measures",
    *flags_of(Shown, "everything", "measures", "per_class", "per_fold"),
    *flags_of(Matrices, "confusion", "orientation"),
    declare("--timings", "Show the seconds spent fitting and predicting, per model."),
    flag_of(Shown, "requirements"),
)
@options(
    "Intervals",
    *flags_of(EvaluateOptions, "level", "method", "replicates", "intervals"),
    declare("--explain", "Explain each interval: method, reference, assumptions, alternatives."),
)
@options(
    "Output",
    *flags_of(Output, "form", "output", "report"),
    declare(
        "--predictions FILE",
        "Write the out-of-fold predictions: .csv, .tsv, .jsonl or .parquet.",
        type=Path,
    ),
    flag_of(
        Output, "charts", "Draw a chart: roc.png, roc_average.png, calibration=c.pdf, all=FOLDER."
    ),
    *flags_of(Output, "digits", "methods", "no_audit"),
    flag_of(Output, "quiet", "No notes and no progress on standard error."),
)
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Evaluate models by cross-validation, holdout or bootstrap.

    DATA is a file (CSV, TSV, Parquet, Arrow, JSON Lines, ARFF), "-" for standard input, or a
    named data set: iris, wine, wdbc, digits, diabetes. Preparation is fitted on the training
    part of each split only. Finished folds are stored: the same command resumes an interrupted
    run. Of several data sets models are compared by their values on each. Options marked * may be
    given more than once.
    """
    from heldout.cli.evaluate_plan import (
        asks_for_positive,
        needs_probabilities,
        refuse_charts,
        refuse_unfit,
        show_plan,
    )
    from heldout.cli.inputs import dataset_from, notes_on_error, splits_from
    from heldout.learners.calibrated import with_probabilities
    from heldout.learners.request import models_for, named_once

    _refuse_usage(given)
    if isinstance(given["data"], tuple):
        from heldout.cli.evaluate_sets import evaluate_sets

        return evaluate_sets(ctx)
    asked = asked_of(given, [given["data"]], also=[("--predictions", given["predictions"])])
    _refuse_paths_and_counts(given)
    how = from_flags(EvaluateOptions, given)
    dataset = dataset_from(given, needs_positive=asks_for_positive(given, asked) or None)
    with notes_on_error(given, dataset):
        refuse_unfit(given, asked, dataset)
        models, repeated = named_once(models_for(given["models"], dataset, seed=given["seed"]))
    if needs_probabilities(given, asked):
        models, curves = with_probabilities(models)
        repeated = (*repeated, *curves)
    if given["show_pipeline"] or given["dry_run"]:
        say(given, repeated)
    if given["show_pipeline"] and not given["dry_run"]:
        return show_plan(given, asked, models)
    with notes_on_error(given, dataset):
        splits = splits_from(given, dataset)
        refuse_charts(asked.charts, models, dataset, splits)
    say(given, (*dataset.notes_for(models), *splits.notes))
    if given["dry_run"]:
        return show_plan(given, asked, models, (dataset, splits))
    evaluation = run_models(given, (dataset, models, splits), how, repeated)
    failed = _failure_lines(evaluation)
    if given["fail_on_error"] and not evaluation.predictions:
        for line in failed:
            complain(line)
        return 3
    return _report(ctx, asked, evaluation, failed if given["fail_on_error"] else [])


def _refuse_usage(given: Mapping[str, Any]) -> None:
    """Options that do not go together, before anything is read."""
    from heldout.cli.inputs import refuse, refuse_contradictions, refuse_run_usage

    refuse(
        not given["models"],
        "give the models with --models, such as --models knn,lda,forest "
        "or --models my_package.models:make_pipeline",
    )
    refuse_contradictions(given)
    refuse_run_usage(given)


def _refuse_paths_and_counts(given: Mapping[str, Any]) -> None:
    """An error for a meaningless ending of predictions or number of permutations."""
    from heldout.core.random import checked_draws
    from heldout.runner.layout import refuse_ending

    if given["predictions"] is not None:
        refuse_ending(given["predictions"])
    count = given["permutations"]
    if count is None:
        return
    if count < FEWEST_PERMUTATIONS:
        raise InputError(
            f"--permutations {count} can never give p <= 0.05: take at least {FEWEST_PERMUTATIONS}"
        )
    checked_draws(count, "permutations", least=FEWEST_PERMUTATIONS)


def run_models(
    given: Mapping[str, Any],
    work: tuple[Any, Any, Any],
    how: EvaluateOptions,
    notes: tuple[str, ...],
) -> Evaluation:
    """The evaluation of data, models and splits that are ready; whoever breaks off is advised."""
    from heldout.cli.inputs import advice_on_interrupt, running_from
    from heldout.cli.screen import prints_to_stderr
    from heldout.evaluation.evaluate import evaluated

    kept = "folds are stored, and the same command resumes the run"
    with advice_on_interrupt(given, kept), prints_to_stderr():
        return evaluated(*work, how, running_from(given), said=notes)


def _failure_lines(evaluation: Evaluation) -> list[str]:
    from heldout.evaluation.evaluation import failure_note

    return [line for name, o in evaluation.outcomes.items() for line in failure_note(name, o)]


def _report(ctx: click.Context, asked: Asked, evaluation: Evaluation, failed: Sequence[str]) -> int:
    """All that was asked of an evaluation, where it belongs; the exit code."""
    from heldout.cli.charts import missing_lines
    from heldout.cli.findings import audit_evaluation, notes_on
    from heldout.cli.inputs import shown_matrices
    from heldout.cli.requirements import verdicts_of
    from heldout.report.decisions import decision_rows, result_rows
    from heldout.report.evaluation import evaluation_record

    given = ctx.params
    card = evaluation.scorecard
    results = _results(given, asked, evaluation)
    verdicts = verdicts_of(evaluation, asked.requirements)
    more = notes_on(card, results, given, asked, is_ordered=given["labels"] is not None)
    say(given, (*_run_notes(evaluation), *more))
    say(given, missing_lines(card, asked.charts))
    chance, problems = _against_chance(given, evaluation)
    results = _with_chance(results, chance)
    if given["predictions"] is not None:
        _write_predictions(given, evaluation)
    slices = card.slices(*given["measures"]) if evaluation.dataset.slices else []
    level = None if evaluation.intervals is None else evaluation.intervals.level
    judged = {tallies.predictions.model: tallies.rows for tallies in card.tallies}
    return finish(
        given,
        asked,
        Answer(
            document=lambda: _document(given, asked, evaluation, results, chance, slices),
            record=lambda: {
                "call": call_of(ctx),
                **evaluation_record(
                    evaluation,
                    results,
                    folds=given["per_fold"],
                    chance=chance,
                    slices=slices,
                    matrices=shown_matrices(given),
                ),
            },
            rows=lambda: result_rows(
                [*results, *decision_rows({"slices": slices}, level=level, rows=judged)]
            ),
            audit=lambda: audit_evaluation(given, evaluation, results),
            verdicts=verdicts,
            failures=failed,
            problems=problems,
            charted=card,
            card=card,
            judged=evaluation,
            results=results,
        ),
    )


def _results(given: Mapping[str, Any], asked: Asked, evaluation: Evaluation) -> Sequence[Result]:
    from heldout.report.evaluation import main_results

    everything = given["everything"] or asked.form in DATA
    how = {"per_class": given["per_class"], "per_fold": given["per_fold"]}
    if evaluation.dataset.slices and asked.form not in DATA:
        from heldout.report.decisions import shown_slices

        how["slices"] = shown_slices(evaluation.scorecard.slices(*given["measures"]))
    if everything or given["measures"]:
        return evaluation.results(given["measures"] or None, everything=everything, **how)
    return main_results(evaluation, **how)


def _run_notes(evaluation: Evaluation) -> Iterator[str]:
    """What the run and its data had to say, and what came from the store."""
    from heldout.core.notes import Topic, topic_of, without

    outcomes: Any = evaluation.outcomes
    if outcomes.recalled:
        yield outcomes.recalled
    # nothing that is shown depends on a class that was left open
    for line in without(evaluation.run_notes, Topic.OPEN_POSITIVE):
        is_stored = topic_of(line) is Topic.EXACT_PATH and not outcomes.fitted
        yield f"the stored folds were computed {line}" if is_stored else line


def _write_predictions(given: Mapping[str, Any], evaluation: Evaluation) -> None:
    path = given["predictions"]
    evaluation.predictions.write(path)
    say(
        given,
        (
            f"{path}: column {name!r} is called {called!r} there, where its name means "
            "something else"
            for name, called in evaluation.predictions.renamed.items()
        ),
    )


def _document(
    given: Mapping[str, Any],
    asked: Asked,
    evaluation: Evaluation,
    results: Sequence[Result],
    chance: Sequence[Result],
    slices: Sequence[Mapping[str, Any]],
) -> Document:
    from heldout.cli.inputs import shown_matrices
    from heldout.report.confusion_tables import matrix_blocks
    from heldout.report.decisions import tables_document
    from heldout.report.evaluation import evaluation_document, training_block
    from heldout.report.listings import timings_table
    from heldout.report.remarks import explain_intervals
    from heldout.report.table import Table

    is_short = not given["everything"] and not given["measures"]
    matrices = shown_matrices(given)
    document = evaluation_document(
        evaluation,
        results,
        asked=given["measures"],
        hint=HINT if asked.form == "table" and is_short else "",
        view=matrices["view"],
    )
    card, of_chance = evaluation.scorecard, list[Table]()
    if chance:
        from heldout.report.comparison import chance_table

        of_chance.append(chance_table(chance))
    return (
        *document,
        *matrix_blocks(card, **matrices),
        *(training_block(evaluation, matrices["view"]) if matrices["is_asked"] else ()),
        *(explain_intervals(card, results) if given["explain"] else ()),
        *((timings_table(evaluation),) if given["timings"] else ()),
        *of_chance,
        *tables_document({"slices": slices}, evaluation.intervals),
    )


def _against_chance(
    given: Mapping[str, Any], evaluation: Evaluation
) -> tuple[tuple[Result, ...], list[str]]:
    """What permuted labels give, where that is asked for, and why it could not be made."""
    if given["permutations"] is None:
        return (), []
    try:
        return _permute_labels(given, evaluation), []
    except InputError as error:  # what was fitted is shown all the same
        return (), [str(error)]


def _permute_labels(given: Mapping[str, Any], evaluation: Evaluation) -> tuple[Result, ...]:
    """What permuted labels give; the same procedure, models and seed."""
    from heldout.assess.headline import chosen_results
    from heldout.cli.inputs import splits_from
    from heldout.cli.screen import prints_to_stderr
    from heldout.comparison.chance import refitted_permutations
    from heldout.measures.spec import parse_request

    names = given["measures"] or (DEFAULT[evaluation.dataset.task],)
    shown = chosen_results(evaluation.results(names, per_class=False))
    known = {model for (model, _), chosen in shown.items() if not chosen.result.is_not_given}
    lacks = {key for key, chosen in shown.items() if chosen.result.is_not_given}
    models = [model for model in evaluation.models if model.name in known]
    if not models:
        raise InputError(f"--permutations: no model has a value of {', '.join(names)}")
    with prints_to_stderr(), _bar_of_permutations(given) as progress:
        results = refitted_permutations(
            evaluation.dataset,
            models,
            lambda dataset: splits_from(given, dataset),
            [parse_request(name) for name in names],
            means={name for (_, name), chosen in shown.items() if chosen.of == "mean of folds"},
            permutations=given["permutations"],
            seed=given["seed"],
            jobs=given["jobs"],
            backend=given["backend"],
            exact=not given["no_exact"],
            progress=progress,
        )
    # of a measure that a model cannot have, its row says why
    return tuple(result for result in results if (result.model, result.measure) not in lacks)


@contextmanager
def _bar_of_permutations(given: Mapping[str, Any]) -> Iterator[Callable[[int], None]]:
    """A bar of the permutations done; whoever breaks off is told how many that were."""
    from heldout.cli.screen import note, progress_bar

    total, done = given["permutations"], 0
    bar = None if given["quiet"] else progress_bar()

    def tell(number: int) -> None:
        nonlocal done
        done = number
        if bar is not None:
            bar.advance("permutations", number, 0.0)

    try:
        if bar is not None:
            bar.start(total, title="permutations")
        yield tell
    except KeyboardInterrupt:
        if bar is not None:
            bar.finish()
        note(f"interrupted: {done:,} of {total:,} permutations were done; they are not kept")
        raise
    finally:
        if bar is not None:
            bar.finish()


def _with_chance(results: Sequence[Result], chance: Sequence[Result]) -> tuple[Result, ...]:
    """The results, those that were tested against chance with their p-value in the note."""
    from heldout.core.shown import p_in_words

    remarks = {
        (c.model, c.measure, c.fold): f"p {p_in_words(c.test.p_value)}, {c.test.method}"
        for c in chance
        if c.test is not None
    }
    noted = []
    for result in results:
        remark = remarks.get((result.model, result.measure, result.fold), "")
        if remark and not result.repeat and not result.class_:
            result = result.noted(remark)
        noted.append(result)
    return tuple(noted)
