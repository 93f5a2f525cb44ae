"""Tables and columns that Python code hands over: data frames, Arrow, relations, mappings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import HeldoutError, InputError, MissingExtra, message_of
from heldout.core.wording import shown
from heldout.tables.column import (
    OfNoKind,
    RawColumn,
    coded_column,
    column_of_array,
    column_of_list,
    declared_levels,
    most_levels,
    sorted_column,
    text_column,
)
from heldout.tables.duck import table_of_stream
from heldout.tables.table import RawTable, refuse_repeated

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heldout.core.arrays import Array


def raw_column(name: str, values: Any) -> RawColumn:
    """A typed column from any sequence, typed by all of its values together.

    Takes lists, tuples and other iterables, NumPy arrays, series of pandas and polars,
    PyArrow arrays, whatever has ``__array__`` or the Arrow PyCapsule interface; a matrix of one
    column is one. Values of two kinds are refused, but integers among floats are floats; ``None``
    is missing. Texts that repeat become a category whose levels are in ascending order; a
    categorical, an Enum or a dictionary keeps its own order. Integers beyond 64 bits and dates
    are text.

    Examples
    --------
    >>> column = raw_column("label", ["spam", None, "ham"])
    >>> column.kind, column.levels, column.missing.tolist()
    ('category', ('ham', 'spam'), [False, True, False])
    """
    with asked_of(name, values, "a column"):
        shape = getattr(values, "shape", None)
        if isinstance(shape, tuple) and len(shape) == 2 and shape[1] == 1:
            values = np.asarray(values)[:, 0]
        elif isinstance(shape, tuple) and len(shape) != 1:
            fix = "one value for each row" if len(shape) else f"a list, not {shown(values)}"
            raise InputError(
                f"{name} must have one dimension, but has the shape {shape}; give {fix}"
            )
        return _column(name, values)


@contextmanager
def asked_of(name: str, values: Any, what: str) -> Iterator[None]:
    """Where somebody's object does not give what it is asked for, that is said of the object."""
    try:
        yield
    except (HeldoutError, MemoryError):
        raise
    except Exception as error:
        raise InputError(
            f"{name} ({_type_name(values)}) cannot be read as {what}: "
            f"{type(error).__name__}: {message_of(error)}"
        ) from error


def _column(name: str, values: Any) -> RawColumn:
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


def _column_of_objects(name: str, items: list[Any]) -> RawColumn:
    """A column from the values of a data frame as Python has them.

    Lists and mappings are kept as text: a table may have them, though no role fits them.
    """
    are_gaps = [item is None or isinstance(item, float) for item in items]
    first = next((item for item, is_gap in zip(items, are_gaps, strict=True) if not is_gap), None)
    if not isinstance(first, (list, tuple, dict, set, np.ndarray)):
        return column_of_list(name, items)
    texts = [None if is_gap else str(item) for item, is_gap in zip(items, are_gaps, strict=True)]
    return replace(column_of_list(name, texts), held="nested")


def _whole_decimals(name: str, items: list[Any]) -> RawColumn:
    return column_of_list(name, [item if item is None else int(item) for item in items])


