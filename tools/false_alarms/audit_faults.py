"""Planted faults for the audit: each in data that have no other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from heldout.auditing.material import Material
from heldout.auditing.public import arrays_either, read_either
from heldout.predictions.arrays import from_arrays
from heldout.tables.column import Column

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS, TRAINED = 600, 400


def _data(rng: Any, decimals: int | None = None) -> tuple[Any, Any]:
    X = rng.normal(50, 9, (ROWS, 8))
    y = (X[:, 0] + X[:, 1] + 12 * rng.normal(size=ROWS) > 105).astype(int)
    return (X if decimals is None else X.round(decimals)), y


def _sides(X: Any, y: Any, **how: Any) -> Material:
    return Material(
        train=arrays_either(X[:TRAINED], y[:TRAINED], **how),
        test=arrays_either(X[TRAINED:], y[TRAINED:], **how),
    )


def _copies(change: Callable[[Any, Any], Any], many: int = 10, decimals: int | None = None) -> Any:
    """Training rows, changed, at random places of the test rows."""

    def made(rng: Any) -> Material:
        X, y = _data(rng, decimals)
        ours = rng.permutation(TRAINED)[:many]
        theirs = TRAINED + rng.permutation(ROWS - TRAINED)[:many]
        X[theirs], y[theirs] = change(X[ours].copy(), rng), y[ours]
        return _sides(X, y)

    return made


def _changed(count: int) -> Callable[[Any, Any], Any]:
    def change(rows: Any, rng: Any) -> Any:
        for row in rows:
            columns = rng.permutation(8)[:count]
            row[columns] += rng.normal(0, 9, count).round(1) + 0.1
        return rows

    return change


def _prepared(prepare: Callable[[Any, Any], Any]) -> Callable[[Any], Material]:
    """``prepare`` gets all rows and those of them that missing values were knocked out of."""

    def made(rng: Any) -> Material:
        X, y = _data(rng)
        holes = np.where(rng.random(X.shape) < 0.05, np.nan, X)
        return _sides(prepare(X, holes), y)

    return made


def _column(column: Callable[[Any, Any], Any]) -> Callable[[Any], Material]:
    """A further column made of the target."""

    def made(rng: Any) -> Material:
        X, y = _data(rng)
        return _sides(np.column_stack([X, column(y, rng)]), y)

    return made


def _target(
    target: Callable[[Any], Any], task: str | None = None, shown: Callable[[Any], Any] | None = None
) -> Callable[[Any], Material]:
    """A target made of the third column, which is shown as it is or changed."""

    def made(rng: Any) -> Material:
        X, _ = _data(rng)
        third = (X[:, 2] - 50) / 9
        if shown is not None:
            X[:, 2] = shown(third)
        return _sides(X, target(third), task=task)

    return made


def _flipped(y: Any, rng: Any) -> Any:
    return np.where(rng.random(ROWS) < 0.01, 1 - y, y)


def _half(y: Any, rng: Any) -> Any:
    return np.where(rng.random(ROWS) < 0.5, y, np.nan)


def _marked(y: Any, rng: Any) -> Any:
    return (y == 1) & (rng.random(ROWS) < 0.7)


def _encoded(y: Any, rng: Any) -> Any:
    kind = (rng.integers(0, 6, ROWS) + 4 * y) % 10
    return np.array([y[kind == k].mean() for k in range(10)])[kind]


def _groups(rng: Any) -> Material:
    made = _sides(*_data(rng))
    assert made.train is not None
    assert made.test is not None
    codes = rng.integers(0, 150, ROWS)
    group = Column("patient", codes, tuple(range(150)))
    rows = np.arange(ROWS)
    return replace(
        made,
        train=replace(made.train, group=group.take(rows[:TRAINED])),
        test=replace(made.test, group=group.take(rows[TRAINED:])),
    )


def _visits(name: str, same: int) -> Callable[[Any], Material]:
    """Two visits a patient on average, who are named in a column, and so many columns the same."""

    def made(rng: Any) -> Material:
        patient = rng.integers(0, ROWS // 2, ROWS)
        table = pd.DataFrame({name: rng.permutation(9 * ROWS)[: ROWS // 2][patient]})
        for i in range(8):
            table[f"a{i}"] = rng.integers(0, 9, ROWS // 2)[patient]
            if i >= same:
                table[f"a{i}"] = rng.normal(size=ROWS).round(2)
        table["y"] = rng.choice(["no", "yes"], ROWS)
        train, test = (read_either(part, target="y") for part in (table[:TRAINED], table[TRAINED:]))
        return Material(train=train, test=test)

    return made


def _times(order: Callable[[Any], Any]) -> Callable[[Any], Material]:
    def made(rng: Any) -> Material:
        both = _sides(*_data(rng))
        assert both.train is not None
        assert both.test is not None
        time = order(rng)
        return replace(
            both,
            train=replace(both.train, time=time[:TRAINED]),
            test=replace(both.test, time=time[TRAINED:]),
        )

    return made


def _training_rows_judged(rng: Any) -> Material:
    X, y = _data(rng)
    score = 1 / (1 + np.exp(-(X[:, 0] - 50) / 9))
    made = _sides(X, y)
    return replace(made, predictions=(_scored(y[:TRAINED], score[:TRAINED]),))


def _scored(y: Any, score: Any, threshold: float = 0.5) -> Any:
    return from_arrays(y, (score >= threshold).astype(int), y_score=score, pos_label=1)


def _tuned(rng: Any) -> Material:
    X, y = _data(rng)
    score = 1 / (1 + np.exp(-(X[:, 0] + X[:, 1] - 112) / 12))
    order = np.argsort(-score)
    best = np.argmax(2 * np.cumsum(y[order]) / (np.arange(1, ROWS + 1) + y.sum()))
    return Material(predictions=(_scored(y, score, float(score[order][best])),))


FAULTS: tuple[tuple[str, str, Callable[[Any], Material]], ...] = (
    ("K01", "10 test rows are training rows, in another order", _copies(lambda r, _: r)),
    ("K01", "one test row is a training row", _copies(lambda r, _: r, many=1)),
    ("K01", "predictions for the training rows, without ids", _training_rows_judged),
    (
        "K02",
        "10 copies with noise of 0.5% of the spread",
        _copies(lambda r, rng: r + rng.normal(0, 0.045, r.shape)),
    ),
    ("K02", "10 copies, one of 8 columns changed", _copies(_changed(1))),
    ("K02", "10 copies, two of 8 columns changed", _copies(_changed(2))),
    ("K02", "the same, all values with one decimal", _copies(_changed(2), decimals=1)),
    ("K02", "one copy, one of 8 columns changed", _copies(_changed(1), many=1)),
    ("K02", "10 copies, rounded to whole numbers", _copies(lambda r, _: r.round())),
    ("K02", "10 copies, rounded to one decimal", _copies(lambda r, _: r.round(1))),
    ("K02", "10 copies, multiplied by 1.1", _copies(lambda r, _: 1.1 * r)),
    ("K03", "groups in both training and test rows", _groups),
    *(
        (
            "K03",
            f"two visits per patient, in a column {name!r}, {same} of 8 the same",
            _visits(name, same),
        )
        for name in ("id", "mrn", "case_no", "Pat. Nr", "x")
        for same in (6, 2, 0)
    ),
    ("K04", "training rows later than test rows", _times(lambda _: np.arange(ROWS)[::-1])),
    ("K04", "rows of all times on both sides", _times(lambda rng: rng.permutation(ROWS))),
    ("K05", "a copy of the target", _column(lambda y, _: y)),
    ("K05", "a copy of the target, 1% flipped", _column(_flipped)),
    ("K05", "the target with noise", _column(lambda y, rng: y + rng.normal(0, 0.15, ROWS))),
    ("K05", "one class lies far from 0", _target(lambda x: (np.abs(x) > 0.8).astype(int))),
    ("K05", "the middle class of three", _target(lambda x: np.digitize(x, [-0.4, 0.4]))),
    ("K05", "classes alternate along a column", _target(lambda x: (np.sin(4 * x) > 0) * 1)),
    ("K05", "the target is the square of a column", _target(np.square, "regression")),
    ("K05", "a copy of the target, half missing", _column(_half)),
    ("K05", "a flag on 70% of one class and no other", _column(_marked)),
    (
        "K05",
        "the target, cut into 20 ranges",
        _target(lambda x: x, "regression", lambda x: np.digitize(x, np.linspace(-2, 2, 19))),
    ),
    ("K06", "scaled using all rows", _prepared(lambda X, _: (X - X.mean(0)) / X.std(0))),
    (
        "K06",
        "scaled to -1 to 1 using all rows",
        _prepared(lambda X, _: 2 * (X - X.min(0)) / (X.max(0) - X.min(0)) - 1),
    ),
    (
        "K06",
        "scaled by the median and quartiles of all rows",
        _prepared(
            lambda X, _: (X - np.median(X, 0)) / np.subtract(*np.quantile(X, (0.75, 0.25), 0))
        ),
    ),
    (
        "K06",
        "each side scaled separately",
        _prepared(
            lambda X, _: np.vstack([(p - p.mean(0)) / p.std(0) for p in (X[:TRAINED], X[TRAINED:])])
        ),
    ),
    (
        "K06",
        "missing values filled with means of all rows",
        _prepared(lambda _, h: np.where(np.isnan(h), np.nanmean(h, 0), h)),
    ),
    (
        "K06",
        "missing values filled with medians of all rows",
        _prepared(lambda _, h: np.where(np.isnan(h), np.nanmedian(h, 0), h)),
    ),
    ("K06", "categories replaced by target means over all rows", _column(_encoded)),
    ("K15", "threshold tuned on the test rows", _tuned),
    ("K19", "a row number as a feature", _column(lambda _, __: np.arange(ROWS))),
)
