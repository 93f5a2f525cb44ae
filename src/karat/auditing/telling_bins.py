"""Whether a column of few values is a number cut into ranges."""

from __future__ import annotations

from math import lgamma, log
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.auditing.finding import Severity

__all__ = ["told_by_bins"]

#: rows that may be in another range than their value says, for a warning and for a note
WRONG, HARDLY_WRONG = 0.005, 0.03
#: rows a level at least, and distinct numbers of a target that can be cut
A_LEVEL, DISTINCT = 5, 10
#: the logarithm of how unlikely it must be by chance
CHANCE = log(1e-9)


def told_by_bins(x: NDArray[Any], y: NDArray[np.float64]) -> tuple[str, Severity | None]:
    """What is seen if levels, in the order of their medians, are ranges of the target.

    By chance levels stand in their ranges as seldom as rows have ways to be in order.
    """
    levels, codes, counts = np.unique(x, return_inverse=True, return_counts=True)
    if not 1 < len(levels) <= len(y) / A_LEVEL or len(np.unique(y)) < DISTINCT:
        return "", None
    order = np.argsort(y, kind="stable")
    places = np.empty(len(y))
    places[order] = np.arange(len(y))
    middle = np.bincount(codes, places) / counts
    ranks = np.argsort(np.argsort(middle))[codes]
    # rows of equal target may stand in any order
    found = ranks[np.lexsort((ranks, y))]
    wrong = int((found != np.sort(ranks)).sum())
    chance = float(sum(lgamma(count + 1) for count in counts.tolist())) - lgamma(len(y) + 1)
    # so many rows may be anywhere, and levels in any order
    free = lgamma(len(levels) + 1) + wrong * log(len(y) * len(levels))
    if chance + free > CHANCE or wrong > HARDLY_WRONG * len(y):
        return "", None
    said = (
        f"its {len(levels):,} values are ranges of the target that do not overlap: {wrong:,} of "
        f"{len(y):,} rows lie outside of theirs"
    )
    return said, "warning" if wrong <= WRONG * len(y) else "note"
