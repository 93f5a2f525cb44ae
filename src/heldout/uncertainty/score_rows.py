"""Resampled scores of rows with weights or in groups, and score counts on fewer scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.influence import GroupSizes
from heldout.uncertainty.limits import Jackknife
from heldout.uncertainty.resampling import RowSampler, content_order, in_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator
    from numpy.typing import NDArray

__all__ = ["COARSE_LEVELS", "ScoreRows", "coarse_scores", "fine_levels", "recentred"]

#: parts of a jackknife that cannot leave out every single row
JACKKNIFE_PARTS = 400


class ScoreRows:
    """Rows with truth, score, weight and group, sorted once so that samples need no sorting.

    Parameters
    ----------
    positive, score, weight
        Of each row.
    groups
        A code for each row: groups are drawn whole.
    stratified
        Positives and negatives keep their numbers (not together with groups that hold both).

    Examples
    --------
    >>> from heldout.core.random import generator
    >>> rows = ScoreRows(np.array([True, False]), np.array([0.9, 0.1]), np.array([2.0, 3.0]))
    >>> rows.counts(np.array([1, 2])).negatives
    array([0., 6.])
    """

    def __init__(
        self,
        positive: NDArray[np.bool_],
        score: NDArray[Any],
        weight: NDArray[Any] | None = None,
        *,
        groups: NDArray[Any] | None = None,
        stratified: bool = False,
    ) -> None:
        order = content_order(positive, weight)
        order = order[np.argsort(-score[order], kind="stable")]
        self._score = score[order] + 0.0  # -0.0 and 0.0 are one score
        self._positive = positive[order]
        self._weight = None if weight is None else weight[order]
        self._is_stratified = stratified
        starts = np.ones(len(score), bool)
        starts[1:] = self._score[1:] != self._score[:-1]
        self._starts = np.flatnonzero(starts)
        self.sampler = RowSampler(
            len(score),
            strata=self._positive if stratified else None,
            groups=None if groups is None else groups[order],
        )

    @property
    def sizes(self) -> GroupSizes | None:
        """How large the groups are, by rows or their weights; None where rows stand alone."""
        codes = self.sampler.group_codes
        return None if codes is None else GroupSizes.of(np.bincount(codes, self._weight))

    def counts(self, often: NDArray[Any]) -> ScoreCounts:
        """The tally of the rows, each as often as said; rows are in falling order of score."""
        mass = often if self._weight is None else often * self._weight
        positives = np.add.reduceat(np.where(self._positive, mass, 0), self._starts)
        everything = np.add.reduceat(mass, self._starts)
        negatives = np.add.reduceat(np.where(self._positive, 0, mass), self._starts)
        kept = everything > 0
        return ScoreCounts(
            self._score[self._starts][kept], positives[kept], negatives[kept], int(often.sum())
        )

    def weighed(self, rng: Generator) -> ScoreCounts:
        """The tally with rows or groups weighted at random, and one pseudo-row or pseudo-group.

        Half of it is positive, half negative, spread evenly over all scores; it weighs as much
        as a row or group does on average. So a ranking without a fault is not taken to be one
        that cannot have any.

        Examples
        --------
        >>> from heldout.core.random import generator
        >>> rows = ScoreRows(np.array([True, False]), np.array([0.9, 0.1]))
        >>> bool((rows.weighed(generator(1)).negatives > 0).all())
        True
        """
        drawn, levels = self.sampler.weights(rng), len(self._starts)
        whole = np.ones(len(drawn)) if self._weight is None else self._weight
        extra = rng.standard_gamma(0.5 / levels, (2, levels)) * (whole.sum() / self.sampler.units)
        sides = []
        for own, more in zip((self._positive, ~self._positive), extra, strict=True):
            side = np.add.reduceat(np.where(own, drawn * whole, 0.0), self._starts) + more
            # where classes keep their numbers, only their shares are drawn
            sides.append(side * (whole[own].sum() / side.sum()) if self._is_stratified else side)
        return ScoreCounts(self._score[self._starts], sides[0], sides[1], len(drawn))

    def replicate(
        self,
        statistic: Callable[[ScoreCounts], Any],
        *,
        replicates: int,
        rng: Generator,
        is_weighed: bool = False,
    ) -> NDArray[Any]:
        """Bootstrap replicates of a statistic of score counts.

        ``is_weighed``: rows or groups are weighted at random (see ``weighed``), not drawn.
        """

        def one(own: Generator) -> Any:
            if is_weighed:
                return statistic(self.weighed(own))
            return statistic(self.counts(self.sampler.multiplicities(own)))

        return in_blocks(one, replicates=replicates, rng=rng, size=self.sampler.rows)

    def jackknife(self, statistic: Callable[[ScoreCounts], Any], *, rng: Generator) -> Jackknife:
        """The statistic without each row or group; of many, without each of 400 random parts."""
        values = []
        for left in self.sampler.parts(JACKKNIFE_PARTS, rng):
            often = np.zeros(len(self._score), np.int64)
            often[left] = 1
            values.append(statistic(self.counts(often)))
        return Jackknife(np.array(values, float))


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
