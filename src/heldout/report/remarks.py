"""What is said below tables: which method made which interval and why, what lacks, and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.assess.results import Of
from heldout.core.notes import Kind, note_text
from heldout.core.wording import plural, values_by_key
from heldout.report.layout import few
from heldout.report.names import bare_title, request_of
from heldout.report.table import Note as Footnote
from heldout.report.table import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from heldout.assess.results import Result
    from heldout.assess.scorecard import Scorecard
    from heldout.core.notes import Note
    from heldout.datasets.dataset import Dataset
    from heldout.procedures.splits import Splits
    from heldout.report.table import Block


#: ways of one method that are told one by one
MOST_WAYS = 3


def interval_head(results: Iterable[Result]) -> str:
    """The head of a column of intervals: their level."""
    levels = {r.level for r in results if r.level is not None}
    return " / ".join(f"{level * 100:.10g}% interval" for level in sorted(levels))


def methods(results: Iterable[Result], *, brackets: bool = False) -> tuple[Footnote, ...]:
    """A line for each method: which measures' intervals it made.

    Ways of one method that differ only in the rows that they are of are many in a table of
    classes or slices: the first of them stands for all.
    """
    known = [r for r in results if r.low is not None]
    ways = values_by_key((r.by, r.method) for r in known)
    names = {
        method: f"{of[0]} (and likewise on other rows)" if len(of) > MOST_WAYS else method
        for of in ways.values()
        for method in of
    }
    by_method = values_by_key((names[r.method], bare_title(r.measure)) for r in known)
    if not by_method:
        return ()
    head = f"{interval_head(known)}s{' in brackets' if brackets else ''}"
    lines = (f"  {method}: {few(titles)}" for method, titles in by_method.items())
    return (
        Footnote((f"{head} by",), "method", short=head),
        *(Footnote((line,), "method") for line in lines),
    )


#: so many remarks are shown; of more, their number
MOST_REMARKS = 12


def reason_of(result: Result) -> str:
    """Why a result is undefined or has no interval, as a clause; empty where nothing lacks.

    Examples
    --------
    >>> from heldout.assess.results import Result
    >>> from heldout.core.notes import Kind, Note
    >>> reason_of(Result("auc", 0.5, 10, (Note("too few rows", Kind.NO_INTERVAL),)))
    'no interval: too few rows'
    """
    if not result.is_defined:
        return result.note or "undefined"
    kinds = [note.kind for note in result.notes]
    if result.low is not None or Kind.NO_INTERVAL not in kinds:
        return ""
    return note_text(result.notes[kinds.index(Kind.NO_INTERVAL) :])


def is_plain(note: Note) -> bool:
    """Whether a note only repeats what the head of a column says: a mean of all parts."""
    is_mean = note.kind in (Kind.MEAN_OF_FOLDS, Kind.MEAN_OF_REPEATS)
    return note.kind is Kind.ESTIMATE or (is_mean and note.count == note.of)


def remark_lines(
    remarks: Iterable[tuple[str, str, Sequence[str]]], rows: Sequence[str]
) -> tuple[str, ...]:
    """A line for each remark, with the measures and the rows of the table it is about.

    ``remarks`` are the name of a row, that of a measure, and what is to be known of both; rows are
    named unless it is about all.
    """
    where = values_by_key(
        ((text, bare_title(measure)), row)
        for row, measure, texts in remarks
        for text in filter(None, texts)
    )
    titles_of = values_by_key(((text, tuple(of)), title) for (text, title), of in where.items())
    words = values_by_key(
        (text, few(titles) + ("" if len(of) == len(rows) else f" ({few(of)})"))
        for (text, of), titles in titles_of.items()
    )
    lines = [f"{'; '.join(parts)}: {text}" for text, parts in words.items()]
    more = len(lines) - MOST_REMARKS
    rest = [f"{more} more remarks: --format csv gives all"] if more > 0 else []
    return (*lines[:MOST_REMARKS], *rest)


def run_line(data: Dataset, splits: Splits, features: str, settings: str = "") -> Text:
    """What was run on which data: how many ``features`` it has, and the ``settings`` tried."""
    count = plural(len(splits), "split")
    parts = (
        f"{data.source or data.name}: {plural(len(data), 'row')}, {features}, target {data.target}",
        settings,
        f"{splits.procedure} ({count}), seed {splits.seed}",
    )
    return Text("; ".join(filter(None, parts)))


#: notes that are shown where all of them would hide the tables
MOST = 12


def notes_block(notes: Sequence[str]) -> tuple[Block, ...]:
    """The notes under their heading; nothing where there are none.

    Examples
    --------
    >>> [block.text for block in notes_block(["1 column with one value only"])]
    ['Notes', '- 1 column with one value only']
    """
    if not notes:
        return ()
    more = len(notes) - MOST
    lines = [f"- {' '.join(note.split())}" for note in notes[:MOST]]
    lines += [f"- and {more:,} more: .notes has all"] if more > 0 else []
    return Text("Notes", "strong"), *(Text(line) for line in lines)


def explain_intervals(card: Scorecard, results: Sequence[Result]) -> list[Block]:
    """Why each interval is made as it is; what several models share is said once."""
    from heldout.assess.uncertainty import explanations

    if card.intervals is None:
        return []
    lines: dict[str, None] = {}
    for tallies in card.tallies:
        values = dict.fromkeys(
            (r.measure, r.of)
            for of in (Of.POOLED, Of.MEAN_OF_FOLDS)
            for r in results
            if r.low is not None
            and r.of is of
            and not (r.class_ or r.slice or r.repeat)
            and r.model == tallies.predictions.model
        )
        asked = [(request_of(name), of) for name, of in values]
        for e in explanations(tallies, card.intervals, asked):
            others = f" Also valid (--interval): {', '.join(e.others)}." if e.others else ""
            line = f"{', '.join(e.names)} ({e.form}): {e.title}. "
            lines[f"{line}Assumes that {e.assumes}.{others} Reference: {e.reference}."] = None
    none = ["no value has one; the notes on values say why"]
    return [Text("Intervals", "strong"), *(Text(f"- {line}") for line in lines or none)]