def _arrow_column(name: str, array: Any) -> RawColumn:
    """A column from an Array or a ChunkedArray; a dictionary keeps its order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    array = pa.chunked_array([array]) if isinstance(array, pa.Array) else array
    kind, types = array.type, pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return column_of_list(name, array.to_pylist())
    if types.is_dictionary(kind):
        codes, levels = _arrow_codes(array)
        return coded_column(name, codes, declared_levels(name, levels))
    if kind in (pa.string(), pa.large_string()) or str(kind) == "string_view":
        array = array.cast(pa.large_string())
        if pc.count_distinct(array).as_py() > most_levels(len(array)):
            return column_of_list(name, array.to_pylist())
        return sorted_column(name, *_arrow_codes(array.dictionary_encode()))
    if types.is_decimal(kind) and kind.scale <= 0:
        return _whole_decimals(name, array.to_pylist())
    missing = np.asarray(array.is_null()) if array.null_count else None
    is_number = types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind)
    if types.is_decimal(kind):
        array = array.cast(pa.float64())
    elif types.is_timestamp(kind):
        array = array.cast(pa.timestamp(kind.unit))
    elif not (is_number or types.is_date(kind) or types.is_duration(kind)):
        return _column_of_objects(name, array.to_pylist())
    if missing is not None and not types.is_temporal(kind):  # a date or duration is NaT
        array = array.fill_null(pa.scalar(False if types.is_boolean(kind) else 0, array.type))
    return column_of_array(name, array.to_numpy(), missing)


def _arrow_codes(array: Any) -> tuple[Array, list[Any]]:
    """The codes of a dictionary array (negative: missing) and its values."""
    import pyarrow as pa

    if array.num_chunks > 1:
        array = array.unify_dictionaries()
    chunks = array.chunks or [pa.array([], array.type)]
    codes = [np.asarray(chunk.indices.cast(pa.int32()).fill_null(-1)) for chunk in chunks]
    return np.concatenate(codes), chunks[0].dictionary.to_pylist()


def _arrow_array(values: Any) -> Any:
    if find_spec("pyarrow") is None:
        raise MissingExtra("pyarrow", "reading an Arrow array", "arrow")
    import pyarrow as pa

    return pa.chunked_array(values) if hasattr(values, "__arrow_c_stream__") else pa.array(values)


def _pandas_column(name: str, series: Any) -> RawColumn:
    """A column from a Series or an Index; a categorical keeps the order of its categories.

    A NaN is missing among texts and in the nullable types; in a column of plain floats it is
    a float.
    """
    import pandas as pd

    kind = series.dtype
    if isinstance(kind, pd.CategoricalDtype):
        codes = getattr(series, "array", series).codes
        return coded_column(name, codes, declared_levels(name, kind.categories.tolist()))
    if isinstance(kind, pd.ArrowDtype):
        return _arrow_column(name, series.array.__arrow_array__())
    if isinstance(kind, (pd.PeriodDtype, pd.IntervalDtype)):
        series = series.astype("string")
    if isinstance(series.dtype, pd.StringDtype):
        return _pandas_texts(name, series)
    if isinstance(kind, pd.DatetimeTZDtype):
        return column_of_array(name, series.to_numpy("M8[ns]"))
    if (plain := getattr(kind, "numpy_dtype", None)) is not None:  # with a mask
        missing = np.asarray(series.isna(), dtype=bool)
        return column_of_array(name, series.to_numpy(plain, na_value=plain.type(0)), missing)
    values = series.to_numpy(getattr(kind, "subtype", None))
    if values.dtype.kind != "O":
        return column_of_array(name, values)
    if pd.api.types.infer_dtype(values, skipna=True) == "string":
        return _pandas_texts(name, series)
    return _column_of_objects(name, values.tolist())


def _pandas_texts(name: str, series: Any) -> RawColumn:
    import pandas as pd

    codes, distinct = pd.factorize(series)
    if len(distinct) > most_levels(len(codes)):
        missing = codes < 0
        values = np.where(missing, "", np.asarray(series, dtype=object))
        return RawColumn(name, "text", values, missing if missing.any() else None)
    return sorted_column(name, codes, list(map(str.__str__, distinct.tolist())))


#: the types that NumPy has too
POLARS_PLAIN = {"Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"}
POLARS_PLAIN |= {"Float32", "Float64", "Boolean", "Date", "Datetime", "Duration"}


def _polars_column(name: str, series: Any) -> RawColumn:
    """A column from a Series; an Enum keeps its order, a Categorical declares none."""
    import polars as pl

    missing = series.is_null().to_numpy() if series.null_count() else None
    if isinstance(series.dtype, (pl.String, pl.Categorical)):
        series = series.cast(pl.String)
        # polars sorts texts by their code points, as Python does
        levels = series.drop_nulls().unique().sort()
        if not 0 < len(levels) <= most_levels(len(series)):
            return text_column(name, series.fill_null("").to_numpy().astype(object), missing)
        series = series.cast(pl.Enum(levels))
    kind = series.dtype
    if isinstance(kind, pl.Enum):
        codes = series.to_physical().cast(pl.Int32).fill_null(-1).to_numpy()
        return coded_column(name, codes, kind.categories.to_list())
    if isinstance(kind, pl.Decimal) and not kind.scale:
        return _whole_decimals(name, series.to_list())
    if isinstance(kind, pl.Decimal):
        series = series.cast(pl.Float64)
    elif isinstance(kind, pl.Datetime) and kind.time_zone is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    elif type(kind).__name__ not in POLARS_PLAIN:
        return _column_of_objects(name, series.to_list())
    if missing is not None and not kind.is_temporal():  # a date or duration is NaT
        series = series.fill_null(False if isinstance(kind, pl.Boolean) else 0)
    return column_of_array(name, series.to_numpy(), missing)


def refuse_lengths(first: str, lengths: Mapping[str, int]) -> None:
    """An error where an argument has another number of rows than the first."""
    for name, length in lengths.items():
        if length != lengths[first]:
            raise InputError(
                f"{first} has {lengths[first]:,} values and {name} has {length:,}; "
                "they must be of one length"
            )


#: what messages call tables without a name whose type says little
CALLED = ((Mapping, "the mapping"), (np.ndarray, "the array"), ((list, tuple), "the list"))


def table_of_object(source: Any, name: str = "") -> RawTable | None:
    """A table from a Python object, or None if the object is no table.

    Rows count from 0 in messages.
    """
    is_relation = library_of(source) == "duckdb"
    called = "the relation" if is_relation else type(source).__name__
    label = name or next((text for kind, text in CALLED if isinstance(source, kind)), called)
    with asked_of(label, source, "a table"):
        pairs = _pairs(label, source)
        return None if pairs is None else _table(label, pairs)


def _pairs(label: str, source: Any) -> Sequence[tuple[str, Any]] | None:
    """The names and the columns of a table; None where an object is none."""
    library = library_of(source)
    if library == "duckdb" and hasattr(source, "types"):  # a relation is asked for its rows once
        enums = [tuple(kind.children[0][1]) if kind.id == "enum" else () for kind in source.types]
        return table_of_stream(source, label, source.columns, enums)
    if library == "pandas" and hasattr(source, "columns"):
        return [(str(c), source.iloc[:, i]) for i, c in enumerate(source.columns)]
    if library == "polars" and hasattr(source, "lazy"):
        return [(column.name, column) for column in source.lazy().collect().get_columns()]
    if library == "pyarrow" and hasattr(source, "schema"):
        return _arrow_pairs(source)
    if hasattr(source, "__arrow_c_stream__"):
        return _stream_pairs(label, source)
    if isinstance(source, Mapping):
        return [(str(key), values) for key, values in source.items()]
    if isinstance(source, np.ndarray):
        if source.dtype.names is None:
            raise InputError(f"{label} has no column names; give a mapping of names to columns")
        return [(field, source[field]) for field in source.dtype.names]
    return _records(label, source) if isinstance(source, (list, tuple)) else None


def _arrow_pairs(source: Any) -> list[tuple[str, Any]]:
    table = source.read_all() if hasattr(source, "read_all") else source
    return [(name, table.column(i)) for i, name in enumerate(table.schema.names)]


def _stream_pairs(label: str, source: Any) -> Sequence[tuple[str, Any]]:
    """The columns behind the Arrow PyCapsule interface, by PyArrow where it is installed."""
    if find_spec("pyarrow") is None:
        return table_of_stream(source, label)
    import pyarrow as pa

    try:
        return _arrow_pairs(pa.RecordBatchReader.from_stream(source))
    except pa.ArrowInvalid:
        raise InputError(
            f"{label} is one column, not a table; give a mapping of names to columns"
        ) from None


def library_of(value: Any) -> str:
    """The package that a value's type comes from, such as ``pandas``."""
    return type(value).__module__.partition(".")[0].removeprefix("_")


