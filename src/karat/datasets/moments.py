"""The values by which rows are in order of time: numbers, or dates that sort as time goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.errors import InputError
from karat.predictions.checks import complete, finite, numbers
from karat.predictions.columns import plain_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.predictions.part import Part

__all__ = ["times"]


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
