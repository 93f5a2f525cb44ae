"""Resampled rows: bootstrap replicates of means of losses, and of any statistic of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.intervals.bootstrap import Jackknife
from heldout.intervals.resampling import RowSampler, in_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator
    from numpy.typing import NDArray

__all__ = ["replicate_means", "replicate_rows", "row_jackknife"]

#: parts of a jackknife that cannot leave out every single row
JACKKNIFE_PARTS = 400


def replicate_means(
    values: NDArray[Any],
    weight: NDArray[Any] | None = None,
    *,
    replicates: int,
    rng: Generator,
    sampler: RowSampler | None = None,
) -> NDArray[Any]:
    """Bootstrap replicates of the (weighted) mean of each column of values.

    Parameters
    ----------
    values
        Finite losses, a row each; of several losses a column each.
    sampler
        What is drawn: rows of a stratum, whole groups. None: rows.

    Notes
    -----
    All columns share each sample, so that functions of several means may be taken of them.
    Costs a pass over the rows a replicate; ``heldout.intervals.joint_means`` has the way that
    does not, for many rows.

    Examples
    --------
    >>> from heldout.core.random import generator
    >>> made = replicate_means(np.array([1.0, 3.0]), replicates=500, rng=generator(1))
    >>> sorted(set(made.tolist()))
    [1.0, 2.0, 3.0]
    """
    sampler = RowSampler(len(values)) if sampler is None else sampler
    columns = [np.ascontiguousarray(column, float) for column in np.atleast_2d(values.T)]

    def one(own: Generator) -> Any:
        often = sampler.multiplicities(own).astype(float)
        if weight is not None:
            often *= weight
        total = often.sum()
        means = [np.einsum("i,i->", often, column) / total for column in columns]
        return means if values.ndim > 1 else means[0]

    return in_blocks(one, replicates=replicates, rng=rng, size=values.size)


def replicate_rows(
    statistic: Callable[[NDArray[Any]], Any],
    sampler: RowSampler,
    *,
    replicates: int,
    rng: Generator,
) -> NDArray[Any]:
    """Bootstrap replicates of a statistic of row positions (a number, or a row of numbers).

    ``statistic`` takes the positions of the drawn rows, with repetitions, and tallies those
    rows: their weights go with them.

    Examples
    --------
    >>> from heldout.core.random import generator
    >>> truth = np.array([1.0, 2.0, 3.0])
    >>> medians = replicate_rows(
    ...     lambda rows: np.median(truth[rows]), RowSampler(3), replicates=20, rng=generator(1)
    ... )
    >>> medians.shape
    (20,)
    """

    def one(own: Generator) -> Any:
        return statistic(sampler.positions(own))

    return in_blocks(one, replicates=replicates, rng=rng, size=sampler.rows)


def row_jackknife(
    statistic: Callable[[NDArray[Any]], Any], sampler: RowSampler, *, rng: Generator
) -> Jackknife:
    """The statistic without each row (or group); of many, without each of 400 random parts.

    Examples
    --------
    >>> from heldout.core.random import generator
    >>> truth = np.array([1.0, 2.0, 6.0])
    >>> row_jackknife(lambda rows: truth[rows].mean(), RowSampler(3), rng=generator(1)).values
    array([4. , 3.5, 1.5])
    """
    return Jackknife(np.array([statistic(left) for left in sampler.parts(JACKKNIFE_PARTS, rng)]))
