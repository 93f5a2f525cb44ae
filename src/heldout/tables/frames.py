"""Tables and columns that Python code hands over: data frames, Arrow, relations, mappings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError, MissingExtra
from heldout.core.wording import shown
from heldout.tables.column import (
    RawColumn,
    coded_column,
    column_of_array,
    column_of_list,
    declared_levels,
    most_levels,
    nested_column,
    sorted_column,
    text_column,
)
from heldout.tables.table import RawTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.core.arrays import Booleans


def _arrow_column(name: str, array: Any) -> RawColumn:
    """A column from an Array or a ChunkedArray; a dictionary keeps its order."""
    import pyarrow as pa

    if isinstance(array, pa.Array):
        array = pa.chunked_array([array])
    kind, types = array.type, pa.types
    numeric = (types.is_boolean, types.is_integer, types.is_floating)
    if isinstance(kind, pa.BaseExtensionType):
        return _arrow_column(name, array.cast(kind.storage_type))
    if types.is_dictionary(kind):
        codes, levels = _arrow_codes(array)
        return coded_column(name, codes, declared_levels(name, levels))
    if kind in (pa.string(), pa.large_string()) or str(kind) == "string_view":
        return _arrow_texts(name, array)
    if types.is_nested(kind):
        return nested_column(name, array.to_pylist())
    if types.is_decimal(kind) and kind.scale <= 0:
        return column_of_list(name, [x if x is None else int(x) for x in array.to_pylist()])
    missing = np.asarray(array.is_null()) if array.null_count else None
    if types.is_decimal(kind):
        array = array.cast(pa.float64())
    elif types.is_timestamp(kind):
        array = array.cast(pa.timestamp(kind.unit))
    elif not any(is_kind(kind) for is_kind in (*numeric, types.is_date, types.is_duration)):
        return column_of_list(name, array.to_pylist())
    if missing is not None and not types.is_temporal(kind):  # a date or duration is NaT
        array = array.fill_null(pa.scalar(False if types.is_boolean(kind) else 0, array.type))
    return column_of_array(name, array.to_numpy(), missing)


def _arrow_texts(name: str, array: Any) -> RawColumn:
    import pyarrow as pa
    import pyarrow.compute as pc

    array = array.cast(pa.large_string())
    if pc.count_distinct(array).as_py() > most_levels(len(array)):
        return column_of_list(name, array.to_pylist())
    codes, levels = _arrow_codes(array.dictionary_encode())
    return sorted_column(name, codes, levels)


def _arrow_codes(array: Any) -> tuple[NDArray[np.int32], list[Any]]:
    """The codes of a dictionary array (negative: missing) and its values."""
    import pyarrow as pa

    if array.num_chunks > 1:
        array = array.unify_dictionaries()
    chunks = array.chunks or [pa.array([], array.type)]
    codes = [np.asarray(chunk.indices.cast(pa.int32()).fill_null(-1)) for chunk in chunks]
    return np.concatenate(codes), chunks[0].dictionary.to_pylist()


def _pandas_column(name: str, series: Any) -> RawColumn:
    """A column from a Series or an Index; a categorical keeps the order of its categories.

    A NaN is missing among texts and in the nullable types; in a column of plain floats it is
    a float.
    """
    import pandas as pd

    kind = series.dtype
    if isinstance(kind, np.dtype):
        return _pandas_plain(name, series)
    if isinstance(kind, pd.CategoricalDtype):
        codes = getattr(series, "array", series).codes
        return coded_column(name, codes, declared_levels(name, kind.categories.tolist()))
    if isinstance(kind, pd.ArrowDtype):
        return _arrow_column(name, series.array.__arrow_array__())
    if isinstance(kind, pd.StringDtype):
        return _pandas_texts(name, series)
    if isinstance(kind, (pd.PeriodDtype, pd.IntervalDtype)):
        return _pandas_texts(name, series.astype("string"))
    if isinstance(kind, pd.DatetimeTZDtype):
        return column_of_array(name, series.to_numpy("M8[ns]"))
    return _pandas_nullable(name, series)


def _pandas_plain(name: str, series: Any) -> RawColumn:
    import pandas as pd

    values = series.to_numpy()
    if values.dtype.kind == "O":
        if pd.api.types.infer_dtype(values, skipna=True) == "string":
            return _pandas_texts(name, series)
        gaps = (type(None), type(pd.NA), float)
        first = next((item for item in values if not isinstance(item, gaps)), None)
        if isinstance(first, (list, tuple, dict, set, np.ndarray)):
            return nested_column(name, [None if isinstance(v, gaps) else v for v in values])
    return column_of_array(name, values)


def _pandas_texts(name: str, series: Any) -> RawColumn:
    import pandas as pd

    codes, distinct = pd.factorize(series)
    if len(distinct) > most_levels(len(codes)):
        missing = codes < 0
        values = np.where(missing, "", np.asarray(series, dtype=object))
        return RawColumn(name, "text", values, missing if missing.any() else None)
    return sorted_column(name, codes, list(map(str.__str__, distinct.tolist())))


def _pandas_nullable(name: str, series: Any) -> RawColumn:
    """Numbers and booleans with a mask, or sparse ones."""
    plain = getattr(series.dtype, "numpy_dtype", None)
    if plain is None:
        subtype = getattr(series.dtype, "subtype", None)
        if subtype is None:
            return column_of_list(name, series.tolist())
        return column_of_array(name, series.to_numpy(subtype))
    missing = np.asarray(series.isna(), dtype=bool)
    return column_of_array(name, series.to_numpy(plain, na_value=plain.type(0)), missing)


#: the types that NumPy has too
POLARS_PLAIN = {"Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"}
POLARS_PLAIN |= {"Float32", "Float64", "Boolean", "Date", "Datetime", "Duration"}


def _polars_column(name: str, series: Any) -> RawColumn:
    """A column from a Series; an Enum keeps its order, a Categorical declares none."""
    import polars as pl

    kind = series.dtype
    missing = series.is_null().to_numpy() if series.null_count() else None
    if isinstance(kind, pl.Enum):
        codes = series.to_physical().fill_null(0).to_numpy().astype(np.int32)
        return RawColumn(name, "category", codes, missing, tuple(kind.categories.to_list()))
    if isinstance(kind, (pl.String, pl.Categorical)):
        return _polars_texts(name, series.cast(pl.String), missing)
    if kind.is_nested():
        return nested_column(name, series.to_list())
    if isinstance(kind, pl.Decimal) and not kind.scale:
        return column_of_list(name, [x if x is None else int(x) for x in series.to_list()])
    if isinstance(kind, pl.Decimal):
        series = series.cast(pl.Float64)
    elif isinstance(kind, pl.Datetime) and kind.time_zone is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    elif type(kind).__name__ not in POLARS_PLAIN:
        return column_of_list(name, series.to_list())
    if missing is not None and not kind.is_temporal():  # a date or duration is NaT
        series = series.fill_null(False if isinstance(kind, pl.Boolean) else 0)
    return column_of_array(name, series.to_numpy(), missing)


def _polars_texts(name: str, series: Any, missing: Booleans | None) -> RawColumn:
    import polars as pl

    # polars sorts texts by their code points, as Python does
    distinct = series.drop_nulls().unique().sort()
    if not len(distinct) or len(distinct) > most_levels(len(series)):
        return text_column(name, series.fill_null("").to_numpy().astype(object), missing)
    codes = series.cast(pl.Enum(distinct)).to_physical().fill_null(0).to_numpy()
    return RawColumn(name, "category", codes.astype(np.int32), missing, tuple(distinct.to_list()))


def raw_column(name: str, values: Any) -> RawColumn:
    """A typed column from any sequence, typed by all of its values together.

    Takes lists, tuples and other iterables, NumPy arrays, series of pandas and polars,
    PyArrow arrays, whatever has ``__array__`` or the Arrow PyCapsule interface. Values of
    two kinds are refused, but integers among floats are floats; ``None`` is missing. Texts
    that repeat become a category whose levels are in ascending order; a categorical, an
    Enum or a dictionary keeps its own order. Integers beyond 64 bits and dates are text.

    Examples
    --------
    >>> column = raw_column("label", ["spam", None, "ham"])
    >>> column.kind, column.levels, column.missing.tolist()
    ('category', ('ham', 'spam'), [False, True, False])
    """
    if isinstance(values, np.ndarray):
        return column_of_array(name, values)
    match library_of(values):
        case "pandas":
            return _pandas_column(name, values)
        case "polars":
            return _polars_column(name, values)
        case "pyarrow":
            return _arrow_column(name, values)
    if isinstance(values, range):
        return column_of_array(name, np.arange(values.start, values.stop, values.step))
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        return _arrow_column(name, _arrow_array(values))
    if hasattr(values, "__array__"):
        return column_of_array(name, np.asarray(values))
    unordered = isinstance(values, (str, bytes, Mapping, set, frozenset))
    if unordered or not isinstance(values, Iterable):
        raise InputError(
            f"{name} must be a list, an array or a series of values, not {_type_name(values)}"
        )
    return column_of_list(name, list(values))


def argument_column(name: str, values: Any) -> RawColumn:
    """The column of an argument with a value for each row; a matrix of one column is one."""
    shape = getattr(values, "shape", None)
    if isinstance(shape, tuple) and len(shape) == 2 and shape[1] == 1:
        values = np.asarray(values)[:, 0]
    elif isinstance(shape, tuple) and len(shape) != 1:
        fix = "give one value for each row" if len(shape) else f"give a list, not {shown(values)}"
        raise InputError(f"{name} must have one dimension, but has the shape {shape}; {fix}")
    return raw_column(name, values)


def refuse_lengths(first: str, lengths: Mapping[str, int]) -> None:
    """An error where an argument has another number of rows than the first."""
    for name, length in lengths.items():
        if length != lengths[first]:
            raise InputError(
                f"{first} has {lengths[first]:,} values and {name} has {length:,}; "
                "they must be of one length"
            )


def table_of_object(source: Any, name: str = "") -> RawTable | None:
    """A table from a Python object, or None if the object is no table.

    Rows count from 0 in messages.
    """
    label = name or type(source).__name__
    match library_of(source):
        case "duckdb" if hasattr(source, "types"):
            return _relation_table(name or "the relation", source)
        case "pandas" if hasattr(source, "columns"):
            pairs = [(str(c), source.iloc[:, i]) for i, c in enumerate(source.columns)]
            return _table(label, pairs)
        case "polars" if hasattr(source, "lazy"):
            frame = source.lazy().collect()
            return _table(label, [(column.name, column) for column in frame.get_columns()])
        case "pyarrow" if hasattr(source, "schema"):
            return _arrow_table(label, source)
    if hasattr(source, "__arrow_c_stream__"):
        return _stream_table(label, source)
    plain = _pairs(name, source)
    return None if plain is None else _table(name or f"the {_shape(source)}", plain)


def _shape(source: Any) -> str:
    """What messages call a table of plain Python or NumPy."""
    if isinstance(source, Mapping):
        return "mapping"
    return "array" if isinstance(source, np.ndarray) else "list"


def _pairs(name: str, source: Any) -> Sequence[tuple[str, Any]] | None:
    """Names and columns of a table of plain Python or NumPy; None if it is not one."""
    if isinstance(source, Mapping):
        return [(str(key), values) for key, values in source.items()]
    if isinstance(source, np.ndarray):
        if source.dtype.names is None:
            raise InputError(
                f"{name or 'the array'} has no column names; give a mapping of names to columns"
            )
        return [(field, source[field]) for field in source.dtype.names]
    return _records(name or "the list", source) if isinstance(source, (list, tuple)) else None


def library_of(value: Any) -> str:
    """The package that a value's type comes from, such as ``pandas``."""
    return type(value).__module__.partition(".")[0].removeprefix("_")


