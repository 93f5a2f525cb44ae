"""Four views of rows of which one may be a changed copy of the other.

Times a number, with a little noise, with fewer digits, with a few values changed. A view lays both
sides on cells, by hashes of some columns as it sees them; rows of one cell are compared column by
column, and what remains is held against what chance brings about.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.auditing.check import Unseen
from heldout.auditing.coincidence import expected_equal
from heldout.auditing.side_columns import PAIRS, SideColumn, Sides, alike, hash_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.auditing.side_columns import Gap, Pairs
    from heldout.core.arrays import Array, Booleans, Floats, Integers

    #: columns, and how their values are seen; None: as they are
    Columns = Sequence[tuple[SideColumn, Callable[[Array], Array] | None]]

#: with fewer measured columns rows are near each other by chance
FEW_COLUMNS = 4
#: how many more rows may have a neighbour within a wider limit, and chance neighbours that may be
#: expected for each row that is called a copy
GROWTH, CHANCE = 1.5, 0.01


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Pairs as a view sees them, and within which distance one row may be a copy of the other."""

    pairs: Pairs
    #: how copies within a limit belong together; braces stand for the other row
    words: Callable[[Pairs, float], str]
    #: how far copies may be apart, from the widest limit on, and a limit that is wider still
    limits: Iterable[float] = (1.0,)
    wider: Callable[[float], float] = float
    #: how many pairs are expected by chance within a limit
    expected: Callable[[float], float] = lambda _: 0.0
    #: a limit within which rows nearly agree, and how that is said where it may be chance
    near: tuple[float, str] | None = None

    def limit_of_copies(self) -> float:
        """The widest limit within which rows have copies and no chance neighbours; 0: none.

        Chance neighbours get many more as the limit widens, whatever the columns are like: in
        proportion even if all columns are one in disguise. Copies stay as many.
        """
        order = np.lexsort((self.pairs.distance, self.pairs.theirs))
        is_first = np.diff(self.pairs.theirs[order], prepend=-1) > 0
        nearest = np.sort(self.pairs.distance[order][is_first])
        for limit in self.limits:
            within, about = np.searchsorted(nearest, (limit, self.wider(limit)), "right").tolist()
            if within and about <= GROWTH * within and self.expected(limit) <= CHANCE * within:
                return limit
        return 0.0


#: rows by which the number of pairs in shared cells is foretold
SAMPLE = 20_000
#: rows of the sample, all pairs of which say what is to be expected by chance
CHANCE_ROWS = 1000


def views_of(sides: Sides) -> Iterator[View | Unseen]:
    """The pairs of rows as each view sees them, or why it cannot."""
    measured = len(sides.measured)
    if measured >= FEW_SCALED:
        yield _scaled(sides)
    if measured >= FEW_COLUMNS:
        yield from _noisy(sides)
        yield from _rounded(sides)
    else:
        yield Unseen(
            f"fewer than {FEW_COLUMNS} columns hold measured numbers: copies with a little noise "
            "or fewer digits were not searched for"
        )
    yield _altered(sides)


def _gap(column: SideColumn, spread: float, ours: Integers, theirs: Integers) -> Floats:
    """How far rows are apart in a column; without a spread, values must agree."""
    same = column.agrees(ours, theirs)
    if not spread:
        return np.where(same, 0.0, np.inf)
    gap: Floats = np.abs(column.ours[ours].astype(float) - column.theirs[theirs]) / spread
    gap[same] = 0.0
    gap[np.isnan(gap)] = np.inf
    return gap


def _some_pairs(sides: Sides, seed: int) -> tuple[Integers, Integers]:
    """All pairs of some rows of ours, which say what is to be expected by chance."""
    chosen = np.random.default_rng(seed).permutation(sides.rows[0])[:CHANCE_ROWS]
    first, second = np.triu_indices(len(chosen), 1)
    return chosen[first], chosen[second]


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

    def share(self, columns: Columns) -> float:
        """The share of pairs that agree in some columns, as they are seen."""
        values, how = [column.ours[self.rows] for column, _ in columns], [see for _, see in columns]
        return alike(hash_rows(values, how)) / self.pairs


#: with fewer columns that are not 0, rows are in proportion by chance
FEW_SCALED = 6
#: ratios of columns by which candidates are found, and how exact they and the factor must be
RATIOS, DIGITS, EXACT = 3, 5, 1e-6
#: a factor this near to 1 makes near copies, which are found as such
NEAR_ONE = 1e-3


