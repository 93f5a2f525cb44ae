"""Score counts with neighbouring scores joined at chosen scores, so that cuts stay exact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.core.arrays import Array
    from heldout.tally.scores import ScoreCounts

#: scores that are kept apart where there are more
LEVELS = 4000


def ends_of(scores: ScoreCounts, levels: int = LEVELS, *, near: Sequence[int] = ()) -> Array:
    """Places of the scores to keep: about ``levels`` of them, always with the last.

    A third lies at equal steps of the positives, a third of the negatives. With ``near``
    the last third lies around those places, within what a best threshold moves from sample
    to sample (in the order of n^(-1/3) of the rows, Kim and Pollard 1990, Ann. Stat. 18:191),
    and the places themselves are kept. Few enough scores are all kept.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> scores = ScoreCounts.of(np.arange(1000) % 3 == 0, np.arange(1000.0))
    >>> ends = ends_of(scores, 30, near=[500])
    >>> len(ends) <= 35, 500 in ends, int(ends[-1])
    (True, True, 999)
    """
    count = len(scores.score)
    if count <= levels:
        return np.arange(count)
    third = max(levels // 3, 1)
    steps = np.arange(1, third + 1) / third
    ends = [np.array([count - 1])]
    for running, total in (
        (scores.tp, scores.total_positives),
        (scores.fp, scores.total_negatives),
    ):
        if total:
            ends.append(np.searchsorted(running, (steps * total).astype(running.dtype)))
    reach = 2.0 * count ** (2 / 3)
    for center in near:
        around = np.linspace(-reach, reach, max(third // len(near), 1)).astype(np.int64)
        ends.append(np.append(center + around, center))
    return np.unique(np.clip(np.concatenate(ends), 0, count - 1))


def joined(scores: ScoreCounts, ends: Array) -> ScoreCounts:
    """The counts with all scores joined down to the next kept one.

    A joined score is the lowest of its rows, so ``score >= t`` calls the same rows positive
    as before at every score that is kept.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> scores = ScoreCounts.of(np.array([True, False, True]), np.array([0.9, 0.5, 0.1]))
    >>> two = joined(scores, np.array([1, 2]))
    >>> two.score.tolist(), two.positives.tolist(), two.negatives.tolist()
    ([0.5, 0.1], [1, 1], [1, 0])
    """
    if len(ends) == len(scores.score):
        return scores
    positives = np.diff(scores.tp[ends], prepend=scores.tp.dtype.type(0))
    negatives = np.diff(scores.fp[ends], prepend=scores.fp.dtype.type(0))
    return type(scores)(scores.score[ends], positives, negatives, scores.rows)


def joined_at(scores: ScoreCounts, thresholds: Array) -> ScoreCounts:
    """The counts of other rows joined at the same thresholds (falling), none of them left out.

    Scores below the last threshold are counted there. So the counts of several slices of
    rows stand on one grid, and add and subtract element by element.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> scores = ScoreCounts.of(np.array([True, False, True]), np.array([0.9, 0.5, 0.1]))
    >>> joined_at(scores, np.array([0.8, 0.4, 0.1])).positives.tolist()
    [1, 0, 1]
    """
    if not len(scores.score):
        none = np.zeros(len(thresholds), scores.positives.dtype)
        return type(scores)(thresholds, none, none, scores.rows)
    places = np.searchsorted(-scores.score, -thresholds, side="right")
    if len(places):
        places[-1] = len(scores.score)
    running = []
    for counts in (scores.tp, scores.fp):
        none = counts.dtype.type(0)
        upto = np.where(places > 0, counts[places - 1], none)
        running.append(np.diff(upto, prepend=none))
    return type(scores)(thresholds, running[0], running[1], scores.rows)
