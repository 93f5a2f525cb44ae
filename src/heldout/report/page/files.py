"""A page as a file: HTML, the same printed as PDF by a browser, Markdown without its pictures."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from heldout.core.errors import InputError
from heldout.core.shown import visible
from heldout.report.markdown import escape, markdown_text
from heldout.report.names import title_of
from heldout.report.page.glossary import kinds_of, meaning_of, measures_of
from heldout.report.page.page import page_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.report.page.page import Page
    from heldout.report.plots.chart import Chart

#: a page, the same printed, and without its pictures
ENDINGS = (".html", ".htm", ".pdf", ".md")


def page_file(page: Page, ending: str, *, digits: int | None = None) -> str | bytes:
    """The page as a file of an ending holds it."""
    if ending == ".md":
        return page_markdown(page, digits=digits)
    text = page_text(page, digits=digits)
    return printed(text) if ending == ".pdf" else text


#: what Chromium and its kin are called
BROWSERS = (
    "chromium",
    "chromium-browser",
    "chromium-headless-shell",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
)
#: seconds until a browser that prints is given up
PATIENCE = 120


def browser_path() -> str:
    """The browser that prints, or an error where none is installed."""
    browser = os.environ.get("HELDOUT_BROWSER")
    browser = browser or next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise InputError(
            "a PDF is printed by Chromium or Chrome, and none is installed: install one, name one "
            "in the variable HELDOUT_BROWSER, or write .html and print it from any browser"
        )
    return browser


def printed(page: str) -> bytes:
    """The page as PDF; nothing of it leaves this machine."""
    with TemporaryDirectory(prefix="heldout-") as folder:
        source, target = Path(folder) / "page.html", Path(folder) / "page.pdf"
        source.write_text(page, encoding="utf-8")
        command = [
            browser_path(),
            "--headless",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--no-pdf-header-footer",
            f"--user-data-dir={folder}/profile",
            f"--print-to-pdf={target}",
            # containers and root have no sandbox to offer; the page is heldout's own
            "--no-sandbox",
            source.as_uri(),
        ]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)  # noqa: S603  a browser of the user's
            return target.read_bytes()
        except (OSError, subprocess.SubprocessError) as error:
            raise InputError(f"{command[0]} could not print the page: {error}") from error


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