def _type_name(value: Any) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _table(source: str, pairs: Sequence[tuple[str, Any]]) -> RawTable:
    """A table of named columns, which must be of one length."""
    columns: dict[str, RawColumn] = {}
    for name, values in pairs:
        if name in columns:
            raise InputError(f"{source} has two columns named {name!r}; rename one of them")
        columns[name] = values if isinstance(values, RawColumn) else raw_column(name, values)
    lengths = {name: len(column) for name, column in columns.items()}
    rows = next(iter(lengths.values()), 0)
    for name, length in lengths.items():
        if length != rows:
            first = next(iter(lengths))
            raise InputError(
                f"{source}: column {first!r} has {rows} rows and column {name!r} has {length}; "
                "all columns must be of one length"
            )
    if not rows:
        raise InputError(f"{source} has no {'rows' if columns else 'columns'}")
    return RawTable(columns, source, rows, first_row=0)


def _records(source: str, rows: Sequence[Any]) -> list[tuple[str, list[Any]]]:
    """Columns of a list of mappings; a key that a row lacks is missing there."""
    names: dict[str, None] = {}
    for position, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise InputError(
                f"row {position} of {source} is {_type_name(row)}; "
                "give a mapping of column names to values for every row"
            )
        names.update(dict.fromkeys(row))
    return [(str(name), [row.get(name) for row in rows]) for name in names]


