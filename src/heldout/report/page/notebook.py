"""A result in a notebook: tables as plain HTML, a chart as SVG; no script, nothing is loaded."""

from __future__ import annotations

from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.report.layout import Grid, lay_out
from heldout.report.page.frame import resource
from heldout.report.page.svg import chart_figures

if TYPE_CHECKING:
    from heldout.report.plots.book import Book
    from heldout.report.table import Document

#: what a page of a browser takes for a dark reader; a notebook has a setting of its own, which
#: Jupyter and VS Code tell by an attribute and a class
BROWSER = "@media (prefers-color-scheme:dark){:root"
NOTEBOOKS = "@media all{[data-jp-theme-light=false] &,.vscode-dark &"
CLASS = "heldout-chart"
GROUND = "background:var(--paper);color:var(--ink);padding:.5rem;width:fit-content"
#: captions and legends, which a notebook styles in ways of its own
WORDS = "figcaption,.legend,p{font:13px/1.4 system-ui,sans-serif;color:var(--grey)}"


def chart_html(result: Any, book: Book | None, beside: str) -> str:
    """The first of the charts that a result has; empty where it has none.

    Its style holds within it only, and it has a ground of its own, so that it can be read on any.
    A notebook holds many charts, so its parts are named by the HTML that it stands ``beside``.
    """
    if book is None:
        return ""
    try:
        _, name, options = next(iter(book.every(result, {})))
        chart = book.plot(result, name, as_data=True, **options)
    except (InputError, StopIteration):
        return ""
    figures = chart_figures(chart, f"heldout-{sha256(beside.encode()).hexdigest()[:10]}")
    style = resource("chart.css").replace(BROWSER, NOTEBOOKS).replace(":root", "&")
    return f'<style>.{CLASS}{{{GROUND};{WORDS}{style}}}</style><div class="{CLASS}">{figures}</div>'


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