def _scaled(sides: Sides) -> View:
    """Rows whose measured columns are in one proportion, not 1, and whose others agree.

    Only rows that are 0 in no measured column are looked at.
    """
    measured = sides.measured
    places = np.linspace(0, len(measured) - 1, 2 * RATIOS).astype(int).reshape(-1, 2).tolist()
    ours, theirs = (
        hash_rows([_ratio(getattr(measured[a], s), getattr(measured[b], s)) for a, b in places])
        for s in BOTH
    )

    def factor(ours: Integers, theirs: Integers) -> Array:
        return np.asarray(measured[0].theirs[theirs] / measured[0].ours[ours].astype(float))

    def is_scaled(ours: Integers, theirs: Integers) -> Array:
        by = factor(ours, theirs)
        is_another = np.isfinite(by) & (np.abs(by - 1) > NEAR_ONE) & (by != 0)
        return np.where(is_another, 1.0, np.inf)

    def in_proportion(column: SideColumn, ours: Integers, theirs: Integers) -> Array:
        own, other = column.ours[ours], column.theirs[theirs]
        off = np.abs(other / (own * factor(ours, theirs)) - 1)
        return np.where((own != 0) & (off < EXACT), 0.0, np.inf)

    gaps = [
        partial(in_proportion, c) if sides.spread(c) else partial(_gap, c, 0.0)
        for c in sides.columns
    ]
    return View(
        sides.match([(ours, theirs)], [is_scaled, *gaps]),
        lambda _, limit: "are {} multiplied by a number, in all measured columns",
    )


#: the rows of each side
BOTH = ("ours", "theirs")


def _ratio(first: Array, second: Array) -> Floats:
    """The ratio to a few digits; a number of its own for each row where there is none."""
    ratio = np.asarray(first, float) / second
    size = np.power(10.0, DIGITS - 1 - np.floor(np.log10(np.abs(ratio))))
    rounded = np.asarray(np.rint(ratio * size) / size, float)
    lacks = ~np.isfinite(rounded)
    rounded[lacks] = -1e300 - np.arange(int(lacks.sum())) * 1e290
    return rounded


#: how near copies may be, in standard deviations of every column, from the widest, and how many
#: times that radius holds many more chance neighbours
RADII, WIDER = (0.03, 0.01, 0.003, 0.001), 4
#: the width of a cell, in standard deviations, and how many grids of other columns there are
CELL, GRIDS = 0.3, 4
#: the share of pairs that are nearest, from which smaller distances are foretold
NEAREST = 1e-3


def _noisy(sides: Sides) -> Iterator[View | Unseen]:
    """Rows that differ in each column by little: the largest gap of any column, in spreads.

    Near rows share a cell of a grid in most cases, and of one of several grids in nearly all.
    """
    rng, sample = np.random.default_rng(0), _Sample(sides)
    grids = [_grid(sides, sample, rng) for _ in range(GRIDS)]
    pairs = sides.match(
        (sides.hashes(columns) for columns, _ in grids),
        [partial(_gap, column, sides.spread(column)) for column in sides.columns],
        WIDER * RADII[0],
    )
    if any(share > 10 * sample.allowed for _, share in grids):
        yield Unseen("rows are too similar for all pairs to be compared; only some were compared")
    within = "within {:g}% of the spread of every column"
    yield View(
        pairs,
        lambda _, radius: f"agree with {{}} {within.format(100 * radius)}, without being copies",
        RADII,
        lambda radius: WIDER * radius,
        lambda radius: _chance_of_noise(sides, radius),
        (RADII[0], within.format(100 * RADII[0])),
    )


def _grid(sides: Sides, sample: _Sample, rng: np.random.Generator) -> tuple[Columns, float]:
    """As many columns, on a grid, as keep cells small; and the share of pairs that share one."""
    columns: list[Any] = []
    share = 1.0
    for index in rng.permutation(len(sides.columns)):
        column, shift = sides.columns[index], float(rng.random())
        spread = sides.spread(column)
        columns.append((column, partial(_cell, spread, shift) if spread else None))
        share = sample.share(columns)
        if share <= sample.allowed and len(columns) >= 2:
            break
    return columns, share


def _cell(spread: float, shift: float, values: Array) -> Array:
    return np.asarray(np.floor(values * (1 / (CELL * spread)) + shift))


def _chance_of_noise(sides: Sides, radius: float) -> float:
    """The expected number of chance pairs within a distance.

    The share of pairs within a distance falls with the distance to the power of the dimension
    that the rows really fill; half of that power is taken, to be on the safe side.
    """
    first, second = _some_pairs(sides, seed=0)
    distance, agrees = np.zeros(len(first)), np.ones(len(first), bool)
    for column in sides.columns:
        values = column.ours
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
        return sides.pairs
    power = np.log((high + 1) / (low + 1)) / np.log(farther / nearer) / 2
    names = max(int(agrees.sum()), 1) / size
    return float(sides.pairs * names * (low + 1) / size * min(radius / nearer, 1.0) ** power)


@dataclass(frozen=True, slots=True)
class Rounding:
    """So many digits after the point, or so many significant ones."""

    digits: int
    is_significant: bool

    def __str__(self) -> str:
        return f"to {self.digits} {'significant digits' if self.is_significant else 'decimals'}"

    def __call__(self, values: Array) -> Floats:
        """The values, rounded."""
        values = np.asarray(values, float)
        if not self.is_significant:
            return np.asarray(np.round(values, self.digits))
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


