"""Sums of products that do not start threads of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["sum_of_products"]


def sum_of_products(first: NDArray[Any], second: NDArray[Any], kind: Any = np.float64) -> Any:
    """The sum of the products of two arrays.

    Not ``np.dot``: its threads wait for each other where another process keeps a core busy,
    which costs a hundred times the sum itself.

    Examples
    --------
    >>> sum_of_products(np.array([1, 2]), np.array([3, 4]))
    11.0
    """
    return np.einsum("i,i->", first, second, dtype=kind).item()
