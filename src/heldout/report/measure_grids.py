"""Results of measures as grids: one model in detail, several side by side, slices, folds."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from heldout.core.notes import Kind, note_text
from heldout.report.document import Column, Grid
from heldout.report.names import arrow, bare_title, family_title, request_of, short_title, title_of
from heldout.report.numbers import count_text, number_text, with_limits
from heldout.report.remarks import (
    absences,
    few,
    interval_head,
    interval_text,
    is_plain,
    methods,
)
from heldout.report.widths import GAP, Crossing, grids, longest_word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from heldout.assess.results import Result

__all__ = ["detail_grid", "side_by_side", "value_text", "with_interval"]

#: below this width titles are short
ROOMY = 100
#: remarks stand beside the values where there is so much room, else below the table
REMARK = 26
#: with more rows in a table only undefined values are remarked on, and so many times
FEW_ROWS = 4
MOST_REMARKS = 12
#: of more measures several models are columns where that takes fewer tables
MOST_MEASURES = 20
FOLDS = "single folds have no intervals: their rows are few and their models trained on shared rows"


def value_text(result: Result | None, digits: int) -> str:
    """A result's value as text, empty where there is no result."""
    if result is None:
        return ""
    measure = request_of(result.measure).measure
    if result.is_not_given:
        return "none"
    if result.fold == "mean" and isnan(result.value) and measure.why_not_averaged:
        # a count or a sum has no mean over folds: nothing to show, rather than undefined
        return ""
    if measure.is_count:
        return count_text(result.value, digits=digits)
    if result.low is None or result.high is None:
        return number_text(result.value, digits=digits)
    return with_limits(result.value, result.low, result.high, digits=digits)[0]


def detail_grid(
    heading: str, results: Sequence[Result], *, digits: int, width: int | None, families: bool
) -> Grid:
    """One model: a row a measure, with the mean of the folds beside the pooled value."""
    pooled = {r.measure: r for r in results if not r.fold}
    means = {r.measure: r for r in results if r.fold == "mean"}
    names = list(dict.fromkeys((*pooled, *means)))
    is_roomy = width is None or width >= ROOMY
    columns = [
        (
            Column("measure", excess="wrap"),
            [(title_of if is_roomy else bare_title)(n) for n in names],
        ),
        (Column(""), [arrow(name) for name in names]),
        (
            Column("pooled" if means else "value", "decimal"),
            [value_text(pooled.get(name), digits) for name in names],
        ),
    ]
    limits = [interval_text(pooled.get(name), digits) for name in names]
    if any(limits):
        columns.append((Column(interval_head(pooled.values())), limits))
    if means:
        values = [value_text(means.get(name), digits) for name in names]
        columns.append((Column("mean of folds", "decimal"), values))
    remarks = [remark(pooled.get(name), means.get(name)) for name in names]
    named = (Column("name", tone="quiet"), names)
    if width is None or _wide([*columns, named]) + (REMARK if any(remarks) else 0) <= width:
        columns.append(named)
    beside = width is None or _wide(columns) + REMARK <= width
    if any(remarks) and beside:
        columns.append((Column("remark", tone="quiet", excess="wrap"), remarks))
    below = (
        [] if beside else [(bare_title(n), text) for n, text in zip(names, remarks, strict=True)]
    )
    return Grid(
        heading,
        tuple(column for column, _ in columns),
        tuple(zip(*(cells for _, cells in columns), strict=True)),
        sections=_families(names) if families else {},
        notes=(*_by_remark(below), *methods(pooled.values()), *_of_means(means.values(), digits)),
    )


def _of_means(means: Iterable[Result], digits: int) -> tuple[str, ...]:
    """A line for each method: the intervals of means of folds, which have no column."""
    made: dict[str, list[str]] = {}
    known = [r for r in means if r.low is not None]
    for r in known:
        text = f"{bare_title(r.measure)} {interval_text(r, digits)}"
        made.setdefault(r.method, []).append(text)
    head = f"{interval_head(known)} of the mean of folds by"
    return tuple(f"{head} {method}: {'; '.join(texts)}" for method, texts in made.items())