def _rounded(sides: Sides) -> Iterator[View]:
    """Rows that are equal once one of them is rounded, by the first rounding that finds copies.

    One of the two must have these digits already and the other more. Names, and numbers of few
    values, must agree as they are.
    """
    is_coarse = False
    for rounding in ROUNDINGS:
        # numbers of few decimals have few digits by themselves
        if is_coarse and rounding.is_significant:
            break
        rounded = [_are_rounded([getattr(c, s) for c in sides.measured], rounding) for s in BOTH]
        if all(rows.all() for rows, _ in rounded):
            is_coarse |= rounding == ENOUGH
            continue
        ours, theirs = (rows & (many >= FEW_COLUMNS) for rows, many in rounded)
        if not ours.any() and not theirs.any():
            continue
        view = _rounded_by(rounding, sides, partial(_one_is, ours, theirs))
        if view.limit_of_copies():
            yield view
            return


def _rounded_by(rounding: Rounding, sides: Sides, one_is: Gap) -> View:
    """Rows that are equal once they are rounded, of which one was so already."""
    columns: Columns = [(c, rounding if sides.spread(c) else None) for c in sides.columns]
    return View(
        sides.match([sides.hashes(columns)], [one_is]),
        lambda _, limit: f"are equal to {{}} after one of the two is rounded {rounding}",
        expected=lambda _: expected_equal(sides.columns, sides.pairs, [see for _, see in columns]),
    )


def _are_rounded(columns: list[Array], rounding: Rounding) -> tuple[Booleans, NDArray[np.int32]]:
    """Which rows have no more digits than these in any column; how many are not 0."""
    are = np.ones(len(columns[0]), bool)
    many = np.zeros(len(are), np.int32)
    for column in columns:
        rows = np.flatnonzero(are)
        values = np.asarray(column[rows], float)
        off = np.abs(rounding(values) - values) > 1e-9 * np.abs(values)
        are[rows[off]] = False
        many[rows] += values != 0
    return are, many


def _one_is(first: Booleans, second: Booleans, ours: Integers, theirs: Integers) -> Floats:
    """Whether one of the rows was rounded already and one not."""
    return np.where(first[ours] != second[theirs], 1.0, np.inf)


#: blocks of columns, of which one agrees wholly if fewer columns than blocks differ
MOST_BLOCKS = 8
#: where all columns are needed to tell rows apart, so many are left out in turn
LEFT_OUT = 12
#: a share of the columns that may differ in copies, and how many: blocks find no more for sure
ALTERED, MOST_ALTERED = 0.25, MOST_BLOCKS - 1
#: pairs that are not few
NOT_FEW = 20


def _altered(sides: Sides) -> View | Unseen:
    """Rows that agree in all columns but a few: distances are numbers of columns that differ."""
    varied = Sides([c for c in sides.columns if _varies(c.ours)], sides.is_same)
    blocks = _blocks(varied, np.random.default_rng(0)) if varied.columns else []
    if not blocks:
        return Unseen("values are too coarse to tell copies with changed values from coincidences")
    count = len(varied.columns)
    most = min(max(1, int(ALTERED * count)), MOST_ALTERED)
    far = 2 * most + 1
    pairs = varied.match(
        (varied.hashes([(c, None) for c in block]) for block in blocks),
        [partial(_differs, column) for column in varied.columns],
        far,
        np.add,
    )
    chance = cache(partial(_chance_of_altered, varied, far))

    def words(copies: Pairs, _: float) -> str:
        many = int(copies.distance.max())
        differing = f"1 to {many}" if many > 1 else "one"
        return f"agree exactly with {{}} in all but {differing} of {count} columns"

    return View(
        pairs,
        words,
        range(most, 0, -1),
        lambda limit: 2 * limit + 1,
        lambda limit: float(chance()[int(limit)]),
        (1, "in all columns but one"),
    )


def _varies(values: Array) -> bool:
    return len(values) > 0 and not bool((values == values[0]).all())


def _differs(column: SideColumn, ours: Integers, theirs: Integers) -> Booleans:
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


def _chance_of_altered(sides: Sides, far: int) -> Floats:
    """How many pairs differ in 0, 1, ... columns or fewer by chance, foretold from a sample.

    Where numbers of pairs get few, they fall on from there as they do if columns agree
    independently: ever faster. In one table the sample has copies, which are passed over.
    """
    columns = len(sides.columns)
    first, second = _some_pairs(sides, seed=1)
    different = np.zeros(len(first), np.int64)
    for column in sides.columns:
        different += _differs(replace(column, theirs=column.ours), first, second)
    counts = np.bincount(different, minlength=columns + 2).astype(float)
    # from the most frequent number of differences down to where pairs are few; any that follow
    # below that gap are copies, not chance
    most = int(counts.argmax())
    is_few = counts[:most] < NOT_FEW
    least = int(np.flatnonzero(is_few)[-1]) + 1 if is_few.any() else 0
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
