"""Every measure by slice, worst first, with the slices that differ from the rest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite, isnan, nan, sqrt
from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.rows import Rows
from heldout.assess.slice_differences import SliceDifferences
from heldout.assess.slice_rests import SliceRests
from heldout.assess.slice_rows import SliceRows
from heldout.assess.slice_tests import UNTESTED
from heldout.assess.values import Value, averages_for, is_split, lacking, losses_of, overall
from heldout.core.holm import holm
from heldout.core.notes import Kind, Noted, note_text
from heldout.core.threads import in_threads
from heldout.decisions.ranking import demerit
from heldout.decisions.records import limits_of
from heldout.measures.kinds import BinGaps, Maximum
from heldout.predictions.split_design import OFTEN, REPEATED
from heldout.uncertainty.interval import Interval, absent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from heldout.assess.results import Result
    from heldout.assess.slice_tests import Test
    from heldout.core.notes import Note
    from heldout.decisions.records import Record
    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request
    from heldout.predictions.table import Column

    #: from a slice's tallies and all measures asked for: what makes the interval of a value
    IntervalsOf = Callable[[Tallies, Sequence[Request]], Callable[[Request, float], Interval]]

__all__ = ["SliceTable", "mean_interval", "slice_tables"]

#: what is said where a test shows nothing, which is no proof that slices are alike
UNCLEAR = "no clear difference"
ACROSS = "groups lie across slices, which are then not separate rows"
BIASED = "its values lean to one side the more the fewer rows there are, in every slice alike"
#: slices that a note names
NAMED = 5


@dataclass(frozen=True, slots=True)
class SliceResult(Noted):
    """The value of one measure on one slice, and its test against all other rows."""

    slice: str
    n: int
    value: float
    interval: Interval | None
    test: Test
    #: why the value is undefined, why there is no test, or what to know
    notes: tuple[Note, ...]

    def record(self, table: SliceTable) -> Record:
        """The slice as a row of a table."""
        name = f"{table.column}={self.slice}"
        limits = _limits(self.interval, self.value)
        return table.record(
            name, "slice", self.n, self.value, limits, note=self.note, test=self.test
        )


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
    results: tuple[SliceResult, ...]
    micro: float
    macro: float
    note: str = ""
    whole: Result | None = None
    mean_interval: Interval | None = None

    @property
    def differing(self) -> tuple[SliceResult, ...]:
        """The slices that differ from the rest after Holm's correction."""
        return tuple(r for r in self.results if r.test.verdict not in ("", UNCLEAR))

    def records(self) -> list[Record]:
        """A record for each slice; one for all rows and one for the mean, which have no test."""
        rows = sum(r.n for r in self.results)
        counted = sum(r.n for r in self.results if not isnan(r.value))
        limits, note, own = _limits(None, self.micro), "", self.whole
        if own is not None:
            limits = {
                "low": own.low,
                "high": own.high,
                "interval_method": own.method,
                "no_interval": own.lack,
            }
            note = note_text(own.notes, without={Kind.NO_INTERVAL})
        name = f"{self.column}: all rows (micro)"
        whole = self.record(name, "micro", rows, self.micro, limits, note=note)
        name, limits = f"{self.column}: mean (macro)", _limits(self.mean_interval, self.macro)
        mean = self.record(name, "macro", counted, self.macro, limits, note=self.note)
        return [*(r.record(self) for r in self.results), whole, mean]

    def record(
        self,
        name: str,
        kind: str,
        n: int,
        value: float,
        limits: Record,
        *,
        note: str,
        test: Test = UNTESTED,
    ) -> Record:
        """A row of the table of slices."""
        return {
            "slice": name,
            "kind": kind,
            "n": n,
            "measure": self.measure,
            "value": value,
            **limits,
            "difference": test.difference,
            "p_value": test.p_value,
            "corrected_p_value": test.corrected,
            "verdict": test.verdict,
            "method": test.method,
            "note": note,
        }


def _limits(interval: Interval | None, value: float) -> Record:
    """The limits, the method that made them, and why there are none of a value that exists."""
    method = reason = ""
    if interval is not None and interval.is_absent:
        reason = "" if isnan(value) else interval.note
    elif interval is not None:
        method = interval.method
    return {**limits_of(interval), "interval_method": method, "no_interval": reason}


