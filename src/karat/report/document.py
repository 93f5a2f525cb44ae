"""A document as plain data: lines of text and grids of cells, drawn by each format its own way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

__all__ = ["Block", "Column", "Document", "Grid", "Text"]

Align = Literal["left", "right", "decimal"]
Excess = Literal["keep", "wrap", "cut"]
Tone = Literal["plain", "strong", "quiet"]


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


Block = Text | Grid
Document = tuple[Block, ...]