def _by_remark(remarked: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """One line a remark, naming all measures that it is about."""
    about: dict[str, list[str]] = {}
    for title, text in remarked:
        if text:
            about.setdefault(text, []).append(title)
    return tuple(f"{few(titles)}: {text}" for text, titles in about.items())


def _wide(columns: Sequence[tuple[Column, list[str]]]) -> int:
    """The width that columns take without breaking a cell."""
    cells = [max(map(len, cells), default=0) for _, cells in columns]
    heads = [longest_word(column.title) for column, _ in columns]
    return sum(map(max, cells, heads)) + GAP * len(columns)


def remark(pooled: Result | None, mean: Result | None) -> str:
    """What is to be known of a measure's values: of the pooled one, then of the folds."""
    notes = [] if pooled is None else [_remarks_of(pooled)]
    # a mean over all folds needs no remark: the head of the column says what it is
    is_lacking = mean is not None and mean.has(Kind.UNDEFINED_PARTS, Kind.UNDEFINED)
    if mean is not None and is_lacking and not (pooled and isnan(pooled.value)):
        notes.append(str(mean.notes[0]))
    return "; ".join(filter(None, notes))


def _remarks_of(result: Result) -> str:
    """The notes of a result without what every value of repeated runs would repeat."""
    return note_text(
        n for n in result.notes if not (n.kind is Kind.MEAN_OF_REPEATS and is_plain(n))
    )


def side_by_side(
    title: str,
    corner: str,
    results: Sequence[Result],
    name_of: Callable[[Result], str],
    *,
    digits: int,
    width: int | None,
    has_counts: bool = False,
    of: Mapping[str, str] | None = None,
) -> list[Grid]:
    """A row for each model (or slice, or fold) and a column a measure, in as many tables as fit.

    ``has_counts``: how many rows each slice or fold has stands in the first column; ``of``: what
    the values of a measure are of, where its head has to say it.
    """
    by_name: dict[tuple[str, str], Result] = {(name_of(r), r.measure): r for r in results}
    rows = tuple(dict.fromkeys(name for name, _ in by_name))
    names = tuple(dict.fromkeys(name for _, name in by_name))
    said = of or {}
    heads = tuple(short_title(n) + (f", {said[n]}" if n in said else "") for n in names)
    remarked = [(row, r) for (row, _), r in by_name.items() if r.note and r.fold != "mean"]
    lacking: tuple[str, ...] = ()
    if len(rows) > FEW_ROWS:
        lacking = absences((row, r.measure, r) for row, r in remarked if r.is_defined)
        remarked = [(row, r) for row, r in remarked if not r.is_defined]
    notes = (*_remark_lines(remarked), *lacking, *_lacking_means(by_name))
    if corner == "fold" and not any(r.low is not None for r in results):
        notes = (*notes, FOLDS)
    counts = {row: (count_text(r.n),) for (row, _), r in by_name.items()} if has_counts else {}
    cells = tuple(
        (*counts.get(row, ()), *(with_interval(by_name.get((row, name)), digits) for name in names))
        for row in rows
    )
    crossing = Crossing(
        title,
        corner,
        "measure",
        rows,
        ("n", *heads) if has_counts else heads,
        cells,
        (*notes, *methods(results, brackets=True)),
    )
    # who looks for the better model reads down a column
    return grids(crossing, width, may_turn=corner != "model" or len(names) > MOST_MEASURES)


def with_interval(result: Result | None, digits: int) -> str:
    """A value and, in brackets, its interval."""
    limits = interval_text(result, digits, between=", ", fewer=1)
    return f"{value_text(result, digits)} [{limits}]" if limits else value_text(result, digits)


def _remark_lines(remarked: Iterable[tuple[str, Result]]) -> tuple[str, ...]:
    """One line a remark, naming the measures and rows it belongs to."""
    where: dict[tuple[str, str], list[str]] = {}
    for row, result in remarked:
        if note := _remarks_of(result):
            where.setdefault((bare_title(result.measure), note), []).append(row)
    about: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (title, note), rows in where.items():
        about.setdefault((note, tuple(rows)), []).append(title)
    lines = [f"{few(titles)} ({few(rows)}): {note}" for (note, rows), titles in about.items()]
    more = len(lines) - MOST_REMARKS
    hidden = [f"{more} more remarks are not shown: --format csv gives all"] if more > 0 else []
    return (*lines[:MOST_REMARKS], *hidden)


def _lacking_means(by_name: dict[tuple[str, str], Result]) -> tuple[str, ...]:
    """Why a mean of folds has no interval where those beside it have one."""
    means = {key: r for key, r in by_name.items() if r.fold == "mean" and r.is_defined}
    bounded = {r.measure for r in means.values() if r.low is not None}
    return absences((row, r.measure, r) for (row, _), r in means.items() if r.measure in bounded)


def _families(names: Sequence[str]) -> dict[int, str]:
    """Where a family of measures begins."""
    sections: dict[int, str] = {}
    last = ""
    for number, name in enumerate(names):
        family = request_of(name).measure.family
        if family != last:
            sections[number] = family_title(request_of(name).measure)
            last = family
    return sections
