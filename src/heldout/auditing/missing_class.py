"""K07: a class that a fold or a training part has no rows of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.check import check
from heldout.auditing.finding import Seen, some
from heldout.auditing.needs import SIDES, sides
from heldout.auditing.side_columns import name_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.auditing.material import Material
    from heldout.datasets.dataset import Dataset

__all__ = ["missing_class"]


def _needs(material: Material) -> str:
    if sides(material):
        return SIDES
    given = material.train if material.train is not None else material.data
    return "" if given is not None and given.classes else "is of classes, and this is regression"


@check(
    "K07",
    "a class is missing",
    "warning",
    why="A model cannot learn a class it never saw, nor be judged on one that does not occur.",
    fix="Stratify, take fewer folds, or gather more rows of that class.",
    needs=_needs,
    by_split=True,
)
def missing_class(material: Material) -> Iterator[Seen]:
    """Classes without rows in a training or test part."""
    if material.sides is not None:
        yield from _of_tables(*material.sides)
    if material.parts is not None and material.parts[0].classes:
        yield from _of_splits(material)


def _of_tables(train: Dataset, test: Dataset) -> Iterator[Seen]:
    known = {name_of(train.classes[c]) for c in np.unique(train.truth)}
    names = np.array([name_of(label) for label in test.classes])
    asked = {str(names[c]) for c in np.unique(test.truth)}
    if asked - known:
        new = sorted(asked - known)
        rows = np.flatnonzero(np.isin(names[test.truth], new))
        yield Seen(
            f"{len(rows):,} test rows are of classes that were never trained: {some(new)}",
            rows=tuple((rows[:100] + 1).tolist()),
        )
    if known - asked:
        missing = some(sorted(known - asked))
        yield Seen(f"classes that the test set has no rows of: {missing}", severity="note")


def _of_splits(material: Material) -> Iterator[Seen]:
    assert material.data is not None
    data = material.data
    size = len(data.classes)
    present = np.bincount(data.truth, minlength=size) > 0
    share = np.bincount(data.truth, minlength=size) / len(data)
    untrained: dict[int, list[str]] = {}
    untested: dict[int, list[str]] = {}
    for split in material.each_split():
        place = f"{split.repeat}.{split.fold}"
        trained = np.bincount(data.truth[split.train], minlength=size) > 0
        tested = np.bincount(data.truth[split.test], minlength=size) > 0
        for code in np.flatnonzero(present & ~trained).tolist():
            untrained.setdefault(code, []).append(place)
        # a part of few rows cannot have all classes
        due = share * len(split.test) >= 1
        for code in np.flatnonzero(due & ~tested).tolist():
            untested.setdefault(code, []).append(place)
    for code, places in untrained.items():
        yield Seen(
            f"class {data.classes[code]} has no training row in {len(places):,} of "
            f"{material.shown_splits:,} splits (repeat.fold {some(places)})",
            rows=tuple((np.flatnonzero(data.truth == code)[:100] + 1).tolist()),
        )
    if untested:
        worst = max(untested, key=lambda code: len(untested[code]))
        name = data.classes[worst]
        who = f"class {name} has no test row in"
        if len(untested) > 1:
            who = f"{len(untested)} classes have no test row in some split, class {name} in"
        yield Seen(
            f"{who} {len(untested[worst]):,} of {material.shown_splits:,} splits, though one was "
            f"due (repeat.fold {some(untested[worst])})",
            severity="note",
        )
