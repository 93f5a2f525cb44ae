"""Small random problems of each kind, as arrays that ``heldout.score`` takes."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

__all__ = ["TASKS", "Problem", "problems", "solved"]

TASKS = ("binary", "multiclass", "regression")
Problem = dict[str, Any]


@st.composite
def problems(draw: st.DrawFn, task: str, least: int = 2) -> Problem:
    """Truth, predictions and scores with ties, rare classes and (half the time) weights."""
    n = draw(st.integers(least, 14))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    problem: Problem = {}
    if task == "regression":
        problem["y_true"] = np.round(rng.gamma(2, 2, n), 1) + 0.05
        problem["y_pred"] = np.round(problem["y_true"] + rng.normal(size=n), 1) + 0.03
        problem["y_pred"] = np.abs(problem["y_pred"]) + 0.01
        problem["task"] = "regression"
        problem["naive"] = np.round(rng.gamma(2, 2, n), 2)
    elif task == "binary":
        problem["y_true"] = rng.integers(0, 2, n)
        problem["y_score"] = np.round(rng.random(n), 1) * 0.98 + 0.01
        problem["pos_label"], problem["labels"] = 1, [0, 1]
    else:
        problem["y_true"] = rng.integers(0, 3, n)
        raw = np.round(rng.random((n, 4)), 1) + 0.05
        problem["y_score"] = raw / raw.sum(axis=1, keepdims=True)
        problem["labels"] = [0, 1, 2, 3]
    if draw(st.booleans()):
        problem["sample_weight"] = rng.integers(1, 4, n).astype(float)
    return problem


def solved(task: str, n: int = 12) -> Problem:
    """A problem whose every prediction is right, with probability 1."""
    rng = np.random.default_rng(5)
    if task == "regression":
        values = rng.gamma(2, 2, n) + 0.1
        return {"y_true": values, "y_pred": values, "task": task, "naive": values[::-1].copy()}
    if task == "binary":
        truth: Any = np.arange(n) % 2
        return {"y_true": truth, "y_score": truth.astype(float), "pos_label": 1, "labels": [0, 1]}
    truth = np.arange(n) % 3
    return {"y_true": truth, "y_score": np.eye(3)[truth], "labels": [0, 1, 2]}
