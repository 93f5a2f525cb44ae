"""The result of ``heldout select`` in the format asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.cli.output import call_of, drawn, write_text

if TYPE_CHECKING:
    import click

    from heldout.selection.selection import Selection

__all__ = ["write"]


def write(ctx: click.Context, selection: Selection, form: str) -> None:
    """The selection where it belongs, whole or not at all."""
    from heldout.cli.audit_lines import with_audit
    from heldout.report.selection import selection_document
    from heldout.report.selection_data import selection_csv, selection_json

    given = ctx.params
    if form == "csv":
        text = selection_csv(selection)
    elif form == "json":
        text = with_audit(selection_json(selection, call_of(ctx, "select")), ctx)
    else:
        document = selection_document(
            selection, digits=given["digits"], everything=given["everything"]
        )
        text = drawn(document, form, given["output"])
    write_text(text, form, given["output"])
