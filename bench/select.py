"""Searches of settings beside scikit-learn's grid search: shared exact paths, and plain fits."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from bench.timing import best_of, heading, line

JOBS = 2


def run(rows: int = 5_000, ridge_rows: int = 20_000) -> None:
    """Print each grid."""
    _neighbours(rows)
    _ridge(ridge_rows)
    _discriminants(rows)
    _plain()


def _neighbours(rows: int) -> None:
    from sklearn.neighbors import KNeighborsClassifier

    X, y = _classes(rows, 20)
    heading(f"k = 1..30 of nearest neighbours by 10-fold, {rows:,} x 20")
    grid = {"n_neighbors": list(range(1, 31))}
    _beside(KNeighborsClassifier(), grid, X, y, "accuracy", "accuracy", asked=60)


def _ridge(rows: int) -> None:
    from sklearn.linear_model import Ridge

    generator = np.random.default_rng(0)
    X = generator.normal(size=(rows, 100))
    y = X @ generator.normal(size=100) + generator.normal(size=rows)
    heading(f"50 penalties of ridge regression by 10-fold, {rows:,} x 100")
    grid = {"alpha": np.geomspace(0.01, 1000, 50).tolist()}
    _beside(Ridge(), grid, X, y, "mse", "neg_mean_squared_error", asked=20)


def _discriminants(rows: int) -> None:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    X, y = _classes(rows, 60)
    heading(f"20 shrinkages of linear discriminants by 10-fold, {rows:,} x 60")
    grid = {"shrinkage": np.linspace(0.0, 0.95, 20).tolist()}
    for solver in ("lsqr", "eigen"):
        print(f"  {solver}")
        estimator = LinearDiscriminantAnalysis(solver=solver)
        _beside(estimator, grid, X, y, "log_loss", "neg_log_loss")


def _plain() -> None:
    """No fast path: at most 5 % more time than grid search."""
    from sklearn.tree import DecisionTreeClassifier

    X, y = _classes(4_000, 20)
    heading("decision trees, 12 depths by 5-fold, 4,000 x 20 (no fast path)")
    grid = {"max_depth": list(range(1, 13))}
    for jobs in (1, JOBS):
        print(f"  {jobs} jobs")
        tree = DecisionTreeClassifier(random_state=0)
        _beside(tree, grid, X, y, "accuracy", "accuracy", folds=5, jobs=jobs, ours_too=jobs)


def _beside(
    estimator: Any,
    grid: dict[str, Any],
    X: Any,
    y: Any,
    measure: str,
    scoring: str,
    *,
    asked: float | None = None,
    folds: int = 10,
    jobs: int = JOBS,
    ours_too: int = 1,
) -> None:
    from sklearn.model_selection import GridSearchCV

    import heldout

    splits = heldout.KFold(folds)
    how: Any = {"measure": measure, "procedure": splits, "n_jobs": ours_too}
    mine = best_of(lambda: heldout.select(estimator, grid, X, y, **how).best, 7)
    line("heldout.select", mine)
    start = perf_counter()
    theirs = GridSearchCV(
        estimator, grid, cv=splits, scoring=scoring, n_jobs=jobs, refit=False
    ).fit(X, y)
    taken = perf_counter() - start
    line(f"GridSearchCV{'' if asked is None else f' (asked: {asked:g})'}", taken, mine)
    found = heldout.select(estimator, grid, X, y, **how)
    if dict(found.best.parameters) != theirs.cv_results_["params"][theirs.best_index_]:
        print("  (the choices differ)")


def _classes(rows: int, features: int) -> tuple[Any, Any]:
    generator = np.random.default_rng(1)
    y = generator.integers(2, size=rows)
    return generator.normal(size=(rows, features)) + 0.5 * y[:, np.newaxis], y
