"""Codes of groups: how many occur, and the same from 0 on, sorted only where needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from heldout.core.arrays import Array, Booleans

#: codes up to so many times the rows are counted, not sorted
SPARSEST = 4


def dense_codes(codes: Array) -> tuple[int, Array]:
    """How many different codes there are, and the codes renumbered from 0 in their order.

    As ``np.unique`` with its inverse; of whole numbers that are not far apart in one pass.

    Examples
    --------
    >>> dense_codes(np.array([7, 3, 7, 4]))
    (3, array([2, 0, 2, 1]))
    >>> dense_codes(np.array(["b", "a"]))
    (2, array([1, 0]))
    """
    there = _there(codes)
    if there is None:
        present, inverse = np.unique(codes, return_inverse=True)
        return len(present), inverse
    if there.all():
        return len(there), codes
    return int(np.count_nonzero(there)), (np.cumsum(there) - 1)[codes]


def count_codes(codes: Array) -> int:
    """How many different codes there are.

    Examples
    --------
    >>> count_codes(np.array([7, 3, 7, 4])), count_codes(np.array([0.5, -1.0]))
    (3, 2)
    """
    there = _there(codes)
    return len(np.unique(codes)) if there is None else int(np.count_nonzero(there))


def _there(codes: Array) -> Booleans | None:
    """Whether each number from 0 to the largest is a code; None where these are too many."""
    if codes.dtype.kind not in "iu" or not len(codes) or codes.min() < 0:
        return None
    most = int(codes.max()) + 1
    if most > SPARSEST * len(codes) + 1000:
        return None
    there = np.zeros(most, bool)
    there[codes] = True
    return there
