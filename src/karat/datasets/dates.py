"""Dates among the features: a quantity, counted in days, and no names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.predictions.raw import RawColumn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["in_days", "moments_of"]

#: ISO 8601, as the readers write dates; 02/03/2020 can be read in two ways and stays a text
DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?")


def in_days(column: RawColumn) -> RawColumn | None:
    """The days from 1970-01-01 to the dates of a column; None where it holds other texts.

    Examples
    --------
    >>> from karat.predictions.values import column_of_list
    >>> in_days(column_of_list("day", ["1970-01-02", "1970-01-03T12:00:00"])).values.tolist()
    [1.0, 2.5]
    """
    found = moments_of(column)
    if found is None:
        return None
    days = (found - np.datetime64("1970-01-01", "us")) / np.timedelta64(1, "D")
    return RawColumn(column.name, "float", np.asarray(days, dtype=np.float64))


def moments_of(column: RawColumn) -> NDArray[np.datetime64] | None:
    """The dates of a column, missing ones NaT; None where it holds other texts."""
    missing = np.zeros(len(column), bool) if column.missing is None else column.missing
    values: NDArray[np.datetime64] = np.full(len(column), "NaT", "datetime64[us]")
    if column.kind == "category":
        levels = _moments(column.levels)
        if levels is None:
            return None
        values[~missing] = levels[column.values[~missing]]
        return values
    found = _moments(column.values[~missing].tolist()) if column.kind == "text" else None
    if found is None:
        return None
    values[~missing] = found
    return values


def _moments(texts: Sequence[Any]) -> NDArray[np.datetime64] | None:
    if not len(texts) or not all(isinstance(t, str) and DATE.fullmatch(t) for t in texts):
        return None
    try:
        return np.array(list(texts), "datetime64[us]")
    except ValueError:  # the 31st of February
        return None
