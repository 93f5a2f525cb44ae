"""A document drawn for a terminal, in colour where the terminal takes it."""

from __future__ import annotations

from io import StringIO
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from heldout.report.layout import GAP, INDENT, MORE, Grid, column_widths, folded, laid_out
from heldout.report.numbers import aligned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.report.table import Column, Document

__all__ = ["WIDTH", "shortened", "terminal_text"]

#: columns where nobody says how wide the screen is
WIDTH = 80
#: the longest label shown whole
LONGEST = 40

STYLES = {"plain": "", "strong": "bold", "quiet": "dim", "answer": "bold", "hint": "dim"}


def terminal_text(
    document: Document,
    *,
    digits: int | None = None,
    width: int = WIDTH,
    methods: bool = False,
    more: str = MORE,
    color: bool = False,
) -> str:
    """The document as lines of at most ``width`` columns."""
    from rich.console import Console
    from rich.text import Text

    screen = StringIO()
    console = Console(
        file=screen,
        width=width,
        force_terminal=color,
        # in a notebook rich would display the lines, and leave none to give back
        force_jupyter=False,
        color_system="standard" if color else None,
        no_color=not color,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    blocks = laid_out(
        document, digits=digits, width=width, methods=methods, more=more, is_screen=True
    )
    for number, block in enumerate(blocks):
        # lines of text stand together, a grid stands apart
        if number and (isinstance(block, Grid) or isinstance(blocks[number - 1], Grid)):
            console.print()
        if isinstance(block, Grid):
            _draw(console, block)
        else:
            for line in block.text.split("\n"):
                console.print(Text(line, STYLES[block.tone]))
    return "\n".join(line.rstrip() for line in screen.getvalue().splitlines()) + "\n"


def _draw(console: Any, grid: Grid) -> None:
    from rich.text import Text

    if grid.title:
        console.print(Text(grid.title, "bold"))
    heads = [column.title for column in grid.columns]
    cells = [_cells(grid, i) for i in range(len(heads))]
    prose = [column.excess == "wrap" for column in grid.columns]
    firm = [column.align == "decimal" for column in grid.columns]
    widths = column_widths(heads, cells, prose, firm, console.width - INDENT)
    if widths is None:
        _print(console, stacked(grid, heads, cells))
    else:
        _draw_rows(console, grid, heads, cells, widths)
    for note in grid.notes:
        _print(console, Text(note, "dim"))


def _draw_rows(
    console: Any, grid: Grid, heads: list[str], cells: list[list[str]], widths: list[int]
) -> None:
    """The rows below the heads of their columns."""
    from rich.text import Text

    if any(heads):
        _print(console, _table(grid, heads, widths, has_head=True))
    starts = [0, *(number for number in sorted(grid.sections) if number), len(grid.rows)]
    for start, stop in pairwise(starts):
        if heading := grid.sections.get(start, ""):
            _print(console, Text(("\n" if start else "") + heading, "italic"))
        elif start:
            _print(console, Text("─" * (sum(widths) + GAP * (len(widths) - 1))))
        table = _table(grid, heads, widths, has_head=False)
        for number in range(start, stop):
            line = [
                _cell_text(column, cell[number], width)
                for column, cell, width in zip(grid.columns, cells, widths, strict=True)
            ]
            styles = [_style(cell, (number, i) in grid.strong) for i, cell in enumerate(line)]
            table.add_row(*map(Text, line, styles))
        _print(console, table)


def _print(console: Any, drawn: Any) -> None:
    from rich.padding import Padding

    console.print(Padding(drawn, (0, 0, 0, INDENT)))


def _table(grid: Grid, heads: list[str], widths: list[int], *, has_head: bool) -> Any:
    """An empty table whose columns have the widths given, so that parts of a grid line up."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, GAP - 1, 0, 0),
        header_style="dim",
        show_header=has_head,
    )
    for column, head, width in zip(grid.columns, heads, widths, strict=True):
        table.add_column(
            # a cell with an aligned decimal point is padded on both sides and must stay so
            Text(folded(head, width), justify="left" if column.align == "left" else "right"),
            justify="right" if column.align == "right" else "left",
            style=STYLES[column.tone],
            overflow="fold",
            width=width,
            vertical="bottom" if has_head else "top",
        )
    return table


def _cells(grid: Grid, index: int) -> list[str]:
    """A column's cells as they are shown."""
    column = grid.columns[index]
    cells = [row[index] for row in grid.rows]
    if column.align == "decimal":
        return aligned(cells)
    return _distinct_labels(cells) if column.excess == "cut" else cells


def _distinct_labels(labels: list[str]) -> list[str]:
    """Labels cut at the end; in the middle where different ones would look the same."""
    ends = {text: shortened(text) for text in labels}
    same = [text for text, cut in ends.items() if list(ends.values()).count(cut) > 1]
    half = LONGEST // 2
    return [f"{text[: half - 1]}…{text[-half:]}" if text in same else ends[text] for text in labels]


def _cell_text(column: Column, cell: str, width: int) -> str:
    """A cell as it stands in a column of some width."""
    if column.align == "decimal":
        return "\n".join(line.rjust(width) for line in cell.split("\n"))
    return folded(cell, width) if column.excess != "cut" else cell


def _style(cell: str, strong: bool) -> str:
    if cell.strip() in ("undefined", "infinite", "-infinite"):
        return "yellow"
    return "bold" if strong else ""


def shortened(text: str) -> str:
    """A label cut where it is longer than a table can bear."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def stacked(grid: Grid, heads: Sequence[str], cells: Sequence[Sequence[str]]) -> Any:
    """The rows one below the other as rich text; no number is broken to make it fit."""
    from rich.text import Text

    drawn = Text(overflow="fold")
    for number in range(len(grid.rows)):
        line = [" ".join(column[number].split()) for column in cells]
        if heading := grid.sections.get(number, ""):
            drawn.append(f"{heading}\n", "italic")
        # a column without a head (an arrow) belongs to the name
        name = " ".join(
            cell for i, cell in enumerate(line) if cell and (not i or not heads[i].strip())
        )
        if grid.columns[0].align == "decimal":  # a number alone is no name
            drawn.append(f"{heads[0]} ", "dim")
        drawn.append(f"{name}\n", "bold")
        for head, cell in zip(heads[1:], line[1:], strict=True):
            if head.strip() and cell:
                drawn.append(f"  {' '.join(head.split())} ", "dim")
                drawn.append(f"{cell}\n")
    drawn.rstrip()
    return drawn
