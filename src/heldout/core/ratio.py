"""Arithmetic that knows what is undefined and what is rounding, for numbers and arrays alike."""

from __future__ import annotations

from typing import Any

import numpy as np

#: a difference below this share of the numbers' size is rounding of equal numbers
ROUNDING = 1e-14
#: the same for sums, of weights above all: 0.1 added up ten million times is off by 2e-10
ROUNDING_OF_SUMS = 1e-9


def ratio(top: Any, bottom: Any) -> Any:
    """``top / bottom``, and NaN where the bottom is zero.

    Counts may be numbers or arrays (a class, a slice or a bootstrap replicate an element).

    Examples
    --------
    >>> ratio(1, 4)
    0.25
    >>> ratio(0, 0)
    nan
    """
    if not isinstance(top, np.ndarray) and not isinstance(bottom, np.ndarray):
        return float(top) / float(bottom) if bottom else np.nan
    top, bottom = np.broadcast_arrays(np.asarray(top, float), np.asarray(bottom, float))
    return np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom != 0)


def square_root(value: Any) -> Any:
    """The square root, NaN of a NaN, without a warning."""
    root = np.sqrt(value)
    return root if isinstance(value, np.ndarray) else float(root)


def unrounded(difference: Any, size: Any) -> Any:
    """A difference of numbers of that size, 0 where it is no more than their rounding.

    Examples
    --------
    >>> unrounded(0.1 + 0.2 - 0.3, 0.3), unrounded(0.5, 0.3)
    (0.0, 0.5)
    """
    is_rounding = np.abs(difference) < ROUNDING * np.abs(size)
    if isinstance(is_rounding, np.ndarray):
        return np.where(is_rounding, 0.0, difference)
    return 0.0 if is_rounding else difference


def at_least(value: Any, bound: Any, *, size: float = 0.0) -> Any:
    """Whether a value reaches a bound, but for the rounding of sums; an undefined one does not.

    ``size``: of the numbers whose difference the value is, such as 1 for 1 less a share.

    Examples
    --------
    >>> at_least(0.3, 0.1 + 0.2), at_least(0.299, 0.3)
    (True, False)
    """
    with np.errstate(invalid="ignore"):  # an infinite bound has no room below it
        room = ROUNDING_OF_SUMS * np.maximum(np.abs(bound), size)
        reached = (value >= bound) | (value >= bound - room)
    return reached if isinstance(reached, np.ndarray) else bool(reached)


def mean_of(*values: Any) -> Any:
    """The plain mean of a few values, elementwise; NaN if one of them is."""
    return sum(values) / len(values)
