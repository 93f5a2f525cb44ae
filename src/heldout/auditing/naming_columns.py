"""K19: features that do no more than name the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.check import check
from heldout.auditing.finding import Seen, some
from heldout.auditing.needs import features
from heldout.auditing.side_columns import FEW_ROWS, numbers_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.auditing.material import Material
    from heldout.datasets.dataset import Feature

__all__ = ["naming_columns"]

#: distinct names for each row from which on a column of names is one of names of rows
DISTINCT = 0.9


@check(
    "K19",
    "a feature names the rows",
    "note",
    why=(
        "A number or name of the row says nothing of new rows; in the order of a file it may say "
        "the class of those at hand."
    ),
    fix="Say --id if it names rows, --time if it orders them, or leave it out (--ignore).",
    needs=features,
)
def naming_columns(material: Material) -> Iterator[Seen]:
    """Features with another whole number, rising or without gaps, or another name in each row."""
    data = material.train if material.train is not None else material.data
    assert data is not None
    for said, test in (
        ("number the rows: whole numbers that rise from row to row, or have no gaps", numbers_rows),
        ("have another name in nearly every row", _names_rows),
    ):
        found = [feature.name for feature in data.features if test(feature)]
        if found:
            yield Seen(
                f"{len(found)} of {len(data.features)} columns {said}: {some(found)}",
                columns=tuple(found),
            )


def _names_rows(feature: Feature) -> bool:
    if not feature.is_nominal or len(feature.values) < FEW_ROWS:
        return False
    known = feature.values[feature.values >= 0]
    return len(np.unique(known)) >= DISTINCT * len(feature.values)
