"""``--report page.html``: what a command found as a page, and the file it goes to."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from heldout.cli.screen import explain, say
from heldout.core.errors import InputError
from heldout.report.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from heldout.auditing.audit import Audit
    from heldout.cli.command import Answer, Asked
    from heldout.report.plots.chart import Chart

#: what a page of each command is called
TITLES = {
    "score": "How good are these predictions?",
    "report": "How good are these predictions?",
    "evaluate": "Which model is better, and how well will it do?",
    "select": "Which settings, and what to expect of them?",
    "compare": "Is the difference real?",
    "audit": "Was the test data kept separate?",
}
#: what the record of a call holds beside options: arguments that stand without a name
ARGUMENTS = ("files", "data")


def write_report(
    given: Mapping[str, Any], asked: Asked, answer: Answer, audit: Audit | None
) -> int:
    """The page in its file; the exit code. The results are out, whatever becomes of it."""
    from heldout.report.audit_text import audit_document
    from heldout.report.output import write_all
    from heldout.report.page.answer import (
        answer_chart,
        answer_lines,
        best_first,
        fold_diagram,
        page_comparison,
        standing_of,
    )
    from heldout.report.page.confusion import matrices_of
    from heldout.report.page.files import page_file
    from heldout.report.page.glossary import measures_of
    from heldout.report.page.page import Page
    from heldout.report.page.references import Methods, bibtex
    from heldout.report.page.threshold import thresholds_of
    from heldout.report.plots.intervals import part_charts

    path = asked.report
    assert path is not None
    try:
        record = answer.record()
        call = record.get("call", {})
        # without the blanks that a page has no room for
        json_text = json.dumps(
            json.loads(FORMATS["json"].text(record)), separators=(",", ":"), ensure_ascii=False
        )
        downloads = {"results.json": json_text}
        rows = None if answer.rows is None else answer.rows()
        if rows is not None:
            downloads["results.csv"] = FORMATS["csv"].text(rows)
        card = answer.card
        document = answer.document() if answer.page is None else answer.page()
        measures = measures_of(document)
        deciding = next(iter(given.get("measures", ())), "")
        compared = answer.charted if card is None else page_comparison(card, deciding)
        methods = Methods(measures, answer.results, getattr(compared, "differences", ()))
        references = tuple(dict.fromkeys(filter(None, methods.references())))
        downloads["references.bib"] = bibtex(references)
        charts = list(_charts(asked.book, answer.charted))
        of_card: dict[str, Any] = {}
        if card is not None:
            slices = card.slices(*given["measures"]) if given.get("by") else ()
            charts += part_charts(card, measures, slices)
            standing = best_first(standing_of(card, answer.judged or card), compared)
            of_card = {
                "answer": tuple(answer_lines(card, standing, compared)),
                "picture": answer_chart(card, standing),
                "diagram": fold_diagram(card),
                "matrices": tuple(matrices_of(card, list(standing))),
                "thresholds": thresholds_of(card, best=next(iter(standing), "")),
            }
        page = Page(
            title=TITLES.get(call.get("command", ""), "Results"),
            document=document,
            charts=charts,
            findings=() if audit is None else audit_document(audit, in_words=True),
            warnings=() if audit is None else _warnings(audit),
            call=command_line(call),
            references=references,
            numbers=rows,
            downloads=downloads,
            **of_card,
        )
        page = replace(page, methods=methods.text(page.texts))
        content = page_file(page, path.suffix.lower(), digits=given.get("digits"))
        write_all({path: content})
    except Exception as error:  # nothing else may be lost to a page
        return explain(error, f"{path} is not written")
    size = len(content if isinstance(content, bytes) else content.encode())
    say(given, [f"{path} is the page for people ({size / 1000:,.0f} KB)"])
    return 0


def refuse_report(path: Path, flag: str = "--report") -> None:
    """An error where a page cannot be written under such a name."""
    from heldout.report.page.files import ENDINGS, browser_path

    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"{flag} {path}: end the name with {', '.join(ENDINGS)}")
    if ending == ".pdf":
        browser_path()


def _charts(module: str, result: Any) -> Iterator[tuple[str, Chart]]:
    """Every chart that a result allows, as data; none where it allows none.

    A page has matrices as tables, and folds of its measures.
    """
    from heldout.cli.charts import book_of

    book = book_of(module)
    try:
        charts = [] if result is None else list(book.every(result, {}))
    except InputError:
        return
    for title, name, options in charts:
        if name not in ("confusion", "folds"):
            yield title, book.plot(result, name, as_data=True, **options)


def command_line(call: Mapping[str, Any]) -> str:
    """The record of a call as it is typed.

    Examples
    --------
    >>> command_line({"command": "score", "files": ["a b.csv"], "truth": "y", "all": True})
    "heldout score 'a b.csv' --truth y --all"
    """
    words = ["heldout", str(call.get("command", ""))]
    named = {key: value for key, value in call.items() if key != "command"}
    for key in ARGUMENTS:
        value = named.pop(key, [])
        words += [str(word) for word in (value if isinstance(value, list) else [value])]
    for key, value in named.items():
        flag = f"--{key.replace('_', '-')}"
        if value is True:
            words.append(flag)
        for word in value if isinstance(value, list) else [value]:
            if not isinstance(word, bool):
                words += [flag, str(word)]
    return shlex.join(words)


def _warnings(audit: Audit) -> tuple[str, ...]:
    """What a reader must know before anything else."""
    return tuple(f"{f.severity}: {f.line}" for f in audit.findings if f.severity != "note")
