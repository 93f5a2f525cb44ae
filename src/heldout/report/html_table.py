"""A document as a small piece of HTML for notebooks: nothing is loaded, all is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from heldout.report.layout import Grid, lay_out

if TYPE_CHECKING:
    from heldout.report.table import Document


def html_text(document: Document, **how: Any) -> str:
    """The document as paragraphs and tables in one ``div``; ``how``: see ``lay_out``."""
    parts = []
    for block in lay_out(document, **how):
        if isinstance(block, Grid):
            parts.append(_grid(block))
        else:
            tag = "strong" if block.is_strong else "span"
            parts.append(f"<p><{tag}>{escape(block.text)}</{tag}></p>")
    return f'<div class="heldout">{"".join(parts)}</div>'


def _grid(grid: Grid) -> str:
    sides = ["left" if column.align == "left" else "right" for column in grid.columns]
    caption = f'<caption style="text-align:left;white-space:nowrap">{escape(grid.title)}</caption>'
    heads = [column.title for column in grid.columns]
    body = []
    for number, row in enumerate(grid.rows):
        if grid.sections.get(number):
            body.append(
                f'<tr><th colspan="{len(row)}" style="text-align:left">'
                f"{escape(grid.sections[number])}</th></tr>"
            )
        body.append(_row("td", row, sides))
    notes = "".join(f"<p><small>{escape(note)}</small></p>" for note in grid.notes)
    head = f"<thead>{_row('th', heads, sides)}</thead>"
    return (
        f"<table>{caption if grid.title else ''}{head}<tbody>{''.join(body)}</tbody></table>{notes}"
    )


def _row(tag: str, cells: list[str] | tuple[str, ...], sides: list[str]) -> str:
    tags = [
        f'<{tag} style="text-align:{side}">{escape(cell)}</{tag}>'
        for cell, side in zip(cells, sides, strict=True)
    ]
    return f"<tr>{''.join(tags)}</tr>"
