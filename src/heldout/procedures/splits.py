"""Splits: which rows train and which rows test, kept small however many folds there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from heldout.core.shown import Brief

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from heldout.core.arrays import Array, Integers

#: procedure, rows, seed and notes of some splits
About = tuple[str, int, int, tuple[str, ...]]

#: what the rows of a split are for, in the order in which they are told
PARTS = ("train", "validation", "test")

#: row numbers of all training parts that are kept at once; beyond, splits are made when asked
MOST_LISTED = 4_000_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Split(Brief):
    """One fit: the rows that train, those that test, and those that only choose settings.

    Row numbers count from 0 and rise, save that a bootstrap sample repeats rows of ``train``.
    ``repeat`` and ``fold`` count from 1.
    """

    repeat: int
    fold: int
    train: Integers
    test: Integers
    validation: Integers | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Splits(Brief, Sequence[Split]):
    """All splits of a procedure on some rows, made one at a time when asked for."""

    #: the procedure's short text, such as ``10x10-fold``
    procedure: str
    rows: int
    seed: int
    #: what was decided on the way, such as classes too small to stratify
    notes: tuple[str, ...]

    @overload
    def __getitem__(self, index: int) -> Split: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Split]: ...
    def __getitem__(self, index: int | slice) -> Split | Sequence[Split]:
        if isinstance(index, slice):
            return [self.split(i) for i in range(*index.indices(len(self)))]
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(index)
        return self.split(position)

    def __iter__(self) -> Iterator[Split]:
        return (self.split(i) for i in range(len(self)))

    def split(self, index: int) -> Split:
        """The split at a position."""
        raise NotImplementedError

    def place(self, index: int) -> tuple[int, int]:
        """Repeat and fold of the split at a position, without making its rows."""
        raise NotImplementedError

    def places(self) -> Integers:
        """Repeat and fold of every split, two columns."""
        places = [self.place(index) for index in range(len(self))]
        return np.array(places, np.int64).reshape(-1, 2)

    def of_parts(
        self, parts: Iterable[Split], procedure: str = "", *, notes: tuple[str, ...] = ()
    ) -> ListedSplits:
        """Splits into parts of these rows: some of these splits, or others made of them."""
        return ListedSplits(procedure or self.procedure, self.rows, self.seed, notes, tuple(parts))

    def _content(self) -> Iterator[Array]:
        """What the splits are, as arrays."""
        for split in self:
            yield np.array([split.repeat, split.fold])
            yield split.train
            yield split.test
            if split.validation is not None:
                yield split.validation

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the rows of every split: equal for models that were judged alike."""
        digest = blake2b(f"{self.rows};{len(self)};".encode(), digest_size=16)
        for array in self._content():
            digest.update(f"{array.shape};".encode())
            digest.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
        return digest.hexdigest()


@dataclass(frozen=True, eq=False, repr=False)
class PartitionSplits(Splits):
    """Splits whose test parts partition the rows in every repeat; all other rows train.

    ``assignment`` has a row per repeat and a column per row of the data: the fold, from 0, in
    which the row is tested.
    """

    assignment: NDArray[np.int32]
    folds: int
    #: what the folds are called where they have names of their own; else they have numbers
    names: tuple[Any, ...] = ()

    def __len__(self) -> int:
        return len(self.assignment) * self.folds

    @property
    def repeats(self) -> int:
        """How often the rows are partitioned."""
        return len(self.assignment)

    def place(self, index: int) -> tuple[int, int]:
        """Repeat and fold of the split at a position."""
        return index // self.folds + 1, index % self.folds + 1

    def places(self) -> Integers:
        """Repeat and fold of every split, two columns."""
        return np.column_stack(np.divmod(np.arange(len(self)), self.folds)) + 1

    def split(self, index: int) -> Split:
        """The split at a position."""
        repeat, fold = divmod(index, self.folds)
        is_test = self.assignment[repeat] == fold
        return Split(repeat + 1, fold + 1, np.flatnonzero(~is_test), np.flatnonzero(is_test))

    def _content(self) -> Iterator[Array]:
        yield self.assignment


@dataclass(frozen=True, eq=False, repr=False)
class ListedSplits(Splits):
    """Splits that are written out row by row: holdouts, bootstraps, splits in time order."""

    listed: tuple[Split, ...]
    #: what the folds are called where they have names of their own; else they have numbers
    names: tuple[Any, ...] = ()

    def __len__(self) -> int:
        return len(self.listed)

    def place(self, index: int) -> tuple[int, int]:
        """Repeat and fold of the split at a position."""
        return self.listed[index].repeat, self.listed[index].fold

    def split(self, index: int) -> Split:
        """The split at a position."""
        return self.listed[index]


@dataclass(frozen=True, eq=False, repr=False)
class LazySplits(Splits):
    """Splits that are made anew each time one is asked for; otherwise like listed ones."""

    make: Callable[[int], Split]
    number: int

    def __len__(self) -> int:
        return self.number

    def place(self, index: int) -> tuple[int, int]:
        """Repeat and fold of the split at a position: every split is a repeat of its own."""
        return index + 1, 1

    def split(self, index: int) -> Split:
        """The split at a position."""
        return self.make(index)


def splits_on_demand(about: About, make: Callable[[int], Split], count: int) -> Splits:
    """Splits that are repeats of their own: listed where that is small, else made when asked.

    Both kinds have the same fingerprint.
    """
    if count * about[1] <= MOST_LISTED:
        return ListedSplits(*about, tuple(make(index) for index in range(count)))
    return LazySplits(*about, make, count)


def fold_names(splits: Splits) -> tuple[Any, ...]:
    """What the folds are called where they have names of their own; empty where numbers."""
    return splits.names if isinstance(splits, PartitionSplits | ListedSplits) else ()
