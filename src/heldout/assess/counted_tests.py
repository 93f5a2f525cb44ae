"""Whether rows can be counted as tests count them: independent, and each as one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.engines.memory import Tallies

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.measures.spec import Request

__all__ = ["GROUPED", "WEIGHTED", "as_counted", "why_no_test"]

GROUPED = "rows of a group depend on each other, and the test takes rows as independent"
WEIGHTED = (
    "rows differ in weight, and it counts rows (write a row as often as it was seen, "
    "if that is what its weight says)"
)


def why_no_test(request: Request, tallies: Tallies) -> str:
    """Why what counts rows has no result on these; empty where it has, and for other measures."""
    p = tallies.predictions
    if not request.counts_rows or tallies.is_counted:
        return ""
    group = p.design.group
    if request.measure.is_test and group is not None and len(np.unique(group.codes)) < len(p):
        return GROUPED
    return WEIGHTED if p.weight is not None and not _is_even(p.weight) else ""


def as_counted(request: Request, tallies: Tallies) -> Tallies:
    """The same rows without a weight that all share, which is only a unit to what counts rows."""
    p = tallies.predictions
    if not request.counts_rows or tallies.is_counted or p.weight is None:
        return tallies
    if "as counted" not in tallies.memory:
        tallies.memory["as counted"] = Tallies(replace(p, weight=None))
    found: Tallies = tallies.memory["as counted"]
    return found


def _is_even(weight: NDArray[Any]) -> bool:
    return bool(np.ptp(weight) <= 1e-12 * weight.max(initial=0.0))
