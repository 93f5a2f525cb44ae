"""K17: classes so unequal that accuracy says little."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.auditing.check import check

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
)
def imbalance(material: Material) -> Iterator[tuple[str, str]]:
    """A class that makes up most rows, and models not above it."""
    for p in material.predictions:
        if not p.classes or p.predicted is None:
            continue
        counts = np.bincount(p.truth, p.weight, minlength=len(p.classes))
        share = float(counts.max() / counts.sum())
        right = float(np.average(p.truth == p.predicted, weights=p.weight))
        name = p.classes[int(counts.argmax())]
        if share >= LARGE:
            beside = "above" if right > share else "not above"
            yield (
                f"class {name} has {100 * share:.3g} % of the rows; the accuracy of "
                f"{100 * right:.3g} % is {beside} that",
                p.model,
            )
