"""The values of an ARFF attribute as a typed column, or the line that has a wrong one."""

from __future__ import annotations

import re
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.predictions.raw import RawColumn
from heldout.predictions.text_column import coded_column
from heldout.predictions.values import column_of_list

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.datasets.arff_header import Attribute

__all__ = ["column_of"]

#: letters of Java's patterns of dates, and Python's
LETTERS = {
    "yyyy": "%Y",
    "yy": "%y",
    "MMM": "%b",
    "MM": "%m",
    "M": "%m",
    "dd": "%d",
    "d": "%d",
    "HH": "%H",
    "H": "%H",
    "hh": "%I",
    "mm": "%M",
    "ss": "%S",
    "SSS": "%f",
    "a": "%p",
    "EEE": "%a",
    "Z": "%z",
    "z": "%Z",
}
USUAL = "yyyy-MM-dd'T'HH:mm:ss"


def column_of(
    attribute: Attribute, values: list[str | None], lines: list[int], source: str
) -> RawColumn:
    """The column of an attribute, from its texts (None: missing) and the lines they are in."""
    name = attribute.name
    match attribute.kind:
        case "numeric":
            numbers = np.array(_each(values, float, _no_number, attribute, lines, source=source))
            return RawColumn(name, "float", numbers)
        case "nominal":
            codes: dict[str | None, int] = {
                level: code for code, level in enumerate(attribute.levels)
            }
            found = _each(
                values, codes.__getitem__, _no_level, attribute, lines, source=source, missing=-1
            )
            return coded_column(name, np.array(found), attribute.levels)
        case "date":
            pattern = _python_pattern(attribute.pattern or USUAL)
            read = partial(_iso, pattern=pattern)
            dates = _each(values, read, _no_date, attribute, lines, source=source, missing=None)
            return column_of_list(name, dates)
        case _:
            return column_of_list(name, values)


def _each(
    values: list[str | None],
    read: Callable[[str], Any],
    problem: Callable[[str, Attribute], str],
    attribute: Attribute,
    lines: list[int],
    *,
    source: str,
    missing: Any = np.nan,
) -> list[Any]:
    try:
        return [missing if value is None else read(value) for value in values]
    except (ValueError, KeyError):
        pass
    for value, line in zip(values, lines, strict=True):
        if value is None:
            continue
        try:
            read(value)
        except (ValueError, KeyError):
            raise InputError(f"{source} line {line}: {problem(value, attribute)}") from None
    raise AssertionError("one of the values was wrong")


def _no_number(value: str, attribute: Attribute) -> str:
    return f"{value!r} is no number, but attribute {attribute.name!r} is numeric; ? is missing"


def _no_level(value: str, attribute: Attribute) -> str:
    return (
        f"{value!r} is not among the declared values of attribute {attribute.name!r}"
        f"{did_you_mean(value, attribute.levels)}"
    )


def _no_date(value: str, attribute: Attribute) -> str:
    pattern = attribute.pattern or USUAL
    return f"{value!r} is no date of the form {pattern} (attribute {attribute.name!r})"


def _python_pattern(java: str) -> str:
    """A pattern of dates as Python writes it.

    Examples
    --------
    >>> _python_pattern("yyyy-MM-dd'T'HH:mm")
    '%Y-%m-%dT%H:%M'
    """
    pieces = re.finditer(r"'[^']*'|([A-Za-z])\1*|[^A-Za-z']+", java)
    return "".join(
        part[1:-1] if part[0] == "'" else LETTERS.get(part, part.replace("%", "%%"))
        for part in (found[0] for found in pieces)
    )


def _iso(text: str, pattern: str) -> str:
    moment = datetime.strptime(text, pattern)
    return moment.date().isoformat() if moment.time() == moment.min.time() else moment.isoformat()
