"""One value from the values of several classes, which says of how many it is."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["average_of"]


def average_of(
    values: NDArray[np.float64],
    support: NDArray[Any],
    classes: Sequence[Any],
    average: str,
    undefined: str,
) -> tuple[float, str]:
    """The macro (plain) or weighted (by rows of each class) mean, and a remark.

    A class without rows for which the measure is undefined has no say: it is left out and
    counted in the remark. A class *with* rows for which it is undefined makes the average
    undefined: leaving it out would reward a model for never predicting that class.

    Examples
    --------
    >>> average_of(np.array([1.0, 0.5, np.nan]), np.array([5, 5, 0]), "abc", "macro", "no rows")
    (0.75, 'mean of 2 of 3 classes')
    >>> average_of(np.array([1.0, np.nan]), np.array([5, 5]), "ab", "macro", "never predicted")
    (nan, "undefined for class 'b': never predicted")
    """
    defined = ~np.isnan(values)
    barred = np.flatnonzero(~defined & (support > 0))
    if len(barred):
        names = ", ".join(repr(str(classes[i])) for i in barred[:3])
        more = f" and {len(barred) - 3} more" if len(barred) > 3 else ""
        plural = "es" if len(barred) > 1 else ""
        return nan, f"undefined for class{plural} {names}{more}: {undefined}"
    count = int(defined.sum())
    if not count:
        return nan, f"undefined for every class: {undefined}"
    remark = f"mean of {count} of {len(values)} classes" if count < len(values) else ""
    if average == "macro":
        return float(np.mean(values[defined])), remark
    weights = np.asarray(support, float)[defined]
    return (float(np.average(values[defined], weights=weights)) if weights.sum() else nan), remark
