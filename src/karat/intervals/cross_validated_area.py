"""The interval of the mean area under the folds' ROC curves, from influence curves."""

from __future__ import annotations

from math import exp, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.intervals.cluster_bootstrap import few_groups
from karat.intervals.interval import Interval, absent, checked_level
from karat.intervals.quantiles import two_sided_normal

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["cross_validated_area_interval", "placements"]


def placements(
    positives: NDArray[np.float64], negatives: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Share of the other class that each score is on the right side of; ties count half.

    Examples
    --------
    >>> placements(np.array([2.0, 3.0]), np.array([1.0, 2.0]))
    (array([0.75, 1.  ]), array([1.  , 0.75]))
    """

    def below(ordered: Any, scores: Any) -> Any:
        left = np.searchsorted(ordered, scores, side="left")
        return (left + np.searchsorted(ordered, scores, side="right")) / 2 / len(ordered)

    low, high = np.sort(negatives), np.sort(positives)
    return below(low, positives), 1 - below(high, negatives)


def cross_validated_area_interval(
    is_positive: NDArray[np.bool_],
    scores: NDArray[np.float64],
    folds: NDArray[np.integer[Any]],
    *,
    level: float = 0.95,
    groups: NDArray[np.integer[Any]] | None = None,
) -> Interval:
    """The interval of the mean over folds of the area under the ROC curve, on the logit scale.

    Scores are compared within a fold only, so models of different folds need not agree on
    what a score means. With ``groups`` the influence of all rows of a group is summed first.

    Notes
    -----
    LeDell, Petersen and van der Laan (2015), Electron. J. Stat. 9:1583.

    Examples
    --------
    >>> truth = np.array([1, 0, 1, 0, 1, 0, 0, 1]) == 1
    >>> score = np.array([0.9, 0.2, 0.4, 0.5, 0.8, 0.6, 0.3, 0.5])
    >>> made = cross_validated_area_interval(truth, score, np.repeat([0, 1], 4))
    >>> made.low, made.high
    (0.3210, 0.9501)
    """
    level = checked_level(level)
    method = "influence curve of the folds' areas, logit scale (LeDell et al. 2015)"
    influence = np.zeros(len(scores))
    areas: list[float] = []
    squares: list[float] = []
    share = float(is_positive.mean())
    for fold in np.unique(folds):
        rows = np.flatnonzero(folds == fold)
        positive = is_positive[rows]
        if positive.all() or not positive.any():
            return absent("a fold lacks one of the classes", level=level, method=method)
        above, below = placements(scores[rows[positive]], scores[rows[~positive]])
        area = float(above.mean())
        influence[rows[positive]] = (above - area) / share
        influence[rows[~positive]] = (below - area) / (1 - share)
        areas.append(area)
        squares.append(float((influence[rows] ** 2).mean()))
    mean = float(np.mean(areas))
    count = len(scores)
    several = 0 if groups is None else len(np.unique(groups))
    if groups is None:
        error = sqrt(float(np.mean(squares)) / count)
    else:
        if several < 2:
            return absent("a single group says nothing of the spread", level=level, method=method)
        # around the mean of all folds: a group may be a fold, whose own sum is 0
        away = np.array(areas)[np.searchsorted(np.unique(folds), folds)] - mean
        influence += away / np.where(is_positive, share, 1 - share)
        sums = np.bincount(groups, influence)
        error = sqrt(float(sums @ sums) * several / (several - 1)) / count
        method += f", summed over {several} groups"
    if not 0 < mean < 1 or not error:
        reason = "every fold ranks its rows perfectly" if mean >= 1 else "the areas do not vary"
        return absent(reason, level=level, method=method)
    centre, reach = log(mean / (1 - mean)), two_sided_normal(level) * error / (mean * (1 - mean))
    ends = [1 / (1 + exp(-end)) for end in (centre - reach, centre + reach)]
    made = Interval(ends[0], ends[1], level, method)
    return made if groups is None else made.noted(few_groups(several))
