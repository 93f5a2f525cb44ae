"""Columns that are kept in another form, and decoded where they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from heldout.core.threads import blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


class DecodedColumn(NDArrayOperatorsMixin):
    """A column of one dimension that reads as an array, and takes no memory of its own.

    Slices and places are decoded by themselves. All else that arrays can do is done with the
    whole column, decoded for the time of the operation.

    Parameters
    ----------
    length, dtype
        As of the array that it stands for.
    decode
        The elements of a slice (with a start, a stop and step 1), or at places.

    Examples
    --------
    >>> def square(places):
    ...     if isinstance(places, slice):
    ...         places = np.arange(places.start, places.stop)
    ...     return places**2
    >>> squares = DecodedColumn(10**9, np.int64, square)
    >>> squares[3:6].tolist(), squares[[2, -1]].tolist(), int(np.searchsorted(squares, 17))
    ([9, 16, 25], [4, 999999998000000001], 5)
    """

    ndim = 1
    #: of the scores of rows: what their engine knows them by
    origin: Any = None

    def __init__(self, length: int, dtype: Any, decode: Callable[[Any], NDArray[Any]]) -> None:
        self.dtype = np.dtype(dtype)
        self.shape = (length,)
        self._decode = decode

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, where: Any) -> Any:
        if isinstance(where, slice):
            start, stop, step = where.indices(len(self))
            if step != 1:
                return np.asarray(self)[where]
            return self._decode(slice(start, max(start, stop)))
        if isinstance(where, int) and 0 <= where < len(self):
            return self._decode(np.array([where]))[0]
        places = np.asarray(where)
        if places.dtype.kind == "b":
            places = np.flatnonzero(places)
        places = np.where(places < 0, places + len(self), places)
        if places.size and not 0 <= places.min() <= places.max() < len(self):
            raise IndexError(f"a place is outside of {len(self)} elements")
        return self._decode(places.ravel()).reshape(places.shape)[()]

    def searchsorted(self, values: Any, side: str = "left", sorter: None = None) -> Any:
        """Where values belong in a column that does not fall."""
        wanted = np.asarray(values)
        low, high = np.zeros(wanted.shape, np.int64), np.full(wanted.shape, len(self))
        while (is_open := low < high).any():
            middle = (low + high) // 2
            here = self[np.minimum(middle, len(self) - 1)]
            is_before = is_open & ((here < wanted) if side == "left" else (here <= wanted))
            low = np.where(is_before, middle + 1, low)
            high = np.where(is_open & ~is_before, middle, high)
        return low[()]

    def __neg__(self) -> DecodedColumn:
        return DecodedColumn(len(self), self.dtype, lambda places: -self._decode(places))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        whole = np.empty(len(self), self.dtype)
        for block in blocks(len(self)):
            whole[block] = self._decode(block)
        return whole if dtype is None else whole.astype(dtype, copy=False)

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **named: Any) -> Any:
        plain = [np.asarray(v) if isinstance(v, DecodedColumn) else v for v in inputs]
        return getattr(function, method)(*plain, **named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)
