"""Data, splits and models for the tests of the runner; workers import the models from here."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from heldout.datasets.dataset import Dataset, Feature
from heldout.learners.model import Model
from heldout.learners.outcome import Outcome
from heldout.procedures.splits import PartitionSplits

ARRAYS = ("splits", "split_of", "rows", "predicted", "scores", "train_counts", "train_rows")


def some_data(rows: int = 60, source: str = "", seed: int = 0) -> Dataset:
    """Three classes that four features tell apart but for some rows."""
    generator = np.random.default_rng(seed)
    truth = np.arange(rows) % 3
    X = generator.normal(size=(rows, 4)) + truth[:, None]
    features = tuple(Feature(f"x{i}", X[:, i].copy()) for i in range(4))
    return Dataset("some", "multiclass", truth, features, classes=("a", "b", "c"), source=source)


def some_splits(rows: int = 60, folds: int = 5, repeats: int = 2) -> PartitionSplits:
    generator = np.random.default_rng(1)
    assigned = [generator.permutation(np.arange(rows) % folds) for _ in range(repeats)]
    made = np.array(assigned, dtype=np.int32)
    return PartitionSplits(f"{repeats}x{folds}-fold", rows, 0, (), made, folds)


def a_model(estimator: Any, name: str = "", fingerprint: str | None = None) -> Model:
    name = name or type(estimator).__name__
    return Model(
        name, estimator, "multiclass", "matrix", name if fingerprint is None else fingerprint
    )


def two_models() -> tuple[Model, ...]:
    tree = DecisionTreeClassifier(max_features=1)
    return a_model(GaussianNB(), "nb"), a_model(tree, "tree")


def assert_same(one: Outcome, other: Outcome) -> None:
    """Equal bit for bit, but for the times."""
    for name in ARRAYS:
        left, right = getattr(one, name), getattr(other, name)
        assert (left is None) == (right is None), name
        if left is not None:
            assert left.dtype == right.dtype, name
            assert left.tobytes() == right.tobytes(), name
    assert (one.score_kind, one.part, one.failures) == (
        other.score_kind,
        other.part,
        other.failures,
    )


class Odd(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # of no known type
    """Naive Bayes that does something odd when a row with a certain first value is trained on.

    ``log`` is a file that gets a line a fit.
    """

    def __init__(
        self, trigger: float = np.nan, act: str = "raise", log: str = "", pause: float = 0.0
    ) -> None:
        self.trigger = trigger
        self.act = act
        self.log = log
        self.pause = pause

    def fit(self, X: Any, y: Any) -> Odd:
        if self.log:
            with Path(self.log).open("a") as file:
                file.write(f"{np.asarray(X).sum():.12f}\n")
        time.sleep(self.pause)
        self.inner_ = GaussianNB().fit(X, y)
        self.classes_ = self.inner_.classes_
        if not (X[:, 0] == self.trigger).any():
            ACTS[self.act]()
        return self

    def predict(self, X: Any) -> Any:
        return self.inner_.predict(X)

    def predict_proba(self, X: Any) -> Any:
        made = self.inner_.predict_proba(X)
        return made * np.nan if self.act == "nan" and self.trigger != self.trigger else made


def _raise() -> None:
    raise ValueError("this fold\nis not liked")


def _hang() -> None:
    while True:
        time.sleep(0.1)


def _interrupt() -> None:
    raise KeyboardInterrupt


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


ACTS: dict[str, Any] = {
    "raise": _raise,
    "hang": _hang,
    "interrupt": _interrupt,
    "die": _die,
    "leave": lambda: os._exit(7),
    "nan": lambda: None,
    "nothing": lambda: None,
}


class Held(Odd):
    """The same with something in it that no other process can have."""

    def __init__(
        self, trigger: float = np.nan, act: str = "raise", log: str = "", pause: float = 0.0
    ) -> None:
        super().__init__(trigger, act, log, pause)
        self.lock = Lock()


def odd_where(dataset: Dataset, row: int, act: str, log: str = "", kind: Any = Odd) -> Model:
    """A model that is odd in the splits that test a row (and so do not train on it)."""
    return a_model(kind(float(dataset.matrix[row, 0]), act, log), "odd")
