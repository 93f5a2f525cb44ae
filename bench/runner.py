"""What the runner adds to fits: against cross_validate, with a store, and when it resumes."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from bench.timing import best_of_each, heading, line, paired_ratio, turns_of_each
from heldout.datasets.dataset import Dataset, Feature
from heldout.learners.model import Model
from heldout.procedures.splits import PartitionSplits
from heldout.runner.run import run as run_models
from heldout.runner.store import Store


class SteadyWork(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped
    """The nearest class mean, computed anew until so much of a processor's time is spent.

    The speed of a processor that others share changes by far more than the runner costs, and
    with it the time of every fit. Here it does not count, while all that keeps a fit from the
    processor does: messages, commits, other processes and threads of this run.
    """

    def __init__(self, seconds: float = 0.08) -> None:
        self.seconds = seconds

    def fit(self, X: Any, y: Any) -> SteadyWork:
        end = time.thread_time() + self.seconds
        self.classes_ = np.unique(y)
        while time.thread_time() < end:
            self.means_ = np.array([X[y == one].mean(axis=0) for one in self.classes_])
        return self

    def predict(self, X: Any) -> Any:
        return self.classes_[((X[:, None] - self.means_) ** 2).sum(axis=2).argmin(axis=1)]


def rows(n: int, columns: int = 20) -> Dataset:
    """Three classes that the features tell apart, more or less."""
    generator = np.random.default_rng(0)
    truth = np.arange(n) % 3
    X = generator.normal(size=(n, columns)) + truth[:, None] * 0.5
    features = tuple(Feature(f"x{i}", X[:, i].copy()) for i in range(columns))
    return Dataset("rows", "multiclass", truth, features, classes=("a", "b", "c"))


def folds(n: int, count: int, repeats: int) -> PartitionSplits:
    generator = np.random.default_rng(1)
    made = np.array([generator.permutation(np.arange(n) % count) for _ in range(repeats)])
    return PartitionSplits(f"{repeats}x{count}-fold", n, 0, (), made.astype(np.int32), count)


def a_model(estimator: Any) -> Model:
    name = type(estimator).__name__
    return Model(name, estimator, "multiclass", "matrix", name)


def ours(data: Dataset, model: Model, splits: PartitionSplits, jobs: int, stored: bool) -> None:
    """A whole call of the runner, with a new store or without."""
    if not stored:
        run_models(data, [model], splits, jobs=jobs, exact=False)
        return
    with TemporaryDirectory() as folder:
        run_models(data, [model], splits, jobs=jobs, exact=False, store=Store(Path(folder)))


def theirs(data: Dataset, model: Model, splits: PartitionSplits, jobs: int) -> None:
    pairs = [(split.train, split.test) for split in splits]
    scoring = "accuracy"
    cross_validate(model.estimator, data.matrix, data.truth, cv=pairs, n_jobs=jobs, scoring=scoring)


def against(title: str, estimator: Any, n: int, count: int, repeats: int, times: int) -> None:
    """Both ways, with one worker and two, in many short turns, and what heldout adds to a fold."""
    heading(f"{title}: {count * repeats} folds of {n:,} rows")
    data, model, splits = rows(n), a_model(estimator), folds(n, count, repeats)
    begin = time.perf_counter()
    clone(model.estimator).fit(data.matrix, data.truth)
    line("one fit to all rows", time.perf_counter() - begin)
    for jobs in (1, 2):
        works = {
            "cross_validate": partial(theirs, data, model, splits, jobs),
            "heldout, no store": partial(ours, data, model, splits, jobs, False),
            "heldout, new store": partial(ours, data, model, splits, jobs, True),
        }
        turns = turns_of_each(works, times, warm=True)
        least = min(turns["cross_validate"])
        for name, seconds in turns.items():
            line(f"{name}, {jobs} jobs", min(seconds), least, unit="x cross_validate")
            if name != "cross_validate":
                ratio, low, high = paired_ratio(seconds, turns["cross_validate"])
                text = f"  median of the ratios of {times} turns [95 % limits]"
                print(f"  {text:<70}{ratio:12.3f} [{low:.3f}, {high:.3f}]")
        added = (min(turns["heldout, new store"]) - least) / len(splits) * 1000
        print(f"  {'added to a fold':<58}{added:12.3f} ms", flush=True)


def resumed(n: int = 300, repeats: int = 1000) -> None:
    """A finished run of 10,000 folds answered from its store, piece by piece."""
    heading(f"resume: a finished run of {10 * repeats:,} folds of {n} rows")
    data, splits, model = rows(n, 4), folds(n, 10, repeats), a_model(GaussianNB())
    with TemporaryDirectory() as folder:
        store = Store(Path(folder))
        begin = time.perf_counter()
        run_models(data, [model], splits, exact=False, store=store)
        line("first time", time.perf_counter() - begin)
        works = {"resumed": partial(run_models, data, [model], splits, exact=False, store=store)}
        line("resumed", best_of_each(works)["resumed"])


def exactly(n: int = 2000) -> None:
    """Leave-one-out by an exact path, with a new store and without."""
    heading(f"leave-one-out by one fit: {n:,} rows, 20 features")
    data, model = rows(n), a_model(LinearDiscriminantAnalysis())
    splits = PartitionSplits("loo", n, 0, (), np.arange(n, dtype=np.int32)[None], n)

    def whole(stored: bool) -> None:
        with TemporaryDirectory() as folder:
            run_models(data, [model], splits, store=Store(Path(folder)) if stored else None)

    for name, stored in (("no store", False), ("new store", True)):
        line(f"heldout, {name}", best_of_each({"": partial(whole, stored)}, 10)[""])


def run() -> None:
    """Print all."""
    against("cheap fits", DecisionTreeClassifier(max_depth=2, random_state=0), 300, 10, 40, 3)
    against("fits of 80 ms of a processor's time", SteadyWork(0.08), 1000, 10, 2, 8)
    # real fits beside: on a shared processor their own time changes by more than the bar from one
    # turn to the next, so that only the median of many turns tells
    forest = RandomForestClassifier(30, random_state=0)
    against("fits of more than 50 ms, a forest", forest, 1000, 10, 2, 24)
    exactly()
    resumed()


if __name__ == "__main__":
    run()
