"""Resampled confusion counts: resampling rows is drawing the cells from a multinomial."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.errors import InputError
from karat.tally.confusion import Confusion

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

__all__ = ["draw_confusions", "leave_one_out", "smoothed_confusions"]


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
    >>> from karat.core.random import generator
    >>> counts = Confusion.from_matrix([[6, 2], [1, 5]], positive=0)
    >>> drawn = draw_confusions(counts, replicates=1000, rng=generator(1))
    >>> drawn.counts.shape, drawn.total.min(), drawn.total.max()
    ((1000, 4), 14, 14)
    """
    counts = _whole(confusion)
    drawn = np.zeros((replicates, len(counts)), np.int64)
    for cells in _strata(confusion, stratified):
        total = int(counts[cells].sum())
        if total:
            drawn[:, cells] = rng.multinomial(total, counts[cells] / total, size=replicates)
    return replace(confusion, counts=drawn)


def leave_one_out(confusion: Confusion) -> tuple[Confusion, NDArray[Any]]:
    """The counts without one row of each cell, and how many rows leave that behind.

    Examples
    --------
    >>> without, rows = leave_one_out(Confusion.from_matrix([[6, 2], [0, 5]]))
    >>> without.counts.tolist(), rows.tolist()
    ([[5, 2, 5], [6, 1, 5], [6, 2, 4]], [6, 2, 5])
    """
    counts = _whole(confusion)
    return replace(confusion, counts=counts - np.eye(len(counts), dtype=np.int64)), counts


def smoothed_confusions(
    confusion: Confusion,
    *,
    replicates: int,
    rng: Generator,
    stratified: bool = False,
    size: float | None = None,
) -> Confusion:
    """Draws of what the counts would be in the long run, where the data show no variation.

    If a measure is 1 because nothing went wrong, every replicate of the rows is 1 too, and
    a bootstrap interval is a point. The long-run shares of the cells then have a posterior
    that is not: a Dirichlet distribution of the counts plus a prior, one pseudo-row spread
    over the cells that are right and one over those that are wrong. With two classes that
    is half a row a cell, Jeffreys' prior.

    Parameters
    ----------
    size
        How many independent rows the counts are worth; None: their total.

    Examples
    --------
    >>> from karat.core.random import generator
    >>> perfect = Confusion.from_matrix([[10, 0], [0, 10]], positive=0)
    >>> drawn = smoothed_confusions(perfect, replicates=1000, rng=generator(1))
    >>> np.quantile(drawn.correct / drawn.total, 0.025) < 0.9
    np.True_
    """
    total = float(confusion.counts.sum())
    size = total if size is None else size
    full = _with_empty_cells(confusion)
    right = full.truth == full.predicted
    prior = np.where(right, 1 / max(right.sum(), 1), 1 / max((~right).sum(), 1))
    weights = full.counts * (size / total if total else 0.0) + prior
    drawn = rng.standard_gamma(weights, (replicates, len(weights)))
    for cells in _strata(full, stratified):
        # stratified: each true class keeps its share of the rows
        mass = float(full.counts[cells].sum())
        drawn[:, cells] *= mass / drawn[:, cells].sum(axis=1, keepdims=True)
    return replace(full, counts=drawn)


def _whole(confusion: Confusion) -> NDArray[Any]:
    if confusion.counts.dtype.kind == "f":
        raise InputError(
            "weighted rows are not drawn by cells: resample rows with their weights instead"
        )
    return confusion.counts


def _strata(confusion: Confusion, stratified: bool) -> list[Any]:
    """The cells that are drawn together: all, or those of one true class."""
    if not stratified:
        return [slice(None)]
    return [np.flatnonzero(confusion.truth == k) for k in np.unique(confusion.truth)]


def _with_empty_cells(confusion: Confusion) -> Confusion:
    """The counts with the empty cells of all classes that occur, as truth or as prediction."""
    occur = np.union1d(confusion.truth, confusion.predicted)
    cells = (occur[:, None] * confusion.classes + occur).ravel()
    counts = np.zeros(len(cells), confusion.counts.dtype)
    counts[np.searchsorted(cells, confusion.cells)] = confusion.counts
    return replace(confusion, cells=cells, counts=counts)
