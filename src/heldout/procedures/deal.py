"""Rows dealt into folds like cards, so that every class and every fold is even to one row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.core.portable import Bits

__all__ = ["dealt_folds", "shuffled_by_stratum"]


def dealt_folds(
    n: int, strata: NDArray[np.int64] | None, folds: int, bits: Bits
) -> NDArray[np.int32]:
    """The fold of each row: strata differ by at most one row between folds, and so do sizes.

    The rows of each stratum are shuffled, and the strata are dealt one after another, each
    going on at the fold where the last one stopped.
    """
    order, _ = shuffled_by_stratum(n, strata, bits)
    places = bits.permutation(folds).astype(np.int32)
    assignment = np.empty(n, np.int32)
    assignment[order] = places[np.arange(n) % folds]
    return assignment


def shuffled_by_stratum(
    n: int, strata: NDArray[np.int64] | None, bits: Bits
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows, stratum by stratum (these in random order), shuffled within; and the sizes."""
    order = bits.permutation(n)
    if strata is None:
        return order, np.array([n])
    counts = np.bincount(strata)
    rank = bits.permutation(len(counts))
    # Strata are few: in 16 bits the stable sort is a radix sort.
    key = rank[strata[order]].astype(np.uint16 if len(counts) < 2**16 else np.int64)
    sizes = np.empty(len(counts), np.int64)
    sizes[rank] = counts
    return order[np.argsort(key, kind="stable")], sizes
