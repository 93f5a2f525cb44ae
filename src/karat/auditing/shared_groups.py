"""K03: groups with rows on both sides of a split."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.auditing.check import check
from karat.auditing.finding import Seen, some
from karat.auditing.names import name_of
from karat.auditing.needs import groups

if TYPE_CHECKING:
    from collections.abc import Iterator

    from karat.auditing.material import Material
    from karat.predictions.table import Column

__all__ = ["shared_groups"]


@check(
    "K03",
    "groups on both sides",
    "error",
    why=(
        "Rows of a group (a patient, a user) resemble each other, so a model that has seen some "
        "of them is judged on what it half knows."
    ),
    fix="Split by group (--group with a grouped procedure), or judge on groups never seen.",
    needs=groups,
    by_split=True,
)
def shared_groups(material: Material) -> Iterator[Seen]:
    """Groups that train and test alike."""
    if material.sides is not None:
        train, test = material.sides
        if train.group is not None and test.group is not None:
            yield from _of_tables(train.group, test.group)
    if material.parts is not None and material.parts[0].group is not None:
        yield from _of_splits(material, material.parts[0].group)


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
            rows=tuple((rows[:100] + 1).tolist()),
        )


def _of_splits(material: Material, group: Column) -> Iterator[Seen]:
    worst: list[int] = []
    where, parted = "", 0
    for split in material.each_split():
        trained = np.zeros(len(group.levels), bool)
        trained[group.codes[split.train]] = True
        tested = np.zeros(len(group.levels), bool)
        tested[group.codes[split.test]] = True
        both = np.flatnonzero(trained & tested).tolist()
        parted += bool(both)
        if len(both) > len(worst):
            worst, where = both, f"repeat {split.repeat}, fold {split.fold}"
    if worst:
        rows = np.flatnonzero(np.isin(group.codes, worst))
        names = [str(group.levels[code]) for code in worst]
        yield Seen(
            f"groups train and test at once in {parted:,} of {material.shown_splits:,} splits, at "
            f"worst {len(worst):,} of {len(group.levels):,} ({group.name}: {some(names)})",
            where,
            tuple((rows[:100] + 1).tolist()),
        )
