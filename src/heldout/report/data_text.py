"""Results as programs read them: strict JSON, and CSV that is safe to open; numbers in full."""

from __future__ import annotations

import csv
import json
from io import StringIO
from math import isinf, isnan
from typing import TYPE_CHECKING, Any

from heldout import __version__
from heldout.core.shown import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heldout.report.table import Rows


def json_text(content: Mapping[str, Any]) -> str:
    """An object as JSON text, the version of heldout first, one line for each of the results.

    Undefined is null, and the note says why; infinite is a word.
    """
    fields = [f"{_dumps('heldout')}: {_dumps(__version__)}"]
    for name, value in content.items():
        if isinstance(value, list) and value:
            lines = ",\n".join(f"    {_dumps(item)}" for item in value)
            fields.append(f"{_dumps(name)}: [\n{lines}\n  ]")
        else:
            fields.append(f"{_dumps(name)}: {_dumps(value)}")
    return "{\n  " + ",\n  ".join(fields) + "\n}\n"


def plain(value: Any) -> Any:
    """A value JSON can say, with all that it holds: undefined as None, infinite as the word.

    Examples
    --------
    >>> plain({"low": float("nan"), "limits": (1.0, float("-inf"))})
    {'low': None, 'limits': [1.0, '-Infinity']}
    """
    if type(value) in (int, str):  # of large matrices nothing else is asked
        return value
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        if isnan(value):
            return None
        if isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
    return value


#: one for all texts, since each result is a text of its own
ENCODER = json.JSONEncoder(allow_nan=False, ensure_ascii=False, default=plain)


def _dumps(value: Any) -> str:
    """JSON in which invisible characters are escaped, which its readers undo."""
    try:
        text = ENCODER.encode(value)
    except ValueError:  # an undefined or infinite number
        text = ENCODER.encode(plain(value))
    if visible(text) == text:
        return text
    return "".join(c if visible(c) == c else json.dumps(c)[1:-1] for c in text)


#: what a spreadsheet takes for the start of a formula
#: (OWASP, CSV Injection: https://owasp.org/www-community/attacks/CSV_Injection)
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_text(table: Rows) -> str:
    """The table with its header; cells are quoted only where they must be, undefined ones empty.

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
    known = plain(value)
    if known is None:
        return ""
    return _safe(known) if isinstance(known, str) else str(known)


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
