"""Whether labels were cut from scores at the very place that is best for the rows that judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TunedCut", "tuned_cut"]

#: thresholds that nobody has to choose: of probabilities, and of margins
USUAL = (0.5, 0.0)
#: cuts that come close to the best; with fewer, a threshold that was chosen elsewhere is often the
#: best here too (with so many in one of 25 cases, docs/audit.md)
RIVALS = 30
#: how close, in standard errors of a share near the best
CLOSE = 1.0


@dataclass(frozen=True, slots=True)
class TunedCut:
    """The measure that is at its best there, the lowest score called positive, and the rivals."""

    measure: str
    threshold: float
    rivals: int


def tuned_cut(
    positive: NDArray[np.bool_], scores: NDArray[Any], called: NDArray[np.bool_]
) -> TunedCut | None:
    """The cut that the labels follow, if it is the best of many for one of the usual measures.

    None where labels do not follow a threshold, where it may be a usual one, where all or no
    rows are called positive, or where too few cuts compete for a hit to say anything.
    """
    rows, named = len(scores), int(called.sum())
    if not 0 < named < rows or not 0 < positive.sum() < rows:
        return None
    low, high = float(scores[~called].max()), float(scores[called].min())
    if not low < high or any(low < usual <= high for usual in USUAL):
        return None
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)) + 1
    tp = np.cumsum(positive[order])[ends - 1].astype(float)
    fp = ends - tp
    positives = float(positive.sum())
    negatives = rows - positives
    at = int(np.searchsorted(ends, named))
    found: TunedCut | None = None
    for name, values in (
        ("accuracy", (tp + negatives - fp) / rows),
        ("balanced accuracy (Youden)", (tp / positives + 1 - fp / negatives) / 2),
        ("F score", 2 * tp / (2 * tp + fp + positives - tp)),
    ):
        best = float(values.max())
        if values[at] < best - 1e-12:
            continue
        error = CLOSE * np.sqrt(max(best * (1 - best), 0.0) / rows)
        rivals = int((values >= best - error).sum())
        if rivals >= RIVALS and (found is None or rivals > found.rivals):
            found = TunedCut(name, high, rivals)
    return found
