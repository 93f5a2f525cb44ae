"""Typed columns from the series of pandas and polars and from the arrays of PyArrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.errors import InputError
from karat.predictions.raw import RawColumn
from karat.predictions.text_column import coded_column, most_levels, text_column
from karat.predictions.values import column_of_array, column_of_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from karat.predictions.table import Label

__all__ = ["pandas_column", "polars_column", "pyarrow_column"]


def pandas_column(name: str, series: Any) -> RawColumn:
    """A column from a pandas Series or Index; a categorical keeps the order of its categories."""
    import pandas as pd

    kind = series.dtype
    if isinstance(kind, pd.CategoricalDtype):
        array = series.array if hasattr(series, "array") else series
        return coded_column(name, array.codes, _levels(name, kind.categories.tolist()))
    if isinstance(kind, pd.ArrowDtype):
        return pyarrow_column(name, series.array.__arrow_array__())
    if isinstance(kind, pd.StringDtype):
        return _pandas_texts(name, series)
    if isinstance(kind, pd.DatetimeTZDtype):
        return column_of_array(name, series.to_numpy("M8[ns]"))
    if isinstance(kind, (pd.PeriodDtype, pd.IntervalDtype)):
        return _pandas_texts(name, series.astype("string"))
    if isinstance(kind, np.dtype):
        values = series.to_numpy()
        if kind == object and pd.api.types.infer_dtype(values, skipna=True) == "string":
            return _pandas_texts(name, series)
        if kind == object and isinstance(next(iter(values), None), (list, tuple, dict, np.ndarray)):
            return _nested(name, values.tolist())
        return column_of_array(name, values)
    numpy_kind = getattr(kind, "numpy_dtype", None) or getattr(kind, "subtype", None)
    if numpy_kind is None:
        return column_of_list(name, series.tolist())
    # nullable numbers and truth values have a mask of their own
    missing = np.asarray(series.isna()) if hasattr(kind, "numpy_dtype") else None
    if missing is None or not missing.any():
        return column_of_array(name, series.to_numpy(numpy_kind))
    return column_of_array(name, series.to_numpy(numpy_kind, na_value=numpy_kind.type(0)), missing)


def _pandas_texts(name: str, series: Any) -> RawColumn:
    import pandas as pd

    codes, distinct = pd.factorize(series)
    if len(distinct) > most_levels(len(codes)):
        missing = codes < 0
        values = np.where(missing, "", np.asarray(series, dtype=object))
        return RawColumn(name, "text", values, missing if missing.any() else None)
    return _in_order(name, codes, list(map(str.__str__, distinct.tolist())))


def polars_column(name: str, series: Any) -> RawColumn:
    """A column from a polars Series; an Enum keeps its order, a Categorical declares none."""
    import polars as pl

    kind = series.dtype
    missing = series.is_null().to_numpy() if series.null_count() else None
    if isinstance(kind, pl.Enum):
        codes = series.to_physical().fill_null(0).to_numpy().astype(np.int32)
        return RawColumn(name, "category", codes, missing, tuple(kind.categories.to_list()))
    if isinstance(kind, (pl.String, pl.Categorical)):
        return _polars_texts(name, series.cast(pl.String), missing)
    if isinstance(kind, pl.Decimal):
        if not kind.scale:
            return column_of_list(name, [x if x is None else int(x) for x in series.to_list()])
        series = series.cast(pl.Float64)
    elif isinstance(kind, pl.Datetime):
        series = series.dt.replace_time_zone(None) if kind.time_zone is None else (
            series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        )
    elif kind.is_nested():
        return _nested(name, series.to_list())
    elif not (kind.is_numeric() or isinstance(kind, (pl.Boolean, pl.Date))):
        return column_of_list(name, series.to_list())
    elif kind.is_integer() and kind not in _polars_integers():
        return column_of_list(name, series.to_list())
    if kind.is_temporal():
        return column_of_array(name, series.to_numpy(), missing)
    if missing is not None:
        series = series.fill_null(False if isinstance(kind, pl.Boolean) else 0)
    return column_of_array(name, series.to_numpy(), missing)


def _polars_integers() -> tuple[Any, ...]:
    """The integer types that NumPy has too."""
    import polars as pl

    return (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64)


def _polars_texts(name: str, series: Any, missing: NDArray[np.bool_] | None) -> RawColumn:
    import polars as pl

    distinct = series.drop_nulls().unique().sort()
    if not len(distinct) or len(distinct) > most_levels(len(series)):
        return text_column(name, series.fill_null("").to_numpy().astype(object), missing)
    # the order of polars' sort is that of code points, as Python's
    codes = series.cast(pl.Enum(distinct)).to_physical().fill_null(0).to_numpy()
    return RawColumn(name, "category", codes.astype(np.int32), missing, tuple(distinct.to_list()))


def pyarrow_column(name: str, array: Any) -> RawColumn:
    """A column from a PyArrow Array or ChunkedArray; a dictionary keeps its order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(array, pa.Array):
        array = pa.chunked_array([array])
    kind = array.type
    types = pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return pyarrow_column(name, array.cast(kind.storage_type))
    if types.is_dictionary(kind):
        return _pyarrow_codes(name, array, _levels)
    if types.is_string(kind) or types.is_large_string(kind) or _is_view(types, kind):
        if pc.count_distinct(array).as_py() > most_levels(len(array)):
            return column_of_list(name, array.to_pylist())
        return _pyarrow_codes(name, array.cast(pa.large_string()).dictionary_encode(), None)
    if types.is_timestamp(kind) and kind.tz is not None:
        array = array.cast(pa.timestamp(kind.unit))
    elif types.is_decimal(kind):
        if kind.scale == 0:
            return column_of_list(name, [x if x is None else int(x) for x in array.to_pylist()])
        array = array.cast(pa.float64())
    elif types.is_nested(kind):
        return _nested(name, array.to_pylist())
    elif not (_is_number(types, kind) or types.is_date(kind) or types.is_timestamp(kind)):
        return column_of_list(name, array.to_pylist())
    missing = np.asarray(array.is_null()) if array.null_count else None
    if missing is not None and not types.is_temporal(kind):
        array = array.fill_null(pa.scalar(0).cast(array.type))
    return column_of_array(name, array.to_numpy(), missing)


