"""The measure that decided, of rows that the chosen model has never seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.assess.values import lacking, overall
from karat.core.errors import InputError
from karat.datasets.arrays import dataset_of
from karat.engines.memory import Tallies
from karat.evaluation.predictions import predictions_of
from karat.evaluation.training import whole_split
from karat.learners.outcome import Outcome
from karat.learners.respond import respond

if TYPE_CHECKING:
    from karat.selection.selection import Selection

__all__ = ["judged_again"]


def judged_again(
    selection: Selection, fitted: Any, X: Any, y: Any, sample_weight: Any = None
) -> float:
    """The value of the measure for a fitted model's answers to X; NaN where it is undefined."""
    known = selection.dataset
    is_regression = known.task == "regression"
    told = np.asarray(y).ravel()
    if not is_regression and (new := set(told.tolist()) - set(known.classes)):
        raise InputError(f"y has the class {min(new, key=str)!r}, which was not there in the fit")
    data = dataset_of(
        np.zeros((len(told), 1)),
        told,
        sample_weight=sample_weight,
        pos_label=known.classes[known.positive] if known.positive is not None else None,
        labels=None if is_regression else known.classes,
        task="regression" if is_regression else "classification",
        needs_positive=known.positive is not None,
    )
    predicted, scores, kind = respond(fitted, X, known.classes, known.task)
    counts = None if is_regression else np.bincount(known.truth, minlength=len(known.classes))
    outcome = Outcome(
        splits=np.array([0]),
        split_of=np.zeros(len(told), np.int32),
        rows=np.arange(len(told)),
        predicted=predicted,
        scores=scores,
        score_kind=kind,
        train_counts=None if counts is None else counts[np.newaxis],
        train_mean=np.array([known.truth.mean()]) if is_regression else None,
        train_rows=np.array([len(known)]),
    )
    request, name = selection.criterion.request, selection.setting.name
    tallies = Tallies(predictions_of(name, outcome, data, whole_split(len(told))))
    if reason := lacking(request, tallies):
        raise InputError(f"{selection.criterion.name} {reason}")
    return float(overall(request, tallies).value)
