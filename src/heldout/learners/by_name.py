"""Columns taken by their names: the first step of a named model that is given a user's table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin  # noqa: TID253  imported late

from heldout.core.errors import InputError
from heldout.core.wording import listed
from heldout.datasets.features import feature_of, is_empty
from heldout.datasets.quantities import NAME_MARKS, in_days, mend
from heldout.tables.frames import raw_column, table_of_object
from heldout.tables.table import Part, RawTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.core.arrays import Floats
    from heldout.tables.column import RawColumn


class ColumnsByName(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # of no known type
    """The features of a data set as numbers, from a table in whatever order its columns are.

    Columns that are not asked for are left out; those that are missing are refused. Names become
    codes of their levels, missing ones NaN; a level that is not known gets a code of its own,
    which learners pass over. Without names of columns they are taken by their places.

    Parameters
    ----------
    names
        The columns, in the order in which the learner was given them.
    levels
        For each column the values behind its codes, None for numbers.
    has_names
        Whether the data had names of its own: then they are kept as ``feature_names_in_``.
    takes_unknown
        Whether the learner can pass over a level that it was not told of; else it is refused.
    width
        Without names: how many columns X has, of which ``x3`` is the fourth; None: these alone.
    """

    def __init__(
        self,
        names: Sequence[str] = (),
        levels: Sequence[Any] = (),
        *,
        has_names: bool = True,
        takes_unknown: bool = True,
        width: int | None = None,
    ) -> None:
        self.names = names
        self.levels = levels
        self.has_names = has_names
        self.takes_unknown = takes_unknown
        self.width = width

    def fit(self, X: Any, y: Any = None) -> Self:
        """Nothing is learned: columns and levels are those of the data set."""
        self.n_features_in_ = len(self.names)
        if self.has_names:
            self.feature_names_in_ = np.array(list(self.names), dtype=object)
        return self

    def transform(self, X: Any) -> Floats:
        """The columns as a matrix of numbers and codes."""
        part = self._part(X)
        numeric = [name for name, own in zip(self.names, self.levels, strict=True) if own is None]
        part, _ = mend(part, numeric)
        matrix = np.empty((len(part), len(self.names)))
        for index, (name, own) in enumerate(zip(self.names, self.levels, strict=True)):
            column = part.column(name)
            matrix[:, index] = _numbers(column) if own is None else _codes(column, own)
            if own is not None and not self.takes_unknown and (matrix[:, index] == len(own)).any():
                row = int(np.argmax(matrix[:, index] == len(own)))
                raise InputError(
                    f"X: {part.place(row)} has a {name!r} that the model was not fitted with; "
                    f"there are {listed(own)}"
                )
        return matrix

    def _part(self, X: Any) -> Part:
        table = None if isinstance(X, np.ndarray) and X.dtype.names is None else _table(X)
        if table is None:
            return Part(self._by_place(X), "keywords")
        missing = [name for name in self.names if name not in table.columns]
        if missing:
            raise InputError(
                f"X lacks {'columns' if len(missing) > 1 else 'the column'} "
                f"{listed(missing, most=5)} that the model was fitted with"
            )
        return Part(table, "keywords")

    def _by_place(self, X: Any) -> RawTable:
        values = X if isinstance(X, np.ndarray) else np.array([list(row) for row in X], object)
        width = self.width or len(self.names)
        if values.ndim != 2 or values.shape[1] != width:
            raise InputError(
                f"X has the shape {values.shape}, and the model was fitted with {width} columns"
            )
        names = [f"x{index}" for index in range(width)] if self.width else self.names
        columns = {name: raw_column(name, values[:, index]) for index, name in enumerate(names)}
        return RawTable(columns, "X", len(values), 0)


def _table(X: Any) -> RawTable | None:
    return None if isinstance(X, (list, tuple)) else table_of_object(X, "X")


def _numbers(column: RawColumn) -> Any:
    """A column of numbers, or of dates as days."""
    days = in_days(column)
    column = column if days is None else days
    if column.kind in ("text", "category") and not is_empty(column):
        raise InputError(f"X: column {column.name!r} holds texts, and was numbers in the fit")
    return np.full(len(column), np.nan) if is_empty(column) else feature_of(column).values


def _codes(column: RawColumn, levels: Sequence[Any]) -> Floats:
    """The codes of a column's values among levels; NaN where missing."""
    if column.kind in ("integer", "float") and all(isinstance(level, str) for level in levels):
        raise InputError(
            f"X: column {column.name!r} holds numbers, and was names such as {levels[0]!r} in "
            "the fit"
        )
    known = {level: float(code) for code, level in enumerate(levels)}
    known |= {mark: np.nan for mark in NAME_MARKS if mark not in known}
    unknown = float(len(levels))
    if column.kind == "category":
        code_of = np.array([known.get(level, unknown) for level in column.levels] or [np.nan])
        codes = code_of[column.values]
    else:
        codes = np.array([known.get(value, unknown) for value in column.values.tolist()])
    return codes if column.missing is None else np.where(column.missing, np.nan, codes)
