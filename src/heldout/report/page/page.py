"""Results as one HTML file: tables, charts, a threshold to move, the data, and how it was made."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout import __version__
from heldout.core.shown import visible
from heldout.report.layout import Grid, laid_out
from heldout.report.page.confusion import confusion_html
from heldout.report.page.glossary import glossary_html, help_link, measures_of
from heldout.report.page.svg import chart_figures
from heldout.report.plots.chart import Placed
from heldout.report.table import Either, Estimate, Table, Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heldout.report.page.confusion import Matrix
    from heldout.report.plots.chart import Chart
    from heldout.report.table import Cell, Document
    from heldout.tally.scores import ScoreCounts

__all__ = ["Page", "Thresholds", "page_text"]

#: thresholds that a slider has at most: finer steps than these are below a pixel
MOST_CUTS = 512


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What a page needs to move a threshold: counts of each model, and the names of the classes."""

    positive: str
    negative: str
    #: models with the counts of their scores, and where labels were predicted
    models: Mapping[str, tuple[ScoreCounts, float | None]]


@dataclass(frozen=True, slots=True)
class Page:
    """What a page shows, before it is written."""

    title: str
    document: Document
    charts: Sequence[tuple[str, Chart]] = ()
    #: the answer in plain words, and a picture of what it rests on
    answer: Sequence[str] = ()
    diagram: str = ""
    matrices: Sequence[Matrix] = ()
    thresholds: Thresholds | None = None
    findings: Document = ()
    #: what the audit warns of, a line each
    warnings: Sequence[str] = ()
    #: the call that made it, and files to download by their names
    call: str = ""
    downloads: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page with a heading of its own."""

    anchor: str
    title: str
    body: str


def page_text(page: Page, *, digits: int | None = None) -> str:
    """The page as one file that loads nothing and opens anywhere."""
    style, script = _resource("page.css"), _resource("page.js")
    blocks = [b for b in page.document if not isinstance(b, Text) or b.tone != "hint"]
    texts = [block for block in blocks if isinstance(block, Text)]
    answers = [*(text.text for text in texts if text.tone == "answer"), *page.answer]
    lead = [*answers, *(text.text for text in texts if text.tone != "answer")]
    tables = tuple(
        block
        for block in blocks
        if not isinstance(block, Text) and not (page.matrices and _is_confusion(block))
    )
    sections = [Section("results", "Results", tables_html(tables, digits=digits))]
    if page.matrices:
        matrices = confusion_html(page.matrices, lambda t: tables_html((t,), digits=digits))
        sections.append(Section("confusion", "Confusion matrix", matrices))
    if page.thresholds is not None:
        sections.append(Section("threshold", "Threshold", _threshold_tool(page.thresholds)))
    if page.charts:
        drawn = "".join(_chart(name, chart) for name, chart in page.charts)
        sections.append(Section("charts", "Charts", f'<div class="charts">{drawn}</div>'))
    if page.findings:
        sections.append(Section("audit", "Audit", blocks_html(page.findings, digits=digits)))
    if measures := measures_of(tables):
        sections.append(Section("measures", "What the measures mean", glossary_html(measures)))
    sections.append(Section("made", "How this was made", _appendix(page)))
    return str(
        _template("page.html").render(
            title=visible(page.title),
            lead=[visible(line) for text in lead for line in text.split("\n")],
            count=len(answers) or 1,
            diagram=page.diagram,
            warnings=page.warnings,
            sections=sections,
            version=__version__,
            style=style,
            script=script,
            style_hash=_hash(style),
            script_hash=_hash(script),
            data=_threshold_data(page.thresholds) if page.thresholds is not None else "",
        )
    )


def _is_confusion(block: Table | Either) -> bool:
    tables = block.choices[0] if isinstance(block, Either) else (block,)
    return any(table.is_confusion for table in tables)


@cache
def _resource(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


@cache
def _template(name: str) -> Any:
    from jinja2 import Environment

    environment = Environment(autoescape=True, trim_blocks=True, keep_trailing_newline=True)
    return environment.from_string(_resource(name))


def _hash(text: str) -> str:
    """What a browser must find a script or style sheet to be before it uses it."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


# tables


def blocks_html(document: Document, *, digits: int | None = None) -> str:
    """Paragraphs and tables in their order."""
    parts = []
    for block in document:
        if isinstance(block, Text):
            parts += [f"<p>{_escaped(line)}</p>" for line in block.text.split("\n")]
        else:
            parts.append(tables_html((block,), digits=digits))
    return "".join(parts)


def tables_html(document: Document, *, digits: int | None = None) -> str:
    """Tables with all their columns; a cell of an estimate says how it was made."""
    laid = laid_out(document, digits=digits, methods=True)
    return "".join(_table(grid) for grid in laid if isinstance(grid, Grid))


def _table(grid: Grid) -> str:
    is_number = [
        column.align != "left" or any(_number(row[i]) is not None for row in grid.cells)
        for i, column in enumerate(grid.columns)
    ]
    about = [_measure_of(row[i] for row in grid.cells) for i in range(len(grid.columns))]
    heads = "".join(
        f'<th scope="col"{_class(is_number[i])}>{_escaped(column.title)}{help_link(about[i])}</th>'
        for i, column in enumerate(grid.columns)
    )
    rows = []
    for i, texts in enumerate(grid.rows):
        if heading := grid.sections.get(i):
            span = len(grid.columns)
            head = f'<th colspan="{span}" scope="rowgroup">{_escaped(heading)}</th>'
            rows.append(f'<tr class="section">{head}</tr>')
        typed = grid.cells[i]
        # where a row is of one measure its name leads to what that is
        own = help_link(_measure_of(typed)) if not any(about) else ""
        cells = [
            _cell(text, cell, is_number[j], own if j == 0 else None, (i, j) in grid.strong)
            for j, (text, cell) in enumerate(zip(texts, typed, strict=True))
        ]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    caption = f"<caption>{_escaped(grid.title)}</caption>" if grid.title else ""
    kind = "" if grid.sections else ' class="sortable"'
    label = _escaped(grid.title or "Table")
    notes = "".join(f"<li>{_escaped(note)}</li>" for note in grid.notes)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">'
        f"<table{kind}>{caption}<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody>"
        f"</table></div>{f'<ul class=notes>{notes}</ul>' if notes else ''}"
    )


