"""Resampled rankings: plain ones by score counts, weighted and grouped ones by rows.

Long rankings are resampled on fewer scores, and replicates moved by what that changes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from heldout.core.errors import InputError
from heldout.core.memo import once
from heldout.core.random import stream
from heldout.core.threads import BLOCK
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.limits import BIASES, Jackknife, normal_limits
from heldout.uncertainty.replicates import ReplicatedTally, Replicates
from heldout.uncertainty.sample import RowOrder, RowSampler, content_order, in_blocks
from heldout.uncertainty.worth import NO_GROUPS, GroupSizes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.uncertainty.interval import Interval
    from heldout.uncertainty.limits import Bounds
    from heldout.uncertainty.replicates import Statistic

#: one kind of a multinomial costs as much as this many rows drawn one by one
ROWS_PER_KIND = 20
#: above this many kinds of rows the jackknife leaves out parts instead of single rows
JACKKNIFE_PARTS = 400
#: enough scores that the spread of areas and averages is right to about one part in a thousand
COARSE_LEVELS = 1000
#: the most that are kept apart where single points of the curve are read
FINEST_LEVELS = 20_000
#: rows of the smaller class from which measures of a ranking are taken to be normal
MANY_OF_A_CLASS = 10_000
#: draws from which a standard error is taken
NORMAL_DRAWS = 100


class RankingDraws(ABC):
    """A ranking that can be resampled: by its scores (``ScoreSampler``) or rows (``ScoreRows``)."""

    #: how many elements one draw handles, and how large the groups are that are drawn whole
    size: int
    sizes: GroupSizes = NO_GROUPS

    @abstractmethod
    def draw(self, rng: Generator) -> ScoreCounts:
        """The tally of one bootstrap sample; scores of which nothing was drawn are not in it."""

    @abstractmethod
    def weigh(self, rng: Generator) -> ScoreCounts:
        """Rows (or groups) weighted at random, not drawn: a Bayesian bootstrap with a pseudo-row.

        Half of the pseudo-row is positive, half negative, spread evenly over all scores; it
        weighs as much as a row or group does on average. So a ranking without a fault is not
        taken to be one that cannot have any.
        """

    @abstractmethod
    def left_out(self, rng: Generator) -> tuple[Iterable[ScoreCounts], NDArray[Any] | None]:
        """The tallies without one unit of each kind, and how many there are of that kind.

        Of many kinds the tallies without each of 400 random parts, of which there is one each.
        """

    def replicate(
        self,
        statistic: Callable[[ScoreCounts], Any],
        *,
        replicates: int,
        rng: Generator,
        is_weighed: bool = False,
    ) -> NDArray[Any]:
        """Replicates of a statistic of score counts (a number, or a row of numbers).

        Examples
        --------
        >>> from heldout.core.random import generator
        >>> scores = ScoreCounts.of(np.array([True, False] * 5), np.arange(10.0))
        >>> drawn = ScoreSampler(scores, stratified=True).replicate(
        ...     lambda s: s.total_positives, replicates=50, rng=generator(1)
        ... )
        >>> drawn.min(), drawn.max()
        (np.float64(5.0), np.float64(5.0))
        """
        tally = self.weigh if is_weighed else self.draw
        return in_blocks(
            lambda own: statistic(tally(own)), replicates=replicates, rng=rng, size=self.size
        )

    def jackknife(self, statistic: Callable[[ScoreCounts], Any], *, rng: Generator) -> Jackknife:
        """The statistic without single units, or without parts of them.

        Examples
        --------
        >>> from heldout.core.random import generator
        >>> scores = ScoreCounts.of(np.array([True, True, False]), np.array([1.0, 1.0, 0.0]))
        >>> left = ScoreSampler(scores).jackknife(lambda s: s.total_positives, rng=generator(1))
        >>> left.values, left.multiplicity
        (array([1., 2.]), array([2, 1]))
        """
        tallies, multiplicity = self.left_out(rng)
        return Jackknife(np.array([statistic(tally) for tally in tallies], float), multiplicity)


class ScoreSampler(RankingDraws):
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
        sides = (np.flatnonzero(self.kinds % 2 == side) for side in (0, 1))
        parts = tuple(sides) if stratified else (slice(None),)
        self._strata = [_Stratum.of(part, self.counts[part]) for part in parts]
        #: how many elements one draw handles
        self.size = sum(stratum.size for stratum in self._strata)

    def draw(self, rng: Generator) -> ScoreCounts:
        """The tally of one bootstrap sample."""
        return self.counted(self.draw_kinds(rng))

    def draw_kinds(self, rng: Generator) -> NDArray[Any]:
        """How many rows of each kind one bootstrap sample has."""
        if not self.stratified:
            return self._strata[0].draw(rng)
        drawn = np.empty(len(self.kinds), np.int64)
        for stratum in self._strata:
            drawn[stratum.part] = stratum.draw(rng)
        return drawn

    def weigh(self, rng: Generator) -> ScoreCounts:
        """The tally of rows weighted at random, and a pseudo-row."""
        levels = len(self.scores.score)
        sides = []
        for counts in (self.scores.positives, self.scores.negatives):
            drawn = rng.standard_gamma(counts + 0.5 / levels)
            sides.append(drawn * (counts.sum() / drawn.sum()) if self.stratified else drawn)
        total = float(sides[0].sum() + sides[1].sum())
        positives, negatives = (side * (self.scores.total / total) for side in sides)
        return ScoreCounts(self.scores.score, positives, negatives, self.scores.rows)

    def sides(self, drawn: NDArray[Any]) -> NDArray[np.int64]:
        """Positives and negatives at each score, from the rows of each kind."""
        both = np.zeros(2 * len(self.scores.score), np.int64)
        both[self.kinds] = drawn
        return both.reshape(-1, 2).T

    def counted(self, drawn: NDArray[Any]) -> ScoreCounts:
        """Rows of each kind as a tally; scores of which nothing was drawn do not occur in it."""
        positives, negatives = self.sides(drawn)
        kept = (positives + negatives) > 0
        return ScoreCounts(
            self.scores.score[kept], positives[kept], negatives[kept], int(drawn.sum())
        )

    def left_out(self, rng: Generator) -> tuple[Iterable[ScoreCounts], NDArray[Any] | None]:
        """The tallies without one row of each kind; of many kinds, without one of 400 parts."""
        counts = self.counts
        if len(counts) <= JACKKNIFE_PARTS:
            return map(self.counted, counts - np.eye(len(counts), dtype=np.int64)), counts
        kind = np.repeat(np.arange(len(counts)), counts)
        rng.shuffle(kind)
        parts = (kind[part::JACKKNIFE_PARTS] for part in range(JACKKNIFE_PARTS))
        without = (counts - np.bincount(part, minlength=len(counts)) for part in parts)
        return map(self.counted, without), None


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


class ScoreRows(RankingDraws):
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
        order = content_order(positive, weight).places
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
            order=None if groups is None else self._content_order,
        )

        self.size = len(score)

    def _content_order(self) -> RowOrder:
        return content_order(self._score, self._positive, self._weight)

    @cached_property
    def sizes(self) -> GroupSizes:  # type: ignore[override]  # made when it is asked for
        """How large the groups are, by rows or their weights."""
        codes = self.sampler.group_codes
        return NO_GROUPS if codes is None else GroupSizes.of(np.bincount(codes, self._weight))

    @property
    def fewest(self) -> int:
        """Rows of the smaller class; 0 where whole groups are drawn."""
        positives = int(np.count_nonzero(self._positive))
        return 0 if self.sizes.count else min(positives, len(self._score) - positives)

    @property
    def words(self) -> str:
        """What is drawn."""
        rows = "rows within true classes" if self._is_stratified else "rows"
        return "groups" if self.sizes.count else rows

    def draw(self, rng: Generator) -> ScoreCounts:
        """The tally of one bootstrap sample."""
        return self.counts(self.sampler.multiplicities(rng))

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

    def weigh(self, rng: Generator) -> ScoreCounts:
        """The tally of rows or groups weighted at random, and a pseudo-row or pseudo-group.

        Examples
        --------
        >>> from heldout.core.random import generator
        >>> rows = ScoreRows(np.array([True, False]), np.array([0.9, 0.1]))
        >>> bool((rows.weigh(generator(1)).negatives > 0).all())
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

    def left_out(self, rng: Generator) -> tuple[Iterable[ScoreCounts], NDArray[Any] | None]:
        """The tallies without each row or group; of many, without each of 400 random parts."""
        return map(self.part, self.sampler.parts(JACKKNIFE_PARTS, rng)), None

    def part(self, rows: NDArray[Any]) -> ScoreCounts:
        """The tally of some of the rows, by their positions."""
        return self.counts(np.bincount(rows, minlength=self.size))


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
    return ScoreCounts(mean_scores(scores, starts), positives, negatives, scores.rows)


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


