"""Every measure by slice, worst first, with the slices that differ from the rest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import isfinite, isnan, nan, sqrt
from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.part_values import values_by_part
from heldout.assess.results import Result
from heldout.assess.rows import Rows
from heldout.assess.slice_rests import SliceRests
from heldout.assess.slice_tests import SliceTests
from heldout.assess.uncertainty import Uncertainty
from heldout.assess.values import Value, averages_for, is_split, lacking, losses_of, overall
from heldout.core.notes import Kind, Note, note_text
from heldout.core.significance import holm, no_test
from heldout.core.threads import in_threads
from heldout.decisions.ranking import demerit
from heldout.engines.protocol import slice_by
from heldout.measures.kinds import BinGaps, Maximum
from heldout.predictions.split_design import OFTEN, REPEATED
from heldout.uncertainty.interval import Interval, absent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.core.significance import Test
    from heldout.decisions.records import Record
    from heldout.engines.memory import Tallies
    from heldout.engines.parts import Partition
    from heldout.measures.spec import Request
    from heldout.tables.column import Column
    from heldout.uncertainty.options import IntervalOptions

#: what is said where a test shows nothing, which is no proof that slices are alike
UNCLEAR = "no clear difference"
ACROSS = "groups are split across slices, so the slices are not independent"
BIASED = "it is biased in small samples, in every slice in the same direction"
#: from which corrected p-value on a slice differs
SIGNIFICANCE = 0.05
#: slices that a note names
NAMED = 5
UNTESTED = no_test("")


@dataclass(frozen=True, slots=True)
class SliceTable:
    """One measure on all slices of one column.

    Parameters
    ----------
    results
        Worst first; slices without a test after those with one, undefined ones last. The
        ``test`` of each is against all other rows, and its ``estimate`` the difference to them.
    whole, macro
        The result of all rows together, and the mean of the slices' values.
    mean_interval
        The interval of the mean of slices; None where it was not asked for.
    """

    column: str
    request: Request
    results: tuple[Result, ...]
    whole: Result
    macro: float
    note: str = ""
    mean_interval: Interval | None = None

    @property
    def measure(self) -> str:
        """The name of the measure."""
        return self.request.name

    @property
    def differing(self) -> tuple[Result, ...]:
        """The slices that differ from the rest after Holm's correction."""
        return tuple(r for r in self.results if self.verdict(r) not in ("", UNCLEAR))

    def verdict(self, result: Result) -> str:
        """Whether a slice is worse or better than the rest, or differs; empty: not tested."""
        test, direction = result.test or UNTESTED, self.request.measure.direction
        if isnan(test.corrected):
            return ""
        if test.corrected > SIGNIFICANCE:
            return UNCLEAR
        if direction not in ("up", "down") or not test.estimate:
            return "differs"
        return "better" if (test.estimate > 0) == (direction == "up") else "worse"

    def records(self) -> list[Record]:
        """A record for each slice; one for all rows and one for the mean, which have no test."""
        whole = replace(self.whole, n=sum(r.n for r in self.results))
        counted = sum(r.n for r in self.results if r.is_defined)
        notes = (Note(self.note),) if self.note else ()
        mean = Result(self.measure, self.macro, counted, notes)
        mean = _with_interval(mean, self.mean_interval)
        return [
            *(self._record(r, f"{self.column}={r.slice}", "slice") for r in self.results),
            self._record(whole, f"{self.column}: all rows (micro)", "micro"),
            self._record(mean, f"{self.column}: mean (macro)", "macro"),
        ]

    def _record(self, result: Result, name: str, kind: str) -> Record:
        """A result as a row of the table of slices."""
        test = result.test or UNTESTED
        return {
            "slice": name,
            "kind": kind,
            "n": result.n,
            "measure": self.measure,
            "value": result.value,
            "low": result.low,
            "high": result.high,
            "interval_method": result.method,
            "no_interval": result.lack,
            "difference": test.estimate,
            "p_value": test.p_value,
            "corrected_p_value": test.corrected,
            "verdict": self.verdict(result),
            "method": test.method,
            "note": note_text(result.notes, without={Kind.NO_INTERVAL}),
        }


def _with_interval(result: Result, interval: Interval | None) -> Result:
    """The result with the limits alone, or with the reason why a value has none."""
    if interval is None or interval.is_absent or not interval.notes:
        return result.bounded(interval)
    return result.bounded(replace(interval, notes=()))


