"""Dates among the features: a quantity, counted in days, and no names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.predictions.raw import RawColumn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["in_days"]

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
    if column.kind == "category":
        levels = _days(column.levels)
        values = None if levels is None else np.append(levels, np.nan)[column.values]
    elif column.kind == "text":
        known = np.ones(len(column), bool) if column.missing is None else ~column.missing
        found = _days(column.values[known].tolist())
        values = None
        if found is not None:
            values = np.full(len(column), np.nan)
            values[known] = found
    else:
        return None
    if values is None:
        return None
    if column.missing is not None:
        values = np.where(column.missing, np.nan, values)
    return RawColumn(column.name, "float", values)


def _days(texts: Sequence[Any]) -> NDArray[np.float64] | None:
    if not len(texts) or not all(isinstance(t, str) and DATE.fullmatch(t) for t in texts):
        return None
    try:
        moments = np.array(list(texts), "datetime64[us]")
    except ValueError:  # the 31st of February
        return None
    day = np.timedelta64(1, "D")
    return np.asarray((moments - np.datetime64("1970-01-01", "us")) / day, dtype=np.float64)
