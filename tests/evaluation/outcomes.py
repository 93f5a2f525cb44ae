"""Data sets, splits and outcomes made by hand, so that nothing has to be fitted."""

from __future__ import annotations

from typing import Any

import numpy as np

from heldout.datasets.dataset import Dataset, Feature
from heldout.learners.outcome import Outcome
from heldout.procedures.splits import ListedSplits, PartitionSplits, Split

__all__ = ["binary_data", "folds_of", "holdouts", "outcome_of"]


def binary_data(rows: int = 6, **more: Any) -> Dataset:
    """Every other row is of the second class."""
    feature = Feature("x", np.arange(float(rows)))
    truth = np.arange(rows) % 2
    given: dict[str, Any] = {"classes": ("no", "yes"), "positive": 1, **more}
    return Dataset("hand", "binary", truth, (feature,), **given)


def folds_of(assignment: Any, name: str = "2-fold") -> PartitionSplits:
    """A row per repeat: the fold of each row of the data, from 0."""
    table = np.asarray(assignment, np.int32)
    return PartitionSplits(name, table.shape[1], 0, (), table, int(table.max()) + 1)


def holdouts(rows: int, *tests: list[int], name: str = "holdout 70:30") -> ListedSplits:
    """A split for each list of test rows; the others train."""
    every = np.arange(rows)
    listed = [
        Split(number, 1, np.setdiff1d(every, test), np.array(test))
        for number, test in enumerate(tests, start=1)
    ]
    return ListedSplits(name, rows, 0, (), tuple(listed))


def outcome_of(splits: Any, predict: Any, data: Dataset, **more: Any) -> Outcome:
    """What a function of row numbers predicts in every split: codes or values, and scores."""
    tests = [split.test for split in splits]
    rows = np.concatenate(tests)
    predicted, scores = predict(rows)
    trained = [split.train for split in splits]
    given: dict[str, Any] = {"train_rows": np.array([len(t) for t in trained])}
    if data.classes:
        counts = [np.bincount(data.truth[t], minlength=len(data.classes)) for t in trained]
        given["train_counts"] = np.array(counts)
    else:
        given["train_mean"] = np.array([data.truth[t].mean() for t in trained])
    return Outcome(
        np.arange(len(tests)),
        np.repeat(np.arange(len(tests), dtype=np.int32), [len(t) for t in tests]),
        rows,
        predicted,
        scores,
        **{**given, **more},
    )
