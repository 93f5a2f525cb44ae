"""What ``heldout evaluate`` shows: of models on one data set, or on several and then compared."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.cli.command import DATA, Answer, asked_of, call_of, finish
from heldout.cli.screen import say
from heldout.core.errors import InputError
from heldout.core.options import from_flags
from heldout.evaluation.running import EvaluateOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import click

    from heldout.assess.results import Result
    from heldout.cli.command import Asked
    from heldout.comparison.over_sets.sets_comparison import ResultsComparison
    from heldout.datasets.dataset import Dataset
    from heldout.evaluation.evaluation import Evaluation
    from heldout.procedures.splits import Splits
    from heldout.report.table import Document

HINT = "All measures: --all. Some: --measure NAME. Single folds: --per-fold"

#: options that speak of the rows of one data set
OF_ONE_SET = (
    *("fold", "by", "splits", "permutations", "dry_run", "show_pipeline", "per_class", "per_fold"),
    *("confusion", "timings", "everything", "requirements", "explain", "predictions"),
)


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


def failure_lines(evaluation: Evaluation) -> list[str]:
    """What went wrong in fits, a line for each model that failed anywhere."""
    from heldout.evaluation.evaluation import failure_note

    return [line for name, o in evaluation.outcomes.items() for line in failure_note(name, o)]


def report_results(
    ctx: click.Context, asked: Asked, evaluation: Evaluation, failed: Sequence[str]
) -> int:
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
    from heldout.cli.inputs import shown_values
    from heldout.report.evaluation import main_results

    how = shown_values(given, evaluation.scorecard, is_data=asked.form in DATA)
    if how["everything"] or given["measures"]:
        return evaluation.results(given["measures"] or None, **how)
    del how["everything"]
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
        yield f"stored folds: {line}" if is_stored else line


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
    from heldout.measures.usual import USUAL

    names = given["measures"] or (USUAL[evaluation.dataset.task].chosen_by,)
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


def evaluate_sets(ctx: click.Context) -> int:
    """The value of each model on each data set, and what tests over data sets say of them."""
    from heldout.evaluation.evaluation import failure_note
    from heldout.report.table import Rows

    given = ctx.params
    _refuse_sets_usage(given)
    asked = asked_of(given, given["data"], book="comparison")
    how = from_flags(EvaluateOptions, given)
    # all data sets are read before anything is fitted
    plans = {
        name: _plan({**given, "data": source})
        for name, source in zip(_names(given["data"]), given["data"], strict=True)
    }
    measure = _measure(given, [dataset for (dataset, _, _), _ in plans.values()])
    values: dict[str, dict[str, Result]] = {}
    failures: list[str] = []
    for name, (work, notes) in plans.items():
        evaluation = run_models(given, work, how, notes)
        for model, outcome in evaluation.outcomes.items():
            failures += (f"{name}: {line}" for line in failure_note(model, outcome))
        values[name] = _values(evaluation, measure)
    say(given, () if given["fail_on_error"] else failures)
    comparison, problem = None, ""
    try:
        comparison = _comparison(values, measure, given["level"])
        say(given, comparison.notes if asked.form == "table" else ())
    except InputError as error:  # what was fitted is shown all the same
        problem = str(error)
        say(given, () if asked.charts else (problem,))
    records = [
        {"dataset": name, "model": model, "measure": measure, "value": result.value}
        | {"low": result.low, "high": result.high, "n": result.n}
        for name, results in values.items()
        for model, result in results.items()
    ]
    return finish(
        given,
        asked if comparison else replace(asked, charts=()),
        Answer(
            document=lambda: _sets_document(values, measure, comparison, asked),
            record=lambda: {"call": call_of(ctx), **_sets_record(records, comparison)},
            rows=lambda: Rows.of(records),
            failures=failures if given["fail_on_error"] else (),
            problems=[problem] if problem and asked.charts else [],
            charted=comparison,
        ),
    )


def _refuse_sets_usage(given: Mapping[str, Any]) -> None:
    from heldout.cli.inputs import first_flag_of, refuse

    other = first_flag_of(given, OF_ONE_SET)
    refuse(other, f"{other} is of one data set, and {len(given['data'])} are given")
    refuse(len(given["measures"]) > 1, "one measure compares models over data sets: name one")
    again = [source for source in given["data"] if given["data"].count(source) > 1]
    refuse(again, f"{again[0] if again else ''} is given more than once")


def _names(sources: Sequence[str]) -> list[str]:
    """What data sets are called: files by their stem, unless two have the same."""
    stems = [Path(source).stem for source in sources]
    return stems if len({*stems}) == len(stems) else list(sources)


def _plan(given: Mapping[str, Any]) -> tuple[tuple[Dataset, Any, Splits], tuple[str, ...]]:
    """The data, models and splits of one data set, and notes on the models; its own are said."""
    from heldout.cli.inputs import dataset_from, notes_on_error, splits_from
    from heldout.learners.calibrated import with_probabilities
    from heldout.learners.model_names import named_once
    from heldout.learners.request import models_for
    from heldout.measures.spec import parse_request

    requests = [parse_request(name) for name in given["measures"]]
    is_asked = any(request.depends_on_positive for request in requests)
    dataset = dataset_from(given, needs_positive=is_asked or None)
    with notes_on_error(given, dataset):
        models, repeated = named_once(models_for(given["models"], dataset, seed=given["seed"]))
        splits = splits_from(given, dataset)
    if any(request.measure.needs_probability for request in requests):
        models, curves = with_probabilities(models)
        repeated = (*repeated, *curves)
    notes = (*dataset.notes_for(models), *splits.notes)
    say(given, (f"{given['data']}: {line}" for line in notes))
    return (dataset, models, splits), repeated


def _measure(given: Mapping[str, Any], datasets: Sequence[Dataset]) -> str:
    """The measure by which models are compared on all data sets alike."""
    from heldout.measures.spec import parse_request
    from heldout.measures.usual import USUAL

    tasks = {dataset.name: dataset.task for dataset in datasets}
    if len({task == "regression" for task in tasks.values()}) > 1:
        raise InputError(
            "some data sets are classification and some regression: evaluate them separately"
        )
    measure = str(given["measures"][0] if given["measures"] else USUAL[datasets[0].task].chosen_by)
    known = parse_request(measure).measure
    for name, task in tasks.items():
        if task not in known.tasks:
            raise InputError(f"{measure} is for {' and '.join(known.tasks)}, and {name} is {task}")
    if known.direction not in ("up", "down"):
        raise InputError(
            f"{measure} has no direction in which it is better: compare models by another measure"
        )
    return measure


def _values(evaluation: Evaluation, measure: str) -> dict[str, Result]:
    """The value that stands for each model on one data set."""
    from heldout.assess.headline import chosen_results

    shown = chosen_results(evaluation.results((measure,), per_class=False))
    return {model: chosen.result for (model, _), chosen in shown.items()}


def _comparison(
    values: Mapping[str, Mapping[str, Result]], measure: str, level: float
) -> ResultsComparison:
    from heldout.comparison.options import CompareOptions
    from heldout.comparison.over_sets.compare_results import compare_results_table
    from heldout.comparison.over_sets.results import ResultsTable
    from heldout.measures.spec import parse_request

    models = tuple(dict.fromkeys(model for results in values.values() for model in results))
    if len(models) < 2:
        raise InputError("a comparison over data sets needs two models or more")
    table = [[results[model].value for model in models] for results in values.values()]
    for name, line in zip(values, table, strict=True):
        for model, value in zip(models, line, strict=True):
            if not isfinite(value):
                reason = "; ".join(map(str, values[name][model].notes))
                raise InputError(
                    f"{model} has no finite {measure} on {name}{reason and f': {reason}'}"
                )
    return compare_results_table(
        ResultsTable(tuple(values), models, np.array(table), measure),
        CompareOptions(level=level),
        higher_is_better=parse_request(measure).measure.direction == "up",
    )


def _sets_document(
    values: Mapping[str, Mapping[str, Result]],
    measure: str,
    comparison: ResultsComparison | None,
    asked: Asked,
) -> Document:
    from heldout.report.comparison import results_document
    from heldout.report.table import Column, Table, estimate_of

    models = dict.fromkeys(model for results in values.values() for model in results)
    rows = tuple(
        (name, *(estimate_of(results.get(model)) for model in models))
        for name, results in values.items()
    )
    columns = (Column("data set"), *(Column(model, "right") for model in models))
    table = Table(f"{measure} by data set", columns, rows)
    if comparison is None:
        return (table,)
    # on a screen notes are said beside, as those of other commands
    return table, *results_document(comparison, has_notes=asked.form != "table")


def _sets_record(
    values: Sequence[Mapping[str, Any]], comparison: ResultsComparison | None
) -> dict[str, Any]:
    """The values of all data sets and their comparison as plain data."""
    from heldout.report.comparison_record import results_record
    from heldout.report.data_text import plain

    known = [{name: plain(value) for name, value in record.items()} for record in values]
    return {"values": known, **({} if comparison is None else results_record(comparison))}
