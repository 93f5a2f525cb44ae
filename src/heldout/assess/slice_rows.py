"""The rows of each slice, sorted once so that each is a view, and random parts of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.random import stream
from heldout.engines.memory import Tallies
from heldout.intervals.resampling import RowSampler, row_order

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.predictions.table import Column, Label, Predictions

__all__ = ["PARTS", "SliceRows"]

#: random parts of each slice, of which a jackknife leaves out one at a time
PARTS = 20


@dataclass(frozen=True, eq=False)
class SliceRows:
    """The rows in order of slice, within a slice in the order they came in.

    Rows are gathered once, whatever the number of slices; a slice is then a stretch of them,
    without a copy, and what is drawn from it is what is drawn from those rows elsewhere.

    Parameters
    ----------
    predictions, parts
        All rows, in the new order, and the random part that each belongs to.
    levels
        The values of the column that have rows, each a slice.
    sizes
        How many rows each part of each slice has.
    """

    predictions: Predictions
    parts: NDArray[Any]
    name: str
    levels: tuple[Label, ...]
    sizes: NDArray[np.int64]
    _memory: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, predictions: Predictions, column: Column, *, seed: int = 1) -> SliceRows:
        """The slices of a column; groups stay whole within the parts."""
        codes, count = column.codes, len(column.levels)
        parts = _parts(predictions, codes, stream(seed, "slices", column.name))
        # NumPy sorts 16-bit numbers by counting, in a fifth of the time
        order = np.argsort(codes.astype(np.uint16) if count <= 2**16 else codes, kind="stable")
        both = codes.astype(np.int64) * PARTS + parts
        sizes = np.bincount(both, minlength=count * PARTS).reshape(-1, PARTS)
        present = np.flatnonzero(sizes.sum(axis=1))
        levels = tuple(column.levels[k] for k in present.tolist())
        # a row that may be judged several times is told by its name
        design = predictions.design
        names = predictions.identifier if design.fold or design.repeat else None
        bare = replace(predictions, slices=(), identifier=names)
        return cls(bare.take(order), parts[order], column.name, levels, sizes[present])

    def __len__(self) -> int:
        return len(self.levels)

    def stretch(self, index: int) -> slice:
        """Where the rows of a slice stand."""
        return slice(int(self._edges[index]), int(self._edges[index + 1]))

    @cached_property
    def _edges(self) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(self.sizes.sum(axis=1))])

    def of_slice(self, index: int) -> Tallies:
        """The tallies of one slice."""
        # arrays take a slice as well as places
        return Tallies(self.predictions.take(self.stretch(index)))  # type: ignore[arg-type]

    def of_parts(self, index: int) -> list[Tallies]:
        """The tallies of each part of one slice."""
        own = self.stretch(index)
        order = own.start + np.argsort(self.parts[own], kind="stable")
        each = np.split(order, np.cumsum(self.sizes[index])[:-1])
        return [Tallies(self.predictions.take(rows)) for rows in each]

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """What ``make`` gives, kept under a name so that several measures pay for it once."""
        if name not in self._memory:
            self._memory[name] = make()
        return self._memory[name]


def _parts(predictions: Predictions, codes: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """A part for each row at random, the same for all rows of a group."""
    group = predictions.design.group
    if group is None:
        drawn = rng.integers(0, PARTS, len(predictions), np.uint8)
        order = partial(row_order, predictions, by=codes)
        return RowSampler(len(drawn), order=order).of_rows(drawn)
    # groups in turn, so that as few parts as possible stay empty
    of_group = rng.permutation(len(group.levels)) % PARTS
    return of_group[group.codes]
