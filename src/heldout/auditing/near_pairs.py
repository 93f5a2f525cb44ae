"""Pairs of rows of which one may be a changed copy of the other.

Four views of rows find them: with a little noise, with a few values changed, with fewer digits, or
times a number. A view lays both sides on cells, by hashes of some columns as it sees them; rows of
one cell are compared column by column, and what remains is held against what chance brings about.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.auditing.coincidence import expected_equal
from heldout.auditing.side_columns import SideColumn, Sides, alike, hash_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    #: columns, and how their values are seen; None: as they are
    Views = Sequence[tuple[SideColumn, Callable[[NDArray[Any]], NDArray[Any]] | None]]
    Numbers = NDArray[np.int64]
    Hashes = tuple[NDArray[np.uint64], NDArray[np.uint64]]

#: pairs to be compared a row, at most, on the whole
PAIRS = 4
#: rows by which the number of pairs in shared cells is foretold
SAMPLE = 20_000
BLOCK = 1_000_000
#: how many more rows may have a neighbour within a wider limit, and chance neighbours that may be
#: expected for each row that is called a copy
GROWTH, CHANCE = 1.5, 0.01
#: rows of the sample, all pairs of which say what is to be expected by chance
CHANCE_ROWS = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """A row of ours and of theirs each, and how far they are apart by a view."""

    ours: Numbers
    theirs: Numbers
    distance: NDArray[Any]
    #: how many pairs are expected by chance within a distance
    expected: Callable[[float], float] = float
    #: in how many columns rows are compared
    columns: int = 0
    #: whether cells were too full for all pairs to be looked at
    is_cut: bool = False

    def within(self, limit: float) -> Pairs:
        """The pairs that are no further apart."""
        near = self.distance <= limit
        return Pairs(self.ours[near], self.theirs[near], self.distance[near])

    def limit_of_copies(self, limits: Iterable[float], wider: Callable[[float], float]) -> float:
        """The widest limit within which rows have copies and no chance neighbours; 0: none.

        Chance neighbours get many more as the limit widens, whatever the columns are like: in
        proportion even if all columns are one in disguise. Copies stay as many.
        """
        order = np.lexsort((self.distance, self.theirs))
        is_first = np.diff(self.theirs[order], prepend=-1) > 0
        nearest = np.sort(self.distance[order][is_first])
        for limit in limits:
            within, about = np.searchsorted(nearest, (limit, wider(limit)), "right").tolist()
            if within and about <= GROWTH * within and self.expected(limit) <= CHANCE * within:
                return limit
        return 0.0


def _pairs_in_cells(
    sides: Sides,
    cells: Iterable[Hashes],
    compare: Callable[[Numbers, Numbers], tuple[Numbers, Numbers, NDArray[Any]]],
) -> Pairs:
    """The pairs that share a cell and that the comparison keeps, each once, with their distance."""
    kept = [compare(*pair) for both in cells for pair in _shared_cells(*both, sides.is_same)]
    ours, theirs, distance = (np.concatenate(part) for part in zip(*kept, strict=True))
    _, first = np.unique(ours * sides.rows[1] + theirs, return_index=True)
    return Pairs(ours[first], theirs[first], distance[first])


def _shared_cells(
    ours: NDArray[np.uint64], theirs: NDArray[np.uint64], is_same: bool
) -> Iterator[tuple[Numbers, Numbers]]:
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


def _compared(
    gaps: Iterable[Callable[[Numbers, Numbers], NDArray[Any]]],
    join: Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]],
    furthest: float,
    ours: Numbers,
    theirs: Numbers,
) -> tuple[Numbers, Numbers, NDArray[Any]]:
    """The pairs that differ, and no further than so much; most are dropped after a few columns."""
    distance: NDArray[Any] = np.zeros(len(ours))
    for gap in gaps:
        distance = join(distance, gap(ours, theirs))
        near = distance <= furthest
        if not near.all():
            ours, theirs, distance = ours[near], theirs[near], distance[near]
    differs = distance > 0
    return ours[differs], theirs[differs], distance[differs]


class _Sample:
    """Rows of ours, by which it is foretold how many pairs of all rows share a cell.

    A sample of both sides would miss the copies.
    """

    def __init__(self, sides: Sides) -> None:
        rows = sides.rows[0]
        self.rows = np.unique(np.linspace(0, rows - 1, min(rows, SAMPLE)).astype(int))
        self.pairs = max(len(self.rows) * (len(self.rows) - 1) / 2, 1.0)
        #: the share of pairs that may share a cell
        self.allowed = PAIRS / max(rows, 1)

    def share(self, views: Views) -> float:
        """The share of pairs that agree in some columns, as they are seen."""
        columns, how = zip(*views, strict=True)
        counts = np.unique(
            hash_rows([c.ours[self.rows] for c in columns], how), return_counts=True
        )[1]
        return alike(counts) / self.pairs


#: the width of a cell, in standard deviations, and how many grids of other columns there are
CELL, GRIDS = 0.3, 4
#: pairs further apart than this in any column are not kept: four times the widest radius of copies
FURTHEST = 0.12
#: the share of pairs that are nearest, from which smaller distances are foretold
NEAREST = 1e-3


def noisy_pairs(sides: Sides, *, least: int, seed: int = 0) -> Pairs | None:
    """Pairs of rows that differ, each column by little; None: fewer measured columns than least.

    Distances are the largest of any column, in spreads. Near rows share a cell of a grid in
    most cases, and of one of several grids in nearly all.
    """
    if len(sides.measured) < least:
        return None
    rng, sample = np.random.default_rng(seed), _Sample(sides)
    grids = [_grid(sides, sample, rng) for _ in range(GRIDS)]
    gaps = [partial(_gap, column, sides.spread(column)) for column in sides.columns]
    pairs = _pairs_in_cells(
        sides,
        (sides.hashes(views) for views, _ in grids),
        partial(_compared, gaps, np.maximum, FURTHEST),
    )
    is_cut = any(share > 10 * sample.allowed for _, share in grids)
    return Pairs(pairs.ours, pairs.theirs, pairs.distance, _chance_of_noise(sides), is_cut=is_cut)


def _grid(sides: Sides, sample: _Sample, rng: np.random.Generator) -> tuple[Views, float]:
    """As many columns, on a grid, as keep cells small; and the share of pairs that share one."""
    views: list[Any] = []
    share = 1.0
    for index in rng.permutation(len(sides.columns)):
        column, shift = sides.columns[index], float(rng.random())
        spread = sides.spread(column)
        views.append((column, partial(_cell, spread, shift) if spread else None))
        share = sample.share(views)
        if share <= sample.allowed and len(views) >= 2:
            break
    return views, share


def _cell(spread: float, shift: float, values: NDArray[Any]) -> NDArray[Any]:
    cells: NDArray[Any] = np.floor(values * (1 / (CELL * spread)) + shift)
    return cells


def _gap(column: SideColumn, spread: float, ours: Numbers, theirs: Numbers) -> NDArray[np.float64]:
    """How far rows are apart in a column; without a spread, values must agree."""
    same = column.agrees(ours, theirs)
    if not spread:
        return np.where(same, 0.0, np.inf)
    gap: NDArray[np.float64] = (
        np.abs(column.ours[ours].astype(float) - column.theirs[theirs]) / spread
    )
    gap[same] = 0.0
    gap[np.isnan(gap)] = np.inf
    return gap


def _chance_of_noise(sides: Sides, seed: int = 0) -> Callable[[float], float]:
    """The expected number of chance pairs within a distance.

    The share of pairs within a distance falls with the distance to the power of the dimension
    that the rows really fill; half of that power is taken, to be on the safe side.
    """
    chosen = np.random.default_rng(seed).permutation(sides.rows[0])[:CHANCE_ROWS]
    first, second = np.triu_indices(len(chosen), 1)
    distance, agrees = np.zeros(len(first)), np.ones(len(first), bool)
    for column in sides.columns:
        values = column.ours[chosen]
        if spread := sides.spread(column):
            gap = np.abs(values[first].astype(float) - values[second]) / spread
            np.fmax(distance, gap, out=distance)
        else:
            agrees &= values[first] == values[second]
    size = len(distance)
    low = min(max(20, int(NEAREST * size)), size - 1)
    high = min(10 * low, size - 1)
    nearer, farther = np.partition(distance, (low, high))[[low, high]]
    if not 0 < nearer < farther:
        return lambda _: sides.pairs
    power = np.log((high + 1) / (low + 1)) / np.log(farther / nearer) / 2
    names = max(int(agrees.sum()), 1) / size

    def expected(radius: float) -> float:
        share = (low + 1) / size * min(radius / nearer, 1.0) ** power
        return float(sides.pairs * names * share)

    return expected


#: blocks of columns, of which one agrees wholly if fewer columns than blocks differ
MOST_BLOCKS = 8
#: where all columns are needed to tell rows apart, so many are left out in turn
LEFT_OUT = 12
#: a share of the columns that may differ in copies, and how many: blocks find no more for sure
ALTERED, MOST_ALTERED = 0.25, MOST_BLOCKS - 1
#: pairs that are not few
NOT_FEW = 20


def altered_pairs(sides: Sides, *, seed: int = 0) -> Pairs | None:
    """Pairs of rows that agree in all columns but a few; None where rows are hardly told apart.

    Distances are numbers of columns that differ.
    """
    varied = Sides([c for c in sides.columns if _varies(c.ours)], sides.is_same)
    blocks = _blocks(varied, np.random.default_rng(seed)) if varied.columns else []
    if not blocks:
        return None
    most = most_altered(len(varied.columns))
    far = 2 * most + 1
    gaps = [partial(_differs, column) for column in varied.columns]
    pairs = _pairs_in_cells(
        varied,
        (varied.hashes([(c, None) for c in block]) for block in blocks),
        partial(_compared, gaps, np.add, far),
    )
    expected = np.zeros(far + 1)
    if (pairs.distance <= most).any():
        expected = _chance_of_altered(varied, far)
    return Pairs(
        pairs.ours,
        pairs.theirs,
        pairs.distance,
        lambda limit: float(expected[int(limit)]),
        len(varied.columns),
    )


def most_altered(columns: int) -> int:
    """In how many of some columns copies may differ."""
    return min(max(1, int(ALTERED * columns)), MOST_ALTERED)


def _varies(values: NDArray[Any]) -> bool:
    return len(values) > 0 and not bool((values == values[0]).all())


def _differs(column: SideColumn, ours: Numbers, theirs: Numbers) -> NDArray[np.bool_]:
    return ~column.agrees(ours, theirs)


def _blocks(sides: Sides, rng: np.random.Generator) -> list[list[SideColumn]]:
    """Columns in blocks, each of which tells most rows apart; none: all together do not."""
    sample = _Sample(sides)
    blocks: list[list[SideColumn]] = []
    block: list[SideColumn] = []
    for index in rng.permutation(len(sides.columns)).tolist():
        block.append(sides.columns[index])
        if sample.share([(column, None) for column in block]) <= sample.allowed:
            blocks.append(block)
            block = []
            if len(blocks) == MOST_BLOCKS:
                return blocks
    if len(blocks) != 1:
        return blocks
    # one block tells rows apart only with most of its columns: each is left out in turn
    every = [*blocks[0], *block]
    return [[c for c in every if c is not left] for left in every[:LEFT_OUT] if len(every) > 1]


def _chance_of_altered(sides: Sides, far: int) -> NDArray[np.float64]:
    """How many pairs differ in 0, 1, ... columns or fewer by chance, foretold from a sample.

    Where numbers of pairs get few, they fall on from there as they do if columns agree
    independently: ever faster. In one table the sample has copies, which are passed over.
    """
    columns = len(sides.columns)
    chosen = np.random.default_rng(1).permutation(sides.rows[0])[:CHANCE_ROWS]
    table = np.zeros((len(chosen), len(chosen)), np.int32)
    for column in sides.columns:
        values = column.ours[chosen].astype(float)
        values[np.isnan(values)] = np.inf
        table += values[:, None] != values[None, :]
    different = table[np.triu_indices(len(chosen), 1)]
    counts = np.bincount(different, minlength=columns + 2).astype(float)
    least = int(np.flatnonzero(counts >= min(NOT_FEW, counts.max()))[0])
    above = least if least == columns or not sides.is_same or least - 1 > far else least + 1
    # of pairs that differ in one column fewer there are so many times as many
    ratio = (counts[above - 1] + (above == least)) / max(counts[above], 1.0) if above else 1.0
    odds = ratio * (columns - above + 1) / max(above, 1)
    expected = np.empty(far + 1)
    for many in range(far + 1):
        steps = np.arange(many + 1, least + 1)
        ratios = np.minimum(odds * steps / (columns - steps + 1), 0.9)
        is_counted = many >= least
        expected[many] = counts[: many + 1].sum() if is_counted else counts[least] * ratios.prod()
    return 2 * expected * sides.pairs / len(different)


@dataclass(frozen=True, slots=True)
class Rounding:
    """So many digits after the point, or so many significant ones."""

    digits: int
    is_significant: bool

    def __str__(self) -> str:
        return f"to {self.digits} {'significant digits' if self.is_significant else 'decimals'}"

    def __call__(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """The values, rounded."""
        values = np.asarray(values, float)
        if not self.is_significant:
            rounded: NDArray[np.float64] = np.round(values, self.digits)
            return rounded
        with np.errstate(all="ignore"):
            power = self.digits - 1 - np.floor(np.log10(np.abs(values)))
            # quotients by whole powers of ten are those that a number is read as
            up, down = np.power(10.0, np.maximum(power, 0)), np.power(10.0, np.maximum(-power, 0))
            rounded = np.rint(values * up / down) * down / up
        return np.where(np.isfinite(rounded), rounded, values)


#: decimals, and significant digits, to which rows may have been rounded
ROUNDINGS = (
    *(Rounding(digits, is_significant=False) for digits in (4, 3, 2, 1, 0)),
    *(Rounding(digits, is_significant=True) for digits in (4, 3, 2)),
)
#: what leaves no room for significant digits, where all rows are so already
ENOUGH = Rounding(2, is_significant=False)
#: rows of each side by which equal rows are foretold
FEW_ROWS = 2000


def rounded_pairs(sides: Sides, *, least: int) -> tuple[Pairs, Rounding] | None:
    """Rows of ours and of theirs that are equal once one of them is rounded, and how it was.

    One of the two must have these digits already and the other more; at least so many columns
    must be measured. Names, and numbers of few values, must agree as they are.
    """
    is_coarse = False
    for rounding in ROUNDINGS if len(sides.measured) >= least else ():
        # numbers of few decimals have few digits by themselves
        if is_coarse and rounding.is_significant:
            break
        rounded = [_are_rounded([getattr(c, s) for c in sides.measured], rounding) for s in _BOTH]
        if all(rows.all() for rows, _ in rounded):
            is_coarse |= rounding == ENOUGH
            continue
        ours, theirs = (rows & (many >= least) for rows, many in rounded)
        if not ours.any() and not theirs.any():
            continue
        views = [(c, rounding if sides.spread(c) else None) for c in sides.columns]
        pairs = _pairs_in_cells(sides, [sides.hashes(views)], partial(_one_is, ours, theirs))
        if len(pairs.ours):
            expected = _equal_by_chance(sides, views)
            if expected <= CHANCE * len(np.unique(pairs.theirs)):
                return pairs, rounding
    return None


_BOTH = ("ours", "theirs")


def _are_rounded(
    columns: list[NDArray[Any]], rounding: Rounding
) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
    """Which rows have no more digits than these in any column; how many are not 0."""
    are = np.ones(len(columns[0]), bool)
    many = np.zeros(len(are), np.int32)
    for column in columns:
        rows = np.flatnonzero(are)
        if not len(rows):
            break
        values = np.asarray(column[rows], float)
        off = np.abs(rounding(values) - values) > 1e-9 * np.abs(values)
        are[rows[off]] = False
        many[rows] += values != 0
    return are, many


def _one_is(
    first: NDArray[np.bool_], second: NDArray[np.bool_], ours: Numbers, theirs: Numbers
) -> tuple[Numbers, Numbers, NDArray[Any]]:
    """The pairs of which one row was rounded already and one not."""
    kept = first[ours] != second[theirs]
    return ours[kept], theirs[kept], np.zeros(int(kept.sum()))


def _equal_by_chance(sides: Sides, views: Views) -> float:
    """How many rows are equal by chance as they are seen."""
    rng = np.random.default_rng(0)
    ours, theirs = (rng.permutation(rows)[:FEW_ROWS] for rows in sides.rows)
    few = [
        SideColumn(
            c.name,
            view(c.ours[ours]) if view else c.ours[ours],
            view(c.theirs[theirs]) if view else c.theirs[theirs],
            c.is_nominal,
        )
        for c, view in views
    ]
    return expected_equal(few, sides.pairs)


#: with fewer columns that are not 0, rows are in proportion by chance
FEW_COLUMNS = 6
#: ratios of columns by which candidates are found, and how exact they and the factor must be
RATIOS, DIGITS, EXACT = 3, 5, 1e-6
#: a factor this near to 1 makes near copies, which are found as such
NEAR_ONE = 1e-3


def scaled_pairs(sides: Sides) -> Pairs | None:
    """Rows of ours and of theirs whose measured columns are in one proportion, not 1.

    Other columns must agree. Only rows that are 0 in no measured column are looked at.
    """
    measured = sides.measured
    if len(measured) < FEW_COLUMNS:
        return None
    places = np.linspace(0, len(measured) - 1, 2 * RATIOS).astype(int).reshape(-1, 2).tolist()
    ours, theirs = (
        hash_rows([_ratio(getattr(measured[a], s), getattr(measured[b], s)) for a, b in places])
        for s in _BOTH
    )
    return _pairs_in_cells(sides, [(ours, theirs)], partial(_in_proportion, sides))


def _ratio(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.float64]:
    """The ratio to a few digits; a number of its own for each row where there is none."""
    with np.errstate(all="ignore"):
        ratio = np.asarray(first, float) / second
        size = np.power(10.0, DIGITS - 1 - np.floor(np.log10(np.abs(ratio))))
        rounded: NDArray[np.float64] = np.rint(ratio * size) / size
    lacks = ~np.isfinite(rounded)
    rounded[lacks] = -1e300 - np.arange(int(lacks.sum())) * 1e290
    return rounded


def _in_proportion(
    sides: Sides, ours: Numbers, theirs: Numbers
) -> tuple[Numbers, Numbers, NDArray[Any]]:
    first = sides.measured[0]
    with np.errstate(all="ignore"):
        factor = first.theirs[theirs] / first.ours[ours].astype(float)
        kept = np.isfinite(factor) & (np.abs(factor - 1) > NEAR_ONE) & (factor != 0)
        ours, theirs, factor = ours[kept], theirs[kept], factor[kept]
        for column in sides.columns:
            own, other = column.ours[ours], column.theirs[theirs]
            if sides.spread(column):
                kept = (own != 0) & (np.abs(other / (own * factor) - 1) < EXACT)
            else:
                kept = own == other
            ours, theirs, factor = ours[kept], theirs[kept], factor[kept]
    return ours, theirs, np.zeros(len(ours))
