"""The measure that decided, of rows that the chosen model has never seen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.values import lacking, overall
from heldout.core.errors import InputError
from heldout.engines.memory import Tallies
from heldout.evaluation.predictions import predictions_of, whole_split
from heldout.learners.outcome import Outcome
from heldout.learners.respond import respond

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.selection.selection import Selection

__all__ = ["judged_again"]


def judged_again(
    selection: Selection, fitted: Any, X: Any, y: Any, sample_weight: Any = None
) -> float:
    """The value of the measure for a fitted model's answers to X; NaN where it is undefined."""
    known = selection.dataset
    is_regression = known.task == "regression"
    data = replace(
        known,
        truth=_truth(known, y),
        features=(),
        group=None,
        time=None,
        fold=None,
        slices=(),
        weight=None if sample_weight is None else np.asarray(sample_weight, np.float64),
        identifier=None,
        given=None,
    )
    rows = len(data.truth)
    predicted, scores, kind = respond(fitted, X, known.classes, known.task)
    counts = None if is_regression else np.bincount(known.truth, minlength=len(known.classes))
    outcome = Outcome(
        splits=np.array([0]),
        split_of=np.zeros(rows, np.int32),
        rows=np.arange(rows),
        predicted=predicted,
        scores=scores,
        score_kind=kind,
        train_counts=None if counts is None else counts[np.newaxis],
        train_mean=np.array([known.truth.mean()]) if is_regression else None,
        train_rows=np.array([len(known)]),
    )
    request, name = selection.criterion.request, selection.setting.name
    tallies = Tallies(predictions_of(name, outcome, data, whole_split(rows)))
    if reason := lacking(request, tallies):
        raise InputError(f"{selection.criterion.name} {reason}")
    return float(overall(request, tallies).value)


def _truth(known: Dataset, y: Any) -> NDArray[Any]:
    """The target as the data set of the fit has it: numbers, or codes of its classes."""
    told = np.asarray(y).ravel()
    if known.task == "regression":
        return np.asarray(told, np.float64)
    codes = {label: code for code, label in enumerate(known.classes)}
    if new := sorted(set(told.tolist()) - set(codes), key=str):
        raise InputError(f"y has the class {new[0]!r}, which was not there in the fit")
    return np.array([codes[label] for label in told.tolist()], known.truth.dtype)
