"""A document drawn for a terminal, in colour where the terminal takes it."""

from __future__ import annotations

import re
from itertools import pairwise, zip_longest
from math import isfinite
from typing import TYPE_CHECKING, Any

from heldout.report.layout import GAP, INDENT, Grid, column_widths, fold, lay_out
from heldout.report.numbers import align_points
from heldout.report.table import Estimate, Number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from heldout.report.table import Cell, Column, Document

    #: text and how it is drawn, one after the other
    Runs = Sequence[tuple[str, str]]

#: columns where nobody says how wide the screen is
WIDTH = 80
#: the longest label shown whole
LONGEST = 40

STYLES = {"plain": "", "strong": "bold", "quiet": "dim", "answer": "bold", "hint": "dim"}
#: styles as ECMA-48 numbers them
CODES = {"bold": "1", "dim": "2", "italic": "3", "yellow": "33"}
WORD = re.compile(r"\s*\S+\s*")


def terminal_text(
    document: Document, *, width: int = WIDTH, color: bool = False, **how: Any
) -> str:
    """The document as lines of at most ``width`` columns; ``how``: see ``lay_out``."""
    blocks = lay_out(document, width=width, is_screen=True, **how)
    lines: list[Runs] = []
    for number, block in enumerate(blocks):
        # lines of text stand together, a grid stands apart
        if number and (isinstance(block, Grid) or isinstance(blocks[number - 1], Grid)):
            lines.append(())
        if isinstance(block, Grid):
            lines += _draw(block, width)
        else:
            lines += _wrap([(block.text, STYLES[block.tone])], width)
    return "".join(f"{_line(line, color)}\n" for line in lines)


def _line(runs: Runs, color: bool) -> str:
    """A line without blanks at its end, in colour where that is wanted."""
    parts = []
    for text, style in runs:
        codes = ";".join(CODES[word] for word in style.split()) if color and text.strip() else ""
        rest = text[len(text.rstrip()) :]
        parts.append(f"\x1b[{codes}m{text.rstrip()}\x1b[0m{rest}" if codes else text)
    return "".join(parts).rstrip()


def _wrap(runs: Runs, width: int) -> Iterator[Runs]:
    """The runs in lines of at most so many columns, broken between words where that will do."""
    text = "".join(own for own, _ in runs)
    styles = [style for own, style in runs for _ in own]
    start = 0
    for line in text.split("\n"):
        cuts = [0, *_breaks(line, width), len(line)]
        for low, high in pairwise(cuts) if line else [(0, 0)]:
            yield _join(zip(line[low:high], styles[start + low : start + high], strict=True))
        start += len(line) + 1


def _join(letters: Iterable[tuple[str, str]]) -> Runs:
    """Letters with their styles as runs of one style each."""
    runs: list[tuple[str, str]] = []
    for letter, style in letters:
        if runs and runs[-1][1] == style:
            runs[-1] = (runs[-1][0] + letter, style)
        else:
            runs.append((letter, style))
    return runs


def _breaks(line: str, width: int) -> Iterator[int]:
    """Where a line is broken: before a word that has no room, and within one that never has."""
    from rich.cells import cell_len, chop_cells

    used = 0
    for word in WORD.finditer(line):
        needed = cell_len(word[0].rstrip())
        if used + needed <= width:
            used += cell_len(word[0])
            continue
        at = word.start()
        pieces = chop_cells(word[0], width) if needed > width else [word[0]]
        for piece in pieces:
            if at:
                yield at
            at += len(piece)
        used = cell_len(pieces[-1])


def _draw(grid: Grid, width: int) -> Iterator[Runs]:
    """A grid below its title; where no widths of columns will do, its rows below each other."""
    if grid.title:
        yield from _wrap([(grid.title, "bold")], width)
    heads = [column.title for column in grid.columns]
    cells = [_cells(grid, i) for i in range(len(heads))]
    prose = [column.excess == "wrap" for column in grid.columns]
    firm = [column.align == "decimal" for column in grid.columns]
    room = width - INDENT
    widths = column_widths(heads, cells, prose, firm, room)
    below = (line for note in grid.notes for line in _wrap([(note, "dim")], room))
    rows = (
        _wrap(stack_rows(grid, heads, cells), room)
        if widths is None
        else _rows(grid, heads, cells, widths, room)
    )
    yield from (((" " * INDENT, ""), *line) for part in (rows, below) for line in part)


