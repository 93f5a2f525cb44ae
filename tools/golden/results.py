"""Golden results: every measure of many designs with its interval, kept as a Parquet file."""

from __future__ import annotations

from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

import heldout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EXPECTED = Path(__file__).parent / "expected" / "results.parquet"
KEYS = ["design", "model", "repeat", "fold", "slice", "class", "measure", "part"]
EXACT, CLOSE, MAY_MOVE = "exact", "1e-12", "interval may move"
# Methods that draw random numbers: their limits may move where the way of drawing changes.
DRAWN = "bootstrap|draws|permutation|resampl"


def designs() -> Iterator[tuple[str, Callable[[], Any]]]:
    """The name of each design and what makes its result with all measures."""
    for name, arguments in _tables():
        yield name, partial(heldout.score, **arguments)
    for name, arguments in _evaluations():
        yield name, partial(heldout.evaluate, **arguments)


def result_table(only: int = 1) -> pd.DataFrame:
    """A row a result of every design (or of every so-manieth), with its class of equality."""
    frames = []
    for name, judge in islice(designs(), 0, None, only):
        frame = judge().table.to_pandas()
        frame.insert(0, "design", name)
        frames.append(frame)
    table = pd.concat(frames, ignore_index=True)
    for column in KEYS[:-1]:
        table[column] = table[column].fillna("").astype(str)
    table["part"] = table.groupby(KEYS[:-1]).cumcount().astype(str)
    whole = (table["value"] == table["value"].round()) & table["method"].fillna("").eq("")
    drawn = table["method"].fillna("").str.contains(DRAWN, case=False)
    table["equality"] = np.where(drawn, MAY_MOVE, np.where(whole, EXACT, CLOSE))
    for column in ("procedure", "method", "note"):
        table[column] = table[column].fillna("").astype(str)
    return table


def compare_results(
    expected: pd.DataFrame, actual: pd.DataFrame, words: bool = True, tolerance: float = 1e-12
) -> list[str]:
    """What differs, a line each; ``words``: methods and notes too."""
    both = expected.merge(actual, on=KEYS, how="outer", suffixes=("", "_now"), indicator=True)
    lines = [
        f"{_place(row)}: only {'expected' if row['_merge'] == 'left_only' else 'now'}"
        for _, row in both[both["_merge"] != "both"].iterrows()
    ]
    both = both[both["_merge"] == "both"]
    for column in ("value", "low", "high", "level", "n"):
        before, now = (both[name].astype(float).to_numpy() for name in (column, f"{column}_now"))
        exact = both["equality"].eq(EXACT).to_numpy()
        same = np.isclose(before, now, rtol=tolerance, atol=tolerance, equal_nan=True)
        same = np.where(exact, (before == now) | (np.isnan(before) & np.isnan(now)), same)
        for place in np.flatnonzero(~same):
            row = both.iloc[place]
            lines.append(
                f"{_place(row)}: {column} {before[place]!r} -> {now[place]!r} ({row['equality']})"
            )
    for column in ("procedure", "method", "note") if words else ():
        for _, row in both[both[column] != both[f"{column}_now"]].iterrows():
            lines.append(f"{_place(row)}: {column} {row[column]!r} -> {row[f'{column}_now']!r}")
    return lines


def _place(row: Any) -> str:
    return " ".join(f"{row[key]}" for key in KEYS if row[key] != "" and key != "part")


