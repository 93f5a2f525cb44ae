"""The one step from typed cells to text: digits, what a narrow page leaves out, splits or turns."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from math import isfinite
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from heldout.core.shown import p_text, visible
from heldout.report.numbers import DIGITS, count_text, counts_text, number_text, with_limits
from heldout.report.table import Column, Either, Estimate, Label, Names, Note, Number, Remarks, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from heldout.report.table import Cell, Document, Table

#: spaces between two columns, and before the first
GAP, INDENT = 2, 2
#: below this width labels are short
ROOMY = 100
#: what spills stands beside the values where there is so much room, else below the table
BESIDE = 26
#: a title that is longer may break
BREAKABLE = 24
#: prose gives way down to this
READABLE = 24
#: but prose is not made narrower than this
NARROWEST = 12
#: a head is not made taller than this while there is room beside it
LINES = 3
#: an arrow stays with the word before it
BOUND = re.compile(r" (?=[↑↓→]$)")
#: so many names are said one by one; of more, their number
MOST_NAMES = 5
#: where a reader finds how numbers were made
MORE = "--methods shows how they are computed"
#: limits have no fewer digits than this
LEAST = 2


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as text, as each format draws it, with the typed ``cells`` of it; see ``Table``."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    sections: dict[int, str] = field(default_factory=dict)
    strong: frozenset[tuple[int, int]] = frozenset()
    notes: tuple[str, ...] = ()
    cells: tuple[tuple[Cell, ...], ...] = ()

    def of_columns(self, places: Sequence[int], **changes: Any) -> Grid:
        """The same with some of its columns only."""
        strong = ((row, places.index(at)) for row, at in self.strong if at in places)
        return replace(
            self,
            columns=tuple(self.columns[i] for i in places),
            rows=tuple(tuple(row[i] for i in places) for row in self.rows),
            cells=tuple(tuple(row[i] for i in places) for row in self.cells),
            strong=frozenset(strong),
            **changes,
        )


@dataclass(frozen=True, slots=True)
class Page:
    """What text is laid out for.

    Parameters
    ----------
    digits
        Of values.
    width
        Of a line; None: any.
    methods
        All that there is to say of how numbers were made, else a line of it; ``more`` says
        where it is.
    is_screen
        Lines are short, so limits may stand below their value, and numbers for names.
    """

    digits: int = DIGITS
    width: int | None = None
    methods: bool = False
    is_screen: bool = False
    more: str = MORE


def lay_out(document: Document, **how: Any) -> tuple[Text | Grid, ...]:
    r"""The document as text for a page, see ``Page``; nothing in it is invisible.

    Examples
    --------
    >>> lay_out((Text("two\nlines\x1b"),))[0].text
    'two\nlines\\x1b'
    """
    # who has nothing to say of digits leaves them as they are
    known = {name: value for name, value in how.items() if value is not None}
    return tuple(_blocks(document, Page(**known)))


def _blocks(document: Document, page: Page) -> Iterator[Text | Grid]:
    for block in document:
        if isinstance(block, Text):
            yield replace(block, text=visible(block.text, keep="\n"))
            continue
        choices = block.choices if isinstance(block, Either) else ((block,),)
        if isinstance(block, Either) and block.is_for_screens and not page.is_screen:
            choices = choices[:1]
        laid = [[(table, _grid(table, page)) for table in tables] for tables in choices]
        fitting = (pairs for pairs in laid if all(_fits(grid, page.width) for _, grid in pairs))
        for table, grid in next(fitting, laid[-1]):
            yield from map(_escape, _parts(table, grid, page))


def _escape(grid: Grid) -> Grid:
    return replace(
        grid,
        title=visible(grid.title),
        columns=tuple(replace(column, title=visible(column.title)) for column in grid.columns),
        rows=tuple(tuple(visible(cell, keep="\n") for cell in row) for row in grid.rows),
        sections={number: visible(heading) for number, heading in grid.sections.items()},
        notes=tuple(map(visible, grid.notes)),
    )


def _grid(table: Table, page: Page, *, between: str = " ") -> Grid:
    """All of a table as text, without the columns for which there is no room.

    ``between``: what stands between a value and its limits.
    """
    digits, width = page.digits, page.width
    counts = [
        c.value for row in table.rows for c in row if isinstance(c, Number) and c.role == "rows"
    ]
    shared = iter(counts_text(counts))
    is_roomy = width is None or width >= ROOMY
    rows = [[_text(cell, digits, shared, is_roomy, between) for cell in row] for row in table.rows]
    kept, spilled = _columns(table, rows, width)
    for i, column in enumerate(table.columns):
        if any(isinstance(row[i], Names) for row in table.rows):
            others = [j for j in kept if j != i]
            room = None if width is None else width - GAP - _room_for(table, rows, others, len)
            for line, row in zip(rows, table.rows, strict=True):
                cell = row[i]
                if isinstance(cell, Names):
                    line[i] = _names_that_fit(cell.names, room and max(room, len(column.title)))
    notes = (
        *(f"{few(titles)}: {text}" for text, titles in _spills(table, rows, spilled).items()),
        *_notes(table.notes, page),
    )
    lines = tuple(map(tuple, rows))
    whole = Grid(table.title, table.columns, lines, table.sections, table.strong, notes, table.rows)
    return whole.of_columns(kept)


def _text(
    cell: Cell, digits: int, shared: Iterator[str], is_roomy: bool, between: str = " "
) -> str:
    match cell:
        case None | Names():
            return ""
        case str():
            return cell
        case Remarks():
            return "; ".join(cell.texts)
        case Label():
            return cell.text if is_roomy else cell.short
        case Number(role="rows"):
            return next(shared)
        case Number():
            return _number(cell.value, cell.role, digits)
        case Estimate():
            return estimate_text(cell, digits, between=between)


def _number(value: float, role: str, digits: int) -> str:
    match role:
        case "count":
            return count_text(value, digits=digits)
        case "p":
            return p_text(value)
        case "rank":
            return f"{value:.3f}"
        case "share":
            return f"{value:.4f}"
        case "power":  # of which more digits say nothing
            return ">0.999" if value > 0.9995 else f"{value:.3f}"
        case "percent":
            return f"{value:.1%}"
        case "seconds":
            return number_text(value, digits=3)
    return number_text(value, digits=digits)


def estimate_text(cell: Estimate, digits: int, *, between: str = " ") -> str:
    """What a cell shows of an estimate: its value, its limits, or both."""
    if cell.low is None or cell.high is None:
        value = _number(cell.value, cell.role, digits) if cell.shows in ("value", "both") else ""
        return f"{value} {cell.mark}" if cell.mark else value
    low, high = cell.low, cell.high
    value = with_limits(cell.value, low, high, digits=digits)[0]
    value = value if cell.role == "value" else _number(cell.value, cell.role, digits)
    value = f"{value} {cell.mark}" if cell.mark else value
    if cell.shows == "value":
        return value
    least = max(digits - cell.fewer, LEAST)
    limits = [number_text(limit, digits=least) for limit in (low, high)]
    if cell.is_apart:
        _, *limits = with_limits(cell.value, low, high, digits=digits, of_limits=least)
    if cell.shows == "limits":
        return " to ".join(limits)
    if cell.shows == "bracketed":
        pair = zip(limits, (low, high), strict=True)
        limits = [text if isfinite(limit) else "unbounded" for text, limit in pair]
        return f"[{', '.join(limits)}]"
    return f"{value}{between}[{', '.join(limits)}]"


def _notes(notes: Sequence[str | Note], page: Page) -> Iterator[str]:
    """The notes below a table; of those on methods the first, unless all are asked for."""
    is_told = False
    for note in notes:
        if isinstance(note, Note) and note.kind == "method" and not page.methods:
            if note.short and not is_told:
                yield f"{note.short}; {page.more}"
                is_told = True
        else:
            yield note_text(note, page.digits)


def note_text(note: str | Note, digits: int) -> str:
    """A note as a line of text."""
    if isinstance(note, str):
        return note
    return "".join(_text(part, digits, iter(()), True) for part in note.parts)


def few(names: Sequence[str]) -> str:
    """The first few of many names; a comma may be part of one.

    Examples
    --------
    >>> few(["Recall", "Recall, micro"]), few("abcdefgh")
    ('Recall; Recall, micro', 'a, b, c, d, e, 3 more')
    """
    rest = len(names) - MOST_NAMES
    shown = list(names) if rest <= 1 else [*names[:MOST_NAMES], f"{rest} more"]
    return ("; " if any("," in name for name in shown) else ", ").join(shown)


def _columns(
    table: Table, rows: Sequence[Sequence[str]], width: int | None
) -> tuple[list[int], int | None]:
    """The columns that a page has room for, and the one whose cells become notes."""
    spills = next((i for i, column in enumerate(table.columns) if column.spills), None)
    kept = [i for i, c in enumerate(table.columns) if not (c.spills or c.optional)]
    if width is None:
        return list(range(len(table.columns))), None
    for i, column in enumerate(table.columns):
        beside = 0 if spills is None else BESIDE
        if column.optional and _room_for(table, rows, [*kept, i], longest_word) + beside <= width:
            kept.append(i)
    if spills is None:
        return sorted(kept), None
    if _room_for(table, rows, kept, longest_word) + BESIDE <= width:
        return sorted([*kept, spills]), None
    return sorted(kept), spills


def _room_for(
    table: Table, rows: Sequence[Sequence[str]], places: Sequence[int], head: Callable[[str], int]
) -> int:
    """The width that columns take without breaking a cell; ``head`` says what their heads take."""
    return sum(
        max(head(table.columns[i].title), *(len(row[i]) for row in rows), 0) + GAP for i in places
    )


def _spills(
    table: Table, rows: Sequence[Sequence[str]], spilled: int | None
) -> dict[str, list[str]]:
    """What is said below the table for want of room beside it, and the rows it is about."""
    about: dict[str, list[str]] = {}
    for row, line in zip(table.rows, rows, strict=True):
        cell = None if spilled is None else row[spilled]
        name = row[0].short if isinstance(row[0], Label) else line[0]
        for text in cell.texts if isinstance(cell, Remarks) else ():
            about.setdefault(text, []).append(name)
    return about


def _names_that_fit(names: Sequence[str], room: int | None) -> str:
    """The names that fit on a line, and an ellipsis for the rest."""
    text = ", ".join(names)
    if room is None or len(text) <= room:
        return text
    kept: list[str] = []
    for name in sorted(names, key=len):  # the abbreviations that people look for come first
        if len(", ".join([*kept, name, "…"])) <= room:
            kept.append(name)
    return ", ".join([*kept, "…"])


def _fits(grid: Grid, width: int | None) -> bool:
    """Whether a grid fits without breaking a head or a cell."""
    if width is None:
        return True
    heads = (few_lines(column.title) for column in grid.columns)
    cells = zip(*grid.rows, strict=True) if grid.rows else ([""] for _ in grid.columns)
    wide = [max(h, *map(_size, column)) for h, column in zip(heads, cells, strict=True)]
    return _total(wide) <= width


def _size(text: str) -> int:
    """The letters of the longest line."""
    return max(map(len, text.split("\n")))


def _total(widths: Sequence[int]) -> int:
    return INDENT + sum(widths) + GAP * (len(widths) - 1)


def _parts(table: Table, grid: Grid, page: Page) -> list[Grid]:
    """A grid in as few parts as fit: as given or turned, with limits beside or below values."""
    if table.fit == "stack":
        return [grid]
    if not grid.rows or len(grid.columns) < 2:
        return []
    grids = [grid, _grid(table, page, between="\n")] if page.is_screen else [grid]
    order = (True, False) if table.prefers_turned else (False, True)
    ways = [
        _turn(g, table.across) if is_turned else g
        for g in grids
        for is_turned in order
        if table.fit == "turn" or not is_turned
    ]
    spans = [_spans(_narrowest(way), page.width) for way in ways]
    way, parts = min(zip(ways, spans, strict=True), key=lambda pair: len(pair[1]))
    last = len(way.columns) - 1
    return [
        way.of_columns(
            (0, *range(start + 1, stop + 1)),
            title=way.title if not start else "",
            notes=way.notes if stop == last else (),
        )
        for start, stop in parts
    ]


def _turn(grid: Grid, across: str) -> Grid:
    """Rows as columns, and columns as rows."""
    columns = zip(*grid.rows, strict=True)
    names = [column.title for column in grid.columns]
    first = replace(
        grid.columns[0], title=across, excess="cut" if grid.columns[0].excess == "wrap" else "wrap"
    )
    heads = [Column(name, "decimal") for name in next(columns)]
    rows = tuple((name, *line) for name, line in zip(names[1:], columns, strict=True))
    _, *typed = zip(*grid.cells, strict=True)
    cells = tuple((name, *line) for name, line in zip(names[1:], typed, strict=True))
    strong = frozenset((column - 1, row + 1) for row, column in grid.strong)
    return Grid(grid.title, (first, *heads), rows, strong=strong, notes=grid.notes, cells=cells)


def _narrowest(grid: Grid) -> list[int]:
    """The narrowest each column can be: heads wrap between words, cells do not wrap."""
    names = [row[0] for row in grid.rows]
    first = max(map(len, (*names, grid.columns[0].title)))
    if grid.columns[0].excess == "wrap":
        first = min(first, max(BREAKABLE, *map(longest_word, names)))
    others = enumerate(grid.columns[1:], 1)
    return [
        first,
        *(max(few_lines(c.title), *(_size(row[i]) for row in grid.rows)) for i, c in others),
    ]


def _spans(widths: Sequence[int], width: int | None) -> list[tuple[int, int]]:
    """Runs of columns that fit beside the first one; at least one column each."""
    if width is None:
        return [(0, len(widths) - 1)]
    spans, start = [], 0
    for stop in range(1, len(widths)):
        if stop - start > 1 and _total([widths[0], *widths[start + 1 : stop + 1]]) > width:
            spans.append((start, stop - 1))
            start = stop - 1
    return [*spans, (start, len(widths) - 1)]


def column_widths(
    heads: Sequence[str],
    cells: Sequence[Sequence[str]],
    prose: Sequence[bool],
    firm: Sequence[bool],
    room: int,
) -> list[int] | None:
    """As wide as each column needs; where room is short, heads and then prose give way.

    Of two columns of prose the last gives way first: it holds remarks, not names. Cells that
    are ``firm`` (numbers) never break, others only between words. None: no width will do.
    """
    from rich.cells import cell_len

    room -= GAP * (len(heads) - 1)
    lines = ([line for cell in column for line in cell.split("\n")] for column in cells)
    inner = [max(map(cell_len, column), default=0) for column in lines]
    widths = [max(width, cell_len(head)) for width, head in zip(inner, heads, strict=True)]
    for narrowest in (few_lines, longest_word):
        for i, head in enumerate(heads):
            if sum(widths) > room and not prose[i]:
                widths[i] = max(inner[i], min(widths[i], narrowest(head)))
    last_first = [i for i in reversed(range(len(heads))) if prose[i]]
    for i in last_first:
        needed = max(READABLE, longest_word(heads[i]))
        widths[i] = max(min(widths[i], needed), widths[i] - max(sum(widths) - room, 0))
    # what is no prose breaks between words, and prose becomes as narrow as its words allow
    for i in [*(i for i, is_firm in enumerate(firm) if not is_firm and not prose[i]), *last_first]:
        needed = max(longest_word(heads[i]), *map(longest_word, cells[i]), NARROWEST * prose[i])
        widths[i] = max(min(widths[i], needed), widths[i] - max(sum(widths) - room, 0))
    return widths if sum(widths) <= room else None


def longest_word(head: str) -> int:
    """The narrowest that a head can be.

    Examples
    --------
    >>> longest_word("Brier score ↑")
    7
    """
    from rich.cells import cell_len

    # a bound space is as wide as any other, though the sign that stands for it is not
    return max(
        (cell_len(word.replace("\0", " ")) for word in BOUND.sub("\0", head).split()), default=0
    )


def few_lines(head: str) -> int:
    """The narrowest that a head can be without becoming taller than ``LINES``.

    Examples
    --------
    >>> few_lines("Area under the ROC curve ↑, mean of samples")
    15
    """
    from rich.cells import cell_len

    # letters of double width take two cells
    widths = range(longest_word(head), cell_len(head) + 2)
    return next(width for width in widths if fold(head, width).count("\n") < LINES)


def fold(head: str, width: int) -> str:
    r"""A head broken between words so that it fits.

    Examples
    --------
    >>> fold("Brier score ↑", 8)
    'Brier\nscore ↑'
    """
    return "\n".join(wrap(BOUND.sub("\0", head), max(width, 1))).replace("\0", " ")
