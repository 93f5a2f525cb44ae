"""Columns of which no named model can make anything: without any value, or lists and mappings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.predictions.part import listed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from karat.predictions.part import Part
    from karat.predictions.raw import RawColumn

__all__ = ["empty_columns", "is_empty", "missing_of", "unfit"]


def missing_of(column: RawColumn) -> NDArray[np.bool_] | None:
    """Which rows have no value (a NaN is none); None where all have one."""
    missing = column.missing
    if column.kind == "float":
        nan = np.isnan(column.values)
        missing = nan if missing is None else missing | nan
    return missing if missing is not None and missing.any() else None


def is_empty(column: RawColumn) -> bool:
    """Whether no row has a value."""
    missing = missing_of(column)
    return missing is not None and bool(missing.all())


def unfit(part: Part, names: Iterable[str]) -> str:
    """What is wrong with columns that can be no features, and the fix; nothing: all can be."""
    nested: list[str] = []
    empty: list[str] = []
    for name in names:
        column = part.column(name)
        if is_empty(column):
            empty.append(name)
        elif column.held == "nested":
            nested.append(name)
    where = f"{part.table.source}: {_called(empty or nested)}"
    single = len(empty or nested) == 1
    if empty:
        return (
            f"{where} {'has' if single else 'have'} no values at all; "
            f"leave out: {_without(part, empty)}"
        )
    if nested:
        return (
            f"{where} {'holds' if single else 'hold'} lists or mappings, which are no numbers or "
            f"names: make columns of their parts, or leave out: {_without(part, nested)}"
        )
    return ""


def empty_columns(X: Any) -> str:
    """The same of the columns of a two-dimensional array of numbers, of which one may be empty.

    Examples
    --------
    >>> empty_columns(np.array([[1.0, np.nan], [2.0, np.nan]]))
    "X: column 'x1' has no values at all; leave out: X without 'x1'"
    >>> empty_columns(np.array([[1.0, np.nan], [2.0, 3.0]]))
    ''
    """
    if X.dtype.kind != "f" or not len(X):
        return ""
    # most columns have a value in their first row
    places = np.flatnonzero(np.isnan(X[0]))
    names = [f"x{place}" for place in places if np.isnan(X[:, place]).all()]
    if not names:
        return ""
    has = "has" if len(names) == 1 else "have"
    return f"X: {_called(names)} {has} no values at all; leave out: X without {listed(names)}"


def _called(names: list[str]) -> str:
    return f"column{'s' * (len(names) != 1)} {listed(names, most=6)}"


def _without(part: Part, names: list[str]) -> str:
    """How the reader leaves columns out."""
    if part.dialect == "arrays":
        return f"X without {listed(names)}"
    return part.flag("ignore", ",".join(names))
