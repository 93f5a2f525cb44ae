"""Columns of equal length under their names, convertible to the user's own kind of data frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.nearest import no_such
from heldout.core.shown import Shown, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heldout.core.arrays import Array


#: rows of a table, and characters of a cell, that are shown unasked
ROWS, WIDEST = 20, 50


class ShownTable(Shown):
    """Rows below named columns; the first of them are shown, and how many more there are."""

    __slots__ = ()

    def __len__(self) -> int:
        raise NotImplementedError

    def columns(self) -> dict[str, list[Any]]:
        """The table column by column, as lists."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.columns())

    def to_polars(self) -> Any:
        """The table as a polars DataFrame."""
        import polars

        return polars.DataFrame(self.columns(), strict=False)

    def to_arrow(self) -> Any:
        """The table as a PyArrow table."""
        import pyarrow

        return pyarrow.table(self.columns())

    def first_cells(self) -> dict[str, list[str]]:
        """The first cells of the columns that say anything, as text."""
        cells = {name: [_cell(v) for v in column[:ROWS]] for name, column in self.columns().items()}
        return {name: column for name, column in cells.items() if any(column) or not column}

    def __repr__(self) -> str:
        cells = self.first_cells()
        lines = [", ".join(cells), *(", ".join(row) for row in zip(*cells.values(), strict=True))]
        more = [f"... ({len(self):,} rows)"] if len(self) > ROWS else []
        return visible("\n".join([*lines, *more]), keep="\n")


def _cell(value: Any) -> str:
    text = "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) <= WIDEST else f"{text[:WIDEST]}…"


@dataclass(frozen=True, eq=False, repr=False)
class Columns(ShownTable):
    """A table as named arrays; iterating gives its rows.

    Examples
    --------
    >>> table = Columns({"x": np.array([0.0, 1.0]), "y": np.array([0.5, 1.0])})
    >>> table
    Columns(2 rows: x, y)
    >>> list(table)
    [(0.0, 0.5), (1.0, 1.0)]
    """

    values: Mapping[str, Array]

    def __len__(self) -> int:
        return len(next(iter(self.values.values()), ()))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return zip(*(column.tolist() for column in self.values.values()), strict=True)

    def __getitem__(self, name: str) -> Array:
        if name not in self.values:
            raise no_such("column", name, self.values)
        return self.values[name]

    def __repr__(self) -> str:
        return f"Columns({len(self):,} rows: {', '.join(self.names)})"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(self.values)

    def columns(self) -> dict[str, list[Any]]:
        """The table column by column, as lists."""
        return {name: column.tolist() for name, column in self.values.items()}

    @classmethod
    def stacked(cls, parts: Sequence[tuple[Mapping[str, str], Columns]]) -> Columns:
        """Tables of the same columns below each other, each with words that tell its rows apart.

        Examples
        --------
        >>> part = Columns({"x": np.array([1.0])})
        >>> Columns.stacked([({"model": "a"}, part), ({"model": "b"}, part)]).columns()
        {'model': ['a', 'b'], 'x': [1.0, 1.0]}
        """
        if not parts:
            return cls({})
        words = {
            key: np.concatenate([np.full(len(table), given[key], object) for given, table in parts])
            for key in parts[0][0]
        }
        numbers = {
            name: np.concatenate([table[name] for _, table in parts]) for name in parts[0][1].names
        }
        return cls({**words, **numbers})
