"""The value of a regression measure of rows, without the engines that make tallies."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from heldout.measures.registry import find
from heldout.tally.moments import Moments
from heldout.tally.rows import ValueRows

__all__ = ["value"]


def value(name: str, truth: Any, predicted: Any, weight: Any = None, **more: Any) -> float:
    """A measure of rows; ``naive`` and ``train_mean`` go to the rows, the rest is parameters."""
    extra = {key: np.asarray(more.pop(key)) for key in ("naive", "train_mean") if key in more}
    weight = None if weight is None else np.asarray(weight, float)
    rows = ValueRows(np.asarray(truth, float), np.asarray(predicted, float), weight, **extra)
    m = find(name)
    losses = iter(m.losses)
    tallies: list[Any] = []
    kinds: tuple[Any, ...] = m.needs
    for kind in kinds:
        if kind is Moments:
            loss = next(losses)
            shared = {k: v for k, v in more.items() if k in inspect.signature(loss).parameters}
            tallies.append(Moments.of(loss(rows, **shared), weight))
        else:
            tallies.append(kind.of(rows.truth, rows.predicted, weight))
    return float(m(*tallies, **more))
