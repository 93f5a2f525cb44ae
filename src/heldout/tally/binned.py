"""What counts of scores in bins say for certain of the scores themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from heldout.tally.scores import ScoreCounts

#: relative room for the rounding of sums
ROOM = 1e-12


def limits_of(counts: ScoreCounts, width: float) -> dict[str, tuple[float, float]]:
    """Limits that hold the values of the exact scores, of which the counts know the bin.

    The points of the ROC curve at the edges of bins are exact; inside a bin the curve can run
    anywhere between its two points. So every pair of a positive and a negative row in one bin
    adds between 0 and 1 to the area, not one half; the gap of the Kolmogorov-Smirnov statistic is
    at most that of the bin's corners; and the precision at a positive row is at most that of
    positives first, and at least that of negatives first.

    Parameters
    ----------
    counts
        The lower edge of each bin as score.
    width
        Of a bin: the Brier score is limited by scores at the two edges.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.array([True, False, True, False]), np.array([0.5, 0.5, 0.75, 0.0])
    >>> limits_of(ScoreCounts.of(truth, score), 0.25)["auc"]
    (0.75, 1.0)
    """
    if not counts.has_both:
        return {}
    positives = counts.positives.astype(float)
    negatives = counts.negatives.astype(float)
    tp, fp = counts.tp.astype(float), counts.fp.astype(float)
    all_positives, all_negatives = float(tp[-1]), float(fp[-1])
    pairs = all_positives * all_negatives
    before_tp, before_fp = tp - positives, fp - negatives
    limits = {}
    least = float((negatives * before_tp).sum()) / pairs
    limits["auc"] = (least, least + float((negatives * positives).sum()) / pairs)
    # a bin without positives adds nothing, and has no precision where it is the first
    lowest = (before_tp + 1) / (before_tp + 1 + fp)
    highest = tp / np.maximum(tp + before_fp, 1)
    limits["average_precision"] = (
        float((positives * lowest).sum()) / all_positives,
        float((positives * highest).sum()) / all_positives,
    )
    at_edges = (tp / all_positives - fp / all_negatives).max()
    at_corners = (tp / all_positives - before_fp / all_negatives).max()
    limits["kolmogorov_smirnov"] = (float(at_edges), float(at_corners))
    if counts.is_probability:
        low, high = counts.score, np.minimum(counts.score + width, 1.0)
        rows = all_positives + all_negatives
        limits["brier"] = (
            float((positives * (1 - high) ** 2 + negatives * low**2).sum()) / rows,
            float((positives * (1 - low) ** 2 + negatives * high**2).sum()) / rows,
        )
    return {
        name: (max(low - ROOM * low, 0.0), min(high + ROOM * high, 1.0))
        for name, (low, high) in limits.items()
    }
