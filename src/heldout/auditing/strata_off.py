"""K08: class shares of the test parts that are far from those of all rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.check import check
from heldout.auditing.finding import Seen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.auditing.material import Material

__all__ = ["strata_off"]

#: shares may be off by this much, and by a few rows, before it is worth a word
POINTS = 0.1
ROWS = 3


def _needs(material: Material) -> str:
    if material.parts is None:
        return "needs data with a procedure or splits"
    return "" if material.parts[0].classes else "is of classes, and this is regression"


@check(
    "K08",
    "strata are off",
    "note",
    why="Folds with other class shares than the data make measures vary more than they need.",
    fix="Stratify (the default of heldout's procedures), or take larger folds.",
    needs=_needs,
    by_split=True,
)
def strata_off(material: Material) -> Iterator[Seen]:
    """The split whose class shares are furthest off."""
    assert material.data is not None
    data = material.data
    size = len(data.classes)
    share = np.bincount(data.truth, minlength=size) / len(data)
    worst, seen, place, off = 0.0, "", "", 0
    for split in material.each_split():
        if len(split.test) < 2 * ROWS:
            continue
        counts = np.bincount(data.truth[split.test], minlength=size)
        gaps = np.abs(counts / len(split.test) - share)
        rows = np.abs(counts - share * len(split.test))
        gaps[rows < ROWS] = 0.0
        code = int(gaps.argmax())
        off += bool(gaps[code] > POINTS)
        if gaps[code] > max(worst, POINTS):
            worst = float(gaps[code])
            place = f"repeat {split.repeat}, fold {split.fold}"
            seen = (
                f"class {data.classes[code]} has {100 * counts[code] / len(split.test):.3g} % of "
                f"the test rows and {100 * share[code]:.3g} % of all rows"
            )
    if seen:
        yield Seen(f"{off:,} of {material.shown_splits:,} splits; at worst {seen}", place)
