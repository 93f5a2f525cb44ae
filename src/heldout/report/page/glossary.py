"""What the measures of a page mean: titles, other names, formulas, and links to them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from heldout.measures.spec import parse_request
from heldout.report.formula import formula_text
from heldout.report.names import title_of
from heldout.report.table import Either, Estimate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from heldout.measures.registry import Measure
    from heldout.report.table import Document


def estimates_of(document: Document) -> Iterator[Estimate]:
    """The values of measures in the tables of a document."""
    for block in document:
        for table in block.choices[0] if isinstance(block, Either) else (block,):
            for row in getattr(table, "rows", ()):
                yield from (cell for cell in row if isinstance(cell, Estimate))


def measures_of(document: Document) -> tuple[str, ...]:
    """The measures that the numbers of a document are of, as they first occur."""
    names = (cell.measure for cell in estimates_of(document) if cell.measure)
    return tuple(dict.fromkeys(names))


def help_link(measure: str) -> str:
    """A mark that leads to what a measure means; empty where there is no measure."""
    if not measure:
        return ""
    words = escape(f"What {title_of(measure)} means", quote=True)
    return f'&nbsp;<a class="what" href="#{_anchor(measure)}" aria-label="{words}">?</a>'


def glossary_html(measures: Sequence[str]) -> str:
    """One entry a measure: what it says, how it is computed, what else it is called."""
    entries = []
    for measure in kinds_of(measures):
        body = "".join(f"<p>{escape(line)}</p>" for line in meaning_of(measure) if line)
        title = escape(title_of(measure.name))
        entries.append(
            f'<div id="{_anchor(measure.name)}"><dt>{title}</dt><dd class="quiet">{body}</dd></div>'
        )
    return f'<dl class="glossary">{"".join(entries)}</dl>'


def kinds_of(measures: Iterable[str]) -> tuple[Measure, ...]:
    """The measures without what is averaged over classes, and without parameters."""
    known = (parse_request(name).measure for name in measures)
    return tuple({measure.name: measure for measure in known}.values())


def meaning_of(measure: Measure) -> tuple[str, ...]:
    """What a measure says, how it is computed, what else it is called; some may be empty."""
    other = ", ".join(measure.aliases)
    return (
        measure.summary,
        f"Formula: {formula_text(measure.formula)}",
        f"Also called: {other}" if other else "",
        measure.details,
    )


def _anchor(measure: str) -> str:
    """What explains a measure, as the name of a place on the page."""
    name = parse_request(measure).measure.name
    return "m-" + "".join(letter if letter.isalnum() else "-" for letter in name)
