"""Results as CSV: the long table, floats in full, empty where undefined."""

from __future__ import annotations

import csv
from io import StringIO
from math import isinf, isnan
from typing import TYPE_CHECKING, Any

from heldout.assess.results import COLUMNS
from heldout.core.shown import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heldout.assess.results import Result

__all__ = ["csv_table", "csv_text", "records_csv"]

#: columns of words about a row, in which invisible characters are escaped; others are data
PROSE = {"note", "method", "reason", "verdict", "status", "seen", "why", "fix"}


def csv_text(results: Iterable[Result]) -> str:
    """The long table with its header; cells are quoted only where they must be.

    Examples
    --------
    >>> from heldout.assess.results import Result
    >>> print(csv_text([Result("recall", 0.5, 4)]).splitlines()[1])
    ,,,,,,recall,0.5,,,,,4,
    """
    return csv_table(COLUMNS, (result.cells() for result in results))


def csv_table(names: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """Any table with its header, in the same manner.

    Examples
    --------
    >>> csv_table(["x", "y"], [(0.5, float("inf"))]).splitlines()
    ['x,y', '0.5,Infinity']
    """
    file = StringIO()
    # a carriage return inside a cell is quoted only if it is part of what ends a line
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(names)
    is_prose = [name in PROSE for name in names]
    for row in rows:
        cells = zip(map(_cell, row), is_prose, strict=True)
        writer.writerow([visible(cell) if prose else cell for cell, prose in cells])
    return file.getvalue()


def records_csv(records: Iterable[Mapping[str, Any]]) -> str:
    """Records that all have the names of the first one; of none, nothing.

    Examples
    --------
    >>> records_csv([{"a": 0.5, "b": float("nan")}]).splitlines()
    ['a,b', '0.5,']
    """
    rows = list(records)
    return csv_table(list(rows[0]), (row.values() for row in rows)) if rows else ""


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
