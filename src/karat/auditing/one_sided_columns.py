"""K18: columns that training and test rows do not have alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.auditing.check import check
from karat.auditing.finding import Seen, some

if TYPE_CHECKING:
    from collections.abc import Iterator

    from karat.auditing.material import Material
    from karat.datasets.dataset import Feature

__all__ = ["one_sided_columns"]


def _needs(material: Material) -> str:
    if material.sides is None:
        return "needs training and test tables"
    return "" if all(side.features for side in material.sides) else "needs columns of both sides"


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
    for ours, theirs, name, other in ((train, test, "training", "test"), (test, train, "test", "")):
        only = [column for column in ours if column not in theirs]
        if only:
            yield Seen(
                f"{len(only)} of {len(ours)} columns of the {name} rows are no features of the "
                f"{other or 'training'} rows: {some(only)}",
                columns=tuple(only),
            )
    both = [column for column in train if column in test]
    kinds = [c for c in both if train[c].is_nominal != test[c].is_nominal]
    if kinds:
        yield Seen(
            f"{len(kinds)} of {len(both)} columns hold numbers on one side and names on the other: "
            f"{some(kinds)}",
            columns=tuple(kinds),
        )
    empty = [c for c in both if _is_empty(train[c]) != _is_empty(test[c])]
    if empty:
        yield Seen(
            f"{len(empty)} of {len(both)} columns have no value at all on one side: {some(empty)}",
            columns=tuple(empty),
        )


def _is_empty(feature: Feature) -> bool:
    values = feature.values
    missing = values[:100] < 0 if feature.is_nominal else np.isnan(values[:100])
    if not missing.all():
        return False
    return bool((values < 0).all() if feature.is_nominal else np.isnan(values).all())
