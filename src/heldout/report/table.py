"""Documents as plain data: lines of text and tables of typed cells, before anything is laid out.

Whoever turns a result into a table knows neither digits nor width. ``layout`` makes text of it,
once for every format that people read; a page may as well read the numbers of its cells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from heldout.assess.results import Result
    from heldout.curves.columns import ShownTable
    from heldout.curves.curve import Curve

Align = Literal["left", "right", "decimal"]
Excess = Literal["keep", "wrap", "cut"]
#: an ``answer`` is what the reader asked for, a ``hint`` what else the command line offers
Tone = Literal["plain", "strong", "quiet", "answer", "hint"]
#: what a number is, which says how it is written: ``rows`` of one table share their decimals
Role = Literal["value", "count", "rows", "p", "rank", "share", "power", "percent", "seconds"]
Shows = Literal["value", "limits", "both", "bracketed"]
#: what becomes of a table that is too wide: its rows are stacked, its columns stand in several
#: tables, or it is turned where that takes fewer of them
Fit = Literal["stack", "split", "turn"]

#: rows and notes of a table, tables, and characters of a cell, that are shown unasked
MOST_ROWS, MOST_BLOCKS, MOST_CHARACTERS = 60, 40, 1000


@dataclass(frozen=True, slots=True)
class Text:
    """A line (or paragraph) of text."""

    text: str
    tone: Tone = "plain"

    @property
    def is_strong(self) -> bool:
        """Whether it stands out."""
        return self.tone in ("strong", "answer")


@dataclass(frozen=True, slots=True)
class Number:
    """A number, and what it is."""

    value: float
    role: Role = "value"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value of a measure with all that a reader may ask of it, and which of it the cell shows.

    Limits have so many digits ``fewer`` than the value; those that are ``apart`` get as many more
    as tell them from the value. ``mark`` stands behind (letters of groups).
    """

    value: float
    low: float | None = None
    high: float | None = None
    shows: Shows = "value"
    role: Role = "value"
    fewer: int = 0
    is_apart: bool = True
    mark: str = ""
    measure: str = ""
    n: int | None = None
    level: float | None = None
    method: str = ""
    note: str = ""

    @property
    def has_limits(self) -> bool:
        """Whether there is an interval."""
        return self.low is not None and self.high is not None


@dataclass(frozen=True, slots=True)
class Label:
    """A name with a short form for narrow pages."""

    text: str
    short: str


@dataclass(frozen=True, slots=True)
class Names:
    """Names of which as many are shown as there is room for."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Remarks:
    """What is to be known of a row; below the table each text is said once, of all its rows."""

    texts: tuple[str, ...]


#: text, a number, or nothing
Cell = str | Number | Estimate | Label | Names | Remarks | None


@dataclass(frozen=True, slots=True)
class Note:
    """What stands below a table: words and numbers, and what it is about.

    A ``method`` says how numbers were made; where not all of that is asked for, only what is
    ``short`` is shown.
    """

    parts: tuple[Cell, ...]
    kind: Literal["remark", "method"] = "remark"
    short: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column, how its cells stand, and what becomes of those that are too long.

    Prose may ``wrap``, a label may be ``cut``, all else is to ``keep`` whole. Where a page is too
    narrow, an ``optional`` column is left out, and cells of one that ``spills`` become notes.
    """

    title: str
    align: Align = "left"
    tone: Tone = "plain"
    excess: Excess = "keep"
    optional: bool = False
    spills: bool = False


@dataclass(frozen=True, slots=True)
class Strong:
    """A cell that stands out, as the function of a column gives it."""

    cell: Cell


#: heads of columns with the function that gives the cell of an item; None: a column left out
Columns = Sequence[tuple[Column, Callable[[Any], Cell | Strong]] | None]


def column(
    name: str, head: str | None = None, *, role: Role | None = None, **how: Any
) -> tuple[Column, Callable[[Any], Cell]]:
    """The column of what records have under a name, or other items as an attribute.

    ``role`` is that of its numbers, ``head`` what the column is called otherwise than its field.

    Examples
    --------
    >>> Table.of("", [column("n", role="count")], [{"n": 1}, {"n": None}]).rows
    ((Number(value=1, role='count'),), (None,))
    """

    def cell(item: Any) -> Cell:
        value = item[name] if isinstance(item, dict) else getattr(item, name)
        return value if role is None or value is None else Number(value, role)

    align = {} if role is None else {"align": "right" if role == "count" else "decimal"}
    return Column(name.replace("_", " ") if head is None else head, **(align | how)), cell


