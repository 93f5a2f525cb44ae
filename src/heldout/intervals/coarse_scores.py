"""Score counts on fewer scores, so that a bootstrap of a long ranking costs little."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["COARSE_LEVELS", "coarse_scores", "fine_levels", "recentred"]

#: enough scores that the spread of areas and averages is right to about one part in a thousand
COARSE_LEVELS = 1000
#: the most that are kept apart where single points of the curve are read
FINEST_LEVELS = 20_000


def coarse_scores(scores: ScoreCounts, levels: int = COARSE_LEVELS) -> ScoreCounts:
    """The counts with neighbouring scores joined until about ``levels`` are left.

    Cuts are made at equal steps of the positives and at equal steps of the negatives, half
    of them each, so that neither class is blurred where the other is dense; and finer by
    half at the top of the ranking, on which precision depends most. A joined score is the
    mean of its rows' scores. Counts with few enough scores come back as they are.

    Use the result for how a measure *varies* and the full counts for what it *is*: see
    ``recentred``.

    Examples
    --------
    >>> scores = ScoreCounts.of(np.arange(1000) % 3 == 0, np.arange(1000.0))
    >>> coarse = coarse_scores(scores, 50)
    >>> len(coarse.score) <= 60, coarse.total_positives, coarse.total_negatives
    (True, 334, 666)
    """
    if len(scores.score) <= levels or not scores.has_both:
        return scores
    # a finer first tenth: a third of the cuts lies there
    few, many = max(levels // 6, 1), max(levels // 3, 1)
    top, rest = np.arange(1, few + 1) / few, np.arange(1, many) / many
    steps = np.concatenate([0.1 * top, 0.1 + 0.9 * rest])
    starts = np.unique(
        np.concatenate(
            [
                [0],
                np.searchsorted(scores.tp, steps * scores.total_positives, side="left") + 1,
                np.searchsorted(scores.fp, steps * scores.total_negatives, side="left") + 1,
            ]
        )
    )
    starts = starts[starts < len(scores.score)]
    if scores.tp.dtype.kind == scores.fp.dtype.kind == "i":
        ends = np.append(starts[1:], len(scores.score)) - 1
        positives, negatives = (np.diff(upto[ends], prepend=0) for upto in (scores.tp, scores.fp))
    else:  # differences of running sums of weights would lose digits
        positives = np.add.reduceat(scores.positives, starts, dtype=scores.tp.dtype)
        negatives = np.add.reduceat(scores.negatives, starts, dtype=scores.fp.dtype)
    return ScoreCounts(_mean_scores(scores, starts), positives, negatives, scores.rows)


def fine_levels(scores: ScoreCounts) -> int:
    """How many scores to keep apart for a measure that reads one point of the curve.

    Such a point moves from one joined score to the next, in steps of about 2.7 / levels of a
    class's rows. A rate has a standard error of at most 1/2 over the root of the rows. The
    steps are kept to half of that.

    Examples
    --------
    >>> few, many = np.array([4_000]), np.array([1_000_000])
    >>> (
    ...     fine_levels(ScoreCounts(np.zeros(1), few, many)),
    ...     fine_levels(ScoreCounts(np.zeros(1), many, many)),
    ... )
    (1000, 10800)
    """
    rows = min(float(scores.total_positives), float(scores.total_negatives))
    return int(min(max(10.8 * rows**0.5, COARSE_LEVELS), FINEST_LEVELS))


def _mean_scores(scores: ScoreCounts, starts: NDArray[Any]) -> NDArray[Any]:
    """The mean score of the rows from each start to the next."""
    if len(scores.score) == scores.rows == scores.total:  # every row has a score of its own
        sizes = np.diff(starts, append=len(scores.score))
        return np.add.reduceat(scores.score, starts) / sizes
    rows = (scores.positives + scores.negatives).astype(float)
    return np.add.reduceat(scores.score * rows, starts) / np.add.reduceat(rows, starts)


def recentred(replicates: NDArray[Any], coarse: Any, estimate: Any) -> NDArray[Any]:
    """Replicates of a measure on coarse counts, moved by what coarseness changes.

    A measure that is infinite both ways is not moved.

    Examples
    --------
    >>> recentred(np.array([0.7, 0.8]), 0.75, 0.76)
    array([0.71, 0.81])
    """
    exact, rough = np.asarray(estimate, float), np.asarray(coarse, float)
    # infinite less infinite is said to be invalid, although nothing changed
    with np.errstate(invalid="ignore"):
        return np.asarray(replicates + np.where(exact == rough, 0.0, exact - rough))
