"""Rows of weight 0, which are no rows to any measure: they are left out, and a note says so."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from heldout.predictions.part import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.predictions.table import Predictions

__all__ = ["only_weighing", "weighing_rows"]


def weighing_rows(weight: NDArray[np.float64] | None) -> NDArray[np.int64] | None:
    """Positions of the rows that weigh anything; None where all do, or none does.

    Examples
    --------
    >>> weighing_rows(np.array([2.0, 0.0, 1.0])).tolist(), weighing_rows(np.array([1.0, 1.0]))
    ([0, 2], None)
    """
    if weight is None or np.count_nonzero(weight) in (0, len(weight)):
        return None
    return np.flatnonzero(weight)


def only_weighing(predictions: Predictions) -> Predictions:
    """The predictions of rows that weigh anything, with a note where others are left out.

    The size of training and test parts stays that of all rows, all of which were split.
    """
    kept = weighing_rows(predictions.weight)
    if kept is None:
        return predictions
    names = predictions.identifier
    every = np.arange(len(predictions)) if names is None else names
    lost = len(np.unique(every)) - len(np.unique(every[kept]))
    note = f"{plural(lost, 'row')} of weight 0 left out: they may train, and are not judged"
    return replace(predictions.take(kept), notes=(*predictions.notes, note))
