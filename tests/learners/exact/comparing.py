"""Data, splits, and the comparison of an exact path with refitting every split."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor

from heldout.datasets.arrays import dataset_of
from heldout.learners.exact.path import ExactPath
from heldout.learners.exact.paths import exact_path
from heldout.learners.model import Model
from heldout.procedures.splits import ListedSplits, PartitionSplits, Split, Splits

__all__ = [
    "assert_equals_refit",
    "blobs",
    "holdouts",
    "leave_one_out",
    "path_of_arrays",
    "reason_of",
    "refusal",
    "repeated_folds",
    "slope",
]


def leave_one_out(rows: int) -> PartitionSplits:
    return PartitionSplits("loo", rows, 0, (), np.arange(rows, dtype=np.int32)[np.newaxis], rows)


def repeated_folds(rows: int, folds: int, repeats: int = 2, seed: int = 0) -> PartitionSplits:
    draw = np.random.default_rng(seed)
    assignment = [draw.permutation(np.arange(rows) % folds) for _ in range(repeats)]
    made = np.array(assignment, dtype=np.int32)
    return PartitionSplits("k-fold", rows, seed, (), made, folds)


def holdouts(rows: int, share: float = 0.3, times: int = 3) -> ListedSplits:
    draw = np.random.default_rng(5)
    listed = []
    for repeat in range(times):
        order = draw.permutation(rows)
        cut = int(share * rows)
        listed.append(Split(repeat + 1, 1, np.sort(order[cut:]), np.sort(order[:cut])))
    return ListedSplits("holdout", rows, 5, (), tuple(listed))


def blobs(
    rows: int = 120, features: int = 4, classes: int = 3, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Classes that overlap."""
    draw = np.random.default_rng(seed)
    y = draw.integers(0, classes, rows)
    X = draw.normal(size=(rows, features)) + 0.8 * draw.normal(size=(classes, features))[y]
    return X, y


def slope(rows: int = 120, features: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A linear target with noise."""
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(rows, features))
    return X, X @ draw.normal(size=features) + draw.normal(size=rows) + 3.0


def path_of_arrays(estimator: Any, X: Any, y: Any, splits: Splits) -> ExactPath | str:
    """The exact path of an estimator on arrays, or why there is none."""
    task = "regression" if is_regressor(estimator) else "classification"
    data = dataset_of(X, y, task=task, needs_positive=False)
    return exact_path(Model("model", estimator, data.task, "given", ""), data, splits)


def reason_of(path: ExactPath | str) -> str:
    """Why there is no exact path."""
    assert isinstance(path, str), path.name
    return path


def refusal(estimator: Any, X: np.ndarray, y: np.ndarray, splits: Splits) -> str:
    """Why an estimator has no exact path on these arrays."""
    return reason_of(path_of_arrays(estimator, X, y, splits))


def assert_equals_refit(
    estimator: Any,
    X: np.ndarray,
    y: np.ndarray,
    splits: Splits,
    *,
    least: float = 1.0,
    tolerance: float = 1e-8,
    refits: int = 10,
) -> ExactPath:
    """The path gives at least this share of the splits; some of them, all over, are refitted."""
    path = path_of_arrays(estimator, X, y, splits)
    assert not isinstance(path, str), path
    labels = np.unique(y)
    given = 0
    step = -(-len(splits) // refits)
    for outcome in path.run():
        assert (np.diff(outcome.splits) > 0).all()
        assert (np.diff(outcome.split_of) >= 0).all()
        for place, position in enumerate(outcome.splits):
            given += 1
            if position % step:
                continue
            here = outcome.split_of == place
            split = splits.split(int(position))
            assert np.array_equal(outcome.rows[here], split.test)
            fitted = clone(estimator).fit(X[split.train], y[split.train])
            expected = fitted.predict(X[split.test])
            if not path.problem.classes:
                assert np.allclose(
                    outcome.predicted[here], expected, rtol=tolerance, atol=tolerance
                )
                assert outcome.train_mean is not None
                assert np.isclose(outcome.train_mean[place], y[split.train].mean())
                continue
            assert np.array_equal(labels[outcome.predicted[here]], expected)
            counts = [np.sum(y[split.train] == label) for label in labels]
            assert outcome.train_counts is not None
            assert np.array_equal(outcome.train_counts[place], counts)
            if outcome.score_kind == "probability":
                wanted = fitted.predict_proba(X[split.test])
            elif outcome.score_kind == "decision":
                wanted = fitted.decision_function(X[split.test]).reshape(len(split.test), -1)
            else:
                continue
            assert outcome.scores is not None
            assert np.abs(outcome.scores[here] - wanted).max() < tolerance
    assert given >= least * len(splits), f"only {given} of {len(splits)} splits by the path"
    return path
