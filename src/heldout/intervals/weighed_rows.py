"""Rows with scores of all classes, weighted at random, with one pseudo-row among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.intervals.resampling import in_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.intervals.resampling import RowSampler

__all__ = ["replicate_weighed"]

#: parts of the pseudo-row below this share of it are left out: they change nothing, and cost
LEAST_PART = 1e-12


def replicate_weighed(
    statistic: Callable[[NDArray[Any], NDArray[Any], NDArray[Any]], float],
    truth: NDArray[Any],
    scores: NDArray[Any],
    weight: NDArray[Any] | None,
    *,
    sampler: RowSampler,
    replicates: int,
    rng: Generator,
) -> NDArray[Any]:
    """Replicates of a Bayesian bootstrap of rows or whole groups, with a pseudo-row or -group.

    It is spread evenly over the true classes that occur and over the scores of all rows, and
    weighs as much as a row or group does on average: a ranking without a fault is not taken
    to be one that cannot have any (see ``ScoreRows.weighed``, which is this for two classes).

    Parameters
    ----------
    statistic
        Takes truth, scores and weights of rows.

    Examples
    --------
    >>> from heldout.core.random import generator
    >>> from heldout.intervals.resampling import RowSampler
    >>> truth, scores = np.array([0, 1]), np.array([[0.9, 0.1], [0.2, 0.8]])
    >>> made = replicate_weighed(
    ...     lambda t, s, w: float(w @ (s.argmax(axis=1) == t) / w.sum()),
    ...     truth,
    ...     scores,
    ...     None,
    ...     sampler=RowSampler(2),
    ...     replicates=50,
    ...     rng=generator(1),
    ... )
    >>> bool(made.min() < 1)
    True
    """
    classes, rows = np.unique(truth), len(truth)
    whole = np.ones(rows) if weight is None else weight
    typical = float(whole.sum()) / sampler.units

    def one(own: Generator) -> float:
        drawn = sampler.weights(own) * whole
        extra = own.standard_gamma(1 / (len(classes) * rows), len(classes) * rows)
        kept = np.flatnonzero(extra > LEAST_PART * extra.sum())
        place, row = np.divmod(kept, rows)
        row = sampler.order[row]
        return statistic(
            np.concatenate([truth, classes[place]]),
            np.concatenate([scores, scores[row]]),
            np.concatenate([drawn, extra[kept] * typical]),
        )

    return in_blocks(one, replicates=replicates, rng=rng, size=rows)
