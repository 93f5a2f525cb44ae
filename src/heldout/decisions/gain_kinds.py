"""Kinds of rows by truth and by what two decisions choose: what one gains over the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.codes import dense_codes
from heldout.intervals.cluster_bootstrap import GroupSums
from heldout.intervals.effective_rows import effective_sample_size
from heldout.intervals.group_values import group_gain_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.intervals.interval import Interval

__all__ = ["GainKinds", "MOST_COMPARED", "gain_kinds"]

#: classes above which kinds of rows are too many to be drawn
MOST_COMPARED = 10


@dataclass(frozen=True, eq=False)
class GainKinds:
    """The kind of each row, and what rows of every kind that there may be gain.

    Parameters
    ----------
    kind
        Of each row, a place in ``gains``.
    gains, is_same
        What a row of each kind gains, and whether both decisions choose the same there.
    """

    kind: NDArray[Any]
    gains: NDArray[np.float64]
    is_same: NDArray[np.bool_]

    def interval(
        self,
        groups: NDArray[Any],
        weight: NDArray[Any] | None,
        *,
        level: float = 0.95,
        replicates: int = 2000,
        seed: int = 1,
    ) -> Interval:
        """The interval of the mean gain of rows that come in groups."""
        present, codes = dense_codes(groups)
        width = len(self.gains)
        place = codes.astype(np.int64) * width + self.kind
        table = np.bincount(place, weight, minlength=present * width).reshape(-1, width)
        rows = float(len(self.kind))
        if weight is not None:
            rows = effective_sample_size(float(weight.sum()), float(np.square(weight).sum()))
        sums = GroupSums(*np.unique(table, axis=0, return_counts=True))
        return group_gain_interval(
            sums,
            self.gains,
            self.is_same,
            rows=rows,
            level=level,
            replicates=replicates,
            seed=seed,
        )


def gain_kinds(
    truth: NDArray[Any], before: NDArray[Any], after: NDArray[Any], values: NDArray[Any]
) -> GainKinds:
    """The kinds of rows by class codes of their truth and of two decisions.

    Parameters
    ----------
    values
        What a row is worth in each cell, rows = truth.

    Examples
    --------
    >>> truth, before, after = np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([0, 1, 1])
    >>> made = gain_kinds(truth, before, after, np.array([[0.0, -1.0], [-5.0, 0.0]]))
    >>> made.gains[made.kind], made.gains
    (array([0., 5., 0.]), array([ 0., -1.,  1.,  0.,  0.,  5., -5.,  0.]))
    """
    classes = len(values)
    own, first, second = np.indices((classes,) * 3).reshape(3, -1)
    kind = (truth.astype(np.int64) * classes + before) * classes + after
    return GainKinds(kind, values[own, second] - values[own, first], first == second)
