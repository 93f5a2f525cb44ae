"""Resampled score counts: bootstrap replicates of whatever follows from the ranking of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from heldout.core.errors import InputError
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.limits import Jackknife
from heldout.uncertainty.resampling import in_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.random import Generator
    from numpy.typing import NDArray

__all__ = ["ScoreSampler", "replicate_scores", "score_jackknife"]

#: one kind of a multinomial costs as much as this many rows drawn one by one
ROWS_PER_KIND = 20
#: above this many kinds of rows the jackknife leaves out parts instead of single rows
JACKKNIFE_PARTS = 400


class ScoreSampler:
    """Draws bootstrap samples of unweighted score counts, in the kinds of rows that there are.

    A kind is a score and a class. Few kinds are drawn as one multinomial, at a cost free of
    the number of rows; many kinds by drawing the rows. The distribution is the same.

    Parameters
    ----------
    scores
        Counts of rows that all weigh the same.
    stratified
        Positives and negatives keep their numbers.
    """

    def __init__(self, scores: ScoreCounts, *, stratified: bool = False) -> None:
        if scores.positives.dtype.kind == "f" or scores.negatives.dtype.kind == "f":
            raise InputError(
                "weighted rows are not drawn by score counts: resample rows with their weights"
            )
        if not scores.total:
            raise InputError("there are no rows to draw from")
        self.scores = scores
        self.stratified = stratified
        both = np.column_stack([scores.positives, scores.negatives]).ravel()
        #: the kinds of rows: twice the place of the score, plus one for negatives
        self.kinds = np.flatnonzero(both)
        #: how many rows are of each kind
        self.counts = both[self.kinds].astype(np.int64)
        side = self.kinds % 2
        self.of_positives, self.of_negatives = np.flatnonzero(side == 0), np.flatnonzero(side == 1)
        parts = (self.of_positives, self.of_negatives) if stratified else (slice(None),)
        self._strata = [_Stratum.of(part, self.counts[part]) for part in parts]
        #: how many elements one draw handles
        self.size = sum(stratum.size for stratum in self._strata)

    def draw_kinds(self, rng: Generator) -> NDArray[Any]:
        """How many rows of each kind one bootstrap sample has."""
        if not self.stratified:
            return self._strata[0].draw(rng)
        drawn = np.empty(len(self.kinds), np.int64)
        for stratum in self._strata:
            drawn[stratum.part] = stratum.draw(rng)
        return drawn

    def weigh(self, rng: Generator) -> ScoreCounts:
        """Rows weighted at random instead of drawn: a Bayesian bootstrap with one pseudo-row.

        Half a positive and half a negative row are spread evenly over all scores, so that a
        ranking without a fault is not taken to be one that cannot have any.
        """
        levels = len(self.scores.score)
        sides = []
        for counts in (self.scores.positives, self.scores.negatives):
            drawn = rng.standard_gamma(counts + 0.5 / levels)
            sides.append(drawn * (counts.sum() / drawn.sum()) if self.stratified else drawn)
        total = float(sides[0].sum() + sides[1].sum())
        positives, negatives = (side * (self.scores.total / total) for side in sides)
        return ScoreCounts(self.scores.score, positives, negatives, self.scores.rows)

    def counted(self, drawn: NDArray[Any]) -> ScoreCounts:
        """Rows of each kind as a tally; scores of which nothing was drawn do not occur in it."""
        levels = len(self.scores.score)
        positives, negatives = np.zeros(levels, np.int64), np.zeros(levels, np.int64)
        positives[self.kinds[self.of_positives] // 2] = drawn[self.of_positives]
        negatives[self.kinds[self.of_negatives] // 2] = drawn[self.of_negatives]
        kept = (positives + negatives) > 0
        return ScoreCounts(
            self.scores.score[kept], positives[kept], negatives[kept], int(drawn.sum())
        )


class _Stratum(NamedTuple):
    """Kinds of rows that are drawn together: which, how many, where each one's rows end."""

    part: Any
    counts: NDArray[Any]
    ends: NDArray[Any]
    total: int

    @classmethod
    def of(cls, part: Any, counts: NDArray[Any]) -> _Stratum:
        ends = np.cumsum(counts)
        return cls(part, counts, ends, int(ends[-1]) if len(ends) else 0)

    @property
    def by_kinds(self) -> bool:
        """Whether one multinomial draw costs less than drawing all rows."""
        return len(self.counts) * ROWS_PER_KIND <= self.total

    @property
    def size(self) -> int:
        return len(self.counts) if self.by_kinds else self.total

    def draw(self, rng: Generator) -> NDArray[Any]:
        total = self.total
        if not total:
            return self.counts
        if self.by_kinds:
            return rng.multinomial(total, self.counts / max(total, 1))
        often = np.bincount(rng.integers(0, total, total), minlength=total)
        if len(self.counts) == total:
            return often
        # differences of running sums are five times as fast as np.add.reduceat
        sums = np.cumsum(often)[self.ends - 1]
        sums[1:] = sums[1:] - sums[:-1]
        return sums


def replicate_scores(
    scores: ScoreCounts,
    statistic: Callable[[ScoreCounts], Any],
    *,
    replicates: int,
    rng: Generator,
    stratified: bool = False,
) -> NDArray[Any]:
    """Bootstrap replicates of a statistic of score counts (a number, or a row of numbers).

    Examples
    --------
    >>> from heldout.core.random import generator
    >>> scores = ScoreCounts.of(np.array([True, False] * 5), np.arange(10.0))
    >>> made = replicate_scores(
    ...     scores, lambda s: s.total_positives, replicates=50, rng=generator(1), stratified=True
    ... )
    >>> made.min(), made.max()
    (np.float64(5.0), np.float64(5.0))
    """
    sampler = ScoreSampler(scores, stratified=stratified)

    def one(own: Generator) -> Any:
        return statistic(sampler.counted(sampler.draw_kinds(own)))

    return in_blocks(one, replicates=replicates, rng=rng, size=sampler.size)


def score_jackknife(
    scores: ScoreCounts, statistic: Callable[[ScoreCounts], Any], *, rng: Generator
) -> Jackknife:
    """The statistic without one row of each kind; of many kinds, without one of 400 parts.

    Examples
    --------
    >>> from heldout.core.random import generator
    >>> scores = ScoreCounts.of(np.array([True, True, False]), np.array([1.0, 1.0, 0.0]))
    >>> left = score_jackknife(scores, lambda s: s.total_positives, rng=generator(1))
    >>> left.values, left.multiplicity
    (array([1., 2.]), array([2, 1]))
    """
    sampler = ScoreSampler(scores)
    counts = sampler.counts
    if len(counts) <= JACKKNIFE_PARTS:
        without: Iterable[NDArray[Any]] = counts - np.eye(len(counts), dtype=np.int64)
        multiplicity: NDArray[Any] | None = counts
    else:
        kind = np.repeat(np.arange(len(counts)), counts)
        rng.shuffle(kind)
        parts = [kind[part::JACKKNIFE_PARTS] for part in range(JACKKNIFE_PARTS)]
        without = (counts - np.bincount(part, minlength=len(counts)) for part in parts)
        multiplicity = None
    values = [statistic(sampler.counted(left)) for left in without]
    return Jackknife(np.array(values, float), multiplicity)