def mean_scores(scores: ScoreCounts, starts: NDArray[Any]) -> NDArray[Any]:
    """The mean score of the rows from each start to the next."""
    means = np.empty(len(starts))
    ends = np.append(starts[1:], len(scores.score))
    is_distinct = len(scores.score) == scores.rows == scores.total
    first = 0
    while first < len(starts):  # some of them at a time, so that temporaries stay small
        last = max(int(np.searchsorted(ends, starts[first] + BLOCK, side="right")), first + 1)
        span = slice(int(starts[first]), int(ends[last - 1]))
        score, inside = scores.score[span], starts[first:last] - span.start
        if is_distinct:  # every row has a score of its own
            means[first:last] = np.add.reduceat(score, inside) / np.diff(inside, append=len(score))
        else:
            rows = (scores.positives[span] + scores.negatives[span]).astype(float)
            sums = np.add.reduceat(score * rows, inside)
            means[first:last] = sums / np.add.reduceat(rows, inside)
        first = last
    return means


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


@dataclass(frozen=True, eq=False)
class ScoreBootstrap(ReplicatedTally):
    """Replicates of a ranking.

    Parameters
    ----------
    scores
        Positives and negatives at each distinct score.
    stratified
        Positives and negatives keep their numbers.
    levels
        Longer rankings are resampled with neighbouring scores joined down to about this
        many, and the replicates moved by what that changes; None: never.
    rows
        The rows themselves, where they have weights or come in groups: those are drawn.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> scores = ScoreCounts.of(np.array([True, False] * 50), np.arange(100.0) % 7)
    >>> ScoreBootstrap(scores).interval(lambda s: s.tp[0] / s.total_positives).method
    'Bayesian bootstrap with a pseudo-row, 2000 draws of scores, seed 1'
    """

    scores: ScoreCounts
    replicates: int = 2000
    seed: int = 1
    stratified: bool = False
    levels: int | None = COARSE_LEVELS
    rows: ScoreRows | None = None

    def replicated(self, statistic: Statistic) -> Replicates:
        """The replicates of several numbers that follow from score counts, each made once."""
        exact, rough = self._estimates(statistic)

        @cache
        def replicates(is_weighed: bool) -> NDArray[Any]:
            return recentred(self._table(statistic, is_weighed, self.replicates), rough, exact)

        @cache
        def left_out() -> Jackknife:
            rng = stream(self.seed, "scores", "left out")
            return self.source.jackknife(statistic, rng=rng)

        return Replicates(
            exact,
            lambda: replicates(False),
            lambda: replicates(True),
            left_out,
            self._draws(self.replicates),
            self.source.sizes,
            self._fewest,
        )

    def normal_intervals(
        self,
        statistic: Statistic,
        *,
        level: float = 0.95,
        kind: str = "bayesian",
        bounds: Sequence[Bounds],
    ) -> list[Interval | None]:
        """The intervals of several numbers by few draws, where many rows make them normal.

        A hundred draws give the standard error as well as four hundred give quantiles. None
        for a number whose draws do not look normal (see ``normal_limits``), and for all
        numbers where a class has fewer than 10,000 rows.

        Parameters
        ----------
        kind
            ``bayesian`` (rows weighted at random; around the value, unless the draws are
            biased), ``basic`` (rows drawn; their bias taken off) or ``maximum`` (taken off
            twice).
        bounds
            The range of each number.
        """
        if self._fewest < MANY_OF_A_CLASS or kind not in ("bayesian", "basic", "maximum"):
            return [None] * len(bounds)
        exact, rough = self._estimates(statistic)
        table = recentred(self._table(statistic, kind == "bayesian", NORMAL_DRAWS), rough, exact)
        return [
            normal_limits(
                table[:, column],
                float(exact[column]),
                level=level,
                unbiased=kind != "bayesian",
                biases=BIASES if kind == "maximum" else 1.0,
                bounds=bounds[column],
                draws=self._draws(
                    NORMAL_DRAWS, "random weightings" if kind == "bayesian" else "draws"
                ),
            )
            for column in range(len(bounds))
        ]

    @property
    def _fewest(self) -> int:
        """Rows of the smaller class; 0 where whole groups are drawn."""
        if self.rows is not None:
            return self.rows.fewest
        return int(min(self.scores.total_positives, self.scores.total_negatives))

    def _estimates(self, statistic: Statistic) -> tuple[NDArray[Any], NDArray[Any]]:
        """The numbers themselves, and what they are of the counts that are resampled."""
        exact = np.asarray(statistic(self.scores), float)
        return exact, exact if self.coarse is self.scores else np.asarray(
            statistic(self.coarse), float
        )

    @cached_property
    def coarse(self) -> ScoreCounts:
        """The counts that are resampled."""
        levels = self.levels
        if levels is None or self.rows is not None:
            return self.scores
        return once(self.scores, f"{levels} levels", lambda s: coarse_scores(s, levels))

    @cached_property
    def source(self) -> RankingDraws:
        """What is resampled."""
        if self.rows is not None:
            return self.rows
        return ScoreSampler(self.coarse, stratified=self.stratified)

    def _table(self, statistic: Statistic, is_weighed: bool, replicates: int) -> NDArray[Any]:
        rng = stream(self.seed, "scores", "weighed" if is_weighed else "drawn")
        return self.source.replicate(
            statistic, replicates=replicates, rng=rng, is_weighed=is_weighed
        )

    def _draws(self, replicates: int, word: str = "draws") -> str:
        what = "scores" if self.coarse is self.scores else f"{len(self.coarse.score):,} score bins"
        what += " within true classes" if self.stratified else ""
        what = what if self.rows is None else self.rows.words
        return f"{replicates} {word} of {what}, seed {self.seed}"
