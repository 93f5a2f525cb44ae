"""Typed columns from series of pandas."""

from __future__ import annotations

from typing import Any

import numpy as np

from heldout.predictions.arrow_columns import arrow_column
from heldout.predictions.raw import RawColumn
from heldout.predictions.text_column import coded_column, most_levels, sorted_column
from heldout.predictions.values import (
    column_of_array,
    column_of_list,
    declared_levels,
    nested_column,
)

__all__ = ["pandas_column"]


def pandas_column(name: str, series: Any) -> RawColumn:
    """A column from a Series or an Index; a categorical keeps the order of its categories.

    A NaN is missing among texts and in the nullable types; in a column of plain floats it is
    a float.
    """
    import pandas as pd

    kind = series.dtype
    if isinstance(kind, np.dtype):
        return _plain(name, series)
    if isinstance(kind, pd.CategoricalDtype):
        codes = getattr(series, "array", series).codes
        return coded_column(name, codes, declared_levels(name, kind.categories.tolist()))
    if isinstance(kind, pd.ArrowDtype):
        return arrow_column(name, series.array.__arrow_array__())
    if isinstance(kind, pd.StringDtype):
        return _texts(name, series)
    if isinstance(kind, (pd.PeriodDtype, pd.IntervalDtype)):
        return _texts(name, series.astype("string"))
    if isinstance(kind, pd.DatetimeTZDtype):
        return column_of_array(name, series.to_numpy("M8[ns]"))
    return _nullable(name, series)


def _plain(name: str, series: Any) -> RawColumn:
    import pandas as pd

    values = series.to_numpy()
    if values.dtype.kind == "O":
        if pd.api.types.infer_dtype(values, skipna=True) == "string":
            return _texts(name, series)
        gaps = (type(None), type(pd.NA), float)
        first = next((item for item in values if not isinstance(item, gaps)), None)
        if isinstance(first, (list, tuple, dict, set, np.ndarray)):
            return nested_column(name, [None if isinstance(v, gaps) else v for v in values])
    return column_of_array(name, values)


def _texts(name: str, series: Any) -> RawColumn:
    import pandas as pd

    codes, distinct = pd.factorize(series)
    if len(distinct) > most_levels(len(codes)):
        missing = codes < 0
        values = np.where(missing, "", np.asarray(series, dtype=object))
        return RawColumn(name, "text", values, missing if missing.any() else None)
    return sorted_column(name, codes, list(map(str.__str__, distinct.tolist())))


def _nullable(name: str, series: Any) -> RawColumn:
    """Numbers and booleans with a mask, or sparse ones."""
    plain = getattr(series.dtype, "numpy_dtype", None)
    if plain is None:
        subtype = getattr(series.dtype, "subtype", None)
        if subtype is None:
            return column_of_list(name, series.tolist())
        return column_of_array(name, series.to_numpy(subtype))
    missing = np.asarray(series.isna(), dtype=bool)
    return column_of_array(name, series.to_numpy(plain, na_value=plain.type(0)), missing)
