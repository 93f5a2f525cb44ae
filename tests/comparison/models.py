"""Models of a known quality on made-up rows, for comparisons."""

from __future__ import annotations

from typing import Any

import numpy as np

import heldout
from heldout.comparison.compare import compare

__all__ = ["binary", "classes", "loss_difference", "numbers"]


def binary(name: str, signal: float, *, seed: int, rows: int = 120, **design: Any) -> Any:
    """Probabilities of two classes; more signal, better model."""
    truth = np.random.default_rng(99).integers(0, 2, rows)
    noise = np.random.default_rng(seed).normal(size=rows)
    score = 1 / (1 + np.exp(-(signal * (2 * truth - 1) + noise)))
    return heldout.from_arrays(
        truth, y_score=np.clip(score, 0.01, 0.99), pos_label=1, model=name, **design
    )


def classes(name: str, quality: float, *, seed: int, rows: int = 150) -> Any:
    """Labels of three classes, right on about a share of the rows."""
    truth = np.random.default_rng(98).integers(0, 3, rows)
    rng = np.random.default_rng(seed)
    predicted = np.where(rng.random(rows) < quality, truth, rng.integers(0, 3, rows))
    return heldout.from_arrays(truth, predicted, model=name)


def numbers(name: str, spread: float, *, seed: int, rows: int = 80) -> Any:
    """A regression whose errors have a spread."""
    truth = np.random.default_rng(97).normal(size=rows)
    errors = np.random.default_rng(seed).normal(0, spread, rows)
    return heldout.from_arrays(truth, truth + errors, task="regression", model=name)


def loss_difference(first: Any, second: Any, *, groups: Any = None, **how: Any) -> Any:
    """The difference of two models whose rows have these losses (none below 0)."""
    truth = np.zeros(len(first))
    models = [
        heldout.from_arrays(truth, losses, task="regression", model=name, groups=groups)
        for name, losses in (("a", first), ("b", second))
    ]
    return compare(*models, measures="mae", test="loss-t", **how)["mae"]