def slice_tables(
    tallies: Tallies,
    requests: Sequence[Request],
    *,
    intervals: IntervalOptions | None = None,
    tests: bool = True,
    seed: int = 1,
) -> tuple[SliceTable, ...]:
    """A table for each measure and each column of slices.

    Parameters
    ----------
    tallies
        The tallies of all rows; their predictions carry the columns of slices.
    requests
        The measures. One that has a value for each of several classes is averaged over them.
    intervals
        What was asked for; None: values have none.
    tests
        Whether each slice is tested against all other rows.
    seed
        For the random draws that some tests need.

    Notes
    -----
    Shares are compared by Fisher's exact or the score test, calibration bins by their gaps,
    what is smooth in the rows by their influences (Welch's t, and permutation of labels), and all
    else by permutation of labels. p-values are corrected by Holm's method over all slices of all
    columns and all measures asked for. Rows in several repeats have the mean over repeats, as
    all rows have, and no test.

    Examples
    --------
    >>> import heldout
    >>> from heldout.measures.spec import parse_request
    >>> truth, site = [1, 0] * 20, ["north"] * 20 + ["south"] * 20
    >>> predicted = truth[:20] + [0, 1] * 10
    >>> card = heldout.score(truth, predicted, slices={"site": site}, pos_label=1)
    >>> (table,) = slice_tables(card.tallies[0], [parse_request("accuracy")])
    >>> (
    ...     [(r.slice, r.value, table.verdict(r)) for r in table.results],
    ...     table.whole.value,
    ...     table.macro,
    ... )
    ([('south', 0.0, 'worse'), ('north', 1.0, 'better')], 0.5, 0.5)
    """
    p = tallies.predictions
    asked = [
        form
        for request in requests
        for form in (averages_for(request) if is_split(request, p.task) else (request,))
        if not lacking(form, tallies)
    ]
    tallies.prepare([pair for request in asked for pair in losses_of(request)])
    whole = [Rows(intervals).one(tallies, request) for request in asked]
    everything = [result.value for result in whole]
    columns = []
    for column in p.slices:
        slices = tallies.parts(slice_by(column.name))
        lines = _values(slices, asked, tallies)
        tested = [[UNTESTED] * len(slices) for _ in asked]
        if tests:
            tested = _tests(tallies, column, asked, lines, everything, seed)
        columns.append((column, slices, lines, tested))
    corrected = _corrected([line for *_, tested in columns for line in tested])
    tables: list[SliceTable] = []
    for column, slices, lines, _ in columns:
        limits = _intervals(slices, asked, lines, intervals)
        reason = "" if intervals is None else _dependence(tallies, column)
        for number, request in enumerate(asked):
            each = zip(slices.keys, slices.rows.tolist(), strict=True)
            about = zip(each, lines[number], limits[number], next(corrected), strict=True)
            results = tuple(
                _result(request, level, n, value, interval, test)
                for ((level,), n), value, interval, test in about
            )
            macro, note = _mean_of_slices(results)
            worst_first = tuple(sorted(results, key=partial(_place, request)))
            tables.append(
                SliceTable(
                    column.name if results else "",
                    request,
                    worst_first,
                    whole[number],
                    macro,
                    note,
                    _mean_limits(request, results, limits[number], reason),
                )
            )
    return tuple(tables)


def _values(slices: Partition, requests: Sequence[Request], whole: Tallies) -> list[list[Value]]:
    """The values of each measure on each slice."""
    if whole.design.repeats > 1:
        table = [[_value(request, rows) for request in requests] for rows in slices]
        return [[row[k] for row in table] for k in range(len(requests))]
    lines = values_by_part(slices, [(request, False) for request in requests])
    return [[line.value(number) for number in range(len(slices))] for (line,) in lines]


def _value(request: Request, tallies: Tallies) -> Value:
    """The value of some rows; of rows in several repeats the mean over repeats, as elsewhere."""
    if tallies.design.repeats == 1:
        return overall(request, tallies)
    mean = Rows(None).one(tallies, request)
    return Value(mean.value, mean.notes)


def _tests(
    tallies: Tallies,
    column: Column,
    requests: Sequence[Request],
    lines: Sequence[Sequence[Value]],
    everything: Sequence[float],
    seed: int,
) -> list[list[Test]]:
    """The tests of each measure on each slice, with the difference to all other rows."""
    others, values = SliceRests(tallies, column.name), [_numbers(line) for line in lines]
    judge, rests = SliceTests(others, seed), others.of(requests, values, everything)
    lines_of_tests = []
    for request, own, rest in zip(requests, values, rests, strict=True):
        differences = rest.differences(own)
        tests = judge.tests(request, own, rest.values)
        line = []
        for test, difference, value in zip(tests, differences.tolist(), own, strict=True):
            is_known = not isnan(difference) and not isnan(test.estimate)
            exact = replace(test, estimate=difference).noted(rest.note) if is_known else test
            line.append(replace(exact, p_value=nan) if isnan(value) else exact)
        lines_of_tests.append(line)
    return lines_of_tests


