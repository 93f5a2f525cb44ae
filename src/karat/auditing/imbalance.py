"""K17: classes so unequal that accuracy says little."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.auditing.check import check
from karat.auditing.finding import Seen
from karat.auditing.needs import truth

if TYPE_CHECKING:
    from collections.abc import Iterator

    from karat.auditing.material import Material

__all__ = ["imbalance"]

#: from this share of the largest class on, its share is worth knowing beside the accuracy
LARGE = 0.8


@check(
    "K17",
    "accuracy says little here",
    "note",
    why="A model that always names the commonest class has that class's share as its accuracy.",
    fix="Read balanced accuracy, AUC, or profit; compare accuracy with the no-information rate.",
    needs=truth,
)
def imbalance(material: Material) -> Iterator[Seen]:
    """A class that makes up most rows, and models not above it."""
    for p, tallies in zip(material.predictions, material.tallies, strict=True):
        if not p.classes:
            continue
        counts = np.bincount(p.truth, p.weight, minlength=len(p.classes))
        share = float(counts.max() / counts.sum()) if counts.sum() > 0 else 0.0
        if share < LARGE:
            continue
        said = f"class {p.classes[int(counts.argmax())]} has {100 * share:.3g} % of the rows"
        if tallies.has_labels:
            confusion = tallies.confusion
            right = float(confusion.counts[confusion.truth == confusion.predicted].sum())
            right /= float(confusion.counts.sum())
            beside = "above" if right > share else "not above"
            said += f"; the accuracy of {100 * right:.3g} % is {beside} that"
        yield Seen(said, p.model)
    data = material.test if material.test is not None else material.data
    if not material.predictions and data is not None:
        counts = np.bincount(data.truth, minlength=len(data.classes))
        share = float(counts.max() / counts.sum())
        if share >= LARGE:
            name = data.classes[int(counts.argmax())]
            yield Seen(f"class {name} has {100 * share:.3g} % of the rows")
