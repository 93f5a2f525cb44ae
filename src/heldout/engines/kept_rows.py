"""Rows whose score counts do not say all that is asked: the needed columns, coded, in order.

Rows come in batches; of each there stay numbers: codes of labels, groups and slices, scores,
weights and values as they are. Where they are too many for the memory they lie in temporary files,
from which the system reads the pages that are needed. All roles of rows in memory are theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.engines.arrow_stream import batches_of
from heldout.predictions.dialects import as_written, with_own_roles
from heldout.predictions.read import read_roles
from heldout.predictions.roles import assign
from heldout.predictions.sheet import TELLING
from heldout.tables.duck import columns_to_fetch, table_columns
from heldout.tables.table import Part, RawTable
from heldout.tally.file_column import NumberFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.core.dialect import Dialect
    from heldout.engines.duck_source import Files
    from heldout.engines.sources import Source
    from heldout.predictions.options import Roles
    from heldout.predictions.table import Predictions
    from heldout.tables.duck import Fetch, Wanted

#: rows that roles are guessed by
HEAD = 1000
#: how the values of columns are sent, by their kind
SENT = {"boolean": ("UTINYINT", "u1"), "integer": ("BIGINT", "i8"), "float": ("DOUBLE", "f8")}
CODES = ("INTEGER", "i4")


def read_kept(
    origins: Sequence[Source],
    roles: Roles,
    *,
    dialect: Dialect,
    memory: int,
) -> tuple[Predictions, ...]:
    """Checked predictions, whose columns are kept in at most so many bytes of memory."""
    tables = [
        table_of(origin.spooled(needed(origin, roles, dialect)), memory // len(origins))
        for origin in origins
    ]
    return read_roles(tables, roles, pool=False, dialect=dialect)


def needed(source: Source, roles: Roles, dialect: Dialect) -> list[str]:
    """The columns of a source that have a role, or may be given one by their name."""
    source.check()
    head = source.head(HEAD)
    ((_, written), *others) = as_written(head)
    if others or written is not head:
        return list(head.columns)
    part = Part(head, dialect)
    known, notes = assign(part, roles)
    known = with_own_roles(part, known, notes)
    values = (value for name in known.__slots__ for value in _texts(getattr(known, name)))
    named = {*TELLING, *values}
    return [name for name, own in head.columns.items() if name in named or own.is_number]


def _texts(value: Any) -> Sequence[str]:
    """The texts that a role is given as."""
    if isinstance(value, str):
        return (value,)
    return [own for own in value if isinstance(own, str)] if isinstance(value, tuple) else ()


def table_of(files: Files, memory: int) -> RawTable:
    """The columns of files as a table, in at most so many bytes of memory."""
    with files.opened() as database:
        database.execute("SET preserve_insertion_order = true")
        names = database.sql(f"SELECT * FROM {files.sql}").columns
        columns = columns_to_fetch(database, files.sql, names)
        fetched = table_columns(database, files.sql, columns, fetch=streamed(memory))
    return RawTable(fetched, files.name, len(next(iter(fetched.values()))))


def streamed(memory: int) -> Fetch:
    """What fetches numbers and codes in batches; other values come at once."""

    def fetch(
        database: Any, origin: str, columns: Sequence[Wanted], selected: Sequence[str]
    ) -> list[NDArray[Any]]:
        kinds = [
            CODES if column.expression != own else SENT.get(column.kind)
            for column, own in zip(columns, selected, strict=True)
        ]
        counts = ", ".join(f"count({own})" for own in selected)
        (counted,) = database.sql(f"SELECT count(*), {counts} FROM {origin}").fetchall()
        rows, present = counted[0], counted[1:]
        asked, dtypes = [], []
        for own, kind, count in zip(selected, kinds, present, strict=True):
            if kind is not None:
                asked.append(f"coalesce(({own})::{kind[0]}, 0::{kind[0]})")
                dtypes.append(kind[1])
                if count < rows:
                    asked.append(f"(({own}) IS NULL)::UTINYINT")
                    dtypes.append("u1")
        arrays = iter(_arrays(database, f"{', '.join(asked)} FROM {origin}", dtypes, rows, memory))
        values: list[NDArray[Any]] = []
        for own, kind, count in zip(selected, kinds, present, strict=True):
            if kind is None:
                answer = database.sql(f"SELECT {own} AS value FROM {origin}").fetchnumpy()
                values.append(answer["value"])
                continue
            column = next(arrays)
            column = column.view(bool) if kind == SENT["boolean"] else column
            if count < rows:
                column = np.ma.MaskedArray(column, next(arrays).view(bool))
            values.append(column)
        return values

    return fetch


def _arrays(
    database: Any, query: str, dtypes: Sequence[str], rows: int, memory: int
) -> list[NDArray[Any]]:
    """The columns of numbers that a query gives, in temporary files where memory is short."""
    if not dtypes:
        return []
    need = rows * sum(np.dtype(dtype).itemsize for dtype in dtypes)
    batches = batches_of(database.sql(f"SELECT {query}"), dtypes)
    if need > memory:
        files = [NumberFile(dtype, need) for dtype in dtypes]
        for batch in batches:
            for file, own in zip(files, batch, strict=True):
                file.append(own)
        return [file.array() for file in files]
    arrays = [np.empty(rows, dtype) for dtype in dtypes]
    start = 0
    for batch in batches:
        stop = start + len(batch[0])
        for array, own in zip(arrays, batch, strict=True):
            array[start:stop] = own
        start = stop
    return arrays
