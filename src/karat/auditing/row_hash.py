"""A number for each row of a table, equal for equal rows, by which tables are matched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.threads import blocks, in_threads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["hashes_of_rows"]

#: odd constants of SplitMix64, whose mixing step spreads every bit over all others
STEP = 0x9E3779B97F4A7C15
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)


def hashes_of_rows(columns: Sequence[NDArray[Any]], rows: int) -> NDArray[np.uint64]:
    """The hash of each row over some columns of numbers; NaN is a value like others.

    Sixty-four bits: between two tables of a million rows a chance match is expected once in
    some ten million pairs of tables.
    """
    made = np.zeros(rows, np.uint64)

    def work(block: slice) -> None:
        mixed = made[block]
        for number, column in enumerate(columns):
            # adding 0 turns -0.0 into 0.0; all NaN become the same bits
            values = np.asarray(column[block], float) + 0.0
            values[np.isnan(values)] = np.nan
            bits = values.view(np.uint64)
            mixed += bits
            mixed += np.uint64(STEP * (number + 1) % 2**64)
            mixed ^= mixed >> np.uint64(30)
            mixed *= FIRST
            mixed ^= mixed >> np.uint64(27)
            mixed *= SECOND
            mixed ^= mixed >> np.uint64(31)

    in_threads(work, list(blocks(rows)))
    return made
