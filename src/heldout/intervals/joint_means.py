"""Means of several losses at once, with how they vary together: the bootstrap of moments."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.threads import each_block
from heldout.intervals.proportions import effective_sample_size

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator
    from numpy.typing import NDArray

__all__ = ["JointMeans"]


@dataclass(frozen=True, eq=False)
class JointMeans:
    """Means of k finite numbers that each row has, and the sums of products of deviations.

    Where rows are many, or not in memory, means of resampled rows are drawn from the normal
    distribution with the means and covariance found: the central limit theorem in place of
    resampling, at a cost free of n.
    """

    rows: int = 0
    weight: float = 0.0
    weight_squares: float = 0.0
    means: NDArray[Any] = None  # type: ignore[assignment]  # empty, see __post_init__
    products: NDArray[Any] = None  # type: ignore[assignment]  # likewise

    def __post_init__(self) -> None:
        if self.means is None:
            object.__setattr__(self, "means", np.zeros(0))
            object.__setattr__(self, "products", np.zeros((0, 0)))

    @classmethod
    def of(cls, values: NDArray[Any], weight: NDArray[Any] | None = None) -> JointMeans:
        """The moments of rows: a column for each number.

        Examples
        --------
        >>> JointMeans.of(np.array([[1.0, 2.0], [3.0, 6.0]])).products.tolist()
        [[2.0, 4.0], [4.0, 8.0]]
        """
        if not len(values):
            return cls()
        if weight is None:
            total = squares = float(len(values))
            means = values.mean(axis=0)
        else:
            total, squares = float(weight.sum()), float(np.square(weight).sum())
            means = np.einsum("i,ij->j", weight, values) / (total or np.nan)
        lean = values - means
        heavy = lean if weight is None else lean * weight[:, None]
        return cls(len(values), total, squares, means, np.einsum("ij,ik->jk", heavy, lean))

    @classmethod
    def of_blocks(cls, rows: int, values: Callable[[slice], NDArray[Any]]) -> JointMeans:
        """The moments of many rows, block by block: ``values`` makes the columns of a block."""
        return sum(each_block(lambda block: cls.of(values(block)), rows), start=cls())

    def __add__(self, other: JointMeans) -> JointMeans:
        if not other.rows or not self.rows:
            return self if self.rows else other
        weight = self.weight + other.weight
        step = other.means - self.means
        share = self.weight * other.weight / weight
        return JointMeans(
            self.rows + other.rows,
            weight,
            self.weight_squares + other.weight_squares,
            self.means + step * (other.weight / weight),
            self.products + other.products + share * np.outer(step, step),
        )

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
        """A square root of the covariance, a column a direction."""
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
