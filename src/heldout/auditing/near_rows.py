"""K02: test rows that are nearly copies of training rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.check import check, sides, too_large
from heldout.auditing.finding import Seen, Unseen, listed_rows, not_compared
from heldout.auditing.near_pairs import (
    altered_pairs,
    most_altered,
    noisy_pairs,
    rounded_pairs,
    scaled_pairs,
)
from heldout.auditing.side_columns import Sides, few_compared, incomparable, side_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from heldout.auditing.material import Material
    from heldout.auditing.near_pairs import Pairs
    from heldout.datasets.dataset import Dataset
    from heldout.procedures.splits import Split

    #: pairs, and how they belong together; braces stand for the other row
    Near = tuple[Pairs, str]

#: with fewer measured columns rows are near each other by chance
FEW_COLUMNS = 4
#: how near copies may be, in standard deviations of every column, from the widest
RADII = (0.03, 0.01, 0.003, 0.001)
#: a radius within which chance neighbours are many more
WIDER = 4


@check(
    "K02",
    "near-duplicates of training rows in the test set",
    "warning",
    why="A model has practically seen copies with a little noise, fewer digits or a changed value.",
    fix="Keep such rows together ({group}), or remove them from one side.",
    needs=sides,
    by_split=True,
)
def near_rows(material: Material) -> Iterator[Seen | Unseen]:
    """Rows that agree with a row of the other side almost: with noise, rounded, scaled, altered."""
    if large := too_large(material, is_all=True):
        yield large
        return
    if material.sides is not None:
        yield from _of_tables(*material.sides)
    if material.parts is not None:
        yield from _of_splits(material, material.parts[0])


def _of_tables(train: Dataset, test: Dataset) -> Iterator[Seen | Unseen]:
    columns, _ = side_columns(train, test)
    clashing = incomparable(train, test)
    few = few_compared(columns, train, test)
    if few and len(columns) >= FEW_COLUMNS:
        yield Unseen(few, is_all=True)
    elif clashing and len(columns) >= FEW_COLUMNS:
        yield Unseen(not_compared(clashing))
    for near in _near_copies(Sides(columns)):
        if isinstance(near, Unseen):
            yield near
            continue
        pairs, relation = near
        rows = np.unique(pairs.theirs)
        yield Seen(
            f"{len(rows):,} of {len(test):,} test rows {relation.format('a training row')} (test "
            f"{listed_rows(rows)})",
            rows=rows,
        )


def _of_splits(material: Material, data: Dataset) -> Iterator[Seen | Unseen]:
    columns, _ = side_columns(data, data)
    for near in _near_copies(Sides(columns, is_same=True)):
        if isinstance(near, Unseen):
            yield near
        else:
            yield from _parted(material, data, *near)


def _parted(material: Material, data: Dataset, pairs: Pairs, relation: str) -> Iterator[Seen]:
    """What is said of pairs of rows if a split has one in training and the other in test."""

    def parted(split: Split) -> int:
        side = np.zeros(len(data), np.int8)
        side[split.train], side[split.test] = 1, 2
        return int((side[pairs.ours] * side[pairs.theirs] == 2).sum())

    worst = material.worst_split(parted)
    if worst is not None:
        rows = np.unique(np.concatenate([pairs.ours, pairs.theirs]))
        yield Seen(
            f"{len(rows):,} of {len(data):,} rows {relation.format('another row')} ("
            f"{listed_rows(rows)}); {int(worst.size):,} such "
            f"{'pairs are' if worst.size > 1 else 'pair is'} split between training and test",
            worst.name,
            rows,
        )


def _near_copies(sides: Sides) -> Iterator[Near | Unseen]:
    """Near copies of all kinds, and what could not be looked at."""
    if len(sides.columns) < FEW_COLUMNS:
        yield Unseen(
            f"rows of fewer than {FEW_COLUMNS} columns are near each other by chance (there are "
            f"{len(sides.columns)})",
            is_all=True,
        )
        return
    scaled = scaled_pairs(sides)
    if scaled is not None and len(scaled.ours):
        yield scaled, "are {} multiplied by a number, in all measured columns"
    yield from _noisy(sides)
    yield from _altered(sides)


def _noisy(sides: Sides) -> Iterator[Near | Unseen]:
    pairs = noisy_pairs(sides, least=FEW_COLUMNS)
    if pairs is None:
        yield Unseen(
            f"fewer than {FEW_COLUMNS} columns hold measured numbers: copies with a little noise "
            "or fewer digits were not searched for"
        )
        return
    if pairs.is_cut:
        yield Unseen("rows are too similar for all pairs to be compared; only some were compared")
    radius = pairs.limit_of_copies(RADII, lambda limit: WIDER * limit)
    if radius:
        relation = (
            f"agree with {{}} within {100 * radius:g}% of the spread of every column, without"
        )
        yield pairs.within(radius), f"{relation} being copies"
    else:
        alike = pairs.within(RADII[0]).theirs
        yield from _by_chance(alike, f"within {100 * RADII[0]:g}% of the spread of every column")
    rounded = rounded_pairs(sides, least=FEW_COLUMNS)
    if rounded is not None:
        yield rounded[0], f"are equal to {{}} after one of the two is rounded {rounded[1]}"


def _altered(sides: Sides) -> Iterator[Near | Unseen]:
    pairs = altered_pairs(sides)
    if pairs is None:
        yield Unseen("values are too coarse to tell copies with changed values from coincidences")
        return
    limits = range(most_altered(pairs.columns), 0, -1)
    most = pairs.limit_of_copies(limits, lambda limit: 2 * limit + 1)
    if most:
        copies = pairs.within(most)
        many = int(copies.distance.max())
        differing = f"1 to {many}" if many > 1 else "one"
        yield copies, f"agree exactly with {{}} in all but {differing} of {pairs.columns} columns"
    else:
        yield from _by_chance(pairs.within(1).theirs, "in all columns but one")


def _by_chance(rows: NDArray[np.int64], relation: str) -> Iterator[Unseen]:
    """How many rows nearly agree with another where that may be chance."""
    if len(rows):
        count = len(np.unique(rows))
        yield Unseen(f"{count:,} rows agree with another {relation}, which may be coincidences")
