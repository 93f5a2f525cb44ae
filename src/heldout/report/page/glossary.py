"""What the measures of a page mean: titles, other names, formulas, and links to them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from heldout.measures.spec import parse_request
from heldout.report.formula import formula_text
from heldout.report.names import title_of
from heldout.report.table import Either, Estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.report.table import Document

__all__ = ["glossary_html", "help_link", "measures_of"]


def measures_of(document: Document) -> tuple[str, ...]:
    """The measures that the numbers of a document are of, as they first occur."""
    tables = [
        table
        for block in document
        for table in (block.choices[0] if isinstance(block, Either) else (block,))
    ]
    cells = (cell for table in tables for row in getattr(table, "rows", ()) for cell in row)
    names = (cell.measure for cell in cells if isinstance(cell, Estimate) and cell.measure)
    return tuple(dict.fromkeys(names))


def help_link(measure: str) -> str:
    """A mark that leads to what a measure means; empty where there is no measure."""
    if not measure:
        return ""
    words = escape(f"What {title_of(measure)} means", quote=True)
    return f' <a class="what" href="#{_anchor(measure)}" aria-label="{words}">?</a>'


def glossary_html(measures: Sequence[str]) -> str:
    """One entry a measure: what it says, how it is computed, what else it is called."""
    entries = []
    for name in measures:
        measure = parse_request(name).measure
        other = ", ".join(measure.aliases)
        lines = [
            measure.summary,
            f"Formula: {formula_text(measure.formula)}",
            f"Also called: {other}" if other else "",
            measure.details,
        ]
        body = "".join(f"<p>{escape(line)}</p>" for line in lines if line)
        title = escape(title_of(name))
        entries.append(f'<dt id="{_anchor(name)}">{title}</dt><dd class="quiet">{body}</dd>')
    return f"<dl>{''.join(entries)}</dl>"


def _anchor(measure: str) -> str:
    """The name of a measure as the name of a place on the page."""
    return "m-" + "".join(letter if letter.isalnum() else "-" for letter in measure)
