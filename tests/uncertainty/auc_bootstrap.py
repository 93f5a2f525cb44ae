"""Bootstrap replicates of the area under the ROC curve, by the shortest way."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.limits import Jackknife
from heldout.uncertainty.rankings import ScoreSampler
from heldout.uncertainty.sample import in_blocks

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

__all__ = ["auc_jackknife", "merged_runs", "replicate_auc"]


def replicate_auc(
    scores: ScoreCounts, *, replicates: int, rng: Generator, stratified: bool = False
) -> NDArray[Any]:
    """Bootstrap replicates of the area; NaN where a class was not drawn at all.

    Examples
    --------
    >>> from heldout.core.random import generator
    >>> scores = ScoreCounts.of(np.array([True, True, False, False]), np.arange(4.0)[::-1])
    >>> replicate_auc(scores, replicates=2, rng=generator(1), stratified=True)
    array([1., 1.])
    """
    sampler = ScoreSampler(merged_runs(scores), stratified=stratified)
    kinds = sampler.kinds
    ups, downs = np.flatnonzero(kinds % 2 == 0), np.flatnonzero(kinds % 2 == 1)
    # of each kind of negatives: how many kinds of positives lie above it, and above or beside
    above = np.searchsorted(kinds[ups], kinds[downs] - 1, side="left")
    beside = np.searchsorted(kinds[ups], kinds[downs] - 1, side="right")

    def one(own: Generator) -> float:
        drawn = sampler.draw_kinds(own)
        negatives = drawn[downs]
        running = np.concatenate([[0], np.cumsum(drawn[ups])])
        # twice the pairs in order, a tied pair counting one: whole numbers throughout
        twice = int(np.einsum("i,i->", running[above] + running[beside], negatives))
        pairs = int(running[-1]) * int(negatives.sum())
        return twice / (2 * pairs) if pairs else nan

    return in_blocks(one, replicates=replicates, rng=rng, size=sampler.size)


def merged_runs(scores: ScoreCounts) -> ScoreCounts:
    """The counts with neighbouring scores joined where only one class lies between them.

    The area does not change, in no bootstrap sample either, and a rare class leaves few
    scores: at most two for each of its rows.

    Examples
    --------
    >>> scores = ScoreCounts.of(np.array([True, True, False, False]), np.arange(4.0)[::-1])
    >>> merged_runs(scores).positives.tolist(), merged_runs(scores).negatives.tolist()
    ([2, 0], [0, 2])
    """
    if len(scores.score) < 2:
        return scores
    has_positive, has_negative = scores.positives > 0, scores.negatives > 0
    mixed = has_positive & has_negative
    same = (has_positive[1:] == has_positive[:-1]) & ~mixed[1:] & ~mixed[:-1]
    starts = np.flatnonzero(np.concatenate([[True], ~same]))
    return ScoreCounts(
        scores.score[starts],
        np.add.reduceat(scores.positives, starts, dtype=np.int64),
        np.add.reduceat(scores.negatives, starts, dtype=np.int64),
        scores.rows,
    )


def auc_jackknife(scores: ScoreCounts) -> Jackknife:
    """The area without one row of each score and class, in one pass.

    Examples
    --------
    >>> scores = ScoreCounts.of(np.array([True, False, True, False]), np.arange(4.0)[::-1])
    >>> auc_jackknife(scores).values.tolist()
    [0.5, 1.0, 1.0, 0.5]
    """
    positives, negatives = float(scores.total_positives), float(scores.total_negatives)
    # how many pairs in order a positive (a negative) row at each score is part of
    of_positive = negatives - (scores.fp - scores.negatives / 2)
    of_negative = scores.tp - scores.positives / 2
    pairs = float(np.einsum("i,i->", scores.positives.astype(float), of_positive))
    with np.errstate(divide="ignore", invalid="ignore"):
        without_positive = (pairs - of_positive) / ((positives - 1) * negatives)
        without_negative = (pairs - of_negative) / ((negatives - 1) * positives)
    values = np.column_stack([without_positive, without_negative]).ravel()
    counts = np.column_stack([scores.positives, scores.negatives]).ravel()
    kept = counts > 0
    return Jackknife(values[kept], counts[kept])
