"""How many rows would be near each other by chance, foretold from a sample of pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["chance_pairs"]

#: rows of the sample, all pairs of which are measured
SAMPLE = 1000
#: the share of pairs that are nearest, from which smaller distances are foretold
NEAREST = 1e-3


def chance_pairs(
    columns: Sequence[tuple[NDArray[Any], float]], pairs: float, seed: int = 0
) -> Callable[[float], float]:
    """The expected number of chance pairs within a distance, among so many pairs.

    ``columns`` are values with their spread; without one, values must agree. The share of
    pairs within a distance falls with the distance to the power of the dimension that the
    rows really fill; half of that power is taken, to be on the safe side.
    """
    rows = len(columns[0][0])
    chosen = np.random.default_rng(seed).permutation(rows)[:SAMPLE]
    first, second = np.triu_indices(len(chosen), 1)
    distance, agrees = np.zeros(len(first)), np.ones(len(first), bool)
    for values, spread in columns:
        one, other = values[chosen][first], values[chosen][second]
        if spread:
            gap = np.abs(one.astype(float) - other) / spread
            np.fmax(distance, gap, out=distance)
        else:
            agrees &= one == other
    size = len(distance)
    low = min(max(20, int(NEAREST * size)), size - 1)
    high = min(10 * low, size - 1)
    nearer, farther = np.partition(distance, (low, high))[[low, high]]
    if not 0 < nearer < farther:
        return lambda _: pairs
    power = np.log((high + 1) / (low + 1)) / np.log(farther / nearer) / 2
    names = max(int(agrees.sum()), 1) / size

    def expected(radius: float) -> float:
        share = (low + 1) / size * min(radius / nearer, 1.0) ** power
        return float(pairs * names * share)

    return expected