def _relation_table(label: str, relation: Any) -> RawTable:
    """The rows of a DuckDB relation, which is asked for them once."""
    from heldout.tables.duck import table_of_stream

    levels = list(map(_enum, relation.types))
    return _table(label, table_of_stream(relation, label, relation.columns, levels))


def _enum(kind: Any) -> tuple[str, ...]:
    """The values of a DuckDB ENUM in their order; nothing for another type."""
    return tuple(kind.children[0][1]) if kind.id == "enum" else ()


def _arrow_table(label: str, source: Any) -> RawTable:
    table = source.read_all() if hasattr(source, "read_all") else source
    pairs = [(name, table.column(i)) for i, name in enumerate(table.schema.names)]
    return _table(label, pairs)


def _stream_table(label: str, source: Any) -> RawTable:
    """A table from the Arrow PyCapsule interface, by PyArrow where it is installed."""
    if find_spec("pyarrow") is not None:
        import pyarrow as pa

        try:
            stream = pa.RecordBatchReader.from_stream(source)
        except pa.ArrowInvalid:
            raise InputError(
                f"{label} is one column, not a table; give a mapping of names to columns"
            ) from None
        return _arrow_table(label, stream)
    from heldout.tables.duck import table_of_stream

    return _table(label, table_of_stream(source, label))


