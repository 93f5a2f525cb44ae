"""Intervals of what rows in groups earn or cost in the mean, a value for each confusion cell."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.random import stream
from karat.core.threads import blocks
from karat.intervals.bootstrap import bayesian_limits
from karat.intervals.cluster_bootstrap import few_groups
from karat.intervals.confusion_bootstrap import pseudo_row, with_empty_cells
from karat.intervals.group_spread import GroupSpread, group_spread
from karat.intervals.grouped import ALIKE, worth_text
from karat.intervals.interval import Interval, absent, checked_level
from karat.intervals.resampling import BLOCK_CELLS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.intervals.cluster_bootstrap import GroupSums
    from karat.tally.confusion import Confusion

__all__ = ["group_value_interval"]

#: a variance below this, in squares of the largest deviation, is rounding
ROUNDING = 1e-20


def group_value_interval(
    confusion: Confusion,
    sums: GroupSums,
    values: NDArray[Any],
    *,
    squares: Confusion | None = None,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 1,
) -> Interval:
    """The interval of the mean value of rows that come in groups, rows counted for their worth.

    The cells are drawn as those of independent rows are (a Bayesian bootstrap with one
    pseudo-row), but of as many rows as would make the mean as uncertain as the groups do.
    Draws of whole groups do not cover: an expensive error that few groups have, or none, is
    as rare or as absent in every draw.

    Parameters
    ----------
    confusion, sums
        The cells of all rows, and by group: ``GroupSums.of_cells``.
    values
        What a row is worth in each cell, rows = truth.
    squares
        The cells counted by the squares of weights; None: all rows weigh the same.

    Examples
    --------
    >>> from karat.intervals.cluster_bootstrap import GroupSums
    >>> from karat.tally.confusion import Confusion
    >>> cells = np.array([[8, 2, 0, 5], [9, 0, 1, 5]])
    >>> sums, whole = GroupSums(cells, np.array([5, 5])), [[85, 10], [5, 50]]
    >>> cost = np.array([[0, 1], [5, 0]])
    >>> made = group_value_interval(Confusion.from_matrix(whole), sums, cost)
    >>> made.method.split(",")[0]
    'Bayesian bootstrap with a pseudo-row on 112 effective rows of 10 groups'
    """
    level = checked_level(level)
    count = sums.total_groups
    if count < 2:
        return absent("fewer than two groups say nothing of the spread", level=level)
    values = np.asarray(values, float)
    total = float(confusion.counts.sum())
    mean = float(confusion.counts @ values[confusion.truth, confusion.predicted]) / total
    # rows that weigh differently count as Kish's effective number
    rows = total if squares is None else total**2 / float(squares.total)
    variance, spread = _spread(confusion, sums, values - mean, rows)
    size = spread.effective_rows(variance, level)
    full = with_empty_cells(confusion)
    shape = full.counts * (size / total) + pseudo_row(full)
    drawn = _drawn_means(shape, values[full.truth, full.predicted], replicates, seed)
    made = bayesian_limits(drawn, mean, level=level)
    words = f"{worth_text(size, count)}, {replicates} draws of cells, seed {seed}"
    made = replace(made, method=f"{made.method} on {words}").noted(few_groups(count))
    return made.noted(ALIKE) if 0 < spread.of_groups < spread.of_rows else made


def _spread(
    confusion: Confusion, sums: GroupSums, off: NDArray[Any], rows: float
) -> tuple[float, GroupSpread]:
    """The variance of a row's value, and how far off the mean may be."""
    count, total = sums.total_groups, float(confusion.counts.sum())
    of_cell = off[confusion.truth, confusion.predicted]
    variance = float(confusion.counts @ of_cell**2) / total
    if rows <= 1 or variance <= ROUNDING * float(np.abs(off).max()) ** 2:
        # no two rows differ: nothing is known of the spread, and each group counts as one row
        return 1.0, GroupSpread(0.0, sqrt(1 / min(count, rows)), count, count - 1)
    by_group = sums.table.astype(float)
    return variance, group_spread(
        by_group @ of_cell / total,
        by_group.sum(axis=1),
        sums.groups,
        row_error=sqrt(variance / (rows - 1)),
        rows=rows,
        has_tails=True,
    )


def _drawn_means(
    shape: NDArray[Any], values: NDArray[Any], replicates: int, seed: int
) -> NDArray[Any]:
    """Means of the values over cells whose shares are drawn from a Dirichlet distribution."""
    rng, drawn = stream(seed, "confusion", "effective"), np.empty(replicates)
    for block in blocks(replicates, max(1, BLOCK_CELLS // len(shape))):
        weighed = rng.standard_gamma(shape, (block.stop - block.start, len(shape)))
        drawn[block] = weighed @ values / weighed.sum(axis=1)
    return drawn
