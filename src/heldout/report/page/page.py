"""Results as one HTML file: tables, charts, a threshold to move, the data, and how it was made."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, replace
from html import escape
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np

from heldout.core.shown import visible
from heldout.report.layout import Grid, lay_out
from heldout.report.names import title_of
from heldout.report.page.confusion import confusion_html
from heldout.report.page.frame import Frame, Section, opened, resource
from heldout.report.page.glossary import glossary_html, help_link, measures_of
from heldout.report.page.svg import chart_figures, is_broad
from heldout.report.page.threshold import LINKED, threshold_data, threshold_tool
from heldout.report.table import Column, Either, Estimate, Table, Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heldout.report.page.confusion import Matrix
    from heldout.report.page.threshold import Thresholds
    from heldout.report.plots.chart import Chart
    from heldout.report.table import Cell, Document, Rows

#: what files to download are
KINDS = {".json": "application/json", ".csv": "text/csv", ".bib": "application/x-bibtex"}
#: warnings that stand before anything else
MOST_WARNINGS = 5
#: so many notes stand below a table as they are
FEW_NOTES = 3
#: and so many rows of what was not checked
FEW_ROWS = 3
#: text that may break into lines, and columns for which paper has no room but in small letters
LONG_TEXT, MANY_COLUMNS = 40, 9
#: models that stand beside each other in a table; more stand below each other
MOST_ACROSS = 5
#: numbers that a page lists; of more the files to download have all
MOST_NUMBERS = 500
#: a page of more characters says what takes so much room
LARGE = 3_000_000


@dataclass(frozen=True, slots=True)
class Page:
    """What a page shows, before it is written."""

    title: str
    document: Document
    charts: Sequence[tuple[str, Chart]] = ()
    #: the answer in plain words, a picture of it, and one of what it rests on
    answer: Sequence[str] = ()
    picture: Chart | None = None
    diagram: Chart | None = None
    matrices: Sequence[Matrix] = ()
    thresholds: Thresholds | None = None
    findings: Document = ()
    #: what the audit warns of, a line each
    warnings: Sequence[str] = ()
    #: the call that made it, how in words to quote, and where that was published
    call: str = ""
    methods: str = ""
    references: Sequence[str] = ()
    #: every number, and files to download by their names
    numbers: Rows | None = None
    downloads: Mapping[str, str] | None = None

    @property
    def answers(self) -> tuple[str, ...]:
        """What the reader asked for, in words: those of the page, else those of the document."""
        said = (b.text for b in self.document if isinstance(b, Text) and b.tone == "answer")
        return tuple(self.answer) or tuple(said)

    @property
    def texts(self) -> tuple[str, ...]:
        """What else is said, without what the command line offers."""
        others = (b for b in self.document if isinstance(b, Text))
        texts = (b.text for b in others if b.tone not in ("answer", "hint"))
        return tuple(text for text in texts if text not in self.answer)

    @property
    def tables(self) -> tuple[Table | Either, ...]:
        """The tables of the document."""
        return tuple(b for b in self.document if not isinstance(b, Text))


def page_text(page: Page, *, digits: int | None = None) -> str:
    """The page as one file that loads nothing and opens anywhere."""
    answers = page.answers
    tables = tuple(b for b in page.tables if not (page.matrices and _is_confusion(b)))
    sections = [Section("results", "Results", tables_html(tables, digits=digits))]
    if page.matrices:
        matrices = confusion_html(page.matrices, lambda t: tables_html((t,), digits=digits))
        sections.append(Section("confusion", "Confusion matrix", matrices))
    charts = dict(page.charts)
    if page.thresholds is not None:
        linked = {name: charts.pop(name) for name in LINKED if name in charts}
        tool = threshold_tool(page.thresholds, _charts(linked))
        sections.append(Section("threshold", "Threshold", tool))
    if charts:
        sections.append(Section("charts", "Charts", _charts(charts)))
    if page.findings:
        sections.append(Section("audit", "Audit", blocks_html(page.findings)))
    if measures := measures_of(tables):
        sections.append(Section("measures", "What the measures mean", glossary_html(measures)))
    sections.append(Section("made", "How this was made", _appendix(page)))
    return report_frame().text(
        visible(page.title),
        sections,
        lead=_lines(answers or page.texts),
        basis=_lines(page.texts if answers else ()),
        picture="" if page.picture is None else _picture(page.picture),
        diagram="" if page.diagram is None else chart_figures(page.diagram, "folds"),
        warnings=_few(page.warnings),
        data=threshold_data(page.thresholds) if page.thresholds is not None else "",
        footer=f"This file holds results, counts and drawings; it loads nothing.{_size(sections)}",
    )


def _lines(texts: Sequence[str]) -> list[str]:
    return [visible(line) for text in texts for line in text.split("\n")]


def _picture(chart: Chart) -> str:
    """The intervals of the answer, drawn beside each other where there is room."""
    words = f'<p class="quiet">{_escaped(chart.words)}</p>' if chart.words else ""
    return f'<div class="panels">{chart_figures(chart, "answer")}</div>{words}'


def _few(warnings: Sequence[str]) -> tuple[str, ...]:
    """The first warnings, and how many more the audit has."""
    rest = len(warnings) - MOST_WARNINGS
    more = [f"{rest} more are listed under Audit."] if rest > 0 else []
    return (*warnings[:MOST_WARNINGS], *more)


def _size(sections: Sequence[Section]) -> str:
    """Why a page is large, where it is."""
    sizes = {section.title: len(section.body) for section in sections}
    if sum(sizes.values()) <= LARGE:
        return ""
    largest = sorted(sizes, key=lambda title: -sizes[title])[:2]
    parts = " and ".join(f"{sizes[title] / 1e6:.1f} MB of it are {title!r}" for title in largest)
    return f" It is large: {parts}."


def report_frame() -> Frame:
    """The frame of pages that are files: they load nothing and send nothing."""
    return Frame(resource("chart.css") + resource("page.css"), resource("page.js"))


def _is_confusion(block: Table | Either) -> bool:
    tables = block.choices[0] if isinstance(block, Either) else (block,)
    return any(table.is_confusion for table in tables)


# tables


def blocks_html(document: Document) -> str:
    """Paragraphs and tables in their order; long tables are opened by the reader."""
    parts = []
    for block in document:
        if isinstance(block, Text):
            parts += [f"<p>{_escaped(line)}</p>" for line in block.text.split("\n")]
        elif isinstance(block, Table) and len(block.rows) > FEW_ROWS:
            table = tables_html((replace(block, title=""),))
            parts.append(opened(f"{block.title} ({len(block.rows)})", table))
        else:
            parts.append(tables_html((block,)))
    return "".join(parts)


def tables_html(document: Document, *, digits: int | None = None) -> str:
    """Tables with all their columns; a cell of an estimate says how it was made."""
    document = tuple(map(_with_few_columns, document))
    full = lay_out(document, digits=digits, methods=True)
    brief = lay_out(document, digits=digits, more="methods below")
    pairs = zip(full, brief, strict=True)
    return "".join(
        _table(grid) + _notes(grid.notes, short.notes)
        for grid, short in pairs
        if isinstance(grid, Grid) and isinstance(short, Grid)
    )


def _with_few_columns(block: Any) -> Any:
    """A table that can be turned, with its few rows as columns: a page is taller than wide."""
    if not isinstance(block, Table) or block.fit != "turn":
        return block
    is_turned = len(block.rows) <= MOST_ACROSS and len(block.rows) < len(block.columns)
    return replace(block, prefers_turned=is_turned)


def _table(grid: Grid) -> str:
    is_number = [
        column.align != "left" or any(_number(row[i]) is not None for row in grid.cells)
        for i, column in enumerate(grid.columns)
    ]
    about = [_measure_of_column(grid, i) for i in range(len(grid.columns))]
    heads = "".join(
        f'<th scope="col"{_kinds(number=is_number[i], spare=column.optional)}{_pick(about[i])}>'
        f"{_escaped(column.title)}{help_link(about[i])}</th>"
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
        measure = _measure_of(typed) if not any(about) else ""
        own = help_link(measure)
        cells = [
            _cell(
                text,
                cell,
                own if j == 0 else None,
                number=is_number[j],
                strong=(i, j) in grid.strong,
                spare=grid.columns[j].optional,
            )
            for j, (text, cell) in enumerate(zip(texts, typed, strict=True))
        ]
        rows.append(f"<tr{_pick(measure)}>{''.join(cells)}</tr>")
    caption = f"<caption>{_escaped(grid.title)}</caption>" if grid.title else ""
    kind = _kinds(sortable=not grid.sections, wide=len(grid.columns) > MANY_COLUMNS)
    label = _escaped(grid.title or "Table")
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">'
        f"<table{kind}>{caption}<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody>"
        f"</table></div>"
    )


def _notes(notes: Sequence[str], short: Sequence[str]) -> str:
    """What is said below a table; how its numbers were made is opened by the reader."""
    if len(notes) <= FEW_NOTES:
        return _list(notes)
    methods = [note for note in notes if note not in short]
    return _list(short) + (opened("Methods", _list(methods)) if methods else "")


def _list(notes: Sequence[str]) -> str:
    items = "".join(f"<li>{_escaped(note)}</li>" for note in notes)
    return f'<ul class="notes">{items}</ul>' if items else ""


def _cell(text: str, cell: Cell, link: str | None, **kinds: bool) -> str:
    """A cell; the first of a row, which names it, has a ``link`` to what it is."""
    value = _number(cell)
    known = "" if value is None else f' data-value="{value!r}"'
    about = f' title="{_escaped(words)}"' if (words := _about(cell)) else ""
    if link is not None:
        return f'<th scope="row"{_kinds(number=kinds["number"])}{known}>{_escaped(text)}{link}</th>'
    kind = _kinds(**kinds, prose=len(text) > LONG_TEXT)
    return f"<td{kind}{known}{about}>{_escaped(text)}</td>"


def _measure_of(cells: Iterable[Cell]) -> str:
    """The measure that all numbers of a row or column are of; empty where they are of several."""
    names = {cell.measure for cell in cells if isinstance(cell, Estimate) and cell.measure}
    return names.pop() if len(names) == 1 else ""


def _measure_of_column(grid: Grid, number: int) -> str:
    """That of a column, where it is not of one row among others."""
    cells = [row[number] for row in grid.cells]
    estimates = [cell for cell in cells if isinstance(cell, Estimate)]
    return _measure_of(estimates) if len(estimates) > 1 or len(cells) == 1 else ""


def _pick(measure: str) -> str:
    """What a reader hides a row or a column by."""
    if not measure:
        return ""
    return f' data-measure="{_escaped(measure)}" data-title="{_escaped(title_of(measure))}"'


def _kinds(**kinds: bool) -> str:
    """The classes that hold of a part, by which it is styled."""
    names = " ".join(name for name, holds in kinds.items() if holds)
    return f' class="{names}"' if names else ""


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


# charts


def _charts(charts: Mapping[str, Chart]) -> str:
    return f'<div class="charts">{"".join(_chart(*pair) for pair in charts.items())}</div>'


def _chart(name: str, chart: Chart) -> str:
    anchor = "chart-" + "".join(letter if letter.isalnum() else "-" for letter in name)
    words = f'<p class="quiet">{_escaped(chart.words)}</p>' if chart.words else ""
    # a chart that needs no title on paper has one here, where it is read aloud and linked to
    chart = replace(chart, title=chart.title or name.replace("_", " ").capitalize())
    title = f"<h3>{_escaped(chart.title)}</h3>"
    figures = chart_figures(chart, anchor, kind=name)
    kind = ' class="wide"' if is_broad(chart) else ""
    body = f'{title}{words}<div class="panels">{figures}</div>'
    return f'<section id="{anchor}"{kind}>{body}</section>'


# how it was made


def _appendix(page: Page) -> str:
    parts = []
    if page.call:
        parts.append(f"<p>This command makes it again:</p><pre>{_escaped(page.call)}</pre>")
    if page.methods:
        parts.append(f"<p>The methods, to be quoted:</p><pre>{_escaped(page.methods)}</pre>")
    links = [
        f'<a download="{_escaped(name)}" href="{_data_link(name, text)}">{_escaped(name)}</a>'
        for name, text in (page.downloads or {}).items()
    ]
    if links:
        parts.append(
            f'<p class="downloads">Every number in full, and references: {", ".join(links)}</p>'
        )
    if page.references:
        parts.append(opened("References", _list(page.references)))
    if page.numbers is not None and page.numbers.rows:
        parts.append(opened("Every number", _numbers(page.numbers), is_printed=False))
    return "".join(parts)


def _numbers(numbers: Rows) -> str:
    """The long table without its empty columns, up to some rows."""
    rows = numbers.rows[:MOST_NUMBERS]
    columns = [
        (Column(name), lambda row, i=i: _plain(row[i])) for i, name in enumerate(numbers.names)
    ]
    more = len(numbers.rows) - len(rows)
    left_out = f"<p>{more:,} more rows are in results.csv.</p>" if more else ""
    return tables_html((Table.of("", columns, rows, has_empty=False),)) + left_out


def _plain(value: Any) -> str | None:
    if isinstance(value, float):
        return "undefined" if isnan(value) else f"{value:.6g}"
    return str(value) if value not in (None, "") else None


#: characters of a link that need no escape in HTML; others cost three times their length
PLAIN = " !$()*+,-./:;=?@[]^_`{|}~'"


def _data_link(name: str, text: str) -> str:
    """The file within the page, in the shorter of two encodings."""
    data = text.encode()
    encoded = f",{quote(data, safe=PLAIN)}", f";base64,{b64encode(data).decode()}"
    return _escaped(f"data:{KINDS[Path(name).suffix]};charset=utf-8{min(encoded, key=len)}")
