"""Rows of probabilities for tests, and the value of a measure of their losses."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from heldout.measures.registry import find
from heldout.tally.moments import Moments
from heldout.tally.rows import ProbabilityRows

__all__ = ["binary", "labels", "several", "value"]


def binary(truth: Any, probability: Any, **more: Any) -> ProbabilityRows:
    return ProbabilityRows(np.array(truth), np.array(probability, float), None, 2, 1, **more)


def several(truth: Any, probability: Any, **more: Any) -> ProbabilityRows:
    matrix = np.array(probability, float)
    return ProbabilityRows(np.array(truth), matrix, None, matrix.shape[1], **more)


def labels(truth: Any, predicted: Any, classes: int) -> ProbabilityRows:
    positive = 1 if classes == 2 else None
    return ProbabilityRows(np.array(truth), None, np.array(predicted), classes, positive)


def value(name: str, rows: ProbabilityRows, **parameters: Any) -> float:
    """The measure of rows, its losses made in two blocks as an engine makes them."""
    found = find(name)
    given = {q.name: q.default for q in found.parameters} | parameters
    half = len(rows) // 2
    tallies = []
    for loss in found.losses:
        names = inspect.signature(loss).parameters
        own = {key: v for key, v in given.items() if key in names}
        parts = [rows.take(slice(0, half)), rows.take(slice(half, None))]
        tallies.append(sum((Moments.of(loss(r, **own), r.weight) for r in parts), start=Moments()))
    return float(found(*tallies, **parameters))
