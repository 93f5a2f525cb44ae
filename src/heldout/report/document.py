"""A document as plain data: lines of text and grids of cells, drawn by each format its own way."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from heldout.core.shown import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from heldout.curves.columns import ShownTable
    from heldout.curves.curve import Curve

__all__ = [
    "Block",
    "Column",
    "Document",
    "Grid",
    "Rows",
    "Text",
    "bounded",
    "curve_page",
    "more_rows",
    "table_page",
    "to_be_seen",
]

Align = Literal["left", "right", "decimal"]
Excess = Literal["keep", "wrap", "cut"]
Tone = Literal["plain", "strong", "quiet"]

#: rows and notes of a table, tables, and characters of a cell, that are shown unasked
MOST_ROWS, MOST_BLOCKS, MOST_CHARACTERS = 60, 40, 1000


@dataclass(frozen=True, slots=True)
class Text:
    """A line (or paragraph) of text."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column, how its cells stand, and what becomes of those that are too long.

    Prose may ``wrap``, a label may be ``cut``, all else is to ``keep`` whole.
    """

    title: str
    align: Align = "left"
    tone: Tone = "plain"
    excess: Excess = "keep"


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of cells that are already text.

    ``sections`` maps the number of a row to the heading that stands above it (empty: just
    a line); ``strong`` names cells (row, column) that stand out; ``notes`` come below.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    sections: dict[int, str] = field(default_factory=dict)
    strong: frozenset[tuple[int, int]] = frozenset()
    notes: tuple[str, ...] = ()


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


Block = Text | Grid
Document = tuple[Block, ...]


def to_be_seen(document: Document) -> Document:
    r"""The document with every invisible character escaped: what each format draws.

    Examples
    --------
    >>> to_be_seen((Text("two\nlines\x1b"), Grid("", (Column("a\u200b"),), (("b\n",),))))[0].text
    'two\nlines\\x1b'
    """
    return tuple(_visible_block(block) for block in document)


def _visible_block(block: Block) -> Block:
    if isinstance(block, Text):
        return replace(block, text=visible(block.text, keep="\n"))
    return replace(
        block,
        title=visible(block.title),
        columns=tuple(replace(column, title=visible(column.title)) for column in block.columns),
        rows=tuple(tuple(map(visible, row)) for row in block.rows),
        sections={number: visible(heading) for number, heading in block.sections.items()},
        notes=tuple(map(visible, block.notes)),
    )


def bounded(document: Document) -> Document:
    """The document as a prompt or a notebook shows it: no longer than a few pages."""
    more = len(document) - MOST_BLOCKS
    rest = (Text(f"... and {more:,} more paragraphs and tables"),) if more > 0 else ()
    return (*map(_short_block, document[:MOST_BLOCKS]), *rest)


def _short_block(block: Block) -> Block:
    if isinstance(block, Text):
        return replace(block, text=_cut(block.text))
    rows = tuple(tuple(map(_cut, row)) for row in block.rows[:MOST_ROWS])
    return replace(
        block,
        rows=rows,
        sections={number: text for number, text in block.sections.items() if number < MOST_ROWS},
        notes=(*more_rows(len(block.rows) - MOST_ROWS), *map(_cut, block.notes[:MOST_ROWS])),
    )


def table_page(table: ShownTable, _width: int) -> Document:
    """The first rows of a table of named columns."""
    cells = table.first_cells()
    if not cells:
        return (Text(f"{len(table):,} rows"),)
    rows: Any = tuple(zip(*cells.values(), strict=True))
    return (Grid("", tuple(map(Column, cells)), rows, notes=more_rows(len(table) - len(rows))),)


def curve_page(curve: Curve, width: int) -> Document:
    """The line that says what a curve is, and its first points."""
    return (Text(repr(curve)), *table_page(curve.table(), width))


def more_rows(count: int) -> tuple[str, ...]:
    """The line below a table of which so many rows are not shown."""
    return (f"... and {count:,} more rows",) if count > 0 else ()


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"
