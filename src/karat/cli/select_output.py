"""The result of ``karat select`` in the format asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.cli.evaluate_output import drawn
from karat.cli.score_output import DATA

if TYPE_CHECKING:
    import click

    from karat.selection.selection import Selection

__all__ = ["write"]


def write(ctx: click.Context, selection: Selection, form: str) -> None:
    """The selection where it belongs, whole or not at all."""
    from karat.cli.audit_lines import with_audit
    from karat.report.output import write_stdout, write_whole
    from karat.report.selection import selection_document
    from karat.report.selection_data import selection_csv, selection_json

    given = ctx.params
    if form == "csv":
        text = selection_csv(selection)
    elif form == "json":
        text = with_audit(selection_json(selection, _call(ctx)), ctx)
    else:
        document = selection_document(
            selection, digits=given["digits"], everything=given["everything"]
        )
        text = drawn(document, form, output=given["output"])
    if given["output"] is not None:
        write_whole(given["output"], text)
    else:
        write_stdout(text, is_data=form in DATA)


def _call(ctx: click.Context) -> dict[str, Any]:
    """The command and the options that were given, by their long names."""
    call: dict[str, Any] = {"command": "select", "data": ctx.params["data"]}
    for parameter in ctx.command.params:
        name = parameter.name or ""
        source = ctx.get_parameter_source(name)
        if name == "data" or source is None or source.name != "COMMANDLINE":
            continue
        value = ctx.params[name]
        key = parameter.opts[0].removeprefix("--").replace("-", "_")
        plain = list(value) if isinstance(value, tuple) else value
        call[key] = plain if isinstance(plain, str | int | float | bool | list) else str(plain)
    return call
