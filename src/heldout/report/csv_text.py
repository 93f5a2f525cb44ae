"""A table as CSV: floats in full, empty where undefined, text that is safe to open."""

from __future__ import annotations

import csv
from io import StringIO
from math import isinf, isnan
from typing import TYPE_CHECKING, Any

from heldout.core.shown import visible

if TYPE_CHECKING:
    from heldout.report.table import Rows

#: what a spreadsheet takes for the start of a formula
#: (OWASP, CSV Injection: https://owasp.org/www-community/attacks/CSV_Injection)
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_text(table: Rows) -> str:
    """The table with its header; cells are quoted only where they must be.

    In text, invisible characters are escaped, and what a spreadsheet would run as a formula is
    preceded by an apostrophe, as OWASP advises; a class that is a number stays as it is.

    Examples
    --------
    >>> from heldout.report.table import Rows
    >>> csv_text(Rows(("x", "y"), ((0.5, float("inf")),))).splitlines()
    ['x,y', '0.5,Infinity']
    >>> csv_text(Rows(("class", "n"), (("=1+1", -1), ("-1", 2)))).splitlines()
    ['class,n', "'=1+1,-1", '-1,2']
    """
    if not table.names:
        return ""
    file = StringIO()
    # a carriage return inside a cell is quoted only if it is part of what ends a line
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(map(_safe, table.names))
    for row in table.rows:
        writer.writerow(map(_cell, row))
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
    return _safe(value) if isinstance(value, str) else str(value)


def _safe(text: str) -> str:
    """A text that neither a terminal nor a spreadsheet acts upon."""
    if text.startswith(FORMULA) and not _is_number(text):
        text = f"'{text}"
    return visible(text)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
