"""What is known of a measure on each slice of a column, on all rows, and on average."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan
from typing import TYPE_CHECKING, Any

from heldout.assess.slice_verdicts import UNCLEAR
from heldout.core.notes import Kind, Noted, note_text
from heldout.decisions.records import columns_of, limits_of

if TYPE_CHECKING:
    from heldout.assess.results import Result
    from heldout.core.notes import Note
    from heldout.decisions.records import Record
    from heldout.intervals.interval import Interval

__all__ = ["SliceResult", "SliceTable"]


@dataclass(frozen=True, slots=True)
class SliceResult(Noted):
    """The value of one measure on one slice, and whether the slice differs from the rest.

    Parameters
    ----------
    difference
        The slice's value less that of all other rows, whatever its test makes of them: exact,
        or (millions of rows times slices) to the decimals given, and the note says so; NaN
        where it was not tested.
    p_value, corrected
        Of no difference, and after Holm's correction for all slices; NaN without a test.
    verdict
        ``worse``, ``better`` or ``differs`` after correction, ``no clear difference`` where the
        test shows none, empty where it was not tested.
    method
        The test.
    """

    column: str
    slice: str
    measure: str
    n: int
    value: float
    interval: Interval | None
    difference: float
    p_value: float
    corrected: float
    verdict: str
    method: str
    notes: tuple[Note, ...]

    @property
    def is_judged(self) -> bool:
        """Whether the slice was tested against the rest."""
        return not isnan(self.p_value)


@dataclass(frozen=True, slots=True)
class SliceTable:
    """One measure on all slices of one column.

    Parameters
    ----------
    results
        Worst first; slices without a test after those with one, undefined ones last.
    micro, macro
        The value of all rows together, and the mean of the slices' values.
    whole, mean_interval
        The result of all rows, with its interval, and the interval of the mean of slices;
        None where they were not asked for.
    """

    column: str
    measure: str
    direction: str
    results: tuple[SliceResult, ...]
    micro: float
    macro: float
    note: str = ""
    whole: Result | None = None
    mean_interval: Interval | None = None

    @property
    def differing(self) -> tuple[SliceResult, ...]:
        """The slices that differ from the rest after Holm's correction."""
        return tuple(r for r in self.results if r.verdict not in ("", UNCLEAR))

    def rows(self) -> list[Record]:
        """A record for each slice."""
        return [
            {
                "slice": f"{r.column}={r.slice}",
                "kind": "slice",
                "n": r.n,
                "measure": r.measure,
                "value": r.value,
                **_limits(r.interval, r.value),
                "difference": r.difference,
                "p_value": r.p_value,
                "corrected_p_value": r.corrected,
                "verdict": r.verdict,
                "method": r.method,
                "note": r.note,
            }
            for r in self.results
        ]

    def averages(self) -> list[Record]:
        """A record for all rows and one for the mean of the slices, which have no test."""
        rows = sum(r.n for r in self.results)
        counted = sum(r.n for r in self.results if not isnan(r.value))
        whole = {**_limits(None, self.micro), "note": ""}
        if self.whole is not None:
            own = self.whole
            whole = {
                "low": own.low,
                "high": own.high,
                "interval_method": own.method,
                "no_interval": own.lack,
                "note": note_text(own.notes, without={Kind.NO_INTERVAL}),
            }
        mean = {**_limits(self.mean_interval, self.macro), "note": self.note}
        empty = dict.fromkeys(("difference", "p_value", "corrected_p_value"), nan)
        return [
            {
                "slice": f"{self.column}: {word}",
                "kind": kind,
                "n": n,
                "measure": self.measure,
                "value": value,
                **{key: own for key, own in known.items() if key != "note"},
                **empty,
                "verdict": "",
                "method": "",
                "note": known["note"],
            }
            for word, kind, n, value, known in (
                ("all rows (micro)", "micro", rows, self.micro, whole),
                ("mean (macro)", "macro", counted, self.macro, mean),
            )
        ]

    def columns(self) -> dict[str, list[Any]]:
        """The records of slices column by column."""
        return columns_of(self.rows())


def _limits(interval: Interval | None, value: float) -> Record:
    """The limits, the method that made them, and why there are none of a value that exists."""
    method = reason = ""
    if interval is not None and interval.is_absent:
        reason = "" if isnan(value) else interval.note
    elif interval is not None:
        method = interval.method
    return {**limits_of(interval), "interval_method": method, "no_interval": reason}
