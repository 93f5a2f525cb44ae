"""The results of ``heldout score`` in the format asked for, on standard output or in a file."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from heldout.cli.output import DATA, PAGE, call_of, drawn
from heldout.cli.screen import screen_width

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import click

    from heldout.assess.results import Result
    from heldout.assess.scorecard import Scorecard

    Tables = dict[str, list[dict[str, Any]]]

__all__ = ["text_of", "write"]

HINT = "All measures: --all. Some: --measure NAME. What one means: heldout measures NAME"


def text_of(
    ctx: click.Context, card: Scorecard, results: Sequence[Result], tables: Tables, form: str
) -> str:
    """The results and the tables beside them in the format asked for."""
    if form in DATA:
        return _data(ctx, card, results, tables, form)
    return _document(ctx.params, card, results, tables, form)


def write(files: Mapping[Path, str | bytes], text: str, form: str, output: Path | None) -> None:
    """All that was asked for, where it belongs: every file or, where one fails, none."""
    from heldout.report.output import made_folder, write_all, write_stdout

    whole = files if output is None else {**files, output: text}
    with ExitStack() as stack:
        for folder in dict.fromkeys(path.parent for path in whole):
            stack.enter_context(made_folder(folder))
        write_all(whole)
    if output is None:
        write_stdout(text, is_data=form in DATA)


def _data(
    ctx: click.Context, card: Scorecard, results: Sequence[Result], tables: Tables, form: str
) -> str:
    from heldout.cli.audit_lines import with_audit
    from heldout.report.csv_text import csv_text
    from heldout.report.decision_rows import decision_rows
    from heldout.report.json_text import scorecard_json

    if form == "csv":
        level = None if card.intervals is None else card.intervals.level
        judged = {t.predictions.model: t.rows for t in card.tallies}
        return csv_text([*results, *decision_rows(tables, level=level, rows=judged)])
    call = call_of(ctx, "score", files=list(ctx.params["files"]))
    return with_audit(scorecard_json(card, results, call, tables), ctx)


def _document(
    given: dict[str, Any], card: Scorecard, results: Sequence[Result], tables: Tables, form: str
) -> str:
    from heldout.cli.score_tables import TITLES
    from heldout.report.record_grids import record_grids
    from heldout.report.scorecard import scorecard_document

    is_short = not given["everything"] and not given["measures"]
    document = scorecard_document(
        card,
        results,
        digits=given["digits"],
        width=screen_width() if form == "table" else PAGE,
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
    return drawn((*document[:last], *extra, *document[last:]), form, given["output"])
