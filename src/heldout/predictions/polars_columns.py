"""Typed columns from series of polars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.predictions.raw import RawColumn
from heldout.predictions.text_column import most_levels, text_column
from heldout.predictions.values import column_of_array, column_of_list, nested_column

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["polars_column"]

#: the types that NumPy has too
NUMBERS = {"Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"}
NUMBERS |= {"Float32", "Float64"}


def polars_column(name: str, series: Any) -> RawColumn:
    """A column from a Series; an Enum keeps its order, a Categorical declares none."""
    import polars as pl

    kind = series.dtype
    missing = series.is_null().to_numpy() if series.null_count() else None
    if isinstance(kind, pl.Enum):
        codes = series.to_physical().fill_null(0).to_numpy().astype(np.int32)
        return RawColumn(name, "category", codes, missing, tuple(kind.categories.to_list()))
    if isinstance(kind, (pl.String, pl.Categorical)):
        return _texts(name, series.cast(pl.String), missing)
    if isinstance(kind, pl.Date) or (isinstance(kind, pl.Datetime) and kind.time_zone is None):
        return column_of_array(name, series.to_numpy(), missing)
    if isinstance(kind, pl.Datetime):
        naive = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return column_of_array(name, naive.to_numpy(), missing)
    if isinstance(kind, pl.Duration):
        return column_of_array(name, series.to_numpy(), missing)
    if kind.is_nested():
        return nested_column(name, series.to_list())
    return _number(name, series, missing)


def _number(name: str, series: Any, missing: NDArray[np.bool_] | None) -> RawColumn:
    import polars as pl

    kind = series.dtype
    if isinstance(kind, pl.Decimal) and not kind.scale:
        return column_of_list(name, [x if x is None else int(x) for x in series.to_list()])
    if isinstance(kind, pl.Decimal):
        series = series.cast(pl.Float64)
    elif isinstance(kind, pl.Boolean):
        series = series.fill_null(False)
    elif type(kind).__name__ not in NUMBERS:
        return column_of_list(name, series.to_list())
    if missing is not None and not isinstance(kind, pl.Boolean):
        series = series.fill_null(0)
    return column_of_array(name, series.to_numpy(), missing)


def _texts(name: str, series: Any, missing: NDArray[np.bool_] | None) -> RawColumn:
    import polars as pl

    # polars sorts texts by their code points, as Python does
    distinct = series.drop_nulls().unique().sort()
    if not len(distinct) or len(distinct) > most_levels(len(series)):
        return text_column(name, series.fill_null("").to_numpy().astype(object), missing)
    codes = series.cast(pl.Enum(distinct)).to_physical().fill_null(0).to_numpy()
    return RawColumn(name, "category", codes.astype(np.int32), missing, tuple(distinct.to_list()))
