"""Columns of numbers that lie in a temporary file, and are read from it a few at a time."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import finalize

import numpy as np

from heldout.core.dialect import argument
from heldout.core.disk import cause_of_system
from heldout.core.errors import InputError
from heldout.tally.decoded import DecodedColumn

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: numbers that are read at once where single ones are asked for, and pages that are read at most
PAGE, MOST_PAGES = 512, 256
#: pages between two wanted ones that are read too, since another request takes longer
GAP = 16


class NumberFile:
    """Numbers in a file without a name, in the folder for temporary files.

    The system removes the file as soon as the process ends, in whatever way that happens.

    Parameters
    ----------
    dtype
        Of the numbers.
    need
        Bytes that will be written, which an error names where there is no room for them.

    Examples
    --------
    >>> numbers = NumberFile(np.int64, need=8000)
    >>> numbers.append(np.arange(5))
    >>> numbers.append(np.arange(5, 1000))
    >>> numbers.read(3, 7), len(numbers)
    (array([3, 4, 5, 6]), 1000)
    """

    def __init__(self, dtype: Any, need: int) -> None:
        self.dtype, self._need = np.dtype(dtype), need
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115, it is closed with this
        finalize(self, self._file.close)
        self._length = 0
        self._lock = Lock()  # one place in the file is shared by all threads

    def __len__(self) -> int:
        return self._length

    def append(self, numbers: NDArray[Any]) -> None:
        """Write numbers after those that are there."""
        left = np.ascontiguousarray(numbers, self.dtype).view(np.uint8).data
        try:
            with self._lock:
                self._file.seek(self._length * self.dtype.itemsize)
                while left:  # the system may write less than it is given
                    left = left[self._file.write(left) :]
        except OSError as error:
            raise InputError(
                f"scores that do not fit into memory need {self._need / 2**20:,.1f} MiB in the "
                f"folder for temporary files, {tempfile.gettempdir()}: {cause_of_system(error)}; "
                f"name another folder by TMPDIR, allow more {argument('memory')}, or round scores "
                f"with {argument('bins', 65536)}"
            ) from None
        self._length += len(numbers)

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """The numbers from one place up to another."""
        numbers = np.empty(max(stop - start, 0), self.dtype)
        left = numbers.view(np.uint8).data
        with self._lock:
            self._file.seek(start * self.dtype.itemsize)
            while left:
                count = self._file.readinto(left)
                if not count:
                    raise IndexError(f"a place is outside of {len(self)} numbers")
                left = left[count:]
        return numbers

    def array(self) -> NDArray[Any]:
        """The numbers as an array, whose pages the system reads; what is written to it is lost."""
        return np.memmap(self._file, self.dtype, mode="c") if len(self) else np.zeros(0, self.dtype)

    def column(self, start: int = 0, stop: int | None = None) -> FileColumn:
        """The numbers from one place up to another, which are read where they are needed."""
        return FileColumn(self, start, len(self) if stop is None else stop)


class FileColumn(DecodedColumn):
    """A column whose numbers are read from a file, in buffers of at most a megabyte.

    Examples
    --------
    >>> numbers = NumberFile(np.int64, need=800_000)
    >>> numbers.append(np.arange(100_000) * 2)
    >>> column = numbers.column(10, 90_000)
    >>> int(column[0]), column[[70_000, 1]], int(np.searchsorted(column, 100))
    (20, array([140020,     22]), 40)
    """

    def __init__(self, numbers: NumberFile, start: int, stop: int) -> None:
        # no method of its own is handed on: a circle would keep the file until Python looks for it
        self.dtype, self.shape = numbers.dtype, (stop - start,)
        self._numbers, self._start = numbers, start

    def part(self, start: int, stop: int) -> FileColumn:
        """The column from one place up to another, not yet read."""
        return FileColumn(self._numbers, self._start + start, self._start + stop)

    def _decode(self, places: Any) -> NDArray[Any]:
        if isinstance(places, slice):
            return self._numbers.read(self._start + places.start, self._start + places.stop)
        wanted = places + self._start
        order = np.argsort(wanted, kind="stable")
        rising = wanted[order]
        values = np.empty(len(wanted), self.dtype)
        for first, last in _stretches(rising // PAGE):
            start = int(rising[first])
            here = self._numbers.read(start, int(rising[last - 1]) + 1)
            values[order[first:last]] = here[rising[first:last] - start]
        return values


def _stretches(pages: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Where to part rising pages so that each stretch is read at once."""
    if not len(pages):
        return []
    apart = np.flatnonzero(np.diff(pages) > GAP) + 1
    # a stretch that is too long is parted where its pages fill the buffer
    begins = np.repeat(pages[np.concatenate([[0], apart])], np.diff([0, *apart, len(pages)]))
    full = np.flatnonzero(np.diff((pages - begins) // MOST_PAGES)) + 1
    edges = np.unique(np.concatenate([[0], apart, full, [len(pages)]])).tolist()
    return list(pairwise(edges))