def _type_name(value: Any) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _table(source: str, pairs: Sequence[tuple[str, Any]]) -> RawTable:
    """A table of named columns, which must be of one length."""
    refuse_repeated(source, [name for name, _ in pairs])
    columns = {
        name: values if isinstance(values, RawColumn) else _column_of_table(name, values)
        for name, values in pairs
    }
    first, rows = next(((name, len(column)) for name, column in columns.items()), ("", 0))
    for name, column in columns.items():
        if len(column) != rows:
            raise InputError(
                f"{source}: column {first!r} has {rows} rows and column {name!r} has "
                f"{len(column)}; all columns must be of one length"
            )
    if not rows:
        raise InputError(f"{source} has no {'rows' if columns else 'columns'}")
    return RawTable(columns, source, rows, first_row=0)


def _column_of_table(name: str, values: Any) -> RawColumn:
    """A typed column; what is wrong with one of no one kind matters only where it has a role."""
    try:
        return raw_column(name, values)
    except OfNoKind as error:
        rows = len(values)
        empty = np.full(rows, "", object)
        return RawColumn(name, "text", empty, np.ones(rows, bool), fault=str(error))


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
    *most, last = other or [""]
    called = f"{', '.join(most)} and {last}" if most else last
    note = f"{called}: another index than {name}, and rows are matched by position"
    return [note] if other else []


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
