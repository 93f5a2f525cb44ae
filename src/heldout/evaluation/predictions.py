"""From what a run predicted to predictions with their design: folds, training priors, ids."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.wording import plural
from heldout.learners.outcome import why_mixed
from heldout.predictions.probabilities import improper, of_two_classes, within_unit
from heldout.predictions.table import Design, Predictions, Prior, weighing_rows
from heldout.procedures.splits import ListedSplits, Split, fold_names
from heldout.tables.column import Column

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.learners.outcome import Outcome
    from heldout.procedures.splits import Splits


def _why_improper(model: str, outcome: Outcome, dataset: Dataset) -> str:
    """Why what a model gave as probabilities are none, or nothing.

    They are judged as ``heldout score`` judges the columns of a table: within 0 to 1, and summing
    to 1. What fails still ranks rows.
    """
    scores = outcome.scores
    if scores is None or not scores.size:
        return ""
    limits = float(scores.min()), float(scores.max())
    if improper(scores, *limits) is None:
        return ""
    # folds have their own order: the first row is that of the data, and its value is shown
    order = np.argsort(outcome.rows, kind="stable")
    rows, fault = outcome.rows[order], improper(scores[order], *limits)
    assert fault is not None
    what = fault.what
    if fault.column is not None:
        what = f"of {dataset.classes[fault.column]!r} lie {what}"
    bad = np.unique(rows[fault.bad])
    first, count = int(bad[0]), plural(len(bad), "row")
    problem = (
        f"the probabilities that {model} gives {what} in {count} (first: {dataset.row_name(first)})"
    )
    if fault.is_rounded:
        problem += (
            f"; the largest deviation, {fault.worst:.2g}, looks like rounding: let predict_proba "
            "divide each row by its sum"
        )
    return problem


def _score_fields(model: str, outcome: Outcome, dataset: Dataset) -> dict[str, Any]:
    """The fields of predictions that hold scores, and why they are none or no probabilities."""
    if dataset.task == "regression":
        none = {"scores": None, "against": None, "score_problem": "", "why_no_scores": ""}
        return {**none, "notes": ()}
    scores, against, problem, why, note = outcome.scores, None, "", "", ""
    if scores is None:
        why = why_mixed(model, outcome) or (
            f"{model} gives only classes (it has neither predict_proba nor decision_function)"
        )
    elif outcome.score_kind != "probability":
        problem = f"the scores of {model} are decision values"
    else:
        if scores.size:
            scores, note = within_unit(scores, float(scores.min()), float(scores.max()))
        problem = _why_improper(model, replace(outcome, scores=scores), dataset)
    if scores is not None and dataset.task == "binary":
        flat = scores.reshape(len(scores), -1)
        column = 1 if dataset.positive is None else dataset.positive
        if flat.shape[1] == 1:
            # one decision value speaks for the second class: the first ranks the other way round
            scores = flat[:, 0] if column == 1 else -flat[:, 0]
        elif problem:
            scores = np.ascontiguousarray(flat[:, column])
        else:
            scores, against = of_two_classes(flat, column)
    return {
        "scores": scores,
        "against": against,
        "score_problem": problem,
        "why_no_scores": why,
        "notes": (f"{model}: {note}",) if note else (),
    }


def whole_split(rows: int, *, seed: int = 0) -> ListedSplits:
    """One split in which every row trains and tests: for training error, never for more."""
    every = np.arange(rows)
    return ListedSplits("training", rows, seed, (), (Split(1, 1, every, every),))


def predictions_of(
    model: str, outcome: Outcome, dataset: Dataset, splits: Splits, *, notes: tuple[str, ...] = ()
) -> Predictions:
    """The predictions of one model in the splits that did not fail.

    The prior is that of each split's training rows. Decision values stay scores that are no
    probabilities.
    """
    rows = outcome.rows
    weight, ids = dataset.weight, dataset.identifier
    # nobody said which of two classes is positive: the scores are of the second
    is_open = dataset.task == "binary" and dataset.positive is None
    fields = _score_fields(model, outcome, dataset)
    priors: dict[str, Any] = {}
    if dataset.task == "regression":
        if outcome.train_mean is not None:
            priors["train_mean"] = outcome.train_mean[outcome.split_of]
    elif outcome.train_counts is not None:
        table = np.asarray(outcome.train_counts, dtype=np.float64)
        codes = outcome.split_of if len(table) > 1 else None
        priors["prior"] = Prior("training counts", table, codes)
    return Predictions(
        task=dataset.task,
        truth=dataset.truth[rows],
        predicted=outcome.predicted,
        classes=dataset.classes,
        positive=1 if is_open else dataset.positive,
        is_open=is_open,
        weight=None if weight is None else weight[rows],
        design=_design(outcome, dataset, splits),
        model=model,
        identifier=rows + 1 if ids is None else ids[rows],
        target=dataset.target,
        source=dataset.source or dataset.name,
        failed_splits=len(outcome.failures),
        **{**fields, "notes": (*notes, *fields["notes"])},
        **priors,
    )


def judged_rows(outcome: Outcome, dataset: Dataset) -> NDArray[np.int64]:
    """The row of the data of each prediction that is judged: all but rows of weight 0."""
    rows = outcome.rows
    kept = weighing_rows(None if dataset.weight is None else dataset.weight[rows])
    return rows if kept is None else rows[kept]


def predictions_beside(
    known: Predictions, model: str, outcome: Outcome, dataset: Dataset
) -> Predictions:
    """The predictions of a further model in the same splits: all but its answers is shared."""
    fields = _score_fields(model, outcome, dataset)
    return replace(known, predicted=outcome.predicted, model=model, **fields)


def _design(outcome: Outcome, dataset: Dataset, splits: Splits) -> Design:
    """Fold and repeat of each row where there are several, and the size of training parts."""
    all_repeats, all_folds = splits.places().T
    repeats, folds = all_repeats[outcome.splits], all_folds[outcome.splits]
    group = dataset.group
    return Design(
        splits.procedure,
        _column("fold", folds, outcome.split_of, fold_names(splits) or _levels(all_folds)),
        _column("repeat", repeats, outcome.split_of, _levels(all_repeats)),
        None if group is None else group.take(outcome.rows),
        _test_share(outcome),
        np.bincount(outcome.split_of)[outcome.split_of],
    )


def _levels(numbers: NDArray[Any]) -> tuple[int, ...]:
    """What all folds, or all repeats, are called by number."""
    return tuple(range(1, int(numbers.max(initial=1)) + 1))


def _column(
    name: str, numbers: NDArray[Any], split_of: NDArray[np.int32], levels: tuple[Any, ...]
) -> Column | None:
    """Numbers of splits as a column of rows; None where there is only one."""
    if len(levels) == 1:
        return None
    return Column(name, (numbers - 1).astype(np.int32)[split_of], levels)


def training_sizes(outcome: Outcome) -> Any:
    """How many rows trained in each split; None where that is not known."""
    if outcome.train_rows is None and outcome.train_counts is not None:
        return outcome.train_counts.sum(axis=1)
    return outcome.train_rows


def _test_share(outcome: Outcome) -> float | None:
    """Rows tested over rows trained on, in the mean of the splits."""
    trained = training_sizes(outcome)
    if trained is None or not len(trained) or not np.all(trained > 0):
        return None
    tested = np.bincount(outcome.split_of, minlength=len(trained))
    return float(np.mean(tested / trained))
