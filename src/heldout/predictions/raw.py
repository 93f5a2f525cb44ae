"""Columns as they were read, typed but before any of them has a role."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from heldout.predictions.table import Label

__all__ = ["Held", "Kind", "RawColumn", "RawTable", "Written"]

Kind = Literal["boolean", "integer", "float", "text", "category"]
#: what a source held where the kind of a column does not tell
Held = Literal["", "nested", "durations"]


@dataclass(frozen=True, slots=True, eq=False)
class RawColumn:
    """One column: values of one kind, and which of them are missing.

    ``values`` is bool, int64, float64, or (text) an object or fixed-width string array;
    for a category it holds codes into ``levels``, in their declared order. Missing values
    are marked in ``missing`` (None: there are none) and their ``values`` mean nothing; a
    float NaN that the source itself calls a number is a value, not missing. Lists and mappings
    are ``held`` as text, durations as seconds.
    """

    name: str
    kind: Kind
    values: NDArray[Any]
    missing: NDArray[np.bool_] | None = None
    levels: tuple[Label, ...] = ()
    held: Held = ""

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, slots=True)
class Written:
    """The tool that wrote a table, and which roles it gives to its columns."""

    tool: str = ""
    roles: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class RawTable:
    """A table as read: its columns in order, where it came from, its number of rows.

    ``first_row`` is what the first data row is called in messages (2 for a CSV with a
    header line, as an editor shows it; 1 elsewhere; 0 for Python arrays).
    """

    columns: dict[str, RawColumn]
    source: str
    rows: int
    first_row: int = 1
    row_word: str = "row"
    #: a table made of several files: how many rows each of them brought
    parts: tuple[tuple[str, int], ...] = ()
    written: Written = Written()

    def place(self, position: int) -> str:
        """How a message names the row at a position: ``line 17 of a.csv``."""
        start = 0
        for name, rows in self.parts:
            if position < start + rows:
                return f"{self.row_word} {position - start + self.first_row} of {name}"
            start += rows
        return f"{self.row_word} {position + self.first_row} of {self.source}"
