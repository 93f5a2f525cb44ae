"""Batches of plain numbers from anything that hands out Arrow's C stream, as NumPy arrays.

The Arrow C stream interface is three C structures (arrow.apache.org/docs/format/CStreamInterface);
reading numbers from them needs no Arrow library.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray


class _Array(ctypes.Structure):
    """``ArrowArray``: a column, or (with children) a batch of columns."""


_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))),
    ("private_data", ctypes.c_void_p),
]


class _Stream(ctypes.Structure):
    """``ArrowArrayStream``: where batches come from, one after the other."""


_Stream._fields_ = [
    ("get_schema", ctypes.c_void_p),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Stream))),
    ("private_data", ctypes.c_void_p),
]


def batches_of(source: Any, dtypes: Sequence[Any]) -> Iterator[list[NDArray[Any]]]:
    """The columns of each batch, which are valid until the next one is asked for.

    Parameters
    ----------
    source
        Has ``__arrow_c_stream__``; its columns are numbers without missing values.
    dtypes
        Of the columns: they are taken for what they are said to be.

    Examples
    --------
    >>> import duckdb
    >>> numbers = duckdb.sql("SELECT range::INTEGER AS a, range / 2 AS b FROM range(3)")
    >>> [[column.tolist() for column in batch] for batch in batches_of(numbers, "id")]
    [[[0, 1, 2], [0.0, 0.5, 1.0]]]
    """
    capsule = source.__arrow_c_stream__()
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    stream = _Stream.from_address(get_pointer(capsule, b"arrow_array_stream"))
    kinds = [np.dtype(dtype) for dtype in dtypes]
    while True:
        batch = _Array()
        if stream.get_next(ctypes.byref(stream), ctypes.byref(batch)):
            message = stream.get_last_error(ctypes.byref(stream)) or b"the stream ended too soon"
            raise InputError(message.decode(errors="replace"))
        if not batch.release:
            return
        try:
            yield [_column(batch, place, kind) for place, kind in enumerate(kinds)]
        finally:
            batch.release(ctypes.byref(batch))


def _column(batch: _Array, place: int, kind: np.dtype[Any]) -> NDArray[Any]:
    """A column of a batch, without a copy."""
    column = batch.children[place].contents
    if not batch.length:
        return np.zeros(0, kind)
    start = (batch.offset + column.offset) * kind.itemsize
    size = batch.length * kind.itemsize
    values = (ctypes.c_char * size).from_address(column.buffers[1] + start)
    return np.frombuffer(values, kind)
