"""A page as Markdown: the same words, tables, numbers beside charts, audit and meanings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.core.shown import visible
from heldout.report.markdown import escape, markdown_text
from heldout.report.names import title_of
from heldout.report.page.glossary import kinds_of, meaning_of, measures_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.report.page.page import Page
    from heldout.report.plots.chart import Chart


def page_markdown(page: Page, *, digits: int | None = None) -> str:
    """The page without its pictures, which Markdown has no place for."""
    return "\n\n".join(filter(None, _blocks(page, digits))) + "\n"


def _blocks(page: Page, digits: int | None) -> Iterator[str]:
    yield f"# {_line(page.title)}"
    texts, tables = page.texts, page.tables
    yield from map(_line, (*page.answers, *texts))
    yield from (f"> {_line(line)}" for line in page.warnings)
    yield "## Results"
    yield markdown_text(tables, digits=digits, methods=True).strip()
    if page.charts:
        yield "## Charts"
        for _, chart in page.charts:
            yield from _chart(chart)
    if page.findings:
        yield "## Audit"
        yield markdown_text(page.findings, digits=digits).strip()
    if measures := measures_of(tables):
        yield "## What the measures mean"
        for measure in kinds_of(measures):
            meaning = " ".join(filter(None, meaning_of(measure)))
            yield f"- **{_line(title_of(measure.name))}**: {_line(meaning)}"
    if page.call:
        yield "## How this was made"
        yield f"This command makes it again:\n\n    {visible(page.call)}"
        yield f"The methods, to be quoted: {_line(page.methods)}" if page.methods else ""
        yield "\n".join(f"- {_line(reference)}" for reference in page.references)


def _chart(chart: Chart) -> Iterator[str]:
    """What a chart says in words: its title, and the lines of its legends."""
    yield f"### {_line(chart.title)}"
    yield _line(chart.words)
    entries = dict.fromkeys(entry.text for panel in chart.panels for entry in panel.legend)
    notes = dict.fromkeys(note for panel in chart.panels for note in panel.notes)
    yield "\n".join(f"- {_line(text)}" for text in (*entries, *notes))


def _line(text: str) -> str:
    return escape(visible(text, keep="\n"))
