"""The results of ``karat score`` in the format asked for, on standard output or in a file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from karat.cli.screen import screen_width, takes_color
from karat.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import click

    from karat.assess.results import Result
    from karat.assess.scorecard import Scorecard

    Tables = dict[str, list[dict[str, Any]]]

__all__ = ["DATA", "ENDINGS", "FORMATS", "PAGE", "implied_format", "write"]

FORMATS = ("table", "json", "csv", "markdown", "latex")
#: the format that a file's ending implies
ENDINGS = {
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
    ".txt": "table",
}
#: formats for programs: all measures unless some are named, numbers in full
DATA = ("json", "csv")
#: the columns that a page of a document is taken to have
PAGE = 120

HINT = "All measures: --all. Some: --measure NAME. What one means: karat measures NAME"


def implied_format(output: Path | None, endings: Mapping[str, str]) -> str:
    """The format that a file's name asks for; an ending that means none is an error.

    What is no plain file (a pipe, a terminal) has no ending, and gets a table.
    """
    if output is None or (output.exists() and not output.is_file()):
        return "table"
    suffix = output.suffix.lower()
    if suffix not in endings:
        what = f"the ending {suffix!r}" if suffix else "a name without an ending"
        raise InputError(
            f"--output {output}: {what} says no format; end the name with "
            f"{', '.join(endings)}, or say --format"
        )
    return endings[suffix]


def write(
    ctx: click.Context, card: Scorecard, results: Sequence[Result], tables: Tables, form: str
) -> None:
    """The results and the tables beside them where they belong, whole or not at all."""
    from karat.report.output import write_stdout, write_whole

    output = ctx.params["output"]
    if form in DATA:
        text = _data(ctx, card, results, tables, form)
    else:
        text = _document(ctx.params, card, results, tables, form)
    if output is not None:
        write_whole(output, text)
    else:
        write_stdout(text, is_data=form in DATA)


def _data(
    ctx: click.Context, card: Scorecard, results: Sequence[Result], tables: Tables, form: str
) -> str:
    from karat.cli.audit_lines import with_audit
    from karat.report.csv_text import csv_text
    from karat.report.decision_rows import decision_rows
    from karat.report.json_text import scorecard_json

    if form == "csv":
        level = None if card.intervals is None else card.intervals.level
        return csv_text([*results, *decision_rows(tables, level=level, n=card.rows)])
    return with_audit(scorecard_json(card, results, _call(ctx), tables), ctx)


def _call(ctx: click.Context) -> dict[str, Any]:
    """The command and the options that were given, by their long names."""
    call: dict[str, Any] = {"command": "score", "files": list(ctx.params["files"])}
    for parameter in ctx.command.params:
        source = ctx.get_parameter_source(parameter.name or "")
        if parameter.name == "files" or source is None or source.name != "COMMANDLINE":
            continue
        value = ctx.params[parameter.name]
        name = parameter.opts[0].removeprefix("--").replace("-", "_")
        call[name] = list(value) if isinstance(value, tuple) else value
    if "output" in call:
        call["output"] = str(call["output"])
    return call


def _document(
    given: dict[str, Any], card: Scorecard, results: Sequence[Result], tables: Tables, form: str
) -> str:
    from karat.cli.score_tables import TITLES
    from karat.report.latex import latex_text
    from karat.report.markdown import markdown_text
    from karat.report.record_grids import record_grids
    from karat.report.scorecard import scorecard_document
    from karat.report.terminal import terminal_text

    is_short = not given["everything"] and not given["measures"]
    width = screen_width() if form == "table" else PAGE
    document = scorecard_document(
        card,
        results,
        digits=given["digits"],
        width=width,
        is_short=is_short and given["per_class"] is not False,
        families=given["everything"] and not given["measures"],
        hint=HINT if form == "table" and is_short else "",
    )
    level = None if card.intervals is None else card.intervals.level
    extra = [
        grid
        for name, records in tables.items()
        if records
        for grid in record_grids(name, TITLES[name], records, digits=given["digits"], level=level)
    ]
    last = len(document) - 1 if is_short and form == "table" else len(document)
    document = (*document[:last], *extra, *document[last:])
    if form == "markdown":
        return markdown_text(document)
    if form == "latex":
        return latex_text(document)
    is_colored = given["output"] is None and takes_color(sys.stdout)
    return terminal_text(document, width=width, color=is_colored)
