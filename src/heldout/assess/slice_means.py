"""The mean over slices, which says of how many slices it is and which of them are small."""

from __future__ import annotations

from math import isnan, nan
from typing import TYPE_CHECKING

import numpy as np

from heldout.core.notes import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.assess.slice_results import SliceResult

__all__ = ["mean_of_slices"]


def mean_of_slices(results: Sequence[SliceResult]) -> tuple[float, str]:
    """The mean of the slices' values, which says of how many it is."""
    values = np.array([r.value for r in results])
    known = ~np.isnan(values)
    count = int(known.sum())
    value = float(values[known].mean()) if count else nan
    notes = []
    if count < len(results):
        lost = [r.slice for r in results if isnan(r.value)]
        notes.append(f"mean of {count} of {len(results)} slices; undefined in {_some(lost)}")
    small = [r.slice for r in results if r.has(Kind.TOO_SMALL) and not isnan(r.value)]
    if small:
        notes.append(f"counts slices too small to judge like the others: {_some(small)}")
    return value, "; ".join(notes)


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (" ..." if len(names) > 5 else "")
