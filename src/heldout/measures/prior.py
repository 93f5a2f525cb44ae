"""The prior as a table of a few rows, so that what it scores is worked out once and looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.tally.rows import ProbabilityRows

__all__ = ["of_row", "of_truth", "prior_table", "squared_distance_of_prior"]


def prior_table(rows: ProbabilityRows, *, laplace: bool) -> NDArray[np.float64]:
    """Each distinct prior as probabilities of the classes, a line each.

    ``laplace`` adds one to class counts of a training part; a prior given as
    probabilities stays as it is.
    """
    if rows.prior is None:
        msg = "no prior is known"
        raise ValueError(msg)
    table = rows.prior + 1.0 if laplace and rows.prior_is_counts else rows.prior
    return np.asarray(table / table.sum(axis=1, keepdims=True))


def squared_distance_of_prior(rows: ProbabilityRows, *, laplace: bool) -> NDArray[np.float64]:
    """For each distinct prior and true class, the prior's squared distance summed over classes."""
    table = prior_table(rows, laplace=laplace)
    # 1 - p is squared on its own, so that a prior near certainty keeps its digits
    others = np.square(table).sum(axis=1, keepdims=True) - np.square(table)
    return np.maximum(others, 0.0) + np.square(1.0 - table)


def of_truth(rows: ProbabilityRows, table: NDArray[Any]) -> NDArray[Any]:
    """Each row's entry of a table that has a line a prior and a column a true class."""
    if rows.prior_codes is None:
        return np.take(table[0], rows.truth)
    return np.asarray(table[rows.prior_codes, rows.truth])


def of_row(rows: ProbabilityRows, values: NDArray[Any]) -> NDArray[Any]:
    """Each row's entry of a list that has one number a prior."""
    if rows.prior_codes is None:
        return np.full(len(rows), values[0])
    return np.take(values, rows.prior_codes)
