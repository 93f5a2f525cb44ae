"""A document as Markdown, with tables that GitHub and Pandoc read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from heldout.report.layout import Grid, lay_out

if TYPE_CHECKING:
    from heldout.report.table import Document

SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|&~$])")


def markdown_text(document: Document, **how: Any) -> str:
    """The document as paragraphs and pipe tables; ``how``: see ``lay_out``."""
    blocks = []
    for block in lay_out(document, **how):
        if isinstance(block, Grid):
            blocks.append(_grid(block))
        else:
            blocks.append(_strong(block.text) if block.is_strong else escape(block.text))
    return "\n\n".join(blocks) + "\n"


def escape(text: str) -> str:
    r"""The text with every character that Markdown could take for its own escaped.

    Examples
    --------
    >>> print(escape("f_score|50%\nnext"))
    f\_score\|50% next
    """
    return SPECIAL.sub(r"\\\1", " ".join(text.splitlines()))


def _grid(grid: Grid) -> str:
    lines = [f"{_strong(grid.title)}\n"] if grid.title else []
    lines.append(_line([escape(column.title) for column in grid.columns]))
    lines.append(_line(["---" if c.align == "left" else "---:" for c in grid.columns]))
    for number, row in enumerate(grid.rows):
        if grid.sections.get(number):
            blank = [""] * (len(row) - 1)
            lines.append(_line([_strong(grid.sections[number]), *blank]))
        lines.append(_line([escape(cell) for cell in row]))
    if grid.notes:
        lines += ["", *map(_item, grid.notes)]
    return "\n".join(lines)


def _item(note: str) -> str:
    """A note as an item of a list; one that is set in is an item below the last."""
    text = note.lstrip(" ")
    return f"{' ' * (len(note) - len(text))}- {escape(text)}"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _strong(text: str) -> str:
    return f"**{escape(text)}**" if text else ""
