"""Long arrays in few bytes: one value for all, a count, or whole numbers no wider than needed."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Form", "shortened"]

#: kinds of numbers that are stored; anything else in a blob is damage
KINDS = "iufb"
#: numbers below which looking for a shorter form costs more than it saves
LONG = 1_000
CONSTANT, COUNT = "constant", "count"


@dataclass(frozen=True, slots=True)
class Form:
    """How an array lies in some bytes."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    #: "constant", "count", or the type of the numbers as they are stored
    short: str | np.dtype[Any]

    @classmethod
    def of(cls, dtype: str, *rest: Any) -> Form:
        """The form that a header's entry names: type, shape and, where there is one, short form."""
        *shape, short = rest if rest and isinstance(rest[-1], str) else (*rest, dtype)
        is_named = short in (CONSTANT, COUNT)
        sizes = tuple(int(size) for size in shape)
        return cls(_number(dtype), sizes, short if is_named else _number(short))

    def read(self, view: memoryview, start: int) -> tuple[NDArray[Any], int]:
        """The array that begins there, and how many bytes it takes."""
        count = prod(self.shape)
        if isinstance(self.short, str):
            first = np.frombuffer(view, self.dtype, 1, start)
            if self.short == CONSTANT:
                return np.full(self.shape, first[0]), first.nbytes
            return np.arange(first[0], first[0] + count, dtype=self.dtype), first.nbytes
        array = np.frombuffer(view, self.short, count, start)
        whole = array.astype(self.dtype, copy=False)
        return (whole.reshape(self.shape) if len(self.shape) > 1 else whole), array.nbytes


def shortened(array: NDArray[Any]) -> tuple[list[Any], NDArray[Any]]:
    """A header's entry for an array, and the numbers that are to be stored (little-endian).

    Examples
    --------
    >>> shortened(np.arange(5, 2_005))
    (['<i8', 2000, 'count'], array([5]))
    >>> entry, stored = shortened(np.arange(2_000) % 3)
    >>> entry, stored.nbytes
    (['<i8', 2000, '|u1'], 2000)
    """
    if array.dtype.kind not in KINDS:
        raise TypeError(f"an outcome holds {array.dtype}, which is no number")
    whole = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    entry = [whole.dtype.str, *whole.shape]
    if whole.size < LONG:
        return entry, whole
    flat = whole.reshape(-1)
    # of floats the bytes are compared: NaN equals NaN, and 0 is not -0
    bits = flat.view(f"<u{whole.itemsize}")
    if bits[0] == bits[-1] and bool((bits == bits[0]).all()):
        return [*entry, CONSTANT], flat[:1]
    if whole.dtype.kind not in "iu":
        return entry, whole
    if int(flat[-1]) - int(flat[0]) == whole.size - 1 and bool((np.diff(flat) == 1).all()):
        return [*entry, COUNT], flat[:1]
    least, most = int(flat.min()), int(flat.max())
    narrow = np.result_type(np.min_scalar_type(least), np.min_scalar_type(most))
    if narrow.kind not in "iu" or narrow.itemsize >= whole.itemsize:
        return entry, whole
    stored = whole.astype(narrow.newbyteorder("<"))
    return [*entry, stored.dtype.str], stored


def _number(text: str) -> np.dtype[Any]:
    dtype = np.dtype(text)
    if dtype.kind not in KINDS:
        raise ValueError(f"numbers of type {text}")
    return dtype
