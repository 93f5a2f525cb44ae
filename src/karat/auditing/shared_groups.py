"""K03: groups with rows on both sides of a split."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.auditing.check import check
from karat.auditing.finding import some

if TYPE_CHECKING:
    from collections.abc import Iterator

    from karat.auditing.material import Material

__all__ = ["shared_groups"]

SPLITS = 20


@check(
    "K03",
    "groups on both sides",
    "error",
    why=(
        "Rows of a group (a patient, a user) resemble each other, so a model that has seen some "
        "of them is judged on what it half knows."
    ),
    fix="Split by group (--group with a grouped procedure), or judge on groups never seen.",
)
def shared_groups(material: Material) -> Iterator[tuple[str, str]]:
    """Groups that train and test alike."""
    train, test = material.train, material.test
    if train is not None and test is not None and train.group and test.group:
        ours = {str(train.group.levels[code]) for code in np.unique(train.group.codes)}
        theirs = {str(test.group.levels[code]) for code in np.unique(test.group.codes)}
        both = sorted(ours & theirs)
        if both:
            yield (
                f"{len(both):,} of {len(theirs):,} groups of the test set are in the training "
                f"set too ({train.group.name}: {some(both)})",
                "",
            )
    data, splits = material.data, material.splits
    if data is None or splits is None or data.group is None:
        return
    codes = data.group.codes
    for index in range(min(len(splits), SPLITS)):
        split = splits[index]
        mixed = np.intersect1d(codes[split.train], codes[split.test])
        if len(mixed):
            names = [str(data.group.levels[code]) for code in mixed]
            yield (
                f"{len(mixed):,} groups train and test in the same split ({data.group.name}: "
                f"{some(names)})",
                f"repeat {split.repeat}, fold {split.fold}",
            )
            return
