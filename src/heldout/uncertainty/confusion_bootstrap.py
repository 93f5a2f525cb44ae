"""Resampled confusion counts: resampling rows is drawing the cells from a multinomial."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.tally.confusion import Confusion

__all__ = [
    "bayesian_confusions",
    "draw_confusions",
    "leave_one_out",
    "pseudo_row",
    "strata_of",
    "with_empty_cells",
]


def draw_confusions(
    confusion: Confusion, *, replicates: int, rng: Generator, stratified: bool = False
) -> Confusion:
    """Bootstrap replicates of the counts, as one tally with a leading axis of replicates.

    Drawing n rows with replacement and counting them has the very distribution of one
    multinomial draw of the cells, so the cost does not depend on the number of rows.

    Parameters
    ----------
    confusion
        Counts of rows that all weigh the same.
    stratified
        Rows are drawn within each true class: class sizes stay as they are.

    Examples
    --------
    >>> from heldout.core.random import generator
    >>> from heldout.tally.confusion import Confusion
    >>> counts = Confusion.from_matrix([[6, 2], [1, 5]], positive=0)
    >>> drawn = draw_confusions(counts, replicates=1000, rng=generator(1))
    >>> drawn.counts.shape, set(drawn.total.tolist())
    ((1000, 4), {14})
    """
    counts = _whole(confusion)
    drawn = np.zeros((replicates, len(counts)), np.int64)
    for cells in strata_of(confusion, stratified):
        total = int(counts[cells].sum())
        if total:
            drawn[:, cells] = rng.multinomial(total, counts[cells] / total, size=replicates)
    return replace(confusion, counts=drawn)


def leave_one_out(confusion: Confusion) -> tuple[Confusion, NDArray[Any]]:
    """The counts without one row of each cell, and how many rows leave that behind.

    Examples
    --------
    >>> from heldout.tally.confusion import Confusion
    >>> without, rows = leave_one_out(Confusion.from_matrix([[6, 2], [0, 5]]))
    >>> without.counts.tolist(), rows.tolist()
    ([[5, 2, 5], [6, 1, 5], [6, 2, 4]], [6, 2, 5])
    """
    counts = _whole(confusion)
    kept = counts > 0
    without = counts - np.eye(len(counts), dtype=np.int64)[kept]
    return replace(confusion, counts=without), counts[kept]


def bayesian_confusions(
    confusion: Confusion, *, replicates: int, rng: Generator, stratified: bool = False
) -> Confusion:
    """Draws of the long-run shares of the cells: a Bayesian bootstrap with one pseudo-row.

    Each row gets a random weight instead of being drawn some times or never (Rubin 1981,
    Ann. Stat. 9:130), which for cells is a Dirichlet distribution of their counts. One
    pseudo-row is added, half of it spread over the cells that are right, half over those
    that are wrong, so that a cell where nothing was seen is not taken to be impossible:
    a measure that is 1 because nothing went wrong has limits that are not a point. For
    the accuracy the limits are Jeffreys'; with two classes it is Perks' prior.

    Examples
    --------
    >>> from heldout.core.random import generator
    >>> from heldout.tally.confusion import Confusion
    >>> perfect = Confusion.from_matrix([[10, 0], [0, 10]], positive=0)
    >>> drawn = bayesian_confusions(perfect, replicates=2000, rng=generator(1))
    >>> bool(0.87 < np.quantile(drawn.correct / drawn.total, 0.025) < 0.9)
    True
    """
    full = with_empty_cells(confusion)
    shape = full.counts + pseudo_row(full)
    drawn = rng.standard_gamma(shape, (replicates, len(shape)))
    for cells in strata_of(full, stratified):
        # the rows keep their number; stratified: each true class keeps its own
        mass = float(full.counts[cells].sum())
        drawn[:, cells] *= mass / drawn[:, cells].sum(axis=1, keepdims=True)
    return replace(full, counts=drawn)


def pseudo_row(full: Confusion) -> NDArray[Any]:
    """One row's worth of counts, half spread over the right cells, half over the wrong ones.

    Examples
    --------
    >>> from heldout.tally.confusion import Confusion
    >>> pseudo_row(Confusion.from_matrix([[1, 1], [1, 1]]))
    array([0.25, 0.25, 0.25, 0.25])
    """
    right = full.truth == full.predicted
    return np.where(right, 0.5 / max(right.sum(), 1), 0.5 / max((~right).sum(), 1))


def with_empty_cells(confusion: Confusion) -> Confusion:
    """The counts with the empty cells of all classes that occur, as truth or as prediction.

    Examples
    --------
    >>> from heldout.tally.confusion import Confusion
    >>> with_empty_cells(Confusion.from_matrix([[1, 0], [0, 1]])).counts
    array([1, 0, 0, 1])
    """
    occur = np.union1d(confusion.truth, confusion.predicted)
    cells = (occur[:, None] * confusion.classes + occur).ravel()
    counts = np.zeros((*confusion.counts.shape[:-1], len(cells)), confusion.counts.dtype)
    counts[..., np.searchsorted(cells, confusion.cells)] = confusion.counts
    return replace(confusion, cells=cells, counts=counts)


def _whole(confusion: Confusion) -> NDArray[Any]:
    if confusion.counts.dtype.kind == "f":
        raise InputError(
            "weighted rows are not drawn by cells: resample rows with their weights instead"
        )
    return confusion.counts


def strata_of(confusion: Confusion, stratified: bool) -> list[Any]:
    """The cells that are drawn together: all, or those of one true class.

    Examples
    --------
    >>> from heldout.tally.confusion import Confusion
    >>> strata_of(Confusion.from_matrix([[1, 1], [1, 1]]), True)
    [array([0, 1]), array([2, 3])]
    """
    if not stratified:
        return [slice(None)]
    return [np.flatnonzero(confusion.truth == k) for k in np.unique(confusion.truth)]
