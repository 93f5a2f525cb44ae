"""Cross-validated predictions of an estimator on arrays, by its exact path or by refitting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.learners.exact.path import TestParts
from tests.learners.exact.comparing import path_of_arrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.procedures.splits import Splits

__all__ = ["CrossPredictions", "exact_predictions", "refitted"]


@dataclass(frozen=True, slots=True, eq=False)
class CrossPredictions:
    """What was predicted of each tested row, in the order of the splits."""

    rows: NDArray[np.int64]
    #: position of the split in which each row was tested
    split_of: NDArray[np.int64]
    #: labels or values
    predicted: NDArray[Any]
    #: a column per class, in sorted order of the labels; a single one for binary decisions
    scores: NDArray[np.float64] | None
    #: the exact path, or "refit"
    path: str
    #: why all splits were refitted; "" where there is an exact path
    reason: str
    #: positions of the splits that were refitted
    refitted: NDArray[np.int64]


def refitted(
    estimator: Any, X: NDArray[Any], y: NDArray[Any], train: NDArray[Any], test: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
    """Predicted labels or values of the test rows, and scores where the estimator has them."""
    from sklearn.base import clone

    fitted = clone(estimator).fit(X[train], y[train])
    predicted = np.asarray(fitted.predict(X[test]))
    if hasattr(fitted, "predict_proba"):
        found = np.asarray(fitted.predict_proba(X[test]))
        absent = 0.0
    elif hasattr(fitted, "decision_function"):
        found, absent = np.asarray(fitted.decision_function(X[test])), -np.inf
    else:
        return predicted, None
    labels = np.unique(y)
    if found.ndim == 1:
        if len(labels) == 2:
            return predicted, found[:, np.newaxis]
        found = np.column_stack([-found, found])
    whole = np.full((len(test), len(labels)), absent)
    whole[:, np.searchsorted(labels, fitted.classes_)] = found
    return predicted, whole


def exact_predictions(estimator: Any, X: Any, y: Any, splits: Splits) -> CrossPredictions:
    """Predictions of all splits, as refitting would give them, from one fit where possible."""
    X, y = np.asarray(X), np.asarray(y)
    path = path_of_arrays(estimator, X, y, splits)
    parts = TestParts(splits)
    rows = parts.rows(0, len(splits))
    ends = np.cumsum(parts.sizes)
    split_of = np.repeat(np.arange(len(splits)), parts.sizes)
    is_known = np.zeros(len(splits), dtype=bool)
    predicted: NDArray[Any] = np.empty(len(rows), dtype=y.dtype)
    scores: NDArray[np.float64] | None = None
    if not isinstance(path, str):
        is_class = path.problem.classes > 0
        predicted = predicted if is_class else np.empty(len(rows))
        labels = np.unique(y) if is_class else y
        for outcome in path.run():
            is_known[outcome.splits] = True
            here = np.isin(split_of, outcome.splits, assume_unique=False)
            predicted[here] = labels[outcome.predicted] if is_class else outcome.predicted
            if outcome.scores is not None:
                if scores is None:
                    scores = np.empty((len(rows), outcome.scores.shape[1]))
                scores[here] = outcome.scores
    for position in np.flatnonzero(~is_known):
        split = splits.split(int(position))
        here = np.arange(ends[position] - parts.sizes[position], ends[position])
        found, found_scores = refitted(estimator, X, y, split.train, split.test)
        predicted = predicted.astype(np.promote_types(predicted.dtype, found.dtype), copy=False)
        predicted[here] = found
        if found_scores is not None:
            if scores is None:
                scores = np.empty((len(rows), found_scores.shape[1]))
            scores[here] = found_scores
    reason = path if isinstance(path, str) else ""
    name = "refit" if isinstance(path, str) else path.name
    again = np.flatnonzero(~is_known)
    return CrossPredictions(rows, split_of, predicted, scores, name, reason, again)
