"""Features as lines of memory with the rows of a class side by side, for sums along rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["ClassColumns"]


@dataclass(frozen=True, eq=False)
class ClassColumns:
    """A line a feature, rows sorted by class: what is of a class is a slice of every line.

    A step of a computation then runs along thousands of rows at a time with one number of its
    feature and class, instead of along the few features of a row.
    """

    #: features by rows
    values: NDArray[np.float64]
    #: the row of each column
    rows: NDArray[np.int64]
    #: where each class begins; at last, where all end
    edges: NDArray[np.int64]

    @classmethod
    def of(cls, X: NDArray[np.float64], y: NDArray[Any], classes: int) -> ClassColumns:
        """The features of all rows."""
        # whole numbers of two bytes are sorted by counting
        short = y.astype(np.uint16) if classes <= 1 << 16 else y
        order = np.argsort(short, kind="stable")
        edges = np.concatenate([[0], np.cumsum(np.bincount(y, minlength=classes))])
        return cls(np.ascontiguousarray(X[order].T), order, edges)

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """The column of each row."""
        places = np.empty(len(self.rows), dtype=np.int64)
        places[self.rows] = np.arange(len(self.rows))
        return places

    def only(self, rows: NDArray[np.int64]) -> ClassColumns:
        """Some rows alone, which are numbered as they are given."""
        if len(rows) == len(self.rows) and bool((np.diff(rows) == 1).all()):
            return self
        places = self.places[rows]
        order = np.argsort(places, kind="stable")
        places = places[order]
        values = np.take(self.values, places, axis=1)
        return ClassColumns(values, order, np.searchsorted(places, self.edges))

    def classes(self) -> Iterator[tuple[int, slice]]:
        """Each class that has rows, and its columns."""
        edges = self.edges.tolist()
        for index, (start, stop) in enumerate(pairwise(edges)):
            if stop > start:
                yield index, slice(start, stop)
