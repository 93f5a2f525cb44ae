"""K02: test rows that are nearly copies of training rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.altered_rows import altered_at, altered_pairs
from heldout.auditing.check import check
from heldout.auditing.finding import Seen, Unseen, listed_rows, not_compared
from heldout.auditing.near_pairs import limit_of_copies, near_pairs
from heldout.auditing.needs import sides, too_large
from heldout.auditing.rewritten_rows import rounded_pairs, scaled_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from heldout.auditing.material import Material
    from heldout.auditing.side_columns import SideColumn
    from heldout.datasets.dataset import Dataset

__all__ = ["near_rows"]

#: with fewer measured columns rows are near each other by chance
FEW_COLUMNS = 4
#: how near copies may be, in standard deviations of every column, from the widest
RADII = (0.03, 0.01, 0.003, 0.001)
#: a radius within which chance neighbours are many more
WIDER = 4


@check(
    "K02",
    "test rows that are nearly training rows",
    "warning",
    why="Copies with a little noise, fewer digits or a changed value are as good as known.",
    fix="Keep such rows together (--group), or remove them from one side.",
    needs=sides,
    by_split=True,
)
def near_rows(material: Material) -> Iterator[Seen | Unseen]:
    """Rows that agree with a row of the other side almost: with noise, rounded, scaled, altered."""
    reason = too_large(material)
    if reason:
        yield Unseen(reason, is_all=True)
        return
    if material.sides is not None:
        yield from _of_tables(*material.sides)
    if material.parts is not None:
        yield from _of_splits(material)


def _of_tables(train: Dataset, test: Dataset) -> Iterator[Seen | Unseen]:
    from heldout.auditing.side_columns import few_compared, incomparable, side_columns

    columns, _ = side_columns(train, test)
    clashing = incomparable(train, test)
    few = few_compared(columns, train, test)
    if few and len(columns) >= FEW_COLUMNS:
        yield Unseen(few, is_all=True)
    elif clashing and len(columns) >= FEW_COLUMNS:
        yield Unseen(not_compared(clashing))
    for found in _pairs(columns):
        if isinstance(found, Unseen):
            yield found
            continue
        rows = np.unique(found.theirs)
        yield Seen(
            f"{len(rows):,} of {len(test):,} test rows {found.said.format('a training row')} (test "
            f"{listed_rows(rows)})",
            rows=tuple((rows[:100] + 1).tolist()),
        )


def _of_splits(material: Material) -> Iterator[Seen | Unseen]:
    from heldout.auditing.side_columns import side_columns

    assert material.data is not None
    columns, _ = side_columns(material.data, material.data)
    for found in _pairs(columns, is_same=True):
        if isinstance(found, Unseen):
            yield found
        else:
            yield from _parted(material, found)


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Rows of ours and of theirs that belong together, and how; braces stand for the other."""

    ours: NDArray[np.int64]
    theirs: NDArray[np.int64]
    said: str


def _pairs(columns: list[SideColumn], *, is_same: bool = False) -> Iterator[_Pairs | Unseen]:
    """Near copies of all kinds, and what could not be looked at."""
    if len(columns) < FEW_COLUMNS:
        yield Unseen(
            f"rows of fewer than {FEW_COLUMNS} columns are near each other by chance (there are "
            f"{len(columns)})",
            is_all=True,
        )
        return
    yield from _of_numbers(columns, is_same=is_same)
    altered = altered_pairs(columns, is_same=is_same)
    if altered is None:
        yield Unseen("values are too coarse to tell rows that agree in most columns from chance")
        return
    most = altered_at(altered)
    if most:
        kept = altered.different <= most
        many = int(altered.different[kept].max())
        yield _Pairs(
            altered.ours[kept],
            altered.theirs[kept],
            f"agree exactly with {{}} in all but {f'1 to {many}' if many > 1 else 'one'} of "
            f"{altered.columns} columns",
        )
    else:
        alike = altered.theirs[altered.different == 1]
        yield from _by_chance(alike, "in all columns but one")


def _by_chance(rows: NDArray[np.int64], said: str) -> Iterator[Unseen]:
    """How many rows nearly agree with another where that may be chance."""
    if len(rows):
        count = len(np.unique(rows))
        yield Unseen(f"{count:,} rows agree with another {said}, which may be coincidences")


def _of_numbers(columns: list[SideColumn], *, is_same: bool) -> Iterator[_Pairs | Unseen]:
    ours, theirs = scaled_pairs(columns, is_same=is_same)
    if len(ours):
        yield _Pairs(ours, theirs, "are {} times a number, over all measured columns")
    pairs = near_pairs(columns, least=FEW_COLUMNS, is_same=is_same)
    if pairs is None:
        yield Unseen(
            f"fewer than {FEW_COLUMNS} columns hold measured numbers: rows with a little noise, "
            "or fewer digits, were not looked for"
        )
        return
    if pairs.is_cut:
        yield Unseen("rows are too much alike for all pairs to be compared: some were")
    radius = limit_of_copies(
        pairs.theirs, pairs.distance, RADII, lambda limit: WIDER * limit, pairs.expected
    )
    if radius:
        close = pairs.distance <= radius
        said = f"agree with {{}} within {100 * radius:g} % of the spread of every column, without"
        yield _Pairs(pairs.ours[close], pairs.theirs[close], f"{said} being copies")
    else:
        alike = pairs.theirs[pairs.distance <= RADII[0]]
        yield from _by_chance(alike, f"within {100 * RADII[0]:g} % of the spread of every column")
    for one, other, how in rounded_pairs(columns, least=FEW_COLUMNS, is_same=is_same):
        yield _Pairs(one, other, f"are equal to {{}} once that, or they, are rounded {how}")


def _parted(material: Material, pairs: _Pairs) -> Iterator[Seen]:
    """What is said of pairs of rows if a split has one in training and the other in test."""
    assert material.data is not None
    data, one, other = material.data, pairs.ours, pairs.theirs
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
            f"{len(rows):,} of {len(data):,} rows {pairs.said.format('another row')} ("
            f"{listed_rows(rows)}); {worst:,} such "
            f"{'pairs are' if worst > 1 else 'pair is'} parted into training and test",
            where,
            tuple((rows[:100] + 1).tolist()),
        )
