"""K09: too few rows of a class to judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.auditing.check import check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from karat.auditing.material import Material

__all__ = ["few_positives"]

#: with ten rows a share has an interval of some 50 points
FEW = 10


@check(
    "K09",
    "too few rows of a class to judge",
    "warning",
    why="Recall, precision and AUC then rest on a handful of rows and say next to nothing.",
    fix="Gather more rows of that class, or read the intervals and not the values.",
)
def few_positives(material: Material) -> Iterator[tuple[str, str]]:
    """Classes with fewer than ten rows where a model is judged."""
    if material.predictions:
        p = material.predictions[0]
        classes, truth = p.classes, p.truth
    elif material.test is not None:
        classes, truth = material.test.classes, material.test.truth
    else:
        return
    if not classes:
        return
    counts = np.bincount(truth, minlength=len(classes))
    small = [
        f"{name}: {count}" for name, count in zip(classes, counts, strict=True) if 0 < count < FEW
    ]
    if small:
        yield f"classes with fewer than {FEW} rows: {', '.join(small[:10])}", ""
