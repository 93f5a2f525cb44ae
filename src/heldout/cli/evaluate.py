"""``heldout evaluate``: models evaluated on data; an interrupted run is resumed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from heldout.cli.command import Answer, Asked, asked_of, finish
from heldout.cli.groups import MODELS, Matrices, Output, Shown
from heldout.cli.options import SectionedCommand, flag_of, flags_of, options
from heldout.cli.screen import complain, say
from heldout.core.errors import InputError
from heldout.core.options import declare, from_flags
from heldout.evaluation.running import EvaluateOptions, Running, Splitting
from heldout.predictions.options import DataOptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heldout.assess.scorecard import Scorecard
    from heldout.datasets.dataset import Dataset
    from heldout.learners.model import Model
    from heldout.procedures.splits import Splits
    from heldout.report.table import Document

EPILOG = """\b
Examples:
  heldout evaluate iris --models knn,lda,nb,tree,svm --procedure 10x10-fold
  heldout evaluate wdbc --models "knn[n_neighbors=3],lda" --procedure loo
  heldout evaluate patients.csv --target outcome --positive dead \\
      --group patient_id --models my_package.models:make_pipeline \\
      --predictions out_of_fold.csv
  heldout evaluate wdbc --models svm --procedure "holdout 70:30" \\
      --training-error
  heldout evaluate iris wine wdbc a.csv b.arff --models knn,lda,forest
\b
Named models: majority, prior, mean, median, knn, lda, qda, nb, logistic,
  tree, svm, bagging, boosting, forest, ripper, linear, ridge, lasso
  (heldout models describes them)
\b
Procedures: holdout 70:30, holdout 50:20:30, 100x holdout 70:30, 5-fold,
  50x10-fold, 5x2-fold, loo, leave-2-out, bootstrap 200, .632 200,
  .632+ 200, time 5 gap 7, groups, column fold"""

#: models are not made up for more values; what is asked then shows once models are fitted
MOST = 5_000_000
#: so few permutations of labels can still give p <= 0.05
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
    run. If there are several data sets, models are compared by their values on each. Options
    marked * may be given more than once.
    """
    from heldout.cli.evaluate_results import (
        evaluate_sets,
        failure_lines,
        report_results,
        run_models,
    )
    from heldout.cli.inputs import dataset_from, notes_on_error, splits_from
    from heldout.learners.calibrated import with_probabilities
    from heldout.learners.model_names import named_once
    from heldout.learners.request import models_for

    _refuse_usage(given)
    if isinstance(given["data"], tuple):
        return evaluate_sets(ctx)
    asked = asked_of(given, [given["data"]], also=[("--predictions", given["predictions"])])
    _refuse_paths_and_counts(given)
    how = from_flags(EvaluateOptions, given)
    dataset = dataset_from(given, needs_positive=_asks_for_positive(given, asked) or None)
    with notes_on_error(given, dataset):
        refuse_unfit(given, asked, dataset)
        models, repeated = named_once(models_for(given["models"], dataset, seed=given["seed"]))
    if _needs_probabilities(given, asked):
        models, curves = with_probabilities(models)
        repeated = (*repeated, *curves)
    if given["show_pipeline"] or given["dry_run"]:
        say(given, repeated)
    if given["show_pipeline"] and not given["dry_run"]:
        return _show_plan(given, asked, models)
    with notes_on_error(given, dataset):
        splits = splits_from(given, dataset)
        _refuse_charts(asked.charts, models, dataset, splits)
    say(given, (*dataset.notes_for(models), *splits.notes))
    if given["dry_run"]:
        return _show_plan(given, asked, models, (dataset, splits))
    evaluation = run_models(given, (dataset, models, splits), how, repeated)
    failed = failure_lines(evaluation)
    if given["fail_on_error"] and not evaluation.predictions:
        for line in failed:
            complain(line)
        return 3
    return report_results(ctx, asked, evaluation, failed if given["fail_on_error"] else [])


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
    from heldout.runner.prediction_columns import refuse_ending

    if given["predictions"] is not None:
        refuse_ending(given["predictions"])
    count = given["permutations"]
    if count is None:
        return
    if count < FEWEST_PERMUTATIONS:
        raise InputError(
            f"--permutations {count} can never give p <= 0.05: use at least {FEWEST_PERMUTATIONS}"
        )
    checked_draws(count, "permutations", least=FEWEST_PERMUTATIONS)


def _asks_for_positive(given: Mapping[str, Any], asked: Asked) -> bool:
    """Whether something depends on it: a measure shown or required, or a chart.

    Where no measure is named, some of those that are shown do. Pipelines are the same for
    either class.
    """
    from heldout.measures.spec import parse_request

    if given["show_pipeline"] and not given["dry_run"]:
        return False
    if asked.charts:
        from heldout.report.plots.plot import parse_chart
        from heldout.report.plots.regression import REGRESSION_PLOTS

        if any(parse_chart(name)[0] not in REGRESSION_PLOTS for name, _ in asked.charts):
            return True
    specs = [*given["measures"], *(required.measure for required in asked.requirements)]
    return not given["measures"] or any(parse_request(s).depends_on_positive for s in specs)