def _rows(
    grid: Grid, heads: list[str], cells: list[list[str]], widths: list[int], room: int
) -> Iterator[Runs]:
    rule = "─" * (sum(widths) + GAP * (len(widths) - 1))
    if any(heads):
        sides = ["left" if column.align == "left" else "right" for column in grid.columns]
        lines = [fold(head, width) for head, width in zip(heads, widths, strict=True)]
        yield from _row(lines, ["dim"] * len(heads), sides, widths, is_low=True)
        yield [(rule, "")]
    # a cell with an aligned decimal point is padded on both sides and must stay so
    sides = ["right" if column.align == "right" else "left" for column in grid.columns]
    for number in range(len(grid.rows)):
        if heading := grid.sections.get(number, ""):
            lead = "\n" if number else ""
            yield from _wrap([(lead + heading, "italic")], room)
        elif number and number in grid.sections:
            yield [(rule, "")]
        texts = [
            _cell_text(column, cell[number], width)
            for column, cell, width in zip(grid.columns, cells, widths, strict=True)
        ]
        styles = [
            f"{_style(cell, (number, i) in grid.strong)} {STYLES[column.tone]}"
            for i, (cell, column) in enumerate(zip(grid.cells[number], grid.columns, strict=True))
        ]
        yield from _row(texts, styles, sides, widths)


def _row(
    texts: Sequence[str],
    styles: Sequence[str],
    sides: Sequence[str],
    widths: Sequence[int],
    *,
    is_low: bool = False,
) -> Iterator[Runs]:
    """Cells beside each other in as many lines as the tallest has; the others stand at the top."""
    from rich.cells import cell_len

    columns = [
        ["".join(own for own, _ in runs) for runs in _wrap([(text, "")], width)]
        for text, width in zip(texts, widths, strict=True)
    ]
    tallest = max(map(len, columns))
    if is_low:
        columns = [[""] * (tallest - len(lines)) + lines for lines in columns]
    for line in zip_longest(*columns, fillvalue=""):
        runs: list[tuple[str, str]] = []
        for text, style, side, width in zip(line, styles, sides, widths, strict=True):
            own = text.rstrip() if side == "right" else text
            pad = " " * (width - cell_len(own))
            runs += [(pad, ""), (own, style)] if side == "right" else [(own, style), (pad, "")]
            runs.append((" " * GAP, ""))
        yield runs


def _cells(grid: Grid, index: int) -> list[str]:
    column = grid.columns[index]
    cells = [row[index] for row in grid.rows]
    if column.align == "decimal":
        return align_points(cells)
    return _distinct_labels(cells) if column.excess == "cut" else cells


def _distinct_labels(labels: list[str]) -> list[str]:
    """Labels cut at the end; in the middle where different ones would look the same."""
    ends = {text: shorten(text) for text in labels}
    same = [text for text, cut in ends.items() if list(ends.values()).count(cut) > 1]
    half = LONGEST // 2
    return [f"{text[: half - 1]}…{text[-half:]}" if text in same else ends[text] for text in labels]


def _cell_text(column: Column, cell: str, width: int) -> str:
    """A cell as it stands in a column of some width."""
    if column.align == "decimal":
        return "\n".join(line.rjust(width) for line in cell.split("\n"))
    return fold(cell, width) if column.excess != "cut" else cell


def _style(cell: Cell, strong: bool) -> str:
    if isinstance(cell, Number | Estimate) and cell.role != "p" and not isfinite(cell.value):
        return "yellow"
    return "bold" if strong else ""


def shorten(text: str) -> str:
    """A label cut where it is longer than a table can bear."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def stack_rows(
    grid: Grid, heads: Sequence[str], cells: Sequence[Sequence[str]]
) -> list[tuple[str, str]]:
    """The rows one below the other; no number is broken to make it fit."""
    runs: list[tuple[str, str]] = []
    for number in range(len(grid.rows)):
        line = [" ".join(column[number].split()) for column in cells]
        if heading := grid.sections.get(number, ""):
            runs.append((f"{heading}\n", "italic"))
        # a column without a head (an arrow) belongs to the name
        name = " ".join(
            cell for i, cell in enumerate(line) if cell and (not i or not heads[i].strip())
        )
        if grid.columns[0].align == "decimal":  # a number alone is no name
            runs.append((f"{heads[0]} ", "dim"))
        runs.append((f"{name}\n", "bold"))
        for head, cell in zip(heads[1:], line[1:], strict=True):
            if head.strip() and cell:
                runs += [(f"  {' '.join(head.split())} ", "dim"), (f"{cell}\n", "")]
    return [*runs[:-1], (runs[-1][0].rstrip("\n"), runs[-1][1])] if runs else []
