"""Resampled rows: replicates of means of losses, of joint moments, and of any statistic of rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.tally.errors import ErrorRows, Errors
from heldout.uncertainty.limits import Jackknife
from heldout.uncertainty.sample import RowSampler, in_blocks
from heldout.uncertainty.worth import effective_sample_size

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator
    from numpy.typing import NDArray


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
    Costs a pass over the rows a replicate; ``heldout.uncertainty.joint_means`` has the way that
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
    parts = sampler.parts(JACKKNIFE_PARTS, rng)
    return Jackknife(np.array([statistic(left) if len(left) else nan for left in parts]))


@dataclass(frozen=True, eq=False)
class JointMeans:
    """Means of k finite numbers that each row has, and the sums of products of deviations.

    Where rows are many, or not in memory, means of resampled rows are drawn from the normal
    distribution with the means and covariance found: the central limit theorem in place of
    resampling, at a cost free of n.
    """

    rows: int
    weight: float
    weight_squares: float
    means: NDArray[Any]
    products: NDArray[Any]

    @classmethod
    def of(cls, values: NDArray[Any], weight: NDArray[Any] | None = None) -> JointMeans:
        """The moments of rows: a column for each number.

        Examples
        --------
        >>> JointMeans.of(np.array([[1.0, 2.0], [3.0, 6.0]])).products.tolist()
        [[2.0, 4.0], [4.0, 8.0]]
        """
        if weight is None:
            total = squares = float(len(values))
            means = values.mean(axis=0)
        else:
            total, squares = float(weight.sum()), float(np.square(weight).sum())
            means = np.einsum("i,ij->j", weight, values) / (total or np.nan)
        lean = values - means
        heavy = lean if weight is None else lean * weight[:, None]
        return cls(len(values), total, squares, means, np.einsum("ij,ik->jk", heavy, lean))

    @property
    def size(self) -> float:
        """Kish's effective sample size."""
        return effective_sample_size(self.weight, self.weight_squares)

    @property
    def covariance(self) -> NDArray[Any]:
        """The covariance matrix of the means themselves."""
        return self.products / self.weight / (self.size - 1)

    def spread_of(self, function: Callable[[NDArray[Any]], float]) -> float:
        """The standard deviation of a smooth function of the means: the delta method.

        The function is taken one standard deviation of the means to either side of them, in
        each direction in which they vary on their own.

        Examples
        --------
        >>> joint = JointMeans.of(np.array([[1.0, 2.0], [3.0, 6.0], [2.0, 1.0]]))
        >>> joint.spread_of(lambda means: means[0])  # the standard error of a mean
        0.5774
        """
        return sqrt(
            fsum(
                (function(self.means + r) - function(self.means - r)) ** 2 / 4 for r in self._root.T
            )
        )

    @property
    def _root(self) -> NDArray[Any]:
        """A square root of the covariance, a column per direction."""
        # by eigenvalues: columns that depend on each other make the matrix singular
        values, vectors = np.linalg.eigh(self.covariance)
        return vectors * np.sqrt(np.maximum(values, 0.0))

    def draw(self, *, replicates: int, rng: Generator) -> NDArray[Any]:
        """Means as resampling would give them: a row for each replicate.

        Examples
        --------
        >>> from heldout.core.random import generator
        >>> joint = JointMeans.of(np.array([[1.0, 2.0], [3.0, 6.0]]))
        >>> drawn = joint.draw(replicates=4, rng=generator(1))
        >>> bool(np.allclose(drawn[:, 1] - 4, 2 * (drawn[:, 0] - 2)))
        True
        """
        return self.means + rng.standard_normal((replicates, len(self.means))) @ self._root.T


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

    # leaning on the means keeps the digits that plain squares would lose
    t, p = rows.truth - centre.truth_mean, rows.predicted - centre.predicted_mean
    products = np.column_stack([t, p, t * t, p * p, t * p])
    if by_moments:
        drawn = JointMeans.of(products, rows.weight).draw(replicates=replicates, rng=rng)
    else:
        drawn = replicate_means(
            products, rows.weight, replicates=replicates, rng=rng, sampler=sampler
        )
    return np.array([statistic(_errors(means, centre)) for means in drawn], float)


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
    >>> from heldout.uncertainty.sample import RowSampler
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
        code, row = np.divmod(kept, rows)
        row = sampler.order[row]
        return statistic(
            np.concatenate([truth, classes[code]]),
            np.concatenate([scores, scores[row]]),
            np.concatenate([drawn, extra[kept] * typical]),
        )

    return in_blocks(one, replicates=replicates, rng=rng, size=rows)
