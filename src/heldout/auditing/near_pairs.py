"""Pairs of rows that nearly agree, found by laying both tables on coarse grids of few columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.auditing.side_columns import hashes_of_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.auditing.side_columns import SideColumn

__all__ = [
    "NearPairs",
    "PAIRS",
    "SAMPLE",
    "limit_of_copies",
    "measured_columns",
    "near_pairs",
    "shared_cells",
]

#: the width of a cell, in standard deviations, and how many grids of other columns there are
CELL, GRIDS = 0.3, 4
#: pairs further apart than this in any column are not kept: four times the widest radius of copies
FURTHEST = 0.12
#: columns of fewer distinct values must agree exactly
FEW_VALUES = 20
#: pairs to be compared a row, at most, on the whole
PAIRS = 4
#: rows by which the number of pairs in shared cells is foretold
SAMPLE = 20_000
BLOCK = 1_000_000
#: how many more rows may have a neighbour within a wider limit, and chance neighbours that may be
#: expected for each row that is called a copy
GROWTH, CHANCE = 1.5, 0.01


@dataclass(frozen=True, slots=True, eq=False)
class NearPairs:
    """A row of ours and of theirs each, and the largest distance of any column in spreads."""

    ours: NDArray[np.int64]
    theirs: NDArray[np.int64]
    distance: NDArray[np.float64]
    #: how many pairs are expected by chance within a distance
    expected: Callable[[float], float]
    #: whether cells were too full for all pairs to be looked at
    is_cut: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Measured:
    """A column with its spread; without one, values must agree."""

    ours: NDArray[Any]
    theirs: NDArray[Any]
    spread: float

    def cells(self, values: NDArray[Any], shift: float) -> NDArray[Any]:
        if not self.spread:
            return values
        return np.floor(values * (1 / (CELL * self.spread)) + shift)

    def distance(self, ours: NDArray[Any], theirs: NDArray[Any]) -> NDArray[np.float64]:
        first, second = self.ours[ours], self.theirs[theirs]
        same = first == second
        if first.dtype.kind == "f" or second.dtype.kind == "f":
            same |= np.isnan(first) & np.isnan(second)
        if not self.spread:
            return np.where(same, 0.0, np.inf)
        gap: NDArray[np.float64] = np.abs(first.astype(float) - second) / self.spread
        gap[same] = 0.0
        gap[np.isnan(gap)] = np.inf
        return gap


def near_pairs(
    columns: list[SideColumn], *, least: int, is_same: bool = False, seed: int = 0
) -> NearPairs | None:
    """Pairs of rows that differ, each column by little; None: fewer measured columns than least.

    ``is_same``: both sides are one table, and each pair is found once. Near rows share a
    cell of a grid in most cases, and of one of several grids in nearly all.
    """
    measured = [_Measured(c.ours, c.theirs, spread) for c, spread in measured_columns(columns)]
    wide = sum(column.spread > 0 for column in measured)
    if wide < least:
        return None
    rng = np.random.default_rng(seed)
    found: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]] = []
    is_cut = False
    for _ in range(GRIDS):
        cells, was_cut = _grid(measured, rng)
        is_cut |= was_cut
        for ours, theirs in shared_cells(*cells, is_same=is_same):
            found.append(_kept(measured, ours, theirs))
    ours, theirs, distance = (np.concatenate(part) for part in zip(*found, strict=True))
    _, first = np.unique(np.stack([ours, theirs]), axis=1, return_index=True)
    rows = (len(columns[0].ours), len(columns[0].theirs))
    pairs = rows[0] * (rows[0] - 1) / 2 if is_same else float(rows[0] * rows[1])
    expected = chance_pairs([(c.ours, c.spread) for c in measured], pairs)
    return NearPairs(ours[first], theirs[first], distance[first], expected, is_cut)


def measured_columns(columns: list[SideColumn]) -> list[tuple[SideColumn, float]]:
    """The columns with their spread; 0 where values must agree."""
    return [(column, _spread(column)) for column in columns]


def _spread(column: SideColumn) -> float:
    """The standard deviation; 0 where values are names, or few and repeated."""
    if column.is_nominal or len(np.unique(column.ours[:1000])) <= FEW_VALUES:
        return 0.0
    spread = float(np.nanstd(column.ours))
    return spread if np.isfinite(spread) else 0.0


def _grid(
    measured: list[_Measured], rng: np.random.Generator
) -> tuple[tuple[NDArray[np.uint64], NDArray[np.uint64]], bool]:
    """The cell of each row of both sides, by as many columns as keep cells small."""
    order = rng.permutation(len(measured))
    rows = len(measured[0].ours)
    # a sample of both sides would miss the copies, so ours alone says how full cells get
    sample = np.unique(np.linspace(0, rows - 1, min(rows, SAMPLE)).astype(int))
    pairs = max(len(sample) * (len(sample) - 1) / 2, 1.0)
    allowed = PAIRS / max(rows, 1)
    chosen: list[tuple[_Measured, float]] = []
    share = 1.0
    sampled: list[NDArray[Any]] = []
    for place in order:
        column, shift = measured[place], float(rng.random())
        sampled.append(column.cells(column.ours[sample], shift))
        chosen.append((column, shift))
        counts = np.unique(hashes_of_rows(sampled, len(sample)), return_counts=True)[1]
        share = float((counts * (counts - 1) / 2).sum()) / pairs
        if share <= allowed and len(chosen) >= 2:
            break
    cells = [
        hashes_of_rows([c.cells(getattr(c, side), shift) for c, shift in chosen], count)
        for side, count in (("ours", rows), ("theirs", len(measured[0].theirs)))
    ]
    return (cells[0], cells[1]), share > 10 * allowed


def shared_cells(
    ours: NDArray[np.uint64], theirs: NDArray[np.uint64], *, is_same: bool
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
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
        ours_at = order[np.repeat(low[start:stop], many) + within]
        yield ours_at, theirs_at
        start = stop


def _kept(
    measured: list[_Measured], ours: NDArray[Any], theirs: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The pairs that are near in every column; most are dropped after a few columns."""
    distance = np.zeros(len(ours))
    for column in measured:
        if not len(ours):
            break
        gap = column.distance(ours, theirs)
        distance = np.maximum(distance, gap)
        near = gap <= FURTHEST
        ours, theirs, distance = ours[near], theirs[near], distance[near]
    differs = distance > 0
    return ours[differs], theirs[differs], distance[differs]


