"""Tables and columns that Python code hands over: data frames, Arrow, relations, mappings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError, MissingExtra
from heldout.predictions.arrow_columns import arrow_column
from heldout.predictions.pandas_columns import pandas_column
from heldout.predictions.polars_columns import polars_column
from heldout.predictions.raw import RawColumn, RawTable
from heldout.predictions.values import column_of_array, column_of_list

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["raw_column", "table_of_object"]


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
    match _library(values):
        case "pandas":
            return pandas_column(name, values)
        case "polars":
            return polars_column(name, values)
        case "pyarrow":
            return arrow_column(name, values)
    if isinstance(values, range):
        return column_of_array(name, np.arange(values.start, values.stop, values.step))
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        return arrow_column(name, _arrow_array(values))
    if hasattr(values, "__array__"):
        return column_of_array(name, np.asarray(values))
    unordered = isinstance(values, (str, bytes, Mapping, set, frozenset))
    if unordered or not isinstance(values, Iterable):
        raise InputError(
            f"{name} must be a list, an array or a series of values, not {_type_name(values)}"
        )
    return column_of_list(name, list(values))


def table_of_object(source: Any, name: str = "") -> RawTable | None:
    """A table from a Python object, or None if the object is no table.

    Rows count from 0 in messages.
    """
    label = name or type(source).__name__
    match _library(source):
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


def _library(value: Any) -> str:
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
    from heldout.predictions.duck import table_of_stream

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
    from heldout.predictions.duck import table_of_stream

    return _table(label, table_of_stream(source, label))


def _arrow_array(values: Any) -> Any:
    if find_spec("pyarrow") is None:
        raise MissingExtra("pyarrow", "reading an Arrow array", "arrow")
    import pyarrow as pa

    return pa.chunked_array(values) if hasattr(values, "__arrow_c_stream__") else pa.array(values)
