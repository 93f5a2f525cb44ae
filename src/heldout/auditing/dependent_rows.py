"""K03 and K04: groups on both sides of a split, and training rows later than the test rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.check import SIDES, Seen, Unseen, check, name_of, sides, some, too_large
from heldout.auditing.unit_columns import are_known, unit_columns
from heldout.core.dialect import argument
from heldout.datasets.quantities import in_days

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.auditing.material import Material
    from heldout.auditing.side_columns import SideColumn
    from heldout.auditing.unit_columns import UnitColumn
    from heldout.core.arrays import Array, Booleans, Integers
    from heldout.procedures.splits import Split
    from heldout.tables.column import Column

NO_GROUP = "needs a group column (a patient, a user)"


def _needs(material: Material, role: str, lacking: str) -> str:
    """What training and test rows with a group, or a time, are lacking."""
    if sides(material):
        return SIDES
    of_tables = material.sides is not None and all(
        getattr(side, role) is not None for side in material.sides
    )
    of_splits = material.parts is not None and getattr(material.parts[0], role) is not None
    return "" if of_tables or of_splits else lacking


@check(
    "K03",
    "groups in both training and test rows",
    "error",
    why=(
        "Rows of a group (a patient, a user) resemble each other, so a model that has seen some "
        "of them is tested on what it partly knows."
    ),
    fix="Split by group ({group} with a grouped procedure), or test on new groups.",
    needs=sides,
    by_split=True,
)
def shared_groups(material: Material) -> Iterator[Seen | Unseen]:
    """Groups that train and test alike; where none are given, units that seem to."""
    units = _guessed(material)
    if not units and (lacking := _needs(material, "group", NO_GROUP)):
        yield Unseen(lacking, is_all=True)
    if material.sides is not None:
        train, test = material.sides
        if train.group is not None and test.group is not None:
            yield from _of_tables(train.group, test.group)
    if material.parts is not None and material.parts[0].group is not None:
        yield from _of_splits(material, material.parts[0].group)
    for unit in units:
        yield from _of_units(material, unit)


def _guessed(material: Material) -> list[UnitColumn]:
    """The columns that seem to name groups, where nobody says which rows belong together.

    In time order, rows of a unit that is known may well be those to be foretold.
    """
    train, test = material.sides or (material.data, material.data)
    if train is None or test is None:
        return []
    if any(side.group is not None or side.time is not None for side in (train, test)):
        return []
    is_large = too_large(material, is_all=True) is not None
    return unit_columns(train, test, by_name_only=is_large)


def _of_units(material: Material, unit: UnitColumn) -> Iterator[Seen]:
    """Units that training and test rows share, at worst where there are several splits."""
    column = unit.column
    shared, where, share = np.zeros(0, np.int64), "", 0.0
    if material.sides is not None:
        shared = np.flatnonzero(_are_shared(column, column.ours, column.theirs))
        share = len(shared) / len(column.theirs)

    def of_split(split: Split) -> Integers:
        ours, theirs = column.ours[split.train], column.ours[split.test]
        return split.test[_are_shared(column, ours, theirs)]

    worst = material.worst_split(lambda split: len(of_split(split)) / len(split.test))
    if worst is not None and worst.size > share:
        shared, where, share = np.sort(of_split(worst.split)), worst.name, worst.size
    if len(shared):
        yield Seen(
            f"{100 * share:.3g}% of the test rows have a value of {column.name!r} that training "
            f"rows have too; {unit.behaviour}rows of one value may depend on each other: give "
            f"{argument('group', column.name)} if so, and else {argument('ignore', column.name)}",
            where,
            shared,
            unit.severity,
            (column.name,),
        )


def _are_shared(column: SideColumn, ours: Array, theirs: Array) -> Booleans:
    return np.isin(theirs, ours) & are_known(column, theirs)


def _of_tables(ours: Column, theirs: Column) -> Iterator[Seen]:
    known = {name_of(ours.levels[code]) for code in np.unique(ours.codes)}
    names = np.array([name_of(level) for level in theirs.levels])
    present = np.unique(theirs.codes)
    both = [code for code in present.tolist() if names[code] in known]
    if both:
        rows = np.flatnonzero(np.isin(theirs.codes, both))
        yield Seen(
            f"{len(both):,} of {len(present):,} groups of the test set are in the training set too "
            f"({ours.name}: {some(names[both].tolist())}), with {len(rows):,} test rows",
            rows=rows,
        )


def _of_splits(material: Material, group: Column) -> Iterator[Seen]:
    def both(split: Split) -> Integers:
        parts = (group.codes[split.train], group.codes[split.test])
        trained, tested = (np.bincount(codes, minlength=len(group.levels)) for codes in parts)
        return np.flatnonzero(np.minimum(trained, tested))

    worst = material.worst_split(lambda split: len(both(split)))
    if worst is not None:
        codes = both(worst.split)
        names = [str(group.levels[code]) for code in codes.tolist()]
        yield Seen(
            f"groups train and test at once in {worst.faulty:,} of {material.shown_splits:,} "
            f"splits, at worst {len(codes):,} of {len(group.levels):,} ({group.name}: "
            f"{some(names)})",
            worst.name,
            np.flatnonzero(np.isin(group.codes, codes)),
        )


#: the end of a date that is at midnight
MIDNIGHT = "T00:00:00.000000"


def _needs_times(material: Material) -> str:
    trained = material.trained
    dates = [c.name for c in trained.columns if in_days(c) is not None] if trained else []
    hint = f" ({dates[0]!r} holds dates: {argument('time', dates[0])})" if dates else ""
    return _needs(material, "time", f"needs a time column{hint}")


@check(
    "K04",
    "training rows later than test rows",
    "error",
    why="In use, a model knows only the past; here some training rows are later than test rows.",
    fix="Split in time order ({procedure=time 5}), or test on rows after the last training row.",
    needs=_needs_times,
    by_split=True,
)
def backward_time(material: Material) -> Iterator[Seen]:
    """Training rows after the first test row."""
    if material.sides is not None:
        train, test = material.sides
        if train.time is not None and test.time is not None:
            first, last = test.time.min(), train.time.max()
            late = np.flatnonzero(train.time > first)
            if len(late):
                rows = some([f"{row + 1:,}" for row in late[:5]])
                yield Seen(
                    f"{len(late):,} of {len(train):,} training rows are later than the first test "
                    f"row ({_text(first)}; latest training row {_text(last)}; training rows {rows}"
                    f"{' ...' if len(late) > 5 else ''})",
                    rows=late,
                )
    if material.parts is not None and material.parts[0].time is not None:
        yield from _late_in_splits(material, material.parts[0].time)


def _late_in_splits(material: Material, times: Array) -> Iterator[Seen]:
    def late(split: Split) -> Integers:
        return split.train[times[split.train] > times[split.test].min()]

    worst = material.worst_split(lambda split: len(late(split)))
    if worst is not None:
        split, rows, first = worst.split, late(worst.split), times[worst.split.test].min()
        yield Seen(
            f"training rows are later than the first test row in {worst.faulty:,} of "
            f"{material.shown_splits:,} splits, at worst {len(rows):,} of {len(split.train):,} "
            f"training rows after {_text(first)}",
            worst.name,
            np.unique(rows),
        )


def _text(time: object) -> str:
    return str(time).removesuffix(MIDNIGHT).removesuffix(".000000")
