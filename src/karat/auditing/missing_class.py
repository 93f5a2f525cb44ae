"""K07: a class that a fold or a training part has no rows of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.auditing.check import check
from karat.auditing.finding import some

if TYPE_CHECKING:
    from collections.abc import Iterator

    from karat.auditing.material import Material

__all__ = ["missing_class"]

SPLITS = 1000


@check(
    "K07",
    "a class is missing",
    "warning",
    why="A model cannot learn a class it never saw, nor be judged on one that does not occur.",
    fix="Stratify, take fewer folds, or gather more rows of that class.",
)
def missing_class(material: Material) -> Iterator[tuple[str, str]]:
    """Classes without rows in a training or test part."""
    train, test = material.train, material.test
    if train is not None and test is not None and train.classes:
        known = {str(train.classes[c]) for c in np.unique(train.truth)}
        asked = {str(test.classes[c]) for c in np.unique(test.truth)}
        if asked - known:
            yield (
                f"classes of the test set that were never trained: {some(sorted(asked - known))}",
                "",
            )
        if known - asked:
            yield f"classes that the test set has no rows of: {some(sorted(known - asked))}", ""
    data, splits = material.data, material.splits
    if data is None or splits is None or not data.classes or len(splits) > SPLITS:
        return
    present = set(np.unique(data.truth).tolist())
    untrained: dict[str, list[str]] = {}
    for split in splits:
        for code in present - set(np.unique(data.truth[split.train]).tolist()):
            untrained.setdefault(str(data.classes[code]), []).append(f"{split.repeat}.{split.fold}")
    for name, places in untrained.items():
        yield f"class {name} has no training row in {len(places)} splits ({some(places)})", ""
