"""K06: preparation that was fitted on all rows, test rows too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.auditing.check import check
from karat.auditing.finding import Seen, some
from karat.auditing.scaling import SCALINGS, scaling_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from karat.auditing.material import Material
    from karat.datasets.dataset import Dataset

__all__ = ["seen_by_preparation"]

#: of one column a scaling may be a coincidence
FEW_COLUMNS = 2
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
        "Means, ranges or chosen columns that were taken from all rows carry the test rows into "
        "training."
    ),
    fix="Give raw columns and let the pipeline prepare them inside each training part.",
    needs=_needs,
)
def seen_by_preparation(material: Material) -> Iterator[Seen]:
    """Columns scaled over both sides together, or predictions that are right on every row."""
    if material.sides is not None:
        yield from _of_tables(*material.sides)
    if material.data is not None:
        yield from _of_data(material.data)
    for p in material.predictions:
        if p.task == "regression" and p.predicted is not None and len(p) >= FEW_ROWS:
            exact = int((p.predicted == p.truth).sum())
            if exact == len(p) and len(np.unique(p.truth[:1000])) > 10:
                yield Seen(
                    f"all {exact:,} predictions equal the truth to the last digit, as if the rows "
                    "had been trained on",
                    p.model,
                )


def _of_data(data: Dataset) -> Iterator[Seen]:
    """Scaled before any split: mild, since the target was not looked at."""
    found = [(f.name, scaling_of(f.values)) for f in data.features if not f.is_nominal]
    for kind, words in SCALINGS.items():
        names = [name for name, scaling in found if scaling == kind]
        if len(names) >= FEW_COLUMNS:
            yield Seen(
                f"{len(names)} columns have {words} over all rows ({some(names)}): they were "
                "scaled before any split",
                severity="note",
            )


def _of_tables(train: Dataset, test: Dataset) -> Iterator[Seen]:
    theirs = {f.name: f.values for f in test.features if not f.is_nominal}
    both: dict[str, list[str]] = {}
    ours: dict[str, int] = {}
    for feature in train.features:
        if feature.is_nominal or feature.name not in theirs:
            continue
        joint = scaling_of(np.concatenate([feature.values, theirs[feature.name]]))
        if joint:
            both.setdefault(joint, []).append(feature.name)
            ours[joint] = ours.get(joint, 0) + bool(scaling_of(feature.values))
    for kind, names in both.items():
        # what the training rows show by themselves was fitted on them, as it should be
        if len(names) >= FEW_COLUMNS and ours[kind] < len(names):
            yield Seen(
                f"{len(names)} columns have {SCALINGS[kind]} over training and test rows together, "
                f"{len(names) - ours[kind]} of them not over the training rows ({some(names)})"
            )
