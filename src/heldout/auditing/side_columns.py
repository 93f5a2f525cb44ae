"""The columns by which rows of two tables, or of one with itself, are compared; pairs of rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.auditing.check import Unseen, name_of, some
from heldout.core.threads import blocks, in_threads
from heldout.core.wording import plural
from heldout.datasets.dataset import Feature
from heldout.datasets.features import feature_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.core.arrays import Array, Booleans, Integers
    from heldout.datasets.dataset import Dataset

    Hashes = tuple[NDArray[np.uint64], NDArray[np.uint64]]
    #: how the values of a column are seen
    View = Callable[[Array], Array]
    #: how far rows of ours and of theirs are apart in a column
    Gap = Callable[[Integers, Integers], Array]

#: with fewer rows a column of distinct whole numbers may well be a quantity
FEW_ROWS = 20
#: columns of fewer distinct values must agree exactly
FEW_VALUES = 20
#: pairs to be compared a row, at most, on the whole, and at once
PAIRS, BLOCK = 4, 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class SideColumn:
    """A column of both sides as numbers, names coded alike; a missing name is -1."""

    name: str
    ours: Array
    theirs: Array
    is_nominal: bool

    def agrees(self, ours: Array, theirs: Array) -> Booleans:
        """Whether rows of ours have the values of rows of theirs, NaN among them."""
        first, second = self.ours[ours], self.theirs[theirs]
        same: Booleans = first == second
        if first.dtype.kind == "f" and second.dtype.kind == "f":
            same |= np.isnan(first) & np.isnan(second)
        return same


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """A row of ours and of theirs each, and how far they are apart by a view."""

    ours: Integers
    theirs: Integers
    distance: Array

    def within(self, limit: float) -> Pairs:
        """The pairs that are no further apart."""
        near = self.distance <= limit
        return Pairs(self.ours[near], self.theirs[near], self.distance[near])


@dataclass(frozen=True, eq=False)
class Sides:
    """Some columns of two tables, or of one with itself, whose rows are compared."""

    columns: list[SideColumn]
    #: whether both sides are one table, so that each pair of rows is one pair
    is_same: bool = False

    @property
    def rows(self) -> tuple[int, int]:
        """How many rows either side has."""
        return len(self.columns[0].ours), len(self.columns[0].theirs)

    @property
    def pairs(self) -> float:
        """How many pairs of rows there are."""
        ours, theirs = self.rows
        return ours * (ours - 1) / 2 if self.is_same else float(ours) * theirs

    def hashes(self, views: Sequence[tuple[SideColumn, View | None]] | None = None) -> Hashes:
        """The hash of each row of either side, over all columns or over some as they are seen."""
        columns = self.columns if views is None else [column for column, _ in views]
        how = None if views is None else [view for _, view in views]
        ours = hash_rows([column.ours for column in columns], how)
        if self.is_same:
            return ours, ours
        return ours, hash_rows([column.theirs for column in columns], how)

    def match(
        self,
        cells: Iterable[Hashes],
        gaps: Sequence[Gap],
        furthest: float = 1.0,
        join: Callable[..., Array] = np.maximum,
    ) -> Pairs:
        """The pairs that share a cell and differ, but no further than so much; each once.

        The distance of two rows joins their gaps in all columns; most pairs are dropped after a
        few.
        """
        kept = []
        for ours, theirs in (pair for both in cells for pair in _shared_cells(*both, self.is_same)):
            distance: Array = np.zeros(len(ours))
            for gap in gaps:
                distance = join(distance, gap(ours, theirs))
                near = distance <= furthest
                if not near.all():
                    ours, theirs, distance = ours[near], theirs[near], distance[near]
            differs = distance > 0
            kept.append((ours[differs], theirs[differs], distance[differs]))
        ours, theirs, distance = (np.concatenate(part) for part in zip(*kept, strict=True))
        _, first = np.unique(ours * self.rows[1] + theirs, return_index=True)
        return Pairs(ours[first], theirs[first], distance[first])

    @cached_property
    def spreads(self) -> dict[int, float]:
        """The standard deviation of each column; 0 where values are names, or few and repeated."""
        return {id(column): _spread(column) for column in self.columns}

    def spread(self, column: SideColumn) -> float:
        """The standard deviation of a column of measured values, 0 of others: these must agree."""
        return self.spreads[id(column)]

    @property
    def measured(self) -> list[SideColumn]:
        """The columns of measured values."""
        return [column for column in self.columns if self.spread(column)]


def _shared_cells(
    ours: NDArray[np.uint64], theirs: NDArray[np.uint64], is_same: bool
) -> Iterator[tuple[Integers, Integers]]:
    """Pairs of rows in the same cell, in blocks; of a very full cell some pairs only."""
    order = np.argsort(ours)
    ordered = ours[order]
    queue = order if is_same else np.argsort(theirs)
    asked = theirs[queue]
    low = np.searchsorted(ordered, asked, "left")
    high = np.searchsorted(ordered, asked, "right")
    if is_same:
        low = np.arange(1, len(ordered) + 1)
    count = np.minimum(high - low, 10 * PAIRS)
    ends = np.cumsum(count)
    start = 0
    while start < len(count):
        done = int(ends[start - 1]) if start else 0
        stop = max(int(np.searchsorted(ends, done + BLOCK, "right")), start + 1)
        many = count[start:stop]
        theirs_at = np.repeat(queue[start:stop], many)
        within = np.arange(int(many.sum())) - np.repeat(ends[start:stop] - many - done, many)
        yield order[np.repeat(low[start:stop], many) + within], theirs_at
        start = stop


def _spread(column: SideColumn) -> float:
    if column.is_nominal or len(np.unique(column.ours[:1000])) <= FEW_VALUES:
        return 0.0
    spread = float(np.nanstd(column.ours))
    return spread if np.isfinite(spread) else 0.0


def side_columns(train: Dataset, test: Dataset) -> tuple[list[SideColumn], list[str]]:
    """The columns that both tables have, and the names of those that number the rows.

    Names of nominal values are matched by their text, not by their codes. A column that
    numbers the rows would keep any two rows from being equal, so it is left out; so would
    one of numbers here and of quite other names there.
    """
    theirs = {feature.name: feature for feature in test.features}
    columns: list[SideColumn] = []
    left_out: list[str] = []
    for feature in train.features:
        other = theirs.get(feature.name)
        if other is None:
            continue
        if numbers_rows(feature) and numbers_rows(other):
            left_out.append(feature.name)
        elif not _clash(feature, other):
            columns.append(_side_column(feature, other))
    return columns, left_out


def left_out_columns(train: Dataset, test: Dataset) -> list[SideColumn]:
    """The columns that are no features of a side or both, by a guess: texts, and ids."""
    ours, theirs = ({f.name: f for f in _left_out(data)} for data in (train, test))
    first, second = ({f.name: f for f in data.features} for data in (train, test))
    return [
        _side_column((first | ours)[name], (second | theirs)[name])
        for name in ours | theirs
        if name in first | ours and name in second | theirs
    ]


def target_column(train: Dataset, test: Dataset) -> SideColumn:
    """The target of both sides."""
    ours, theirs = (
        Feature(data.target, data.truth, data.classes or None) for data in (train, test)
    )
    return _side_column(ours, theirs)


def _left_out(data: Dataset) -> Iterator[Feature]:
    for left in data.left_out:
        column = left.column
        if column is None or len(column) != len(data):
            continue
        if column.kind == "text":
            levels, codes = np.unique(column.values.astype(str), return_inverse=True)
            column = replace(column, kind="category", values=codes, levels=tuple(levels.tolist()))
        yield feature_of(column)


def _side_column(feature: Feature, other: Feature) -> SideColumn:
    if feature.is_nominal or other.is_nominal:
        levels = [*_levels(feature), *_levels(other)]
        names = {text: i for i, text in enumerate(dict.fromkeys(map(name_of, levels)))}
        coded = [_codes(side, names) for side in (feature, other)]
        return SideColumn(feature.name, coded[0], coded[1], is_nominal=True)
    ours, theirs = feature.values, other.values
    # numbers that were kept in 32 bits on one side are compared as such
    if ours is not theirs and _is_single(ours) != _is_single(theirs):
        ours, theirs = (values.astype(np.float32).astype(float) for values in (ours, theirs))
    return SideColumn(feature.name, ours, theirs, is_nominal=False)


def _is_single(values: Array) -> bool:
    """Whether numbers, not all of them whole, have no more digits than 32 bits hold."""
    if values.dtype.kind != "f":
        return False
    known = values[~np.isnan(values)]
    first = known[:100]
    if not (first == first.astype(np.float32)).all():
        return False
    return bool((known == known.astype(np.float32)).all() and not _is_whole(known))


def not_compared(
    columns: list[SideColumn], train: Dataset, test: Dataset, *, is_all: bool
) -> Unseen | None:
    """What is said where rows are compared by few of the columns, or not by all; else nothing.

    ``is_all``: a comparison by half of a side's columns or fewer is none.
    """
    theirs = {feature.name: feature for feature in test.features}
    numbering = sum(numbers_rows(feature) for feature in train.features)
    most = max(len(train.features), len(test.features)) - numbering
    if 2 * len(columns) <= most:
        return Unseen(
            f"rows could be compared by {len(columns)} of {most} columns only (see K18)", is_all
        )
    names = [f.name for f in train.features if f.name in theirs and _clash(f, theirs[f.name])]
    if not names:
        return None
    return Unseen(
        f"{plural(len(names), 'column')} could not be compared: numbers on one side, other names "
        f"on the other ({some(names)})"
    )


def _clash(feature: Feature, other: Feature) -> bool:
    if feature.is_nominal == other.is_nominal:
        return False
    return not {name_of(v) for v in _levels(feature)} & {name_of(v) for v in _levels(other)}


def _levels(feature: Feature) -> tuple[Any, ...]:
    return np.unique(feature.values).tolist() if feature.levels is None else feature.levels


def _codes(feature: Feature, names: dict[str, int]) -> Array:
    if feature.levels is None:
        return np.array([names[name_of(value)] for value in feature.values.tolist()], float)
    codes_of_levels = np.array([names[name_of(level)] for level in feature.levels] or [0], float)
    codes = np.asarray(feature.values, np.int64)
    return np.where(codes < 0, -1.0, codes_of_levels[codes])


def numbers_rows(feature: Feature) -> bool:
    """Whether every row has another whole number, in rising order or without gaps."""
    values = feature.values
    if feature.is_nominal or len(values) < FEW_ROWS or not np.isfinite(values[0]):
        return False
    if values.dtype.kind == "f" and not (np.isfinite(values).all() and _is_whole(values)):
        return False
    steps = np.diff(values.astype(np.float64))
    if (steps > 0).all():
        return True
    span = float(values.max()) - float(values.min()) + 1
    return span == len(values) == len(np.unique(values))


def _is_whole(values: Array) -> bool:
    return bool(
        (values[:100] == np.floor(values[:100])).all() and (values == np.floor(values)).all()
    )


#: odd constants of SplitMix64, whose mixing step spreads every bit over all others
STEP = 0x9E3779B97F4A7C15
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)


def hash_rows(
    columns: Sequence[Array], views: Sequence[View | None] | None = None
) -> NDArray[np.uint64]:
    """The hash of each row over some columns of numbers, or over views of them.

    NaN is a value like others. Sixty-four bits: between two tables of a million rows a chance
    match is expected once in some ten million pairs of tables.
    """
    rows = len(columns[0])
    how = [None] * len(columns) if views is None else views
    hashes = np.zeros(rows, np.uint64)

    def work(block: slice) -> None:
        mixed = hashes[block]
        for number, (column, view) in enumerate(zip(columns, how, strict=True)):
            # adding 0 turns -0.0 into 0.0; all NaN become the same bits
            values = np.asarray(column[block] if view is None else view(column[block]), float) + 0.0
            values[np.isnan(values)] = np.nan
            bits = values.view(np.uint64)
            mixed += bits
            mixed += np.uint64(STEP * (number + 1) % 2**64)
            mixed ^= mixed >> np.uint64(30)
            mixed *= FIRST
            mixed ^= mixed >> np.uint64(27)
            mixed *= SECOND
            mixed ^= mixed >> np.uint64(31)

    in_threads(work, list(blocks(rows)))
    return hashes


def alike(values: Array) -> int:
    """How many pairs of rows have the same value."""
    counts = np.unique(values, return_counts=True)[1]
    return int((counts * (counts - 1) // 2).sum())


def names_of(values: Array) -> Array:
    """The texts of many names."""
    if values.dtype.kind == "f" and np.isfinite(values).all() and (values % 1 == 0).all():
        return values.astype(np.int64).astype(str)
    if values.dtype.kind in "fO":
        return np.array([name_of(value) for value in values.tolist()])
    return values.astype(str)
