"""Strata: the classes, or bins of a number, whose shares are kept even between parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.procedures.rows import codes_in_order, first_missing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.procedures.rows import Rows

__all__ = ["bin_codes", "class_name", "group_counts", "small_classes"]


def bin_codes(values: NDArray[Any], bins: int) -> NDArray[np.int64]:
    """Bins of about equal size along the values; equal values are in one bin.

    Examples
    --------
    >>> bin_codes(np.array([3.0, 1.0, 2.0, 2.0, 9.0, 8.0]), 3).tolist()
    [0, 1, 1, 1, 2, 2]
    """
    if row := first_missing(values):
        raise InputError(f"row {row} has no target; it cannot be put into a bin")
    rank = np.searchsorted(np.sort(values), values, side="left")
    return codes_in_order(rank * bins // len(values))


def group_counts(strata: NDArray[np.int64] | None, groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows of each stratum (a column each) in each group (a row each).

    Examples
    --------
    >>> group_counts(np.array([0, 1, 1]), np.array([0, 0, 1])).tolist()
    [[1, 1], [0, 1]]
    """
    count = int(groups.max()) + 1
    if strata is None:
        return np.bincount(groups, minlength=count).astype(np.int64)[:, None]
    width = int(strata.max()) + 1
    flat = np.bincount(groups * width + strata, minlength=count * width)
    return flat.astype(np.int64).reshape(count, width)


def small_classes(
    codes: NDArray[np.int64], groups: NDArray[np.int64] | None, least: int
) -> list[tuple[int, int]]:
    """Classes with fewer rows (or, where groups are whole, in fewer groups) than ``least``.

    Each with its count, the smallest first.
    """
    counts = np.bincount(codes)
    if groups is not None:
        counts = (group_counts(codes, groups) > 0).sum(axis=0)
    order = np.argsort(counts, kind="stable")
    return [(int(code), int(counts[code])) for code in order if counts[code] < least]


def class_name(rows: Rows, row: int) -> str:
    """The class of a row as messages write it."""
    assert rows.truth is not None
    value = rows.truth[row]
    value = value if rows.classes is None else rows.classes[int(value)]
    return repr(value.item() if isinstance(value, np.generic) else value)
