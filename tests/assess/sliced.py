"""Predictions in slices, for tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from heldout.assess.results import Result
from heldout.core.significance import Test
from heldout.predictions.table import Design, Predictions
from heldout.tables.column import Column

__all__ = ["binary_rows", "column", "multiclass_rows", "regression_rows", "its_test"]


def column(name: str, codes: np.ndarray[Any, Any]) -> Column:
    levels = int(codes.max()) + 1 if len(codes) else 0
    return Column(name, codes, tuple("abcdefghijklmnopqrstuvwxyz"[:levels]))


def binary_rows(
    codes: np.ndarray[Any, Any],
    *,
    seed: int = 1,
    worse: float = 0.0,
    weight: np.ndarray[Any, Any] | None = None,
    groups: np.ndarray[Any, Any] | None = None,
) -> Predictions:
    """Calibrated probabilities; in slice 0 they say less of the truth, by ``worse``."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(-0.5, 1.5, len(codes))
    probability = 1 / (1 + np.exp(-odds))
    truth = rng.random(len(codes)) < probability
    noisy = 1 / (1 + np.exp(-np.where(codes == 0, odds * (1 - worse), odds)))
    if worse:
        hidden = (codes == 0) & (rng.random(len(codes)) < worse)
        noisy = np.where(hidden, rng.random(len(codes)), noisy)
    group = None
    if groups is not None:
        group = Column("patient", groups, tuple(range(int(groups.max()) + 1)))
    return Predictions(
        "binary",
        truth.astype(np.int8),
        (noisy >= 0.5).astype(np.int8),
        noisy,
        ("no", "yes"),
        1,
        weight,
        design=Design(group=group),
        slices=(column("site", codes),),
    )


def multiclass_rows(codes: np.ndarray[Any, Any], *, seed: int = 1) -> Predictions:
    rng = np.random.default_rng(seed)
    probability = rng.dirichlet([1.0, 1.5, 2.0], len(codes))
    truth = (probability.cumsum(axis=1) < rng.random(len(codes))[:, None]).sum(axis=1)
    predicted = probability.argmax(axis=1)
    return Predictions(
        "multiclass",
        truth,
        predicted,
        probability,
        ("x", "y", "z"),
        slices=(column("site", codes),),
    )


def regression_rows(
    codes: np.ndarray[Any, Any], *, seed: int = 1, worse: float = 0.0
) -> Predictions:
    rng = np.random.default_rng(seed)
    truth = rng.normal(10, 3, len(codes))
    noise = rng.normal(0, 1, len(codes)) * np.where(codes == 0, 1 + worse, 1)
    return Predictions("regression", truth, truth + noise, slices=(column("site", codes),))


def its_test(result: Result) -> Test:
    """The test of a slice against the other rows."""
    assert result.test is not None
    return result.test
