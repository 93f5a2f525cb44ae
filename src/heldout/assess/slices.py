"""Every measure by slice, worst first, with the slices that differ from the rest."""

from __future__ import annotations

from dataclasses import replace
from math import isnan, nan
from typing import TYPE_CHECKING, Any, NamedTuple

from heldout.assess.requests import averages_for
from heldout.assess.rows import Rows
from heldout.assess.slice_differences import SliceDifferences
from heldout.assess.slice_mean_limits import dependence_of, mean_limits
from heldout.assess.slice_means import mean_of_slices
from heldout.assess.slice_rests import SliceRests
from heldout.assess.slice_results import SliceResult, SliceTable
from heldout.assess.slice_rows import SliceRows
from heldout.assess.slice_tests import no_test
from heldout.assess.slice_verdicts import holm_of_columns, verdict_of, worst_first
from heldout.assess.values import Value, lacking, losses_of, overall
from heldout.core.threads import in_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from heldout.assess.results import Result
    from heldout.assess.slice_tests import Test
    from heldout.core.notes import Note
    from heldout.engines.memory import Tallies
    from heldout.intervals.interval import Interval
    from heldout.measures.spec import Request

    #: from a slice's tallies and all measures asked for: what makes the interval of a value
    IntervalsOf = Callable[[Tallies, Sequence[Request]], Callable[[Request, float], Interval]]

__all__ = ["SliceResult", "SliceTable", "slice_tables"]


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
    >>> [(r.slice, r.value, r.verdict) for r in table.results], table.micro, table.macro
    ([('south', 0.0, 'worse'), ('north', 1.0, 'better')], 0.5, 0.5)
    """
    p = tallies.predictions
    asked = [r for request in requests for r in _whole_ones(request, p.task)]
    asked = [r for r in asked if not lacking(r, tallies)]
    tallies.prepare([pair for request in asked for pair in losses_of(request)])
    whole = [None if whole_of is None else whole_of(request) for request in asked]
    everything = [
        _value(request, tallies).value if made is None else made.value
        for request, made in zip(asked, whole, strict=True)
    ]
    found: list[_Found] = []
    for column in p.slices:
        rows = SliceRows.of(p, column, seed=seed)
        each = [rows.of_slice(s) for s in range(len(rows))]
        made = in_threads(lambda own: _values(own, asked, intervals_of), each)
        differences = SliceDifferences(rows, each, tallies, seed)
        values = [[line[place] for line in made] for place in range(len(asked))]
        judged = [[no_test("")] * len(rows) for _ in asked]
        if tests:
            judged = SliceRests(rows, each, tallies).differences(
                asked,
                [[value.value for value, _ in line] for line in values],
                [differences.tests(request) for request in asked],
                everything,
            )
        for place, request in enumerate(asked):
            results = [
                _result(rows, s, request, value=value, interval=interval, test=test)
                for s, ((value, interval), test) in enumerate(
                    zip(values[place], judged[place], strict=True)
                )
            ]
            apart = "" if intervals_of is None else dependence_of(tallies, column)
            found.append(_Found(request, everything[place], results, whole[place], apart))
    return _corrected(found, significance)


class _Found(NamedTuple):
    """A measure on all slices of a column, and why they are not separate rows."""

    request: Request
    value: float
    results: list[SliceResult]
    whole: Result | None
    dependence: str


def _whole_ones(request: Request, task: str) -> tuple[Request, ...]:
    """The request, or its averages where it has a value for each class and none overall."""
    split = task == "multiclass" and request.measure.is_per_class
    if split and request.label is None and not request.average:
        return averages_for(request)
    return (request,)


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
    rows: SliceRows,
    index: int,
    request: Request,
    *,
    value: Value,
    interval: Interval | None,
    test: Test,
) -> SliceResult:
    outside: tuple[Note, ...] = ()
    if interval is not None and not interval.is_absent and not interval.contains(value.value):
        outside = interval.notes
    return SliceResult(
        rows.name,
        str(rows.levels[index]),
        request.name,
        int(rows.sizes[index].sum()),
        value.value,
        interval,
        test.difference,
        nan if isnan(value.value) else test.p_value,
        nan,
        "",
        test.method,
        (*value.notes, *outside, *test.notes),
    )


def _corrected(found: list[_Found], significance: float) -> tuple[SliceTable, ...]:
    """The tables, with p-values corrected over all slices of all columns of a measure."""
    corrected: dict[str, Any] = {}
    for name in {own.request.name for own in found}:
        columns = [own.results for own in found if own.request.name == name]
        corrected[name] = iter(holm_of_columns(columns))
    tables = []
    for request, value, results, whole, dependence in found:
        done = []
        for result in results:
            p_value = next(corrected[request.name])
            verdict = verdict_of(request, result.difference, p_value, significance)
            done.append(replace(result, corrected=p_value, verdict=verdict))
        macro, note = mean_of_slices(done)
        tables.append(
            SliceTable(
                done[0].column if done else "",
                request.name,
                request.measure.direction,
                tuple(worst_first(request, done)),
                value,
                macro,
                note,
                whole,
                mean_limits(request, done, dependence),
            )
        )
    return tuple(tables)
