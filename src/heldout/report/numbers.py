"""How a number is shown to a reader: significant digits, counts whole, undefined in words."""

from __future__ import annotations

import re
from math import floor, isinf, isnan, log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

#: significant digits unless the reader asks for others
DIGITS = 4

#: from here on a whole number is no longer exact, so it is not shown as if it were
WHOLE = 1e15
#: below this the zeros after the point say less than a power of ten
SMALL = 1e-4

#: so many digits more than usual are given to tell a value and its limits apart
MORE = 8
#: a limit that is closer to the value, relative to the interval, is as good as equal to it
CLOSE = 1e-3

NUMBER = re.compile(r"-?[\d,]+(?:\.\d+)?(?:e-?\d+)?")


def number_text(value: float, *, digits: int = DIGITS) -> str:
    """A value with so many significant digits; whole values carry no decimals.

    A value that only rounds to a whole one keeps its decimals, so 1 and almost 1 differ.

    Examples
    --------
    >>> [number_text(v) for v in (0.91254, 1.0, 0.99999, 1234567.8, 0.00001234)]
    ['0.9125', '1', '1.0000', '1,234,568', '1.234e-5']
    >>> number_text(float("nan")), number_text(float("-inf"))
    ('undefined', '-infinite')
    """
    if isnan(value):
        return "undefined"
    if isinf(value):
        return "infinite" if value > 0 else "-infinite"
    size = abs(value)
    if size < WHOLE and value == int(value):
        return f"{int(value):,}"
    if not SMALL <= size < WHOLE:
        mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
        return f"{mantissa}e{int(power)}"
    return f"{value:,.{max(digits - 1 - floor(log10(size)), 0)}f}"


def with_limits(
    value: float, low: float, high: float, *, digits: int = DIGITS, of_limits: int = 0
) -> tuple[str, str, str]:
    """A value and the limits of its interval, with as many digits as tell the three apart.

    A value that lies in its interval does so as printed, too.

    Examples
    --------
    >>> with_limits(0.91254, 0.85, 0.95123, digits=4, of_limits=3)
    ('0.9125', '0.850', '0.951')
    >>> with_limits(0.99981, 0.99974, 0.99986, digits=4, of_limits=3)
    ('0.9998', '0.9997', '0.9999')
    >>> with_limits(0.80204, 0.80202, 0.80206, digits=3)
    ('0.80204', '0.80202', '0.80206')
    """
    least = of_limits or digits
    plain = number_text(value, digits=digits)
    usual = [number_text(limit, digits=least) for limit in (low, high)]
    if any(isnan(number) or isinf(number) for number in (value, low, high)):
        return plain, usual[0], usual[1]
    for more in range(MORE):
        limits = [number_text(limit, digits=least + more) for limit in (low, high)]
        for text in (plain, number_text(value, digits=max(digits, least + more))):
            if _is_clear((low, value, high), (limits[0], text, limits[1])):
                return text, limits[0], limits[1]
    return plain, usual[0], usual[1]


def _is_clear(numbers: tuple[float, float, float], texts: tuple[str, str, str]) -> bool:
    """Whether what is printed stands in the order of the numbers, and apart where they are."""
    read = [float(text.replace(",", "")) for text in texts]
    slack = CLOSE * abs(numbers[2] - numbers[0])
    for i, j in ((0, 1), (1, 2), (0, 2)):
        gap = numbers[j] - numbers[i]
        if gap > slack and not read[i] < read[j]:
            return False
        if gap < -slack and not read[i] > read[j]:
            return False
        if 0 <= gap <= slack and read[i] > read[j]:
            return False
    return True


def count_text(value: float, *, digits: int = DIGITS) -> str:
    """A number of rows; weights may make it a fraction, shown with two decimals at most.

    Examples
    --------
    >>> count_text(12345), count_text(7.25), count_text(0.003)
    ('12,345', '7.25', '0.003000')
    """
    text = number_text(value, digits=digits)
    if isnan(value) or abs(value) < 1 or "." not in text or "e" in text:
        return text
    return f"{value:,.2f}"


def counts_text(values: Sequence[float], *, digits: int = DIGITS) -> list[str]:
    """Numbers of rows in one table, all with the same number of decimals.

    As many decimals as give the smallest of them some digits, but no more than six; whole
    numbers where all are whole.

    Examples
    --------
    >>> counts_text([12345, 7.25, 0]), counts_text([27.25, 0.003])
    (['12,345.00', '7.25', '0.00'], ['27.2500', '0.0030'])
    """
    if any(not abs(value) < WHOLE for value in values):
        return [count_text(value, digits=digits) for value in values]
    if all(value == int(value) for value in values):
        return [count_text(value) for value in values]
    smallest = min(abs(value) for value in values if value)
    decimals = min(max(2, 1 - floor(log10(smallest))), 6)
    if max(map(abs, values)) < 10 ** (2 - decimals):
        # all too small for decimals to say anything
        return [f"{value:.{digits - 1}e}" if value else "0" for value in values]
    return [f"{value:,.{decimals}f}" for value in values]


def align_points(cells: Sequence[str]) -> list[str]:
    """Cells of one width whose decimal points stand below each other.

    Examples
    --------
    >>> align_points(["0.25", "12", "undefined"])
    ['     0.25', '    12   ', 'undefined']
    """
    split = [_at_point(cell) for cell in cells]
    after = max((len(right) for _, right in split), default=0)
    texts = [
        left + right.ljust(after) if NUMBER.fullmatch(cell) else cell
        for cell, (left, right) in zip(cells, split, strict=True)
    ]
    width = max((len(line) for text in texts for line in text.split("\n")), default=0)
    return ["\n".join(line.rjust(width) for line in text.split("\n")) for text in texts]


def _at_point(cell: str) -> tuple[str, str]:
    """What stands before and after (and with) the decimal point, where a cell is a number."""
    if not NUMBER.fullmatch(cell):
        return cell, ""
    end = min((i for i in (cell.find("."), cell.find("e")) if i >= 0), default=len(cell))
    return cell[:end], cell[end:]