def _arrow_array(values: Any) -> Any:
    if find_spec("pyarrow") is None:
        raise MissingExtra("pyarrow", "reading an Arrow array", "arrow")
    import pyarrow as pa

    return pa.chunked_array(values) if hasattr(values, "__arrow_c_stream__") else pa.array(values)


def index_notes(
    first: Any, others: Iterable[tuple[str, Any]], *, name: str = "y_true"
) -> list[str]:
    """A note on the arguments whose index is another than that of the first, called ``name``.

    Arrays have no index, so rows are always matched by position; where pandas would match
    them otherwise, the reader is told. The same index in another order is an error.
    """
    others = list(others)
    refuse_shuffled(first, others, name=name)
    own = _index(first)
    other = [argument for argument, values in others if _differs(own, _index(values))]
    if not other:
        return []
    return [f"{_and(other)}: another index than {name}, and rows are matched by position"]


def refuse_shuffled(first: Any, others: Iterable[tuple[str, Any]], *, name: str) -> None:
    """An error where rows that are matched by position have one index in two orders."""
    own = _index(first)
    for argument, values in others:
        index = _index(values)
        if _differs(own, index) and own.is_unique and index.is_unique and index.isin(own).all():
            row = int((own != index).argmax())
            here, there = (shown(labels.tolist()[row]) for labels in (own, index))
            raise InputError(
                f"{argument} has the index of {name} in another order (first: position {row}, "
                f"{here} and {there}), and rows are matched by position: give "
                f"{argument}.reindex({name}.index), or reset the index of both where the rows are "
                "in the same order"
            )


def _differs(own: Any, index: Any) -> bool:
    known = own is not None and index is not None
    return known and len(index) == len(own) and not index.equals(own)


def _index(values: Any) -> Any:
    """The index of a series or data frame of pandas."""
    index = getattr(values, "index", None) if library_of(values) == "pandas" else None
    return index if hasattr(index, "equals") else None


def _and(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
