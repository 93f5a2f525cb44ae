"""Leave-one-out from one fit, beside scikit-learn's refitting."""

from __future__ import annotations

import gc
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

from bench.timing import best_of, heading, line

JOBS = 2
#: how often the two take turns, and how many calls of heldout are a turn
TURNS, ROUNDS = 3, 10


def blobs(rows: int, features: int, classes: int = 3) -> tuple[Any, Any]:
    """Classes that overlap."""
    draw = np.random.default_rng(0)
    y = draw.integers(0, classes, rows)
    X = draw.normal(size=(rows, features)) + 0.7 * draw.normal(size=(classes, features))[y]
    return X, y


def data_of(X: Any, y: Any) -> Any:
    from heldout.datasets.arrays import dataset_of

    task = "regression" if y.dtype.kind == "f" else "classification"
    return dataset_of(X, y, task=task, needs_positive=False)


def path_of(estimator: Any, data: Any, splits: Any) -> Any:
    from heldout.learners.exact.paths import exact_path
    from heldout.learners.model import Model

    path = exact_path(Model("model", estimator, data.task, "given", ""), data, splits)
    assert not isinstance(path, str), path
    return path


def leave_one_out(rows: int) -> Any:
    """Every row alone."""
    from heldout.procedures.splits import PartitionSplits

    return PartitionSplits("loo", rows, 0, (), np.arange(rows, dtype=np.int32)[np.newaxis], rows)


def run(rows: int = 2_000, features: int = 20) -> None:
    """Print the section."""
    _one_out(rows, features)
    _large()


def _one_out(rows: int, features: int) -> None:
    from sklearn.discriminant_analysis import (
        LinearDiscriminantAnalysis,
        QuadraticDiscriminantAnalysis,
    )
    from sklearn.linear_model import Ridge, RidgeClassifier
    from sklearn.model_selection import LeaveOneOut, cross_val_predict
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    X, y = blobs(rows, features)
    target = X @ np.random.default_rng(2).normal(size=features) + y
    splits = leave_one_out(rows)
    models: list[tuple[str, Any, Any, str, str]] = [
        ("linear discriminants", LinearDiscriminantAnalysis(), y, "predict_proba", "500"),
        ("quadratic discriminants", QuadraticDiscriminantAnalysis(), y, "predict_proba", "500"),
        ("Gaussian naive Bayes", GaussianNB(), y, "predict_proba", "500"),
        ("ridge", Ridge(), target, "predict", "200"),
        ("scaled ridge", make_pipeline(StandardScaler(), Ridge()), target, "predict", "200"),
        ("ridge classifier", RidgeClassifier(), y, "decision_function", "200"),
        ("nearest neighbours", KNeighborsClassifier(), y, "predict_proba", "100"),
        (
            "scaled nearest neighbours",
            make_pipeline(StandardScaler(), KNeighborsClassifier()),
            y,
            "predict_proba",
            "100",
        ),
        ("linear support vectors", SVC(kernel="linear"), y, "predict", "3"),
    ]
    heading(f"leave-one-out, {rows:,} x {features}, 3 classes (asked: how many times as fast)")
    # whoever comes first would pay for the start of the workers
    cross_val_predict(GaussianNB(), X[:50], y[:50], cv=5, n_jobs=JOBS)
    for name, model, wanted, method, bar in models:
        data = data_of(X, wanted)

        def ours(model: Any = model, data: Any = data) -> list[Any]:
            return list(path_of(model, data, splits).run())

        is_long = name.startswith("linear support")
        turns, rounds = (1, 1) if is_long else (TURNS, ROUNDS)
        line(f"{name}: the path alone", best_of(ours, turns * rounds))
        mine, refitted, theirs = [], [], None
        # in turns: what slows the machine slows both
        for _ in range(turns):
            gc.collect()
            mine += [_whole_call(model, X, wanted) for _ in range(rounds)]
            start = perf_counter()
            theirs = cross_val_predict(
                model, X, wanted, cv=LeaveOneOut(), n_jobs=JOBS, method=method
            )
            refitted.append(perf_counter() - start)
        line(f"{name}: heldout.evaluate, new store", min(mine))
        line(f"{name}: cross_val_predict (asked: {bar})", min(refitted), min(mine))
        if not is_long:
            line(f"{name}: the same, medians of each", median(refitted), median(mine))
        _check(ours(), theirs, method, name)


def _whole_call(model: Any, X: Any, wanted: Any) -> float:
    """Seconds of an evaluation that nothing is known of, its store included."""
    import heldout

    with TemporaryDirectory() as folder:
        start = perf_counter()
        heldout.evaluate({"model": model}, X, wanted, procedure="loo", store=folder)
        return perf_counter() - start


def _check(outcomes: list[Any], theirs: Any, method: str, name: str) -> None:
    """Say so where the two differ."""
    rows = np.concatenate([outcome.rows for outcome in outcomes])
    has_scores = method != "predict"
    found = np.concatenate([o.scores if has_scores else o.predicted for o in outcomes])
    worst = float(np.abs(found - theirs[rows]).max())
    if worst > 1e-8 or len(rows) < len(theirs):
        print(f"  ({name}: {len(rows):,} rows by the path, largest difference {worst:.1e})")


def _large(rows: int = 100_000, features: int = 50) -> None:
    from resource import RUSAGE_SELF, getrusage

    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    X, y = blobs(rows, features)
    data, splits = data_of(X, y), leave_one_out(rows)
    heading(f"leave-one-out of linear discriminants, {rows:,} x {features} (asked: 10 s, 1 GiB)")

    def work() -> None:
        for _ in path_of(LinearDiscriminantAnalysis(), data, splits).run():
            pass

    line("heldout", best_of(work, 1))
    memory = getrusage(RUSAGE_SELF).ru_maxrss / 2**20
    print(f"  largest memory of the process so far: {memory:.2f} GiB")
