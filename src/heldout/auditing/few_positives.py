"""K09: too few rows of a class to judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.check import check
from heldout.auditing.finding import Seen, some
from heldout.auditing.needs import truth

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.auditing.material import Material

__all__ = ["few_positives"]

#: with ten rows, a recall of one half has a 95 % interval from 24 to 76 %, and five cannot show
#: that one model is better than another even if it is right on all and the other on none
FEW = 10


@check(
    "K09",
    "too few rows of a class to judge",
    "warning",
    why="Recall, precision and AUC then rest on a handful of rows and say next to nothing.",
    fix="Gather more rows of that class, or read the intervals and not the values.",
    needs=truth,
)
def few_positives(material: Material) -> Iterator[Seen]:
    """Classes with fewer than ten rows where a model is judged."""
    data = material.test if material.test is not None else material.data
    if data is not None:
        classes, codes, repeats = data.classes, data.truth, 1
    else:
        p = material.predictions[0]
        classes, codes = p.classes, p.truth
        # repeats judge the same rows again
        repeats = 1 if p.design.repeat is None else max(len(p.design.repeat.levels), 1)
    counts = np.bincount(codes, minlength=len(classes)) / repeats
    small = np.flatnonzero((counts > 0) & (counts < FEW))
    if len(small):
        named = [f"{classes[code]}: {counts[code]:.3g}" for code in small.tolist()]
        rows = np.flatnonzero(np.isin(codes, small))
        yield Seen(
            f"classes with fewer than {FEW} rows: {some(named, 10)}",
            rows=tuple((rows[:100] + 1).tolist()),
        )