def slice_tables(
    tallies: Tallies,
    requests: Sequence[Request],
    *,
    intervals_of: IntervalsOf | None = None,
    whole_of: Callable[[Request], Result] | None = None,
    tests: bool = True,
    significance: float = 0.05,
    seed: int = 1,
) -> tuple[SliceTable, ...]:
    """A table for each measure and each column of slices.

    Parameters
    ----------
    tallies
        The tallies of all rows; their predictions carry the columns of slices.
    requests
        The measures. One that has a value for each of several classes is averaged over them.
    intervals_of
        Makes what makes the intervals of a slice's values, from the tallies of the slice.
    whole_of
        Makes the result of all rows; without it, their value alone is found.
    tests, significance
        Whether each slice is tested against all other rows, and from which corrected
        p-value on it differs.
    seed
        For the random parts and draws that some tests need.

    Notes
    -----
    Rows are sorted by slice once; each slice's tallies are those of a stretch of them.
    Shares are compared by Fisher's exact or the score test, areas by DeLong's, means of
    losses by Welch's t, other measures of scores with random draws of as many rows, all
    else by a jackknife over random parts of the rows; rows that carry weights or come in
    groups by that jackknife alone, over parts of the groups. p-values are corrected by
    Holm's method over all slices of all columns, for each measure by itself. Rows in several
    repeats have the mean over repeats, as all rows have, and no test.

    Examples
    --------
    >>> import heldout
    >>> from heldout.measures.spec import parse_request
    >>> truth, site = [1, 0] * 20, ["north"] * 20 + ["south"] * 20
    >>> predicted = truth[:20] + [0, 1] * 10
    >>> card = heldout.score(truth, predicted, slices={"site": site}, pos_label=1)
    >>> (table,) = slice_tables(card.tallies[0], [parse_request("accuracy")])
    >>> [(r.slice, r.value, r.test.verdict) for r in table.results], table.micro, table.macro
    ([('south', 0.0, 'worse'), ('north', 1.0, 'better')], 0.5, 0.5)
    """
    p = tallies.predictions
    asked = [
        one
        for request in requests
        for one in (averages_for(request) if is_split(request, p.task) else (request,))
        if not lacking(one, tallies)
    ]
    tallies.prepare([pair for request in asked for pair in losses_of(request)])
    whole = [None if whole_of is None else whole_of(request) for request in asked]
    everything = [
        _value(request, tallies).value if result is None else result.value
        for request, result in zip(asked, whole, strict=True)
    ]
    tables: list[list[SliceTable]] = [[] for _ in asked]
    for column in p.slices:
        rows = SliceRows.of(tallies, column, seed=seed)
        each = [rows.of_slice(s) for s in range(len(rows))]
        lines = in_threads(lambda own: _values(own, asked, intervals_of), each)
        values = [[line[place] for line in lines] for place in range(len(asked))]
        tested = [[UNTESTED] * len(rows) for _ in asked]
        if tests:
            differences = SliceDifferences(rows, each, tallies, seed)
            tested = SliceRests(rows, each, tallies).differences(
                asked,
                [[value.value for value, _ in line] for line in values],
                [differences.tests(request) for request in asked],
                everything,
            )
        reason = "" if intervals_of is None else _dependence(tallies, column)
        for place, request in enumerate(asked):
            about = zip(values[place], tested[place], strict=True)
            results = tuple(
                _result(rows, s, value, interval, test)
                for s, ((value, interval), test) in enumerate(about)
            )
            macro, note = _mean_of_slices(results)
            tables[place].append(
                SliceTable(
                    column.name if results else "",
                    request.name,
                    results,
                    everything[place],
                    macro,
                    note,
                    whole[place],
                    _mean_limits(request, results, reason),
                )
            )
    done = [_corrected(r, columns, significance) for r, columns in zip(asked, tables, strict=True)]
    return tuple(table for of_column in zip(*done, strict=True) for table in of_column)


def _values(
    tallies: Tallies, requests: Sequence[Request], intervals_of: IntervalsOf | None
) -> list[tuple[Value, Interval | None]]:
    tallies.prepare([pair for request in requests for pair in losses_of(request)])
    values = [_value(request, tallies) for request in requests]
    if intervals_of is None:
        return [(value, None) for value in values]
    interval_of = intervals_of(tallies, requests)
    return [(v, interval_of(r, v.value)) for r, v in zip(requests, values, strict=True)]


def _value(request: Request, tallies: Tallies) -> Value:
    """The value of some rows; of rows in several repeats the mean over repeats, as elsewhere."""
    if tallies.design.repeats == 1:
        return overall(request, tallies)
    mean = Rows(None).one(tallies, request)
    return Value(mean.value, mean.notes)


def _result(
    rows: SliceRows, index: int, value: Value, interval: Interval | None, test: Test
) -> SliceResult:
    outside: tuple[Note, ...] = ()
    if interval is not None and not interval.is_absent and not interval.contains(value.value):
        outside = interval.notes
    return SliceResult(
        rows.levels[index],
        int(rows.sizes[index].sum()),
        value.value,
        interval,
        replace(test, p_value=nan) if isnan(value.value) else test,
        (*value.notes, *outside, *test.notes),
    )


def _corrected(
    request: Request, tables: Sequence[SliceTable], significance: float
) -> list[SliceTable]:
    """The tables of a measure, worst first, p-values corrected over the slices of all columns.

    Of two slices one is the other's rest: their tests are one test, which counts once.
    """
    p_values = [[r.test.p_value for r in table.results] for table in tables]
    counted = [
        [max(some)] if len(some) == 2 and not isnan(sum(some)) else some for some in p_values
    ]
    corrected = iter(holm([p_value for some in counted for p_value in some]).tolist())
    done = []
    for table, some in zip(tables, counted, strict=True):
        own = [next(corrected) for _ in some]
        own = own * 2 if len(own) < len(table.results) else own
        results = [
            replace(r, test=_judged(request, r.test, p_value, significance))
            for r, p_value in zip(table.results, own, strict=True)
        ]
        results.sort(key=lambda r: _place(request, r))
        done.append(replace(table, results=tuple(results)))
    return done


