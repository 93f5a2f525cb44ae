"""Columns as features: numbers, or codes into levels; what is of no use is left out and said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets.dataset import Feature
from karat.predictions.part import listed, plural

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from karat.predictions.part import Part
    from karat.predictions.raw import RawColumn

__all__ = ["feature_of", "features_of", "is_all_distinct", "missing_of"]


def missing_of(column: RawColumn) -> NDArray[np.bool_] | None:
    """Which rows have no value (a NaN is none); None where all have one."""
    missing = column.missing
    if column.kind == "float":
        nan = np.isnan(column.values)
        missing = nan if missing is None else missing | nan
    return missing if missing is not None and missing.any() else None


def is_all_distinct(column: RawColumn) -> bool:
    """Whether no two rows have the same value (and none has none)."""
    if missing_of(column) is not None or len(column) < 2:
        return False
    if column.kind == "category":
        return len(column.levels) >= len(column) == len(np.unique(column.values))
    return column.kind != "boolean" and len(np.unique(column.values)) == len(column)


def feature_of(column: RawColumn) -> Feature:
    """A column as a feature."""
    missing = missing_of(column)
    if column.kind == "category":
        codes = column.values.astype(np.int32, copy=False)
        if missing is not None:
            codes = np.where(missing, np.int32(-1), codes)
        return Feature(column.name, codes, column.levels)
    values: NDArray[Any] = column.values
    if missing is not None:
        values = np.where(missing, np.nan, values.astype(np.float64))
    return Feature(column.name, values)


def features_of(part: Part, names: Iterable[str]) -> tuple[tuple[Feature, ...], list[str]]:
    """The features among some columns, and notes on columns that are left out or constant."""
    features: list[Feature] = []
    notes: list[str] = []
    constant: list[str] = []
    for name in names:
        column = part.column(name)
        why = _useless(column)
        if why:
            notes.append(f"column {name!r} is not used: {why}")
            continue
        features.append(feature_of(column))
        if _is_constant(column):
            constant.append(name)
    if constant:
        notes.append(
            f"{plural(len(constant), 'column')} with one value only: {listed(constant, most=5)} "
            f"(to leave out: {part.flag('ignore', constant[0])})"
        )
    return tuple(features), notes


def _useless(column: RawColumn) -> str:
    """Why a column cannot help any named model, or nothing."""
    if column.kind in ("text", "category"):
        if is_all_distinct(column):
            return "every row has another text, as if it were a name of the row"
        if column.kind == "text" and not (column.missing is not None and column.missing.all()):
            return f"free text ({len(np.unique(column.values.astype(str))):,} distinct values)"
    return ""


def _is_constant(column: RawColumn) -> bool:
    values = column.values
    missing = missing_of(column)
    if missing is not None:
        values = values[~missing]
    return len(column) > 1 and bool(len(values) == 0 or (values == values[0]).all())