def _numbers(line: Sequence[Value]) -> NDArray[np.float64]:
    return np.array([value.value for value in line])


def _intervals(
    slices: Partition,
    requests: Sequence[Request],
    lines: Sequence[Sequence[Value]],
    options: IntervalOptions | None,
) -> list[list[Interval | None]]:
    """The interval of each measure on each slice; None where none was asked for."""
    if options is None:
        return [[None] * len(slices) for _ in requests]

    def of(number: int) -> list[Interval]:
        rows = Uncertainty(slices.at(number), options, tuple(requests), is_frugal=True)
        pairs = zip(requests, lines, strict=True)
        return [rows.of(request, line[number].value) for request, line in pairs]

    # of few rows NumPy does not let go of Python's lock
    places = range(len(slices))
    table = [of(number) for number in places] if slices.is_small else in_threads(of, places)
    return [[row[k] for row in table] for k in range(len(requests))]


def _result(
    request: Request, level: str, n: int, value: Value, interval: Interval | None, test: Test
) -> Result:
    outside: tuple[Note, ...] = ()
    if interval is not None and not interval.is_absent and not interval.contains(value.value):
        outside = interval.notes
    notes = (*value.notes, *outside, *test.notes)
    result = Result(request.name, value.value, n, notes, slice=level, test=test)
    return _with_interval(result, interval)


def _corrected(lines: Sequence[Sequence[Test]]) -> Iterator[list[Test]]:
    """The tests with p-values corrected over all slices, columns and measures.

    Of two slices one is the other's rest: their tests are one test, which counts once.
    """
    counted = []
    for line in lines:
        some = [test.p_value for test in line]
        counted.append([max(some)] if len(some) == 2 and not isnan(sum(some)) else some)
    corrected = iter(holm([p_value for some in counted for p_value in some]).tolist())
    for line, some in zip(lines, counted, strict=True):
        own = [next(corrected) for _ in some]
        own = own * 2 if len(own) < len(line) else own
        yield [replace(test, corrected=p) for test, p in zip(line, own, strict=True)]


def _place(request: Request, result: Result) -> tuple[int, float]:
    """Worst first; slices that were not judged after those that were, undefined ones last."""
    if not result.is_defined:
        return 2, 0.0
    has_order = request.measure.direction != "none"
    is_judged = result.test is not None and result.test.is_given
    return int(not is_judged), -demerit(request, result.value) if has_order else 0.0


def _mean_of_slices(results: Sequence[Result]) -> tuple[float, str]:
    """The mean of the slices' values, which says of how many it is."""
    values = np.array([r.value for r in results])
    known = values[~np.isnan(values)]
    value = float(known.mean()) if len(known) else nan
    notes = []
    if len(known) < len(results):
        lost = [r.slice for r in results if not r.is_defined]
        notes.append(f"mean of {len(known)} of {len(results)} slices; undefined in {_some(lost)}")
    small = [r.slice for r in results if r.has(Kind.TOO_SMALL) and r.is_defined]
    if small:
        notes.append(f"weights slices that are too small to test like the others: {_some(small)}")
    return value, "; ".join(notes)


def _some(names: list[str]) -> str:
    return ", ".join(names[:NAMED]) + (" ..." if len(names) > NAMED else "")


def _dependence(tallies: Tallies, column: Column) -> str:
    """Why the slices of a column are not independent rows; empty where they are."""
    if tallies.design.repeats > 1:
        return str(REPEATED)
    if tallies.design.is_often:
        return str(OFTEN)
    # every row of a group has to have the slice of one of them
    slices = slice_by(column.name)
    if tallies.predictions.design.group is None:
        return ""
    return ACROSS if len(tallies.parts(slices, "group")) > tallies.groups else ""


def _mean_limits(
    request: Request,
    results: Sequence[Result],
    intervals: Sequence[Interval | None],
    reason: str = "",
) -> Interval | None:
    """The interval of the mean of the slices that have a value, or why there is none.

    None where no intervals were asked for.
    """
    counted = [
        (result, interval)
        for result, interval in zip(results, intervals, strict=True)
        if result.is_defined
    ]
    own = [interval for _, interval in counted if interval is not None]
    if not own or len(own) < len(counted):
        return None
    if isinstance(request.measure.kind, BinGaps | Maximum):
        reason = reason or BIASED
    for (result, _), interval in zip(counted, own, strict=True):
        if interval.is_absent:
            reason = reason or f"{result.slice} has none: {interval.note}"
        elif not interval.contains(result.value):
            reason = reason or f"the value of {result.slice} lies outside its own"
    if reason:
        return absent(reason, level=own[0].level)
    mean = mean_interval([r.value for r, _ in counted], own)
    return mean.within(request.bounds)


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
