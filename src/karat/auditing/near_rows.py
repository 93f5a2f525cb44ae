"""K02: test rows that are nearly copies of training rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.auditing.check import check
from karat.auditing.finding import Seen, Unseen, some
from karat.auditing.needs import sides
from karat.auditing.size import too_large

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from karat.auditing.material import Material
    from karat.auditing.near_pairs import NearPairs
    from karat.datasets.dataset import Dataset

__all__ = ["near_rows", "radius_of_copies"]

#: with fewer measured columns rows are near each other by chance
FEW_COLUMNS = 4
#: how near copies may be, in standard deviations of every column, from the widest
RADII = (0.03, 0.01, 0.003, 0.001)
#: chance neighbours grow at least in proportion to the radius; copies stay as many
WIDER, GROWTH = 4, 1.5
#: chance neighbours that may be expected for each pair that is called a copy
CHANCE = 0.01


@check(
    "K02",
    "test rows that are nearly training rows",
    "warning",
    why="Copies with a little noise (augmented, rounded, measured twice) are as good as known.",
    fix="Keep such rows together (--group), or remove them from one side.",
    needs=sides,
    by_split=True,
)
def near_rows(material: Material) -> Iterator[Seen | Unseen]:
    """Rows whose numbers agree almost, but not wholly, with a row of the other side."""
    reason = too_large(material)
    if reason:
        yield Unseen(reason, is_all=True)
        return
    if material.sides is not None:
        yield from _of_tables(*material.sides)
    if material.parts is not None:
        yield from _of_splits(material)


def _of_tables(train: Dataset, test: Dataset) -> Iterator[Seen | Unseen]:
    from karat.auditing.near_pairs import near_pairs
    from karat.auditing.scaled_rows import scaled_pairs
    from karat.auditing.side_columns import side_columns

    columns, _ = side_columns(train, test)
    _, scaled = scaled_pairs(columns)
    if len(scaled):
        rows = np.unique(scaled)
        yield Seen(
            f"{len(rows):,} of {len(test):,} test rows are a training row times a number, over all "
            f"measured columns (test rows {_listed(rows)})",
            rows=tuple((rows[:100] + 1).tolist()),
        )
    pairs = near_pairs(columns, least=FEW_COLUMNS)
    if pairs is None:
        return
    yield from _cut(pairs)
    radius = radius_of_copies(pairs, pairs.theirs)
    if radius:
        rows = np.unique(pairs.theirs[pairs.distance <= radius])
        yield Seen(
            f"{len(rows):,} of {len(test):,} test rows agree with a training row within "
            f"{_spreads(radius)} of every column, without being copies (test rows {_listed(rows)})",
            rows=tuple((rows[:100] + 1).tolist()),
        )


def _of_splits(material: Material) -> Iterator[Seen | Unseen]:
    from karat.auditing.near_pairs import near_pairs
    from karat.auditing.scaled_rows import scaled_pairs
    from karat.auditing.side_columns import side_columns

    assert material.data is not None
    data = material.data
    columns, _ = side_columns(data, data)
    said = "are another row times a number, over all measured columns"
    yield from _parted(material, *scaled_pairs(columns, is_same=True), said)
    pairs = near_pairs(columns, least=FEW_COLUMNS, is_same=True)
    if pairs is None:
        return
    yield from _cut(pairs)
    radius = radius_of_copies(pairs, pairs.theirs)
    close = pairs.distance <= radius
    said = f"agree with another row within {_spreads(radius)} of every column, without being copies"
    yield from _parted(material, pairs.ours[close], pairs.theirs[close], said)


def _parted(
    material: Material, one: NDArray[np.int64], other: NDArray[np.int64], said: str
) -> Iterator[Seen]:
    """What is said of pairs of rows if a split has one in training and the other in test."""
    if not len(one):
        return
    assert material.data is not None
    data = material.data
    worst, where = 0, ""
    for split in material.each_split():
        side = np.zeros(len(data), np.int8)
        side[split.train], side[split.test] = 1, 2
        parted = int((side[one] * side[other] == 2).sum())
        if parted > worst:
            worst, where = parted, f"repeat {split.repeat}, fold {split.fold}"
    if worst:
        rows = np.unique(np.concatenate([one, other]))
        yield Seen(
            f"{len(rows):,} of {len(data):,} rows {said} (rows {_listed(rows)}); {worst:,} such "
            "pairs are parted into training and test",
            where,
            tuple((rows[:100] + 1).tolist()),
        )


def radius_of_copies(pairs: NearPairs, rows: NDArray[np.int64]) -> float:
    """The widest radius within which there are copies and no chance neighbours; 0: none.

    Chance neighbours get many more as the radius widens, whatever the columns are like: in
    proportion even if all columns are one in disguise. Copies with noise do not.
    """
    nearest: dict[int, float] = {}
    for row, distance in zip(rows.tolist(), pairs.distance.tolist(), strict=True):
        nearest[row] = min(distance, nearest.get(row, np.inf))
    distances = np.sort(np.array(list(nearest.values())))
    for radius in RADII:
        within = int(np.searchsorted(distances, radius, "right"))
        wider = int(np.searchsorted(distances, WIDER * radius, "right"))
        if within and wider <= GROWTH * within and pairs.expected(radius) <= CHANCE * within:
            return radius
    return 0.0


def _cut(pairs: NearPairs) -> Iterator[Unseen]:
    if pairs.is_cut:
        yield Unseen("rows are too much alike for all pairs to be compared: some were")


def _spreads(radius: float) -> str:
    return f"{100 * radius:g} % of the spread"


def _listed(rows: NDArray[np.int64]) -> str:
    return some([f"{row + 1:,}" for row in rows[:5]]) + (" ..." if len(rows) > 5 else "")
