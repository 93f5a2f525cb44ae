"""K06: preparation that was fitted on all rows, test rows too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.check import check
from heldout.auditing.finding import Seen, Unseen
from heldout.auditing.needs import too_large
from heldout.auditing.prepared import prepared_data, prepared_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.auditing.material import Material

__all__ = ["seen_by_preparation"]

#: predictions of fewer rows may be right by chance
FEW_ROWS = 20


def _needs(material: Material) -> str:
    if material.sides or material.data is not None or material.predictions:
        return ""
    return "needs training and test tables, data, or predictions"


@check(
    "K06",
    "preparation has seen the test rows",
    "warning",
    why=(
        "Means, ranges or fillings that were taken from all rows carry the test rows into "
        "training; taken from the test rows alone, they are not those that the model knows."
    ),
    fix=(
        "Give raw columns and let the pipeline prepare them: fitted on training rows, applied to "
        "both sides."
    ),
    needs=_needs,
)
def seen_by_preparation(material: Material) -> Iterator[Seen | Unseen]:
    """Columns scaled, filled in or encoded by test rows, or predictions right on every row."""
    reason = too_large(material)
    if reason:
        yield Unseen(reason, is_all=not material.predictions)
    if material.sides is not None and not reason:
        yield from prepared_tables(*material.sides)
    if material.data is not None and not reason:
        yield from prepared_data(material.data)
    for p in material.predictions:
        if p.task == "regression" and p.predicted is not None and len(p) >= FEW_ROWS:
            exact = int((p.predicted == p.truth).sum())
            if exact == len(p) and len(np.unique(p.truth[:1000])) > 10:
                yield Seen(
                    f"all {exact:,} predictions equal the truth to the last digit, as if the rows "
                    "had been trained on",
                    p.model,
                )
