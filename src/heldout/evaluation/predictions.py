"""From what a run predicted to predictions with their design: folds, training priors, ids."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.evaluation.told_scores import told_scores
from heldout.predictions.table import Column, Design, Predictions, Prior, weighing_rows
from heldout.procedures.splits import fold_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.learners.outcome import Outcome
    from heldout.procedures.splits import Splits

__all__ = ["judged_rows", "predictions_beside", "predictions_of"]


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
    told = _told(model, outcome, dataset)
    made: dict[str, Any] = {}
    if dataset.task == "regression":
        if outcome.train_mean is not None:
            made["train_mean"] = outcome.train_mean[outcome.split_of]
    elif outcome.train_counts is not None:
        table = np.asarray(outcome.train_counts, dtype=np.float64)
        codes = outcome.split_of if len(table) > 1 else None
        made["prior"] = Prior("training counts", table, codes)
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
        **{**told, "notes": (*notes, *told["notes"])},
        **made,
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
    told = _told(model, outcome, dataset)
    return replace(known, predicted=outcome.predicted, model=model, **told)


def _told(model: str, outcome: Outcome, dataset: Dataset) -> dict[str, Any]:
    return told_scores(
        model,
        outcome,
        task=dataset.task,
        classes=dataset.classes,
        positive=dataset.positive,
        row=dataset.row_name,
    )


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


def _test_share(outcome: Outcome) -> float | None:
    """Rows tested over rows trained on, in the mean of the splits."""
    trained: Any = outcome.train_rows
    if trained is None and outcome.train_counts is not None:
        trained = outcome.train_counts.sum(axis=1)
    if trained is None or not len(trained) or not np.all(trained > 0):
        return None
    tested = np.bincount(outcome.split_of, minlength=len(trained))
    return float(np.mean(tested / trained))