def limit_of_copies(
    rows: NDArray[np.int64],
    distance: NDArray[Any],
    limits: Iterable[float],
    wider: Callable[[float], float],
    expected: Callable[[float], float],
) -> float:
    """The widest limit within which rows have copies and no chance neighbours; 0: none.

    Chance neighbours get many more as the limit widens, whatever the columns are like: in
    proportion even if all columns are one in disguise. Copies stay as many.
    """
    order = np.lexsort((distance, rows))
    is_first = np.diff(rows[order], prepend=-1) > 0
    nearest = np.sort(distance[order][is_first])
    for limit in limits:
        within, about = np.searchsorted(nearest, (limit, wider(limit)), "right").tolist()
        if within and about <= GROWTH * within and expected(limit) <= CHANCE * within:
            return limit
    return 0.0


#: rows of the sample, all pairs of which are measured
CHANCE_ROWS = 1000
#: the share of pairs that are nearest, from which smaller distances are foretold
NEAREST = 1e-3


def chance_pairs(
    columns: Sequence[tuple[NDArray[Any], float]], pairs: float, seed: int = 0
) -> Callable[[float], float]:
    """The expected number of chance pairs within a distance, among so many pairs.

    ``columns`` are values with their spread; without one, values must agree. The share of
    pairs within a distance falls with the distance to the power of the dimension that the
    rows really fill; half of that power is taken, to be on the safe side.
    """
    rows = len(columns[0][0])
    chosen = np.random.default_rng(seed).permutation(rows)[:CHANCE_ROWS]
    first, second = np.triu_indices(len(chosen), 1)
    distance, agrees = np.zeros(len(first)), np.ones(len(first), bool)
    for values, spread in columns:
        one, other = values[chosen][first], values[chosen][second]
        if spread:
            gap = np.abs(one.astype(float) - other) / spread
            np.fmax(distance, gap, out=distance)
        else:
            agrees &= one == other
    size = len(distance)
    low = min(max(20, int(NEAREST * size)), size - 1)
    high = min(10 * low, size - 1)
    nearer, farther = np.partition(distance, (low, high))[[low, high]]
    if not 0 < nearer < farther:
        return lambda _: pairs
    power = np.log((high + 1) / (low + 1)) / np.log(farther / nearer) / 2
    names = max(int(agrees.sum()), 1) / size

    def expected(radius: float) -> float:
        share = (low + 1) / size * min(radius / nearer, 1.0) ** power
        return float(pairs * names * share)

    return expected
