"""What procedure some splits must come from, where nobody says: seen from their rows alone."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.procedures.splits import ListedSplits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.procedures.splits import Splits

__all__ = ["recognised"]

#: rows or groups that are left out in every way there is, at most
MOST_LEFT = 40


def recognised(splits: Splits, time: Any = None, groups: Any = None) -> str:
    """The text of the procedure that decides about intervals; empty where rows do not tell.

    Training rows that repeat are a bootstrap. Training rows that all come before the tested
    ones, split after split, are in the order of time (of the rows where no times are given).
    Every choice of p rows, or of p whole groups where groups are given, is leave-p-out.

    Examples
    --------
    >>> from heldout.procedures.parse import parse_procedure
    >>> recognised(parse_procedure("time 3").splits(12))
    'time 3'
    >>> recognised(parse_procedure("3x holdout 70:30").splits(12))
    ''
    """
    if not isinstance(splits, ListedSplits):
        return ""
    if any(_repeats(split.train) for split in splits.listed):
        return f"bootstrap {len(splits)}"
    when = np.arange(splits.rows) if time is None else np.asarray(time)
    if len(splits) > 1 and all(when[s.train].max() <= when[s.test].min() for s in splits.listed):
        return f"time {len(splits)}"
    for units in (np.arange(splits.rows), groups):
        if units is not None and (p := _left_out(splits, np.asarray(units))) > 1:
            return f"leave-{p}-out"
    return ""


def _left_out(splits: ListedSplits, units: NDArray[Any]) -> int:
    """How many rows or groups are left out in every way there is; 0 where that is not so."""
    _, codes = np.unique(units, return_inverse=True)
    sizes = np.bincount(codes)
    p = len(np.unique(codes[splits.listed[0].test]))
    # that many choices no list has, and to count them takes long
    if not 1 < p < len(sizes) or min(p, len(sizes) - p) > MOST_LEFT:
        return 0
    if comb(len(sizes), p) > len(splits):
        return 0
    different = set()
    for split in splits.listed:
        tested = np.unique(codes[split.test])
        is_whole = sizes[tested].sum() == len(split.test)
        if not is_whole or len(split.train) + len(split.test) != splits.rows:
            return 0
        different.add(tuple(tested.tolist()))
    is_even = all(len(one) == p for one in different)
    return p if is_even and len(different) == comb(len(sizes), p) else 0


def _repeats(rows: Any) -> bool:
    return len(np.unique(rows)) < len(rows)
