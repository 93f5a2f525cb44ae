"""Division that says when it is undefined, for single numbers and whole arrays alike."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["mean_of", "ratio", "square_root"]


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


def mean_of(*values: Any) -> Any:
    """The plain mean of a few values, elementwise; NaN if one of them is."""
    return sum(values) / len(values)