def _tables() -> Iterator[tuple[str, dict[str, Any]]]:
    rng = np.random.default_rng(7)
    n = 120
    truth = (rng.random(n) < 0.4).astype(int)
    score = 1 / (1 + np.exp(-(2.0 * (truth - 0.5) + rng.normal(0, 1, n))))
    row = np.arange(n)
    weight = 0.5 + rng.random(n)
    binary = {"y_true": truth, "y_score": score, "pos_label": 1}
    yield "plain", binary
    yield "weighted", binary | {"sample_weight": weight}
    yield "whole weights", binary | {"sample_weight": row % 3 + 1}
    yield "groups", binary | {"groups": row // 4}
    yield "unequal groups", binary | {"groups": np.minimum(row // 2, 20)}
    yield "weighted groups", binary | {"groups": row // 4, "sample_weight": weight}
    yield "folds", binary | {"folds": row % 5}
    yield "folds of groups", binary | {"folds": row // 4 % 5, "groups": row // 4}
    yield "folds cut groups", binary | {"folds": row % 5, "groups": row // 4}
    yield "weighted folds", binary | {"folds": row % 5, "sample_weight": weight}
    repeats = np.repeat(np.arange(3), n)
    yield (
        "repeats",
        {
            "y_true": np.tile(truth, 3),
            "y_score": np.clip(np.tile(score, 3) + 0.02 * repeats, 0, 1),
            "pos_label": 1,
            "folds": np.concatenate([(row + 7 * k) % 5 for k in range(3)]),
            "repeats": repeats,
        },
    )
    yield "slices", binary | {"slices": {"site": np.array(["n", "s", "w"])[row % 3]}}
    yield "labels only", {"y_true": truth, "y_pred": (score > 0.5).astype(int), "pos_label": 1}
    yield (
        "one class",
        {"y_true": np.ones(20, int), "y_score": score[:20], "pos_label": 1, "labels": [0, 1]},
    )
    yield "flawless", {"y_true": truth, "y_score": 0.1 + 0.8 * truth, "pos_label": 1}
    yield "few rows", {"y_true": truth[:12], "y_score": score[:12], "pos_label": 1}
    yield "ties", binary | {"y_score": np.round(score, 1)}
    yield "scores that are no probabilities", binary | {"y_score": 5 * score - 2}
    yield "prior and costs", binary | {"prior": 0.1, "cost": [[0, 1], [5, 0]]}
    yield (
        "counts",
        {"confusion": [[50, 10], [5, 35]], "orientation": "truth-rows", "pos_label": "first"},
    )
    levels = 4
    colour = rng.integers(0, levels, n)
    raw = rng.gamma(1.0, 1.0, (n, levels)) + 2.0 * (colour[:, None] == np.arange(levels))
    shares = raw / raw.sum(axis=1, keepdims=True)
    several = {"y_true": colour, "y_score": shares}
    yield "several classes", several
    yield "several classes, folds", several | {"folds": row % 5}
    yield "several classes, groups", several | {"groups": row // 4}
    yield "several classes, labels", {"y_true": colour, "y_pred": shares.argmax(axis=1)}
    value = rng.gamma(3.0, 10.0, n)
    numbers = {
        "y_true": value,
        "y_pred": value * np.exp(rng.normal(0, 0.2, n)),
        "task": "regression",
    }
    yield "regression", numbers
    yield "regression, weighted", numbers | {"sample_weight": weight}
    yield "regression, groups", numbers | {"groups": row // 4}
    yield "regression, folds", numbers | {"folds": row % 5, "train_mean": 30.0}
    yield "regression, slices", numbers | {"slices": {"site": np.array(["n", "s", "w"])[row % 3]}}


def _evaluations() -> Iterator[tuple[str, dict[str, Any]]]:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    two = y > 0
    binary = {"models": ["nb"], "X": X[two], "y": y[two], "pos_label": 2, "random_state": 3}
    for procedure in (
        "10-fold",
        "3x5-fold",
        "holdout 70:30",
        "5x holdout 70:30",
        "loo",
        "bootstrap 10",
    ):
        yield f"nb, {procedure}", binary | {"procedure": procedure}
    yield "nb, time 4", binary | {"procedure": "time 4", "time": np.arange(two.sum())}
    three = {"models": ["nb", "lda", "knn"], "X": X, "y": y, "procedure": "5-fold"}
    yield "three models, three classes", three
    target = X[:, 0] + 0.1 * X[:, 1]
    linear = {"models": ["linear"], "X": X[:, 1:], "y": target, "procedure": "3x5-fold"}
    yield "linear, 3x5-fold", linear
