"""A table as CSV: floats in full, empty where undefined."""

from __future__ import annotations

import csv
from io import StringIO
from math import isinf, isnan
from typing import TYPE_CHECKING, Any

from heldout.core.shown import visible

if TYPE_CHECKING:
    from heldout.report.table import Rows

__all__ = ["csv_text"]

#: columns of words about a row, in which invisible characters are escaped; others are data
PROSE = {"note", "method", "reason", "verdict", "status", "seen", "why", "fix"}


def csv_text(table: Rows) -> str:
    """The table with its header; cells are quoted only where they must be.

    Examples
    --------
    >>> from heldout.report.table import Rows
    >>> csv_text(Rows(("x", "y"), ((0.5, float("inf")),))).splitlines()
    ['x,y', '0.5,Infinity']
    """
    if not table.names:
        return ""
    file = StringIO()
    # a carriage return inside a cell is quoted only if it is part of what ends a line
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(table.names)
    is_prose = [name in PROSE for name in table.names]
    for row in table.rows:
        cells = zip(map(_cell, row), is_prose, strict=True)
        writer.writerow([visible(cell) if prose else cell for cell, prose in cells])
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
