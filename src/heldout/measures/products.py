"""Counts made safe to multiply, and choices and quotients that keep plain numbers plain."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np


def real(count: Any) -> Any:
    """A count or an array of counts in double precision, so that no product of counts overflows.

    Examples
    --------
    >>> real(np.array([10**10])) ** 4
    array([1.e+40])
    """
    return count.astype(float) if isinstance(count, np.ndarray) else float(count)


def rest_of(counts: Any) -> Any:
    """What all other classes have, for each class (last axis): summed, not what is left of all.

    Beside a class of huge weight the others would be lost in a difference.

    Examples
    --------
    >>> rest_of(np.array([1e20, 2.0, 3.0]))
    array([5.e+00, 1.e+20, 1.e+20])
    """
    before, after = np.zeros(counts.shape), np.zeros(counts.shape)
    before[..., 1:] = np.cumsum(counts[..., :-1], axis=-1)
    after[..., :-1] = np.cumsum(counts[..., :0:-1], axis=-1)[..., ::-1]
    return before + after


def root_of_product(first: Any, second: Any) -> Any:
    """The root of a product: of equals exactly one of them, also where the product is not a number.

    Examples
    --------
    >>> root_of_product(np.array([2.0, 1e200]), np.array([2.0, 1e180]))
    array([2.e+000, 1.e+190])
    """
    with np.errstate(over="ignore", under="ignore"):
        product = first * second
    is_lost = np.isinf(product) | (product == 0)
    return np.where(is_lost, np.sqrt(first) * np.sqrt(second), np.sqrt(product))


def open_ratio(top: Any, bottom: Any) -> Any:
    """``top / bottom`` of numbers that are not negative: infinite where only the bottom is zero.

    Examples
    --------
    >>> open_ratio(1, 0), open_ratio(0, 0), open_ratio(0, 1)
    (inf, nan, 0.0)
    """
    if not isinstance(top, np.ndarray) and not isinstance(bottom, np.ndarray):
        if bottom:
            return float(top) / float(bottom)
        return inf if top > 0 else nan
    top, bottom = np.broadcast_arrays(np.asarray(top, float), np.asarray(bottom, float))
    return np.divide(top, bottom, out=np.where(top > 0, inf, nan), where=bottom != 0)


def choose(condition: Any, yes: Any, no: Any) -> Any:
    """``yes`` where the condition holds, else ``no``: a number for numbers, an array for arrays.

    Examples
    --------
    >>> choose(True, 1.0, 2.0)
    1.0
    >>> choose(np.array([True, False]), 1.0, 2.0)
    array([1., 2.])
    """
    chosen = np.where(condition, yes, no)
    return chosen if chosen.ndim else float(chosen)
