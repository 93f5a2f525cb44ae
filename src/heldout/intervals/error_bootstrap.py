"""Resampled errors of predicted numbers: replicates of whatever follows from joint moments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.intervals.joint_means import JointMeans
from heldout.intervals.row_bootstrap import replicate_means
from heldout.tally.errors import ErrorRows, Errors

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.intervals.resampling import RowSampler

__all__ = ["MANY_ROWS", "replicate_errors"]

#: above this many rows the means of products are drawn as normal, not by resampling rows
MANY_ROWS = 20_000


def replicate_errors(
    rows: ErrorRows,
    statistic: Callable[[Errors], Any],
    *,
    replicates: int,
    rng: Generator,
    sampler: RowSampler | None = None,
    by_moments: bool = False,
) -> NDArray[Any]:
    """Bootstrap replicates of a statistic of ``Errors`` (R squared, a correlation).

    All that such a statistic sees are the means of truth, prediction, their squares and
    their product; these five are resampled together.

    Parameters
    ----------
    sampler
        What is drawn: strata, groups. None: rows.
    by_moments
        Whether the five means are drawn as normal with their covariance, which costs one
        pass over the rows altogether.

    Notes
    -----
    ``Errors.largest`` stays as it is: a bootstrap says nothing valid about a maximum.

    Examples
    --------
    >>> from heldout.core.random import generator
    >>> rows = ErrorRows.of(np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 4.0]))
    >>> replicate_errors(rows, lambda e: e.residual_squares, replicates=3, rng=generator(1))
    array([0., 0., 0.])
    """
    centre = Errors.of(rows.truth, rows.predicted, rows.weight)

    def products(block: slice) -> NDArray[Any]:
        # leaning on the means keeps the digits that plain squares would lose
        t, p = rows.truth[block] - centre.truth_mean, rows.predicted[block] - centre.predicted_mean
        return np.column_stack([t, p, t * t, p * p, t * p])

    if by_moments:
        drawn = _moments(rows, products).draw(replicates=replicates, rng=rng)
    else:
        drawn = replicate_means(
            products(slice(None)), rows.weight, replicates=replicates, rng=rng, sampler=sampler
        )
    return np.array([statistic(_errors(means, centre)) for means in drawn], float)


def _moments(rows: ErrorRows, products: Callable[[slice], NDArray[Any]]) -> JointMeans:
    if rows.weight is None:
        return JointMeans.of_blocks(rows.rows, products)
    return JointMeans.of(products(slice(None)), rows.weight)


def _errors(means: NDArray[Any], centre: Errors) -> Errors:
    """The joint moments that have these means of products (about ``centre``)."""
    t, p, tt, pp, tp = (float(mean) for mean in means)
    weight = centre.weight
    of_truth, of_predicted = max(tt - t * t, 0.0), max(pp - p * p, 0.0)
    together = tp - t * p
    return Errors(
        centre.rows,
        weight,
        centre.truth_mean + t,
        centre.predicted_mean + p,
        centre.error_mean + p - t,
        weight * of_truth,
        weight * of_predicted,
        weight * max(of_truth + of_predicted - 2 * together, 0.0),
        weight * together,
        centre.largest,
    )
