"""Columns of the data that are no features: which, why, and their values where that is a guess."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from numpy.typing import NDArray

    from heldout.predictions.part import Part
    from heldout.predictions.raw import RawColumn

__all__ = ["LeftOut", "columns_left_out"]


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """A column that is no feature; with its values where nobody asked to leave it out."""

    name: str
    reason: str
    column: RawColumn | None = None

    def content(self) -> Iterator[tuple[str, NDArray[Any] | None]]:
        """What the column holds, for a digest."""
        if self.column is None:
            return
        yield f"{self.name};{self.column.levels!r}", self.column.missing
        values = self.column.values
        yield (repr(values.tolist()), None) if values.dtype == object else ("", values)


def columns_left_out(
    part: Part, reasons: Mapping[str, str], ignored: Collection[str] = ()
) -> tuple[LeftOut, ...]:
    """The columns that are not used, with the reasons, and those that are ignored."""
    return tuple(
        LeftOut(name, "to be ignored, as asked")
        if name in ignored
        else LeftOut(name, reasons[name], part.column(name))
        for name in part.table.columns
        if name in reasons or name in ignored
    )
