"""K06: preparation that was fitted on all rows, test rows too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.auditing.check import check
from karat.auditing.finding import some

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from karat.auditing.material import Material
    from karat.datasets.dataset import Dataset

__all__ = ["seen_by_preparation"]

#: how exactly a mean of 0 and a spread of 1 must be met to be no chance
EXACT = 1e-6


@check(
    "K06",
    "preparation has seen the test rows",
    "warning",
    why=(
        "Means, ranges or chosen columns that were taken from all rows carry the test rows into "
        "training."
    ),
    fix="Give raw columns and let the pipeline prepare them inside each training part.",
)
def seen_by_preparation(material: Material) -> Iterator[tuple[str, str]]:
    """Columns scaled over both sides together, or predictions that are right on every row."""
    train, test = material.train, material.test
    if train is not None and test is not None:
        yield from _of_tables(train, test)
    if material.data is not None:
        scaled = [
            f.name for f in material.data.features if not f.is_nominal and _is_scaled(f.values)
        ]
        if len(scaled) >= 2:
            yield (
                f"{len(scaled)} columns have mean 0 and a fixed spread over all rows, to the sixth "
                f"digit ({some(scaled)}): they were scaled before splitting",
                "",
            )
    for p in material.predictions:
        if p.task == "regression" and p.predicted is not None and len(p) >= 20:
            exact = int((p.predicted == p.truth).sum())
            if exact == len(p) and len(np.unique(p.truth)) > 10:
                yield f"all {exact:,} predictions equal the truth to the last digit", p.model


def _of_tables(train: Dataset, test: Dataset) -> Iterator[tuple[str, str]]:
    theirs = {f.name: f for f in test.features if not f.is_nominal}
    found = [
        f.name
        for f in train.features
        if not f.is_nominal
        and f.name in theirs
        and _is_scaled(np.concatenate([f.values, theirs[f.name].values]))
        and not _is_scaled(f.values)
    ]
    if found:
        yield (
            f"{len(found)} columns have mean 0 and a fixed spread over training and test rows "
            f"together, to the sixth digit, and not over the training rows ({some(found)})",
            "",
        )


def _is_scaled(values: NDArray[Any]) -> bool:
    """Whether the mean is 0 and the standard deviation or length 1, exactly but for rounding."""
    if len(values) < 20 or not np.isfinite(values).all():
        return False
    mean, spread = float(values.mean()), float(values.std())
    if spread == 0 or abs(mean) > EXACT * spread:
        return False
    n = len(values)
    sizes = (1.0, np.sqrt((n - 1) / n), 1 / np.sqrt(n))
    return any(abs(spread - size) < EXACT * size for size in sizes)
