"""Dates: among the features a quantity, counted in days; and the order of the rows in time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.predictions.checks import complete, finite, numbers
from heldout.predictions.columns import plain_values
from heldout.predictions.raw import RawColumn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.predictions.part import Part

__all__ = ["in_days", "moments_of", "times"]

#: ISO 8601, as the readers write dates; 02/03/2020 can be read in two ways and stays a text
DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?")


def in_days(column: RawColumn) -> RawColumn | None:
    """The days from 1970-01-01 to the dates of a column; None where it holds other texts.

    Examples
    --------
    >>> from heldout.predictions.values import column_of_list
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


def times(part: Part, name: str) -> NDArray[Any]:
    """The times of the rows, complete: numbers as they are, dates in microseconds.

    Dates are read in the form of ISO 8601 only, since others (02/03/2020) can be read in
    two ways.
    """
    complete(part, name, "time")
    column = part.column(name)
    if column.kind == "integer":
        return column.values
    if column.kind in ("boolean", "float"):
        values = numbers(part, name, "time")
        finite(part, name, values, "time")
        return values
    texts = plain_values(part, name, "time").astype(str)
    try:
        return texts.astype("datetime64[us]")
    except ValueError:
        bad = next(i for i, text in enumerate(texts) if not _is_date(text))
    raise InputError(
        f"{part.called(name)}: {str(texts[bad])!r} is no date (first: {part.place(bad)}); write "
        "dates as 2020-12-31 or 2020-12-31T23:59:59, or give numbers"
    )


def _is_date(text: str) -> bool:
    try:
        np.datetime64(text, "us")
    except ValueError:
        return False
    return True
