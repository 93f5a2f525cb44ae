"""Columns of the data that are no features: which, why, and their values where that is a guess."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from karat.predictions.part import Part
    from karat.predictions.raw import RawColumn

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
    part: Part,
    used: Collection[str],
    notes: Sequence[str],
    *,
    ignored: Collection[str] = (),
) -> tuple[LeftOut, ...]:
    """The columns that are not used, by the notes that say why, and those that are ignored."""
    made = []
    for name in part.table.columns:
        if name in used:
            continue
        if name in ignored:
            made.append(LeftOut(name, "to be ignored, as asked"))
            continue
        heads = (f"column {name!r} is no feature: ", f"column {name!r} is not used: ")
        said = next((n.removeprefix(h) for h in heads for n in notes if n.startswith(h)), "")
        if said:
            made.append(LeftOut(name, said, part.column(name)))
    return tuple(made)