@dataclass(frozen=True, slots=True)
class Table:
    """A table of typed cells.

    ``sections`` maps the number of a row to the heading that stands above it (empty: just
    a line); ``strong`` names cells (row, column) that stand out; ``notes`` come below.
    ``across`` says what the columns after the first are, for a table that may be turned.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    sections: dict[int, str] = field(default_factory=dict)
    strong: frozenset[tuple[int, int]] = frozenset()
    notes: tuple[str | Note, ...] = ()
    fit: Fit = "stack"
    across: str = ""
    #: rows become columns where both ways take as many tables
    prefers_turned: bool = False
    #: whether it shows the confusion matrix, which a page draws in its own way
    is_confusion: bool = False

    @classmethod
    def of(
        cls,
        title: str,
        columns: Columns,
        items: Iterable[Any],
        *,
        section: Callable[[Any], str] | None = None,
        has_empty: bool = True,
        **more: Any,
    ) -> Table:
        """A row an item: each column is its head, and the function that gives its cell.

        A column may be None: what there is nothing to say of is left out by whoever knows it.
        ``section`` is the heading of an item, which stands above the first of those that have it.
        Without ``has_empty`` columns that hold nothing are left out, too.

        Examples
        --------
        >>> table = Table.of("", [(Column("n"), str), None], [1, 2], section=lambda _: "numbers")
        >>> table.rows, table.sections
        ((('1',), ('2',)), {0: 'numbers'})
        """
        known = [column for column in columns if column is not None]
        own = list(items)
        rows: list[tuple[Cell, ...]] = []
        strong = set()
        for i, item in enumerate(own):
            cells = [cell(item) for _, cell in known]
            strong |= {(i, j) for j, cell in enumerate(cells) if isinstance(cell, Strong)}
            rows.append(tuple(c.cell if isinstance(c, Strong) else c for c in cells))
        heads = [head for head, _ in known]
        if not has_empty:
            kept = [j for j, _ in enumerate(heads) if any(row[j] is not None for row in rows)]
            heads = [heads[j] for j in kept]
            rows = [tuple(row[j] for j in kept) for row in rows]
        if section is not None:
            headings = list(map(section, own))
            more["sections"] = {
                i: text for i, text in enumerate(headings) if not i or text != headings[i - 1]
            }
        return cls(title, tuple(heads), tuple(rows), strong=frozenset(strong), **more)


@dataclass(frozen=True, slots=True)
class Either:
    """Tables that say the same, the widest first: the first that fit are shown, else the last."""

    choices: tuple[tuple[Table, ...], ...]
    #: elsewhere the first are shown
    is_for_screens: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    """A table of plain values under names, as programs read it: undefined is NaN, none None."""

    names: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    @classmethod
    def of(cls, records: Iterable[Mapping[str, Any]]) -> Rows:
        """Records that all have the names of the first one.

        Examples
        --------
        >>> Rows.of([{"a": 1, "b": 2.5}]).names
        ('a', 'b')
        """
        known = list(records)
        names = tuple(known[0]) if known else ()
        return cls(names, tuple(tuple(record.values()) for record in known))


Block = Text | Table | Either
Document = tuple[Block, ...]


def estimate_of(result: Result | None, shows: Shows = "value", *, fewer: int = 0) -> Cell:
    """The cell of a result; none where there is no result, or no limits to show."""
    from heldout.measures.spec import parse_request

    if result is None or (shows == "limits" and (result.low is None or result.high is None)):
        return None
    if result.is_not_given:
        return "none"
    measure = parse_request(result.measure).measure
    if result.fold == "mean" and isnan(result.value) and measure.why_not_averaged:
        # a count or a sum has no mean over folds: nothing to show, rather than undefined
        return None
    return Estimate(
        result.value,
        result.low,
        result.high,
        shows,
        "count" if measure.is_count else "value",
        fewer,
        measure=result.measure,
        n=result.n,
        level=result.level,
        method=result.method,
        note=result.note,
    )


def entries(title: str, rows: Iterable[tuple[str, str]]) -> Table:
    """Names and what there is to say of each, one below the other."""
    columns = (Column("", tone="quiet"), Column("", excess="wrap"))
    return Table(title, columns, tuple(rows))


def first_pages(document: Document) -> Document:
    """The document as a prompt or a notebook shows it: no longer than a few pages."""
    more = len(document) - MOST_BLOCKS
    rest = (Text(f"... and {more:,} more paragraphs and tables"),) if more > 0 else ()
    return (*map(_short_block, document[:MOST_BLOCKS]), *rest)


def _short_block(block: Block) -> Block:
    if isinstance(block, Text):
        return replace(block, text=_cut(block.text))
    if isinstance(block, Either):
        return Either(tuple(tuple(map(_short_table, tables)) for tables in block.choices))
    return _short_table(block)


def _short_table(table: Table) -> Table:
    return replace(
        table,
        rows=tuple(tuple(map(_cut, row)) for row in table.rows[:MOST_ROWS]),
        sections={number: text for number, text in table.sections.items() if number < MOST_ROWS},
        notes=(*more_rows(len(table.rows) - MOST_ROWS), *map(_cut, table.notes[:MOST_ROWS])),
    )


def table_page(table: ShownTable) -> Document:
    """The first rows of a table of named columns."""
    cells = table.first_cells()
    if not cells:
        return (Text(f"{len(table):,} rows"),)
    rows: Any = tuple(zip(*cells.values(), strict=True))
    return (Table("", tuple(map(Column, cells)), rows, notes=more_rows(len(table) - len(rows))),)


def curve_page(curve: Curve) -> Document:
    """The line that says what a curve is, and its first points."""
    return (Text(repr(curve)), *table_page(curve.table()))


def more_rows(count: int) -> tuple[str, ...]:
    """The line below a table of which so many rows are not shown."""
    return (f"... and {count:,} more rows",) if count > 0 else ()


def _cut(cell: Any) -> Any:
    is_long = isinstance(cell, str) and len(cell) > MOST_CHARACTERS
    return f"{cell[:MOST_CHARACTERS]}…" if is_long else cell
