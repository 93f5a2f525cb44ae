"""Tables of results: a record per row, and the same column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from heldout.uncertainty.interval import Interval

#: one row of a table: what each column of it holds
Record = dict[str, Any]


def as_given(number: float) -> str:
    """A number as it was written: all digits that tell it from others, and no more.

    Examples
    --------
    >>> as_given(1.0000001), as_given(0.9), as_given(1.0)
    ('1.0000001', '0.9', '1')
    """
    short = f"{number:.15g}"
    return short if float(short) == number else repr(float(number))


class Recorded:
    """What can be told in records, which all have the same columns."""

    __slots__ = ()

    def rows(self) -> list[Record]:
        """A record for each row of its table."""
        raise NotImplementedError

    def columns(self) -> dict[str, list[Any]]:
        """The same column by column."""
        rows = self.rows()
        return {name: [record[name] for record in rows] for name in (rows[0] if rows else ())}


def interval_record(interval: Interval | None, note: str = "") -> Record:
    """The last columns of a record: the limits of a value, the method that made them, a note.

    What the interval says of itself is noted too: why there are no limits, or what to know.

    Examples
    --------
    >>> interval_record(None, "as few rows say little")
    {'low': None, 'high': None, 'method': '', 'note': 'as few rows say little'}
    """
    method = own = ""
    if interval is not None:
        method = "" if interval.is_absent else interval.method
        own = f"no interval: {interval.note}" if interval.is_absent else interval.note
    return {**limits_of(interval), "method": method, "note": "; ".join(filter(None, (note, own)))}


def limits_of(interval: Interval | None, prefix: str = "") -> Record:
    """The limits of an interval; None where nothing was asked for.

    Examples
    --------
    >>> limits_of(None, "threshold_")
    {'threshold_low': None, 'threshold_high': None}
    """
    return {
        f"{prefix}low": None if interval is None else interval.low,
        f"{prefix}high": None if interval is None else interval.high,
    }
