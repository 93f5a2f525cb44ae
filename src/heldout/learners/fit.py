"""One fit: a clone of the model is trained on one part of the rows and asked about another."""

from __future__ import annotations

import copy
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.datasets.dataset import rows_of
from heldout.learners.common_chance import seeded_chance
from heldout.learners.one_thread import one_thread_if_small
from heldout.learners.outcome import Outcome
from heldout.learners.randomness import seed_estimator
from heldout.learners.respond import BadOutput, respond
from heldout.learners.warned import heard_warnings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.learners.model import Model
    from heldout.procedures.splits import Split

__all__ = ["fit_and_predict", "fresh", "inputs"]


def inputs(model: Model, dataset: Dataset) -> tuple[Any, NDArray[Any]]:
    """X and y of all rows, as the model takes them."""
    if model.takes == "matrix":
        return dataset.matrix, dataset.truth
    return dataset.frame, dataset.labels


def fresh(model: Model, seed: int, repeat: int, fold: int) -> Any:
    """An unfitted copy of the model's estimator whose chance the seed and the split decide."""
    if hasattr(model.estimator, "get_params"):
        from sklearn.base import clone

        estimator = clone(model.estimator)
    else:
        estimator = copy.deepcopy(model.estimator)
    seed_estimator(estimator, seed, repeat, fold)
    return estimator


def fit_and_predict(
    model: Model,
    dataset: Dataset,
    split: Split,
    *,
    seed: int = 0,
    part: Sequence[Literal["test", "train"]] = ("test",),
    position: int = 0,
) -> list[Outcome]:
    """The outcome of one split for each part of the rows that is asked for.

    Parameters
    ----------
    part
        ``test``; also ``train`` for the training rows themselves (each once), an optimistic
        estimate.
    position
        Where the split stands among all splits of the procedure.

    Notes
    -----
    What the estimator raises is raised; so is a ValueError for NaN among its output. The
    weights of the data set are for measures and take no part in the fit. Warnings are
    not shown but kept, in the outcome of the first part. Python's and NumPy's common
    generators are set before the fit, and are afterwards what they were before.
    """
    with heard_warnings() as heard, seeded_chance(seed, split.repeat, split.fold):
        made = _outcomes(model, dataset, split, seed=seed, part=part, position=position)
    if heard:
        made[0] = replace(made[0], warnings=tuple((position, text) for text in heard))
    return made


def _outcomes(
    model: Model,
    dataset: Dataset,
    split: Split,
    *,
    seed: int,
    part: Sequence[Literal["test", "train"]],
    position: int,
) -> list[Outcome]:
    from heldout.learners.label_numbers import with_label_numbers

    X, y = inputs(model, dataset)
    is_regression = dataset.task == "regression"
    estimator = fresh(model, seed, split.repeat, split.fold)
    if not is_regression:
        estimator = with_label_numbers(estimator)
    part_of_x, part_of_y = rows_of(X, split.train), y[split.train]
    with one_thread_if_small(X):
        start = perf_counter()
        # scikit-learn's fit returns the estimator; others may return nothing
        estimator.fit(part_of_x, part_of_y)
        fit_seconds = perf_counter() - start
    truth = dataset.truth[split.train]
    counts = None if is_regression else np.bincount(truth, minlength=len(dataset.classes))
    by_code: Sequence[Any] = (
        range(len(dataset.classes)) if model.takes == "matrix" else dataset.classes
    )
    seen = None
    if counts is not None:
        seen = np.unique(np.asarray(by_code)[np.flatnonzero(counts)]).tolist()
    outcomes = []
    for one in part:
        rows = split.test if one == "test" else np.unique(split.train)
        part_of_x = rows_of(X, rows)
        with one_thread_if_small(X):
            start = perf_counter()
            try:
                predicted, scores, kind = respond(
                    estimator, part_of_x, by_code, dataset.task, seen=seen
                )
            except BadOutput as error:
                raise ValueError(error.naming(dataset.row_name(int(rows[error.first])))) from None
            predict_seconds = perf_counter() - start
        outcomes.append(
            Outcome(
                splits=np.array([position]),
                split_of=np.zeros(len(rows), np.int32),
                rows=rows,
                predicted=predicted,
                scores=scores,
                score_kind=kind,
                train_counts=None if counts is None else counts[np.newaxis],
                train_mean=np.array([truth.mean()]) if is_regression else None,
                train_rows=np.array([len(split.train)]),
                fit_seconds=np.array([fit_seconds]),
                predict_seconds=np.array([predict_seconds]),
                part=one,
            )
        )
    return outcomes
