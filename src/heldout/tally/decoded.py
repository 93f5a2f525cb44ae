"""Columns that are kept in another form, and decoded a stretch at a time where they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from heldout.core.threads import blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.tally.scores import ScoreCounts

#: elements that are decoded together where single ones are asked for
GRAIN = 4096


class DecodedColumn(NDArrayOperatorsMixin):
    """A column of one dimension that reads as an array, and takes no memory of its own.

    A slice decodes that stretch; places and ``searchsorted`` decode what lies around them. All else
    that arrays can do is done with the whole column, decoded for the time of the operation.

    Parameters
    ----------
    length, dtype
        As of the array that it stands for.
    decode
        The elements from one place up to another.

    Examples
    --------
    >>> squares = DecodedColumn(10**9, np.int64, lambda start, stop: np.arange(start, stop) ** 2)
    >>> squares[3:6].tolist(), squares[[2, -1]].tolist()
    ([9, 16, 25], [4, 999999998000000001])
    """

    ndim = 1
    # NumPy leaves operators with arrays on their left to this class
    __array_priority__ = 1000
    #: of the scores of rows: what they are counted to
    counts: ScoreCounts | None = None

    def __init__(
        self, length: int, dtype: Any, decode: Callable[[int, int], NDArray[Any]]
    ) -> None:
        self.dtype = np.dtype(dtype)
        self.shape = (length,)
        self._decode = decode
        self._ends: NDArray[Any] | None = None

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            if step != 1:
                return np.asarray(self)[place]
            return self._decode(start, max(start, stop))
        if isinstance(place, int | np.integer):
            at = int(place) + len(self) * (place < 0)
            if not 0 <= at < len(self):
                raise IndexError(f"{place} is outside of {len(self)} elements")
            return self._decode(at, at + 1)[0]
        return self._gathered(np.asarray(place))

    def _gathered(self, places: NDArray[Any]) -> NDArray[Any]:
        """The elements at some places, in stretches that hold them."""
        if places.dtype.kind == "b":
            places = np.flatnonzero(places)
        flat = places.ravel().astype(np.int64)
        flat = np.where(flat < 0, flat + len(self), flat)
        gathered = np.empty(len(flat), self.dtype)
        order = np.argsort(flat, kind="stable")
        grains = flat[order] // GRAIN
        firsts = np.flatnonzero(np.concatenate([[len(flat) > 0], grains[1:] != grains[:-1]]))
        for first, last in zip(firsts, np.append(firsts[1:], len(flat)), strict=True):
            own = order[first:last]
            low, high = int(flat[own[0]]), int(flat[own[-1]]) + 1
            gathered[own] = self._decode(low, high)[flat[own] - low]
        return gathered.reshape(places.shape)

    def searchsorted(self, values: Any, side: Any = "left", sorter: None = None) -> Any:
        """Where values belong in a column that does not fall."""
        wanted = np.asarray(values)
        grains = np.searchsorted(self._ends_of_grains, wanted, side)
        where = np.empty(wanted.shape, np.int64)
        for at, grain in np.ndenumerate(grains):
            start = int(grain) * GRAIN
            where[at] = start + np.searchsorted(self[start : start + GRAIN], wanted[at], side)
        return where[()]

    @property
    def _ends_of_grains(self) -> NDArray[Any]:
        """The last element of each stretch of ``GRAIN`` but the last one's."""
        if self._ends is None:
            ends = [self[block][GRAIN - 1 :: GRAIN] for block in blocks(len(self), 32 * GRAIN)]
            self._ends = np.concatenate([np.empty(0, self.dtype), *ends])
        return self._ends

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        whole = np.empty(len(self), self.dtype)
        for block in blocks(len(self)):
            whole[block] = self._decode(block.start, block.stop)
        return whole if dtype is None else whole.astype(dtype, copy=False)

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **named: Any) -> Any:
        plain = [np.asarray(v) if isinstance(v, DecodedColumn) else v for v in inputs]
        return getattr(function, method)(*plain, **named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)
