"""Results as CSV: the long table, floats in full, empty where undefined."""

from __future__ import annotations

import csv
from io import StringIO
from math import isinf, isnan
from typing import TYPE_CHECKING, Any

from karat.assess.results import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from karat.assess.results import Result

__all__ = ["csv_text"]


def csv_text(results: Iterable[Result]) -> str:
    """The long table with its header; cells are quoted only where they must be.

    Examples
    --------
    >>> from karat.assess.results import Result
    >>> print(csv_text([Result("recall", 0.5, 4)]).splitlines()[1])
    ,,,,,,recall,0.5,,,,,4,
    """
    file = StringIO()
    # a carriage return inside a cell is quoted only if it is part of what ends a line
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows([_cell(value) for value in result.cells()] for result in results)
    return file.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        if isnan(value):
            return ""
        if isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return repr(float(value))
    return str(value)
