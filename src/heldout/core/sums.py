"""Sums of products that do not start threads of their own, and sums of parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from heldout.core.arrays import Array, Integers


def sum_of_products(first: Array, second: Array, kind: Any = np.float64) -> Any:
    """The sum of the products of two arrays.

    Not ``np.dot``: its threads wait for each other where another process keeps a core busy,
    which costs a hundred times the sum itself.

    Examples
    --------
    >>> sum_of_products(np.array([1, 2]), np.array([3, 4]))
    11.0
    """
    return np.einsum("i,i->", first, second, dtype=kind).item()


def sums_of_parts(values: Array, starts: Integers) -> Array:
    """The sum of each part of an array, added in the order in which ``sum`` adds a part alone.

    ``np.add.reduceat`` adds one number after the other, which loses digits that pairwise sums
    keep. Parts of one size are summed together; there are few sizes, as many sizes need many
    rows.

    Parameters
    ----------
    starts
        Where each part starts, none of them empty, and how many values there are.

    Examples
    --------
    >>> sums_of_parts(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 1, 3, 4]))
    array([1., 5., 4.])
    """
    sizes = np.diff(starts)
    sums = np.zeros(len(sizes), values.dtype)
    order = np.argsort(sizes, kind="stable")
    edges = np.flatnonzero(np.diff(sizes[order], prepend=-1))
    for part in np.split(order, edges[1:]):
        size = int(sizes[part[0]])
        rows = starts[part][:, None] + np.arange(size)
        sums[part] = values[rows].sum(axis=1)
    return sums
