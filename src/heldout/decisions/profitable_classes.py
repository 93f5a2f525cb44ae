"""The class that earns most by the probabilities of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.threads import WORTH_A_THREAD, blocks, in_threads
from heldout.predictions.probabilities import improper, within_unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["probability_table", "profitable_classes"]

#: expected profits that differ by less, relative to the largest cell, are equal
TIE = 1e-12


def profitable_classes(
    probability: NDArray[Any],
    values: NDArray[Any],
    *,
    positive: int | None = None,
    tie: float = TIE,
) -> tuple[NDArray[Any], NDArray[Any], int]:
    """The class of largest expected value for each row, that value, and the number of ties.

    ``values`` has the truth as rows: deciding for class j earns the sum over i of the
    probability of i times ``values[i, j]``. A tie goes to the class ``positive``, as a score
    at the threshold does; where there is none, to the first in order.

    Examples
    --------
    >>> chosen, expected, ties = profitable_classes(
    ...     np.array([[0.8, 0.2], [0.5, 0.5]]), np.array([[0.0, -1.0], [-5.0, 0.0]])
    ... )
    >>> chosen, expected, ties
    (array([1, 1]), array([-0.8, -0.5]), 0)
    """
    count = len(probability)
    chosen, best = np.empty(count, np.int64), np.empty(count)
    slack = tie * float(np.abs(values).max(initial=0.0))

    def work(span: slice) -> int:
        # not by np.dot, whose threads would wait for each other on a busy machine; a row a
        # class, as few long rows are gone through faster than many short ones
        expected = np.ascontiguousarray(np.einsum("ij,jk->ki", probability[span], values))
        top = expected.max(axis=0)
        tied = expected >= top - slack
        first = np.argmax(tied, axis=0)
        chosen[span] = first if positive is None else np.where(tied[positive], positive, first)
        best[span] = top
        return int(np.count_nonzero(np.add.reduce(tied, axis=0, dtype=np.int32) > 1))

    spans = list(blocks(count))
    ties = in_threads(work, spans) if count >= WORTH_A_THREAD else [work(span) for span in spans]
    return chosen, best, sum(ties)


def probability_table(probability: NDArray[Any], positive: int | None) -> NDArray[np.float64]:
    """The probabilities as a column a class, or an error where they are none."""
    table = np.asarray(probability, float)
    if table.ndim == 1:
        if positive is None:
            raise InputError("one column of probabilities: say which class it is of (positive)")
        one = table
        table = np.empty((len(one), 2))
        table[:, int(bool(positive))] = one
        table[:, int(not positive)] = 1 - one
    table, _ = within_unit(table, float(table.min(initial=0.0)), float(table.max(initial=1.0)))
    lowest, highest = float(table.min(initial=0.0)), float(table.max(initial=1.0))
    if np.isnan(lowest):
        row = int(np.argmax(np.isnan(table).any(axis=1)))
        raise InputError(f"expected profit needs probabilities: row {row} has no number")
    problem = improper(table, lowest, highest) if len(table) else None
    if problem is not None:
        row = int(np.argmax(problem.bad))
        raise InputError(f"expected profit needs probabilities: those of row {row} {problem.what}")
    return table
