"""The mean value of rows in groups, each worth what its cell is: costs, profits, gains."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.random import stream
from heldout.uncertainty.cells import posterior_name, pseudo_row, with_empty_cells
from heldout.uncertainty.influence import Influence, Spread
from heldout.uncertainty.interval import Interval, absent, checked_level
from heldout.uncertainty.limits import bayesian_limits
from heldout.uncertainty.means import ALIKE, ONE_GROUP
from heldout.uncertainty.proportions import worth_text
from heldout.uncertainty.sample import Sample

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.tally.confusion import Confusion

#: a variance below this, in squares of the largest deviation, is rounding
ROUNDING = 1e-20


def group_value_interval(
    confusion: Confusion,
    sums: Sample,
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
        The cells of all rows, and by group: ``Sample.of_cells``.
    values
        What a row is worth in each cell, rows = truth.
    squares
        The cells counted by the squares of weights; None: all rows weigh the same.

    Examples
    --------
    >>> from heldout.tally.confusion import Confusion
    >>> cells = np.array([[8, 2, 0, 5], [9, 0, 1, 5]])
    >>> sums, whole = Sample(cells, np.array([5, 5])), [[85, 10], [5, 50]]
    >>> cost = np.array([[0, 1], [5, 0]])
    >>> made = group_value_interval(Confusion.from_matrix(whole), sums, cost)
    >>> made.method.split(",")[0]
    'Dirichlet posterior (Perks prior) on 112 effective rows of 10 groups'
    """
    level = checked_level(level)
    values = np.asarray(values, float)
    full = with_empty_cells(confusion)
    table = np.zeros((len(sums.sums), len(full.cells)))
    table[:, np.searchsorted(full.cells, confusion.cells)] = sums.sums
    # rows that weigh differently count as Kish's effective number
    total = float(confusion.counts.sum())
    rows = total if squares is None else total**2 / float(squares.total)
    return _effective_limits(
        Sample(table, sums.count),
        values[full.truth, full.predicted],
        pseudo_row(full),
        rows,
        name=posterior_name(full),
        level=level,
        replicates=replicates,
        seed=seed,
    )


def group_gain_interval(
    sums: Sample,
    gains: NDArray[Any],
    is_same: NDArray[Any],
    *,
    rows: float,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 1,
) -> Interval:
    """The interval of what one decision gains over another in the mean, of rows in groups.

    As ``group_value_interval``: kinds of rows are drawn of as many rows as the groups are worth,
    with one pseudo-row, half of it where both decide the same, half where they differ.

    Parameters
    ----------
    sums
        Rows (or weights) of each kind by group, a column for every kind that there may be.
    gains, is_same
        What a row of each kind gains, and whether both decide the same there.
    rows
        How many rows there are (of weighted rows: Kish's effective number).

    Examples
    --------
    >>> sums = Sample(np.array([[18, 2, 0], [20, 0, 0]]), np.array([10, 10]))
    >>> gains, same = np.array([0.0, 1.0, -9.0]), np.array([True, False, False])
    >>> made = group_gain_interval(sums, gains, same, rows=400)
    >>> made.low < 0 < made.high
    True
    """
    level = checked_level(level)
    prior = np.where(is_same, 0.5 / max(is_same.sum(), 1), 0.5 / max((~is_same).sum(), 1))
    given: dict[str, Any] = {"level": level, "replicates": replicates, "seed": seed}
    name = "Dirichlet posterior (prior of one row)"
    return _effective_limits(sums, np.asarray(gains, float), prior, rows, name=name, **given)


def _effective_limits(
    sums: Sample,
    values: NDArray[Any],
    prior: NDArray[Any],
    rows: float,
    *,
    name: str,
    level: float,
    replicates: int,
    seed: int,
) -> Interval:
    """The limits of a mean of values, one for each column of the sums."""
    count = sums.units
    if count < 2:
        return absent(ONE_GROUP, level=level)
    counts = sums.count @ sums.sums.astype(float)
    total = float(counts.sum())
    mean = float(counts @ values) / total
    variance, spread = _spread(counts, sums, values - mean, rows)
    size = spread.effective_rows(variance, level)
    rng = stream(seed, "confusion", "effective")
    shares = Sample(None, counts * (size / total)).weighed(rng, replicates, prior)
    drawn = shares @ values / shares.sum(axis=1)
    interval = bayesian_limits(drawn, mean, level=level, name=name)
    words = f"{worth_text(size, count)}, {replicates} draws of cells, seed {seed}"
    interval = replace(interval, method=f"{interval.method} on {words}").noted(sums.sizes.remark)
    return interval.noted(ALIKE) if 0 < spread.of_units < spread.of_rows else interval


def _spread(
    counts: NDArray[Any], sums: Sample, off: NDArray[Any], rows: float
) -> tuple[float, Spread]:
    """The variance of a row's value, and how far off the mean may be."""
    count, total = sums.units, float(counts.sum())
    variance = float(counts @ off**2) / total
    if rows <= 1 or variance <= ROUNDING * float(np.abs(off).max()) ** 2:
        # no two rows differ: nothing is known of the spread, and each group counts as one row
        return 1.0, Spread(0.0, sqrt(1 / min(count, rows)), count, count - 1)
    by_group = sums.sums.astype(float)
    mean = Influence(0.0, by_group @ off / total, by_group.sum(axis=1), sums.count)
    return variance, mean.spread(row_error=sqrt(variance / (rows - 1)), rows=rows, has_tails=True)