def _is_number(types: Any, kind: Any) -> bool:
    return types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind)


def _is_view(types: Any, kind: Any) -> bool:
    return hasattr(types, "is_string_view") and types.is_string_view(kind)


def _pyarrow_codes(name: str, array: Any, declared: Any) -> RawColumn:
    """A dictionary array as codes: its own order if it is declared, else sorted."""
    import pyarrow as pa

    if array.num_chunks > 1:
        array = array.unify_dictionaries()
    chunks = array.chunks or [pa.array([], array.type)]
    codes = np.concatenate(
        [np.asarray(chunk.indices.fill_null(-1).cast(pa.int32())) for chunk in chunks]
    )
    levels = chunks[0].dictionary.to_pylist()
    if declared is None:
        return _in_order(name, codes, levels)
    return coded_column(name, codes, declared(name, levels))


def _in_order(name: str, codes: NDArray[Any], levels: list[str]) -> RawColumn:
    """Codes into texts in any order, recoded to levels in ascending order."""
    order = sorted(range(len(levels)), key=levels.__getitem__)
    rank = np.empty(len(levels) + 1, np.int32)
    rank[order] = np.arange(len(levels), dtype=np.int32)
    rank[-1] = -1
    if not levels:
        return text_column(name, np.full(len(codes), "", object), np.ones(len(codes), bool))
    return coded_column(name, rank[codes], [levels[position] for position in order])


def _levels(name: str, values: Sequence[Any]) -> tuple[Label, ...]:
    """The declared values of a category as labels of one kind."""
    column = column_of_list(f"the categories of {name}", list(values))
    if column.missing is not None:
        raise InputError(f"{name} has a missing value among its categories; drop that category")
    if column.kind == "category":
        return tuple(column.levels[code] for code in column.values)
    return tuple(column.values.tolist())


def _nested(name: str, items: list[Any]) -> RawColumn:
    """Lists and mappings as text: a table may have such a column, but no role is for it."""
    return column_of_list(name, [None if item is None else str(item) for item in items])