def _cell(text: str, cell: Cell, is_number: bool, link: str | None, is_strong: bool) -> str:
    """A cell; the first of a row, which names it, has a ``link`` to what it is."""
    value = _number(cell)
    known = "" if value is None else f' data-value="{value!r}"'
    about = f' title="{_escaped(words)}"' if (words := _about(cell)) else ""
    if link is not None:
        return f'<th scope="row"{_class(is_number)}{known}>{_escaped(text)}{link}</th>'
    names = " ".join([*(["number"] if is_number else []), *(["strong"] if is_strong else [])])
    kind = f' class="{names}"' if names else ""
    return f"<td{kind}{known}{about}>{_escaped(text)}</td>"


def _measure_of(cells: Iterable[Cell]) -> str:
    """The measure that all numbers of a row or column are of; empty where they are of several."""
    names = {cell.measure for cell in cells if isinstance(cell, Estimate) and cell.measure}
    return names.pop() if len(names) == 1 else ""


def _class(is_number: bool) -> str:
    return ' class="number"' if is_number else ""


def _number(cell: Cell) -> float | None:
    value = getattr(cell, "value", None)
    return value if isinstance(value, float | int) and np.isfinite(value) else None


def _about(cell: Cell) -> str:
    """How a number was made, for whoever points at it."""
    if not isinstance(cell, Estimate):
        return ""
    size = "" if cell.n is None else f"n = {cell.n:,}"
    level = "" if cell.level is None or not cell.has_limits else f"{100 * cell.level:g}% interval"
    return "; ".join(filter(None, (size, f"{level}: {cell.method}".strip(": "), cell.note)))


def _escaped(text: str) -> str:
    return escape(visible(text), quote=True)


# charts and thresholds


def _chart(name: str, chart: Chart) -> str:
    anchor = "chart-" + "".join(letter if letter.isalnum() else "-" for letter in name)
    words = f'<p class="quiet">{_escaped(chart.words)}</p>' if chart.words else ""
    title = f"<h3>{_escaped(chart.title)}</h3>" if chart.title else ""
    figures = chart_figures(chart, anchor, kind=name)
    is_wide = len(chart.panels) > 1 or isinstance(chart.layout, Placed)
    kind = ' class="wide"' if is_wide else ""
    body = f'{title}{words}<div class="panels">{figures}</div>'
    return f'<section id="{anchor}"{kind}>{body}</section>'


def _threshold_tool(thresholds: Thresholds) -> str:
    return str(
        _template("threshold_tool.html").render(
            models=[visible(model) for model in thresholds.models],
            positive=visible(thresholds.positive),
            negative=visible(thresholds.negative),
        )
    )


def _threshold_data(thresholds: Thresholds) -> str:
    """The counts at each step of the slider; JSON in which no tag can end."""
    models = [_cuts(counts, start) for counts, start in thresholds.models.values()]
    return json.dumps(models, separators=(",", ":")).replace("<", "\\u003c")


def _cuts(counts: ScoreCounts, start: float | None) -> dict[str, Any]:
    """Thresholds from above every score downwards, with what lies at or above each."""
    scores = np.asarray(counts.score, float)
    tp = np.concatenate([[0.0], np.asarray(counts.tp, float)])
    fp = np.concatenate([[0.0], np.asarray(counts.fp, float)])
    positives, negatives = float(tp[-1]), float(fp[-1])
    # steps that are even along both rates: none is far from its neighbours on any curve
    along = tp / max(positives, 1e-300) + fp / max(negatives, 1e-300)
    kept = np.unique(np.searchsorted(along, np.linspace(0, along[-1], MOST_CUTS)))
    kept = np.unique(np.concatenate([[0], kept.clip(0, len(tp) - 1), [len(tp) - 1]]))
    # labels that were not made by a threshold: half of the range stands for them
    begin = float(np.mean([scores.min(), scores.max()])) if start is None else start
    own = int(np.count_nonzero(scores >= begin))
    kept = np.unique(np.append(kept, own))
    at = int(np.searchsorted(kept, own))
    threshold = [None if cut == 0 else float(scores[cut - 1]) for cut in kept.tolist()]
    return {
        "threshold": threshold,
        "tp": _plain(tp[kept]),
        "fp": _plain(fp[kept]),
        "positives": positives,
        "negatives": negatives,
        "start": at,
    }


def _plain(values: Any) -> list[float | int]:
    return [int(v) if v == int(v) else float(v) for v in np.asarray(values, float).tolist()]


# how it was made


def _appendix(page: Page) -> str:
    parts = []
    if page.call:
        parts.append(f"<p>This command makes it again:</p><pre>{_escaped(page.call)}</pre>")
    links = [
        f'<a download="{_escaped(name)}" href="{_data_link(name, text)}">{_escaped(name)}</a>'
        for name, text in (page.downloads or {}).items()
    ]
    if links:
        parts.append(f'<p class="downloads">Every number in full: {", ".join(links)}</p>')
    return "".join(parts)


def _data_link(name: str, text: str) -> str:
    kind = "application/json" if name.endswith(".json") else "text/csv"
    return f"data:{kind};charset=utf-8;base64,{b64encode(text.encode()).decode()}"
