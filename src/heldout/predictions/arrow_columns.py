"""Typed columns from arrays of PyArrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.predictions.text_column import coded_column, most_levels, sorted_column
from heldout.predictions.values import (
    column_of_array,
    column_of_list,
    declared_levels,
    nested_column,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.predictions.raw import RawColumn

__all__ = ["arrow_column"]


def arrow_column(name: str, array: Any) -> RawColumn:
    """A column from an Array or a ChunkedArray; a dictionary keeps its order."""
    import pyarrow as pa

    if isinstance(array, pa.Array):
        array = pa.chunked_array([array])
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return arrow_column(name, array.cast(kind.storage_type))
    if pa.types.is_dictionary(kind):
        codes, levels = _codes(array)
        return coded_column(name, codes, declared_levels(name, levels))
    if kind in (pa.string(), pa.large_string()) or str(kind) == "string_view":
        return _texts(name, array)
    if pa.types.is_nested(kind):
        return nested_column(name, array.to_pylist())
    if pa.types.is_duration(kind):
        return column_of_array(name, array.to_numpy())
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        missing = np.asarray(array.is_null()) if array.null_count else None
        if pa.types.is_timestamp(kind):
            array = array.cast(pa.timestamp(kind.unit))
        return column_of_array(name, array.to_numpy(), missing)
    return _number(name, array)


def _number(name: str, array: Any) -> RawColumn:
    import pyarrow as pa

    kind, types = array.type, pa.types
    if types.is_decimal(kind) and kind.scale <= 0:
        return column_of_list(name, [x if x is None else int(x) for x in array.to_pylist()])
    if types.is_decimal(kind):
        array = array.cast(pa.float64())
    elif not (types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind)):
        return column_of_list(name, array.to_pylist())
    if not array.null_count:
        return column_of_array(name, array.to_numpy())
    filled = array.fill_null(pa.scalar(False if types.is_boolean(kind) else 0, array.type))
    return column_of_array(name, filled.to_numpy(), np.asarray(array.is_null()))


def _texts(name: str, array: Any) -> RawColumn:
    import pyarrow as pa
    import pyarrow.compute as pc

    array = array.cast(pa.large_string())
    if pc.count_distinct(array).as_py() > most_levels(len(array)):
        return column_of_list(name, array.to_pylist())
    codes, levels = _codes(array.dictionary_encode())
    return sorted_column(name, codes, levels)


def _codes(array: Any) -> tuple[NDArray[np.int32], list[Any]]:
    """The codes of a dictionary array (negative: missing) and its values."""
    import pyarrow as pa

    if array.num_chunks > 1:
        array = array.unify_dictionaries()
    chunks = array.chunks or [pa.array([], array.type)]
    codes = [np.asarray(chunk.indices.cast(pa.int32()).fill_null(-1)) for chunk in chunks]
    return np.concatenate(codes), chunks[0].dictionary.to_pylist()
