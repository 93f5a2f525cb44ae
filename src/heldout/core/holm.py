"""Holm's correction of p-values for the number of tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.core.arrays import Array


def holm(p_values: Sequence[float] | Array) -> Array:
    """The p-values corrected so that the chance of any false alarm stays at the level.

    NaN is no test: it stays, and does not count. Holm (1979), Scand. J. Stat. 6:65.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    given = np.asarray(p_values, float)
    order = np.argsort(given)[: int(np.count_nonzero(~np.isnan(given)))]
    corrected = given.copy()
    steps = given[order] * np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return corrected
