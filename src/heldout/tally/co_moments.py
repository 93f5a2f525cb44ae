"""How two losses of the same rows vary together, as a sum that adds without loss of digits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.sums import sum_of_products

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CoMoments"]


@dataclass(frozen=True, slots=True)
class CoMoments:
    """Rows, both means, and the sum of the products of the deviations from them.

    Examples
    --------
    >>> CoMoments.of(np.array([1.0, 3.0]), np.array([2.0, 6.0])).products
    4.0
    """

    rows: int = 0
    first: float = 0.0
    second: float = 0.0
    products: float = 0.0

    @classmethod
    def of(
        cls,
        first: NDArray[Any],
        second: NDArray[Any],
        means: tuple[float, float] | None = None,
    ) -> CoMoments:
        """Of two numbers of each row; ``means`` where they are known already."""
        if not len(first):
            return cls()
        one, other = (float(first.mean()), float(second.mean())) if means is None else means
        with np.errstate(invalid="ignore"):  # an infinite loss makes the sum undefined
            products = sum_of_products(first - one, second - other)
        return cls(len(first), one, other, products)

    def __add__(self, other: CoMoments) -> CoMoments:
        if not self.rows or not other.rows:
            return self if self.rows else other
        rows = self.rows + other.rows
        share = other.rows / rows
        first, second = other.first - self.first, other.second - self.second
        return CoMoments(
            rows,
            self.first + first * share,
            self.second + second * share,
            self.products + other.products + first * second * self.rows * share,
        )
