"""Columns of equal length under their names, convertible to the user's own kind of data frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.errors import InputError
from karat.core.nearest import did_you_mean
from karat.core.shown import ShownTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["Columns"]


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

    values: Mapping[str, NDArray[Any]]

    def __len__(self) -> int:
        return len(next(iter(self.values.values()), ()))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return zip(*(column.tolist() for column in self.values.values()), strict=True)

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self.values:
            hint = did_you_mean(name, self.values) or f"; there are {', '.join(self.names)}"
            raise InputError(f"no column is called {name!r}{hint}")
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
