"""The procedure that made predictions, where a table says so in a column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.predictions.columns import coded

if TYPE_CHECKING:
    from heldout.predictions.part import Part

__all__ = ["procedure_of"]

NAME = "procedure"


def procedure_of(part: Part, taken: set[str]) -> str:
    """What the column ``procedure`` says of all rows; empty where there is none, or several.

    ``heldout evaluate --predictions`` writes it. It decides which intervals are valid.
    """
    if NAME not in part.table.columns or NAME in taken:
        return ""
    column = part.column(NAME)
    if column.kind not in ("category", "text") or (
        column.missing is not None and column.missing.any()
    ):
        return ""
    levels = coded(part, NAME, "fold").levels
    return str(levels[0]) if len(levels) == 1 else ""
