"""Honest data for the audit: well-known sets and simulated ones, split at random."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from heldout.auditing.material import Material
from heldout.auditing.public import arrays_either, read_either
from heldout.predictions.arrays import from_arrays

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = 400


def sides(X: Any, y: Any, rng: Any, *, share: float = 2 / 3, **how: Any) -> Material:
    """A share of the rows trains, the others test."""
    order = rng.permutation(len(y))
    cut = int(share * len(y) + 1e-9)
    return Material(
        train=arrays_either(X[order[:cut]], y[order[:cut]], **how),
        test=arrays_either(X[order[cut:]], y[order[cut:]], **how),
    )


def _known(name: str, share: float = 2 / 3) -> Callable[[Any], Material]:
    def made(rng: Any) -> Material:
        from sklearn import datasets

        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        task = "regression" if name == "diabetes" else None
        return sides(X, y, rng, task=task, share=share)

    return made


def _made(values: Callable[[Any], Any], *, task: str | None = None) -> Callable[[Any], Material]:
    """A target that depends on the first two columns, with noise."""

    def made(rng: Any) -> Material:
        X = np.asarray(values(rng), float)
        first, second = ((X[:, i] - X[:, i].mean()) / X[:, i].std() for i in range(2))
        signal = first + second**2 + rng.normal(size=len(X))
        y = signal if task == "regression" else np.digitize(signal, np.quantile(signal, [0.6]))
        return sides(X, y, rng, task=task)

    return made


def _answers(rng: Any) -> Any:
    mood = rng.normal(size=(ROWS, 1))
    return np.clip((1.2 * mood + 0.5 * rng.normal(size=(ROWS, 10)) + 3).round(), 1, 5)


def _one_hot(rng: Any) -> Any:
    return np.eye(12)[rng.integers(0, 12, ROWS)]


def _with_gaps(rng: Any) -> Any:
    X = rng.integers(0, 4, (ROWS, 8)).astype(float)
    X[:, 2:][rng.random((ROWS, 6)) < 0.5] = np.nan
    return X


def _kinds(rng: Any) -> Any:
    kinds = rng.integers(0, 5, (20, 10))[rng.integers(0, 20, ROWS)]
    return kinds + (rng.random((ROWS, 10)) < 0.1)


def _families(rng: Any) -> Any:
    shared = rng.normal(size=(150, 4))[rng.integers(0, 150, ROWS)]
    return np.hstack([rng.normal(size=(ROWS, 4)), shared])


def _often_0(rng: Any) -> Any:
    return np.where(rng.random((ROWS, 8)) < 0.7, 0, rng.normal(size=(ROWS, 8)))


def _frame(columns: Callable[[Any], dict[str, Any]]) -> Callable[[Any], Material]:
    """Named columns beside a target that depends on none of them."""

    def made(rng: Any) -> Material:
        table = pd.DataFrame(columns(rng)).assign(y=rng.choice(["no", "yes"], 2 * ROWS))
        order = rng.permutation(len(table))
        parts = np.split(order, [int(0.7 * len(table))])
        train, test = (read_either(table.iloc[rows], target="y") for rows in parts)
        return Material(train=train, test=test)

    return made


def _quantities(rng: Any) -> dict[str, Any]:
    size, age = rng.normal(size=2 * ROWS), rng.integers(18, 90, 2 * ROWS)
    weight = (3000 + 500 * size + 200 * rng.normal(size=2 * ROWS)).round()
    length = (500 + 30 * size + 10 * rng.normal(size=2 * ROWS)).round()
    return {
        "age": age,
        "decade": age // 10,
        "weight": weight,
        "pounds": (weight / 453.6).round(1),
        "length": length,
        "no_of_steps": rng.poisson(300, 2 * ROWS),
        "sex": rng.integers(0, 2, 2 * ROWS),
    }


def _zip_codes(rng: Any) -> dict[str, Any]:
    zips = np.sort(rng.permutation(90_000)[:250] + 10_000)
    at = rng.integers(0, 250, 2 * ROWS)
    return {
        "zip": zips[at],
        "state": zips[at] // 10_000,
        "income": rng.normal(50, 10, 250).round(1)[at],
        "rooms": rng.integers(1, 8, 2 * ROWS),
        "area": rng.normal(99, 30, 2 * ROWS).round(),
        "built": rng.integers(1950, 2020, 2 * ROWS),
    }


def _dates(rng: Any) -> dict[str, Any]:
    day = rng.integers(0, 200, 2 * ROWS)
    return {
        "date": (np.datetime64("2020-01-01") + day).astype(str),
        "wind": rng.normal(size=200).round(1)[day],
        "rain": rng.integers(0, 2, 200)[day],
        "shop": rng.integers(0, 30, 2 * ROWS),
    }


def _thresholds(rng: Any) -> Material:
    """Labels cut where the F score is best on as many other rows."""
    truth, score = _scored(rng)
    others, known = _scored(rng)
    order = np.argsort(-known)
    value = 2 * np.cumsum(others[order]) / (np.arange(1, len(known) + 1) + others.sum())
    labels = (score >= known[order][np.argmax(value)]).astype(int)
    return Material(predictions=(from_arrays(truth, labels, y_score=score, pos_label=1),))


def _scored(rng: Any) -> tuple[Any, Any]:
    truth = (rng.random(3 * ROWS) < 0.3).astype(int)
    return truth, 1 / (1 + np.exp(1.5 - 1.5 * truth - rng.normal(size=len(truth))))


CLEAN: dict[str, Callable[[Any], Material]] = {
    "iris": _known("iris"),
    "iris, half of the rows for training": _known("iris", 0.5),
    "wdbc": _known("breast_cancer"),
    "wine": _known("wine"),
    "digits": _known("digits"),
    "diabetes": _known("diabetes"),
    "8 measured columns": _made(lambda rng: rng.normal(size=(ROWS, 8))),
    "the same, regression": _made(lambda rng: rng.normal(size=(ROWS, 8)), task="regression"),
    "4 columns with one decimal": _made(lambda rng: rng.normal(5, 1, (ROWS, 4)).round(1)),
    "20 yes/no columns": _made(lambda rng: rng.integers(0, 2, (ROWS, 20))),
    "40 columns of rare flags": _made(lambda rng: rng.random((ROWS, 40)) < 0.05),
    "10 correlated answers": _made(_answers),
    "a categorical column, one-hot encoded in 12": _made(_one_hot),
    "8 columns, half of the values missing": _made(_with_gaps),
    "12 columns of counts": _made(lambda rng: rng.poisson(2, (ROWS, 12))),
    "8 columns that are mostly 0": _made(_often_0),
    "20 clusters of rows, with noise": _made(_kinds),
    "families that share 4 of 8 columns": _made(_families),
    "7 columns of whole numbers": _frame(_quantities),
    "houses with zip codes": _frame(_zip_codes),
    "days with their weather": _frame(_dates),
    "1,200 labels, threshold chosen on other rows": _thresholds,
}
