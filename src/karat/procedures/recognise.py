"""What procedure some splits must come from, where nobody says: seen from their rows alone."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.procedures.splits import ListedSplits

if TYPE_CHECKING:
    from karat.procedures.splits import Splits

__all__ = ["recognised"]


def recognised(splits: Splits, time: Any = None) -> str:
    """The text of the procedure that decides about intervals; empty where rows do not tell.

    Training rows that repeat are a bootstrap. Training rows that all come before the tested
    ones, split after split, are in the order of time (of the rows where no times are given).
    Every choice of p rows is leave-p-out.

    Examples
    --------
    >>> from karat.procedures.parse import parse_procedure
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
    sizes = {len(split.test) for split in splits.listed}
    p = min(sizes)
    is_whole = all(len(s.train) + len(s.test) == splits.rows for s in splits.listed)
    if len(sizes) == 1 and 1 < p < splits.rows and is_whole:
        different = {split.test.tobytes() for split in splits.listed}
        if len(different) == comb(splits.rows, p):
            return f"leave-{p}-out"
    return ""


def _repeats(rows: Any) -> bool:
    return len(np.unique(rows)) < len(rows)
