"""K18: columns that training and test rows do not have alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.check import check
from heldout.auditing.finding import Seen, counted, some

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.auditing.finding import Severity
    from heldout.auditing.material import Material
    from heldout.datasets.dataset import Feature

__all__ = ["one_sided_columns"]


#: a share of a side's columns that must be compared; else other checks looked at next to nothing
COMPARED = 0.5


def _needs(material: Material) -> str:
    if material.sides is None:
        return "needs training and test tables"
    return "" if any(side.features for side in material.sides) else "needs columns"


@check(
    "K18",
    "columns that only one side has",
    "note",
    why=(
        "Such columns are not compared by the other checks; and a model trained on what the test "
        "rows lack is not the model that is judged."
    ),
    fix="Give both tables the same columns, or leave these out (--ignore).",
    needs=_needs,
)
def one_sided_columns(material: Material) -> Iterator[Seen]:
    """Columns that one side lacks, has no value of, or has as names where the other has numbers."""
    assert material.sides is not None
    train, test = ({f.name: f for f in side.features} for side in material.sides)
    severity = _severity(train, test)
    for ours, theirs, name, other in ((train, test, "training", "test"), (test, train, "test", "")):
        only = [column for column in ours if column not in theirs]
        if only:
            yield Seen(
                f"{len(only)} of {counted(len(ours), 'column')} of the {name} rows "
                f"{'are no features' if len(only) > 1 else 'is no feature'} of the "
                f"{other or 'training'} rows: {some(only)}",
                columns=tuple(only),
                severity=severity,
            )
    both = [column for column in train if column in test]
    kinds = [c for c in both if train[c].is_nominal != test[c].is_nominal]
    if kinds:
        yield Seen(
            f"{len(kinds)} of {counted(len(both), 'column')} hold{'s' * (len(kinds) == 1)} numbers "
            f"on one side and names on the other: {some(kinds)}",
            columns=tuple(kinds),
            severity=severity,
        )
    empty = [c for c in both if _is_empty(train[c]) != _is_empty(test[c])]
    if empty:
        yield Seen(
            f"{len(empty)} of {counted(len(both), 'column')} "
            f"{'have' if len(empty) > 1 else 'has'} no value at all on one side: {some(empty)}",
            columns=tuple(empty),
            severity=severity,
        )


def _severity(train: dict[str, Feature], test: dict[str, Feature]) -> Severity:
    """A warning where most columns of a side are not compared: then silence means nothing."""
    compared = [
        name
        for name in train
        if name in test
        and train[name].is_nominal == test[name].is_nominal
        and _is_empty(train[name]) == _is_empty(test[name])
    ]
    fewest = COMPARED * max(len(train), len(test))
    return "note" if len(compared) > fewest else "warning"


def _is_empty(feature: Feature) -> bool:
    values = feature.values
    missing = values[:100] < 0 if feature.is_nominal else np.isnan(values[:100])
    if not missing.all():
        return False
    return bool((values < 0).all() if feature.is_nominal else np.isnan(values).all())
