"""K02: test rows that are nearly copies of training rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.check import (
    Seen,
    Unseen,
    check,
    listed_rows,
    sides,
    too_large,
)
from heldout.auditing.near_views import FEW_COLUMNS, views_of
from heldout.auditing.side_columns import Sides, not_compared, side_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.auditing.material import Material
    from heldout.auditing.side_columns import Pairs
    from heldout.datasets.dataset import Dataset
    from heldout.procedures.splits import Split


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
        data = material.parts[0]
        for near in _near_copies(Sides(side_columns(data, data)[0], is_same=True)):
            yield from [near] if isinstance(near, Unseen) else _parted(material, data, *near)


def _of_tables(train: Dataset, test: Dataset) -> Iterator[Seen | Unseen]:
    columns, _ = side_columns(train, test)
    if len(columns) >= FEW_COLUMNS and (lack := not_compared(columns, train, test, is_all=True)):
        yield lack
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


def _near_copies(sides: Sides) -> Iterator[tuple[Pairs, str] | Unseen]:
    """Near copies by each view with how they belong together, and what could not be looked at."""
    if len(sides.columns) < FEW_COLUMNS:
        yield Unseen(
            f"rows of fewer than {FEW_COLUMNS} columns are similar by chance (there are "
            f"{len(sides.columns)})",
            is_all=True,
        )
        return
    for view in views_of(sides):
        if isinstance(view, Unseen):
            yield view
        elif limit := view.limit_of_copies():
            copies = view.pairs.within(limit)
            yield copies, view.words(copies, limit)
        elif view.near and len(rows := np.unique(view.pairs.within(view.near[0]).theirs)):
            yield Unseen(
                f"{len(rows):,} rows agree with another {view.near[1]}, which may be coincidences"
            )
