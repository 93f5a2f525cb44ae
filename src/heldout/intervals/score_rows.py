"""Resampled scores of rows that carry weights or come in groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.intervals.bootstrap import Jackknife
from heldout.intervals.group_sizes import GroupSizes
from heldout.intervals.resampling import RowSampler, content_order, in_blocks
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator
    from numpy.typing import NDArray

__all__ = ["ScoreRows"]

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
