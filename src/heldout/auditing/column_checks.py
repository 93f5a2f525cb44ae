"""K18 and K19: columns that one side lacks, and columns that do no more than name the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.check import Seen, check, features, some
from heldout.auditing.side_columns import FEW_ROWS, numbers_rows
from heldout.core.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.auditing.check import Severity
    from heldout.auditing.material import Material
    from heldout.datasets.dataset import Feature

#: a share of a side's columns that must be compared; else other checks looked at next to nothing
COMPARED = 0.5


def _needs_tables(material: Material) -> str:
    if material.sides is None:
        return "needs training and test tables"
    return "" if any(side.features for side in material.sides) else "needs columns"


@check(
    "K18",
    "columns in only one of the two tables",
    "note",
    why=(
        "Other checks do not compare such columns; and a model trained with columns that the test "
        "rows lack is not the model that is evaluated."
    ),
    fix="Give both tables the same columns, or leave these out ({ignore}).",
    needs=_needs_tables,
)
def one_sided_columns(material: Material) -> Iterator[Seen]:
    """Columns that one side lacks, has no value of, or has as names where the other has numbers."""
    assert material.sides is not None
    train, test = ({f.name: f for f in side.features} for side in material.sides)
    both = [column for column in train if column in test]
    kinds = [c for c in both if train[c].is_nominal != test[c].is_nominal]
    empty = [c for c in both if _is_empty(train[c]) != _is_empty(test[c])]
    # where most columns of a side are not compared, silence of other checks means nothing
    compared = len(both) - len({*kinds, *empty})
    is_mild = compared > COMPARED * max(len(train), len(test))
    severity: Severity = "note" if is_mild else "warning"
    for ours, theirs, name, other in ((train, test, "training", "test"), (test, train, "test", "")):
        only = [column for column in ours if column not in theirs]
        if only:
            yield Seen(
                f"{len(only)} of {plural(len(ours), 'column')} of the {name} rows "
                f"{'are no features' if len(only) > 1 else 'is no feature'} of the "
                f"{other or 'training'} rows: {some(only)}",
                columns=only,
                severity=severity,
            )
    for names, words in (
        (kinds, f"hold{'s' * (len(kinds) == 1)} numbers on one side and names on the other"),
        (empty, f"{'have' if len(empty) > 1 else 'has'} no value at all on one side"),
    ):
        if names:
            text = f"{len(names)} of {plural(len(both), 'column')} {words}: {some(names)}"
            yield Seen(text, columns=names, severity=severity)


def _is_empty(feature: Feature) -> bool:
    values = feature.values
    missing = values[:100] < 0 if feature.is_nominal else np.isnan(values[:100])
    if not missing.all():
        return False
    return bool((values < 0).all() if feature.is_nominal else np.isnan(values).all())


#: distinct names for each row from which on a column of names is one of names of rows
DISTINCT = 0.9


@check(
    "K19",
    "a column identifies the rows",
    "note",
    why=(
        "A row number or id says nothing about new rows; if the file is sorted, it may still "
        "predict the class of these rows."
    ),
    fix="Use {id} if it identifies rows, {time} if it orders them, or leave it out ({ignore}).",
    needs=features,
)
def naming_columns(material: Material) -> Iterator[Seen]:
    """Features with another whole number, rising or without gaps, or another name in each row."""
    data = material.trained
    assert data is not None
    for words, test in (
        ("number the rows: whole numbers that rise from row to row, or have no gaps", numbers_rows),
        ("have another name in nearly every row", _names_rows),
    ):
        names = [feature.name for feature in data.features if test(feature)]
        if names:
            text = f"{len(names)} of {len(data.features)} columns {words}: {some(names)}"
            yield Seen(text, columns=names)


def _names_rows(feature: Feature) -> bool:
    if not feature.is_nominal or len(feature.values) < FEW_ROWS:
        return False
    known = feature.values[feature.values >= 0]
    return len(np.unique(known)) >= DISTINCT * len(feature.values)