def _judged(request: Request, test: Test, p_value: float, significance: float) -> Test:
    """Whether a slice is worse or better than the rest, or differs; empty where not tested."""
    direction = request.measure.direction
    if isnan(p_value):
        verdict = ""
    elif p_value > significance:
        verdict = UNCLEAR
    elif direction not in ("up", "down") or not test.difference:
        verdict = "differs"
    else:
        verdict = "better" if (test.difference > 0) == (direction == "up") else "worse"
    return replace(test, corrected=p_value, verdict=verdict)


def _place(request: Request, result: SliceResult) -> tuple[int, float]:
    """Worst first; slices that were not judged after those that were, undefined ones last."""
    if isnan(result.value):
        return 2, 0.0
    has_order = request.measure.direction != "none"
    return int(not result.test.is_judged), -demerit(request, result.value) if has_order else 0.0


def _mean_of_slices(results: Sequence[SliceResult]) -> tuple[float, str]:
    """The mean of the slices' values, which says of how many it is."""
    values = np.array([r.value for r in results])
    known = values[~np.isnan(values)]
    value = float(known.mean()) if len(known) else nan
    notes = []
    if len(known) < len(results):
        lost = [r.slice for r in results if isnan(r.value)]
        notes.append(f"mean of {len(known)} of {len(results)} slices; undefined in {_some(lost)}")
    small = [r.slice for r in results if r.has(Kind.TOO_SMALL) and not isnan(r.value)]
    if small:
        notes.append(f"counts slices too small to judge like the others: {_some(small)}")
    return value, "; ".join(notes)


def _some(names: list[str]) -> str:
    return ", ".join(names[:NAMED]) + (" ..." if len(names) > NAMED else "")


def _dependence(tallies: Tallies, column: Column) -> str:
    """Why the slices of a column are not separate rows; empty where they are."""
    if tallies.design.repeats > 1:
        return str(REPEATED)
    if tallies.design.is_often:
        return str(OFTEN)
    group = tallies.predictions.design.group
    if group is None:
        return ""
    # every row of a group has to have the slice of one of them
    of_group = np.zeros(len(group.levels), column.codes.dtype)
    of_group[group.codes] = column.codes
    return ACROSS if (of_group[group.codes] != column.codes).any() else ""


def _mean_limits(
    request: Request, results: Sequence[SliceResult], reason: str = ""
) -> Interval | None:
    """The interval of the mean of the slices that have a value, or why there is none.

    None where no intervals were asked for.
    """
    counted = [r for r in results if not isnan(r.value)]
    made = [r.interval for r in counted if r.interval is not None]
    if not made or len(made) < len(counted):
        return None
    if isinstance(request.measure.kind, BinGaps | Maximum):
        reason = reason or BIASED
    for result, interval in zip(counted, made, strict=True):
        if interval.is_absent:
            reason = reason or f"{result.slice} has none: {interval.note}"
        elif not interval.contains(result.value):
            reason = reason or f"the value of {result.slice} lies outside its own"
    if reason:
        return absent(reason, level=made[0].level)
    mean = mean_interval([r.value for r in counted], made)
    return mean.within(request.measure.bounds)


def mean_interval(values: Sequence[float], intervals: Sequence[Interval]) -> Interval:
    """The interval of the mean of independent values from the interval of each.

    Halves of widths are added as standard errors are. How far an interval lies askew of its
    value counts by one over their number once more: means are less skewed than what they are
    made of. (Zou and Donner's MOVER adds each side by itself, which keeps the skewness of the
    parts: of 20 shares near 1 the mean lay above its upper limit 16 times in 100.)

    Examples
    --------
    >>> both = [Interval(0.5, 0.9, 0.95, "Wilson"), Interval(0.6, 1.0, 0.95, "Wilson")]
    >>> made = mean_interval([0.8, 1.0], both)
    >>> made.low, made.high
    (0.6836, 0.9664)
    """
    count, level = len(values), intervals[0].level
    if not all(isfinite(v) and isfinite(i.width) for v, i in zip(values, intervals, strict=True)):
        return absent("a value or a limit is infinite", level=level)
    askew = sum((own.low + own.high) / 2 - v for v, own in zip(values, intervals, strict=True))
    middle = sum(values) / count + askew / count**2
    reach = sqrt(sum((own.width / 2) ** 2 for own in intervals)) / count
    method = (
        f"widths of the intervals of {count:,} slice{'s' if count > 1 else ''}, added in squares"
    )
    return Interval(middle - reach, middle + reach, level, method)
