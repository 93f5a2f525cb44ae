"""What ``heldout evaluate`` knows before anything is fitted: what it refuses, what it would do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.cli.command import Answer, Asked, finish
from heldout.core.errors import InputError
from heldout.curves.named import OF_PROBABILITIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from heldout.assess.scorecard import Scorecard
    from heldout.datasets.dataset import Dataset
    from heldout.learners.model import Model
    from heldout.procedures.splits import Splits
    from heldout.report.table import Document

#: more values than this are not made up; what is asked then shows once models are fitted
MOST = 5_000_000


def asks_for_positive(given: Mapping[str, Any], asked: Asked) -> bool:
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
    from heldout.cli.requirements import verdicts_of

    if given["per_class"] and dataset.task == "regression":
        raise InputError("--per-class is for classification, and the task is regression")
    has_any = given["measures"] or asked.requirements
    if not has_any or len(dataset) * max(len(dataset.classes), 1) > MOST:
        return
    card = _made_up(dataset)
    if given["measures"]:
        card.results(given["measures"], refuse=False, per_class=given["per_class"])
    verdicts_of(card, asked.requirements)


def _made_up(dataset: Dataset) -> Scorecard:
    """The scorecard of a model that is right, and fairly sure of it."""
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


def needs_probabilities(given: Mapping[str, Any], asked: Asked) -> bool:
    """Whether a measure or a chart that was asked for is made of probabilities."""
    from heldout.measures.spec import parse_request
    from heldout.report.plots.plot import parse_chart

    specs = [*given["measures"], *(required.measure for required in asked.requirements)]
    return any(parse_request(spec).measure.needs_probability for spec in specs) or any(
        parse_chart(name)[0] in OF_PROBABILITIES for name, _ in asked.charts
    )


def refuse_charts(
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
                "makes none: take fewer folds, or a roc chart, which pools them"
            )


def _has_mixed(splits: Splits, dataset: Dataset) -> bool:
    """Whether a test part has rows of two classes; most often the first one has."""
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


def show_plan(
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
