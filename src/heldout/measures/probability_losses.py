"""The loss of each row of probabilities: what scoring rules are means of."""

from __future__ import annotations

from typing import Any

import numpy as np

from heldout.core.errors import InputError
from heldout.tally.rows import ProbabilityRows

__all__ = [
    "absolute_errors",
    "log_losses",
    "misses",
    "quadratic_scores",
    "residuals",
    "spherical_scores",
    "squared_distances",
    "squared_errors",
    "squared_lengths",
]


def log_losses(rows: ProbabilityRows, *, clip: float = 0.0) -> Any:
    """The negative natural logarithm of the probability given to the true class.

    A clip above 0 raises smaller probabilities to it; without one, probability 0 is infinite.
    """
    if not 0 <= clip < 1:
        raise InputError(f"clip is a probability from 0 to below 1, not {clip:g}")
    truth = np.maximum(rows.of_truth, clip) if clip else rows.of_truth
    with np.errstate(divide="ignore"):
        return 0.0 - np.log(truth)


def residuals(rows: ProbabilityRows) -> Any:
    """Each class's probability minus 1 for the class that came true, 0 for the others."""
    difference = rows.matrix.copy()
    difference[np.arange(len(rows)), rows.truth] -= 1.0
    return difference


def misses(rows: ProbabilityRows) -> Any:
    """How much the probability of the true class falls short of 1."""
    if rows.is_binary:
        return np.abs(rows.of_positive - rows.is_positive)
    return 1.0 - rows.of_truth


def squared_distances(rows: ProbabilityRows, *, half: bool = False) -> Any:
    """Squared distance to the truth: of the one column of two classes, else summed over classes."""
    if rows.classes == 2:
        return np.square(misses(rows))
    if rows.is_certain:
        total = 2.0 * misses(rows)
    else:
        difference = residuals(rows)
        total = np.einsum("ij,ij->i", difference, difference)
    return total / 2 if half else total


def squared_errors(rows: ProbabilityRows, *, all_columns: bool = False) -> Any:
    """Squared error of the true class's probability, or the mean over all class columns."""
    if all_columns and rows.classes > 2:
        return squared_distances(rows) / rows.classes
    return np.square(misses(rows))


def absolute_errors(rows: ProbabilityRows, *, all_columns: bool = False) -> Any:
    """Absolute error of the true class's probability, or the mean over all class columns."""
    if all_columns and rows.classes > 2:
        total = 2.0 * misses(rows) if rows.is_certain else np.abs(residuals(rows)).sum(axis=1)
        return total / rows.classes
    return misses(rows)


def squared_lengths(rows: ProbabilityRows) -> Any:
    """The sum of the squared probabilities of all classes."""
    if rows.is_binary:
        return np.square(rows.of_positive) + np.square(1.0 - rows.of_positive)
    if rows.is_certain:
        return np.ones(len(rows))
    return np.asarray(np.einsum("ij,ij->i", rows.matrix, rows.matrix))


def spherical_scores(rows: ProbabilityRows) -> Any:
    """The probability of the true class over the length of all classes' probabilities."""
    return np.minimum(rows.of_truth / np.sqrt(squared_lengths(rows)), 1.0)


def quadratic_scores(rows: ProbabilityRows) -> Any:
    """Twice the probability of the true class minus the sum of all squared probabilities."""
    return np.clip(2.0 * rows.of_truth - squared_lengths(rows), -1.0, 1.0)