def refuse_unfit(given: Mapping[str, Any], asked: Asked, dataset: Dataset) -> None:
    """An error for measures and requirements that would be one after all fits, too.

    A class that there is not, a parameter out of its range or lacking, a measure of another
    kind of problem: none of it depends on what models predict.
    """
    from heldout.cli.inputs import refuse_without_classes
    from heldout.cli.requirements import verdicts_of

    refuse_without_classes(given, dataset.classes)
    has_any = given["measures"] or asked.requirements
    if not has_any or len(dataset) * max(len(dataset.classes), 1) > MOST:
        return
    card = _made_up(dataset)
    if given["measures"]:
        card.results(given["measures"], refuse=False, per_class=given["per_class"])
    verdicts_of(card, asked.requirements)


def _made_up(dataset: Dataset) -> Scorecard:
    """The scorecard of a model that is right, and fairly sure of it."""
    import numpy as np

    from heldout.assess.scorecard import score_predictions
    from heldout.predictions.table import Predictions

    truth = dataset.truth
    answers: dict[str, Any] = {"predicted": truth, "weight": dataset.weight}
    if dataset.task == "regression":
        answers["train_mean"] = np.full(len(truth), truth.mean())
    else:
        count = len(dataset.classes)
        scores = np.full((len(truth), count), 0.2 / max(count - 1, 1))
        scores[np.arange(len(truth)), truth] = 0.8
        answers["scores"] = scores
        if dataset.task == "binary":
            answers["scores"] = scores[:, 1 if dataset.positive is None else dataset.positive]
    is_open = dataset.task == "binary" and dataset.positive is None
    positive = 1 if is_open else dataset.positive
    known: dict[str, Any] = {"classes": dataset.classes, "positive": positive, "is_open": is_open}
    return score_predictions([Predictions(dataset.task, truth, **answers, **known)], intervals=None)


def _needs_probabilities(given: Mapping[str, Any], asked: Asked) -> bool:
    """Whether a measure or a chart that was asked for is made of probabilities."""
    from heldout.curves.named import OF_PROBABILITIES
    from heldout.measures.spec import parse_request
    from heldout.report.plots.plot import parse_chart

    specs = [*given["measures"], *(required.measure for required in asked.requirements)]
    return any(parse_request(spec).measure.needs_probability for spec in specs) or any(
        parse_chart(name)[0] in OF_PROBABILITIES for name, _ in asked.charts
    )


def _refuse_charts(
    charts: Iterable[tuple[str, Path]], models: Sequence[Model], dataset: Dataset, splits: Splits
) -> None:
    """An error for a chart that no model can be drawn in, before anything is fitted."""
    from heldout.report.plots.plot import parse_chart, refuse_task

    for text, _ in charts:
        name, options = parse_chart(text)
        asked = options.get("model")
        if asked is not None and asked not in (model.name for model in models):
            raise InputError(f"--plot {text}: no model is called {asked!r}")
        if name == "all":
            continue
        refuse_task(name, dataset.task)
        if name in ("roc_average", "folds") and splits.places().max(initial=1) < 2:
            raise InputError(f"a {name} chart needs folds, and {splits.procedure} has one split")
        if name == "roc_average" and not _has_mixed(splits, dataset):
            raise InputError(
                f"a {name} chart needs a fold with rows of two classes, and {splits.procedure} "
                "makes none: use fewer folds, or a roc chart, which pools them"
            )


def _has_mixed(splits: Splits, dataset: Dataset) -> bool:
    """Whether a test part has rows of two classes; most often the first one has."""
    import numpy as np

    from heldout.procedures.splits import PartitionSplits

    truth = dataset.truth
    if not isinstance(splits, PartitionSplits):
        return any((truth[split.test] != truth[split.test[0]]).any() for split in splits)
    for folds in splits.assignment:  # a split of its own costs a pass over the rows
        of_fold = np.zeros(splits.folds, truth.dtype)
        of_fold[folds] = truth
        if (of_fold[folds] != truth).any():
            return True
    return False


def _show_plan(
    given: Mapping[str, Any],
    asked: Asked,
    models: Sequence[Model],
    planned: tuple[Dataset, Splits] | None = None,
) -> int:
    """What each model does to the data and, where ``planned``, what would be fitted.

    In the format and the place that were asked for; gives the exit code.
    """
    from heldout.report import listings

    if asked.form == "csv":
        raise InputError(
            "--dry-run and --show-pipeline are no table of results: "
            "take --format table, markdown, latex or json"
        )
    record: dict[str, Any] = {}
    document: Document = ()
    if given["show_pipeline"]:
        record = listings.pipelines_record(models)
        document = listings.pipelines_document(record)
    if planned is not None:
        record |= listings.plan_record(models, *planned, exact=not given["no_exact"])
        document += listings.plan_document(record, models, planned[0])
    answer = Answer(document=lambda: document, record=lambda: record)
    return finish(given, Asked(asked.form, asked.output), answer)
