"""``heldout evaluate`` of several data sets: every model on each of them, then their comparison."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.cli.command import Answer, asked_of, call_of, finish
from heldout.cli.screen import say
from heldout.core.errors import InputError
from heldout.core.options import from_flags
from heldout.evaluation.running import EvaluateOptions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import click

    from heldout.assess.results import Result
    from heldout.cli.command import Asked
    from heldout.comparison.results_comparison import ResultsComparison
    from heldout.datasets.dataset import Dataset
    from heldout.evaluation.evaluation import Evaluation
    from heldout.procedures.splits import Splits
    from heldout.report.table import Document

#: options that speak of the rows of one data set
OF_ONE_SET = (
    *("fold", "by", "splits", "permutations", "dry_run", "show_pipeline", "per_class", "per_fold"),
    *("confusion", "timings", "everything", "requirements", "explain", "predictions"),
)


def evaluate_sets(ctx: click.Context) -> int:
    """The value of each model on each data set, and what tests over data sets say of them."""
    from heldout.cli.evaluate import run_models
    from heldout.evaluation.evaluation import failure_note
    from heldout.report.table import Rows

    given = ctx.params
    _refuse_usage(given)
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
            document=lambda: _document(values, measure, comparison, asked),
            record=lambda: {"call": call_of(ctx), **_record(records, comparison)},
            rows=lambda: Rows.of(records),
            failures=failures if given["fail_on_error"] else (),
            problems=[problem] if problem and asked.charts else [],
            charted=comparison,
        ),
    )


def _refuse_usage(given: Mapping[str, Any]) -> None:
    from heldout.cli.inputs import first_flag_of, refuse

    other = first_flag_of(given, OF_ONE_SET)
    other = {"--everything": "--all", "--requirements": "--require"}.get(other, other)
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
    from heldout.learners.request import models_for, named_once
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
    from heldout.selection.criterion import DEFAULT

    tasks = {dataset.name: dataset.task for dataset in datasets}
    if len({task == "regression" for task in tasks.values()}) > 1:
        raise InputError("some data sets are of classes and some of numbers: compare them apart")
    measure = str(given["measures"][0] if given["measures"] else DEFAULT[datasets[0].task])
    known = parse_request(measure).measure
    for name, task in tasks.items():
        if task not in known.tasks:
            raise InputError(f"{measure} is for {' and '.join(known.tasks)}, and {name} is {task}")
    if known.direction not in ("up", "down"):
        raise InputError(f"{measure} has no better or worse: compare models by another measure")
    return measure


def _values(evaluation: Evaluation, measure: str) -> dict[str, Result]:
    """The value that stands for each model on one data set."""
    from heldout.assess.headline import chosen_results

    shown = chosen_results(evaluation.results((measure,), per_class=False))
    return {model: chosen.result for (model, _), chosen in shown.items()}


def _comparison(
    values: Mapping[str, Mapping[str, Result]], measure: str, level: float
) -> ResultsComparison:
    from heldout.comparison.compare_results import compare_results_table
    from heldout.comparison.options import CompareOptions
    from heldout.comparison.results_table import ResultsTable
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


def _document(
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


def _record(
    values: Sequence[Mapping[str, Any]], comparison: ResultsComparison | None
) -> dict[str, Any]:
    """The values of all data sets and their comparison as plain data."""
    from heldout.report.comparison_record import results_record
    from heldout.report.json_text import plain

    known = [{name: plain(value) for name, value in record.items()} for record in values]
    return {"values": known, **({} if comparison is None else results_record(comparison))}
