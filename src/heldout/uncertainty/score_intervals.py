"""Intervals of measures of score counts, by bootstrap; normal limits where replicates allow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import hypot, inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.memo import once
from heldout.core.random import stream
from heldout.uncertainty.interval import Interval, checked_level
from heldout.uncertainty.proportions import effective_sample_size, proportion_interval
from heldout.uncertainty.quantiles import two_sided_student
from heldout.uncertainty.replicate_limits import BIASES, ReplicatedTally, Replicates
from heldout.uncertainty.resampling import in_blocks
from heldout.uncertainty.score_bootstrap import ScoreSampler, replicate_scores, score_jackknife
from heldout.uncertainty.score_rows import COARSE_LEVELS, coarse_scores, recentred

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.tally.scores import ScoreCounts
    from heldout.uncertainty.bootstrap import Jackknife
    from heldout.uncertainty.replicate_limits import Bounds, Statistic

__all__ = [
    "MANY_OF_A_CLASS",
    "ScoreBootstrap",
    "best_distance_interval",
    "looks_normal",
    "normal_limits",
]

#: rows of the smaller class from which measures of a ranking are taken to be normal
MANY_OF_A_CLASS = 10_000
#: draws from which a standard error is taken
NORMAL_DRAWS = 100


@dataclass(frozen=True, eq=False)
class ScoreBootstrap(ReplicatedTally):
    """Replicates of a ranking of rows that all weigh the same.

    Parameters
    ----------
    scores
        Positives and negatives at each distinct score.
    stratified
        Positives and negatives keep their numbers.
    levels
        Longer rankings are resampled with neighbouring scores joined down to about this
        many, and the replicates moved by what that changes; None: never.

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

    def replicated(self, statistic: Statistic) -> Replicates:
        """The replicates of several numbers that follow from score counts."""
        exact, rough = self._estimates(statistic)

        def replicates(*, bayesian: bool) -> NDArray[Any]:
            return recentred(self._table(statistic, bayesian=bayesian), rough, exact)

        return Replicates(
            exact,
            lambda: replicates(bayesian=False),
            lambda: replicates(bayesian=True),
            lambda: self._jackknife(statistic),
            self._draws(self.replicates),
            fewest=self._fewest,
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
        table = self._table(statistic, bayesian=kind == "bayesian", replicates=NORMAL_DRAWS)
        table = recentred(table, rough, exact)
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
        """Rows of the smaller class."""
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
        if levels is None:
            return self.scores
        return once(self.scores, f"{levels} levels", lambda s: coarse_scores(s, levels))

    def _table(
        self, statistic: Statistic, *, bayesian: bool, replicates: int | None = None
    ) -> NDArray[Any]:
        count = self.replicates if replicates is None else replicates
        rng = stream(self.seed, "scores", "weighed" if bayesian else "drawn")
        if bayesian:
            sampler = ScoreSampler(self.coarse, stratified=self.stratified)
            return in_blocks(
                lambda own: statistic(sampler.weigh(own)),
                replicates=count,
                rng=rng,
                size=len(self.coarse.score),
            )
        return replicate_scores(
            self.coarse,
            statistic,
            replicates=count,
            rng=rng,
            stratified=self.stratified,
        )

    def _jackknife(self, statistic: Statistic) -> Jackknife:
        return score_jackknife(self.coarse, statistic, rng=stream(self.seed, "scores", "left out"))

    def _draws(self, replicates: int, word: str = "draws") -> str:
        what = "scores" if self.coarse is self.scores else f"{len(self.coarse.score):,} score bins"
        inside = " within true classes" if self.stratified else ""
        return f"{replicates} {word} of {what}{inside}, seed {self.seed}"


#: standard errors that skewness and bias may be away from those of a normal sample
LEEWAY = 3.0
#: the same for kurtosis, whose distribution in small samples has a long tail
LEEWAY_OF_KURTOSIS = 4.0
#: standard deviations that the value must keep from the ends of the measure's range
ROOM = 5.0
#: standard deviations that the replicates may be shifted by
LARGEST_BIAS = 1.0
METHOD = "normal limits of a bootstrap"


def normal_limits(
    replicates: NDArray[Any],
    estimate: float,
    *,
    level: float = 0.95,
    unbiased: bool = False,
    biases: float = 1.0,
    bounds: tuple[float, float] = (-inf, inf),
    draws: str = "",
) -> Interval | None:
    """The interval from the standard deviation of replicates; None unless they look normal.

    Student's quantile allows for the standard deviation being that of few replicates.

    Parameters
    ----------
    unbiased
        Take off the replicates' bias, as the basic bootstrap does, in any case: else only one
        that is larger than chance (a hull, a gap: what resampling shifts, the sample has
        shifted before). A bias above one standard deviation makes the replicates unfit.
    biases
        How many times the bias is taken off, where it is; the spread is widened by what is
        taken off beyond once (see ``maximum_limits``).
    bounds
        Range of the measure: too near to its ends nothing is normal.

    Examples
    --------
    >>> made = normal_limits(np.random.default_rng(1).normal(0.5, 0.01, 100), 0.5, bounds=(0, 1))
    >>> round(made.low, 2), round(made.high, 2), made.method
    (0.48, 0.52, 'normal limits of a bootstrap')
    """
    level = checked_level(level)
    if not isfinite(estimate) or not looks_normal(replicates):
        return None
    count = len(replicates)
    mean, spread = float(replicates.mean()), float(replicates.std(ddof=1))
    bias = mean - estimate
    if abs(bias) > LARGEST_BIAS * spread:
        return None
    unbiased = unbiased or abs(bias) > LEEWAY * spread / count**0.5
    if unbiased:
        estimate -= biases * bias
        spread = hypot(spread, (biases - 1) * bias)
    if not bounds[0] + ROOM * spread < estimate < bounds[1] - ROOM * spread:
        return None
    reach = two_sided_student(level, count - 1) * spread
    name = f"{METHOD} without bias" if unbiased else METHOD
    method = f"{name}, {draws}" if draws else name
    return Interval(estimate - reach, estimate + reach, level, method)


def looks_normal(values: NDArray[Any]) -> bool:
    """Whether the skewness and kurtosis of values could be those of a normal sample.

    Examples
    --------
    >>> looks_normal(np.arange(100.0)), looks_normal(np.arange(100.0) ** 4)
    (True, False)
    """
    if not np.isfinite(values).all():
        return False
    lean = values - values.mean()
    variance = float(np.mean(lean**2))
    if variance <= (1e-12 * float(np.abs(values).max())) ** 2:
        return False
    skewness = float(np.mean(lean**3)) / variance**1.5
    excess = float(np.mean(lean**4)) / variance**2 - 3
    error = (6 / len(values)) ** 0.5  # of the skewness; that of the kurtosis is twice as large
    return abs(skewness) < LEEWAY * error and abs(excess) < LEEWAY_OF_KURTOSIS * 2 * error


def best_distance_interval(
    counts: ScoreCounts,
    *,
    level: float = 0.95,
    two_sided: bool = False,
    squares: ScoreCounts | None = None,
) -> Interval:
    """The interval of TPR - FPR at its best threshold, as if that had not been chosen.

    Parameters
    ----------
    two_sided
        Where the distance of either sign is largest.
    squares
        For weighted rows: the same scores with the squares of the weights.

    Notes
    -----
    Newcombe (1998), Stat. Med. 17:873, method 10: Wilson's limits of both shares. They
    allow for misses where a sample has none, which no resampling of its rows does.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth = np.repeat([True, False], 10)
    >>> made = best_distance_interval(ScoreCounts.of(truth, np.where(truth, 0.9, 0.1)))
    >>> made.low, made.high
    (0.6075, 1.0)
    """
    level = checked_level(level)
    sizes = [float(counts.total_positives), float(counts.total_negatives)]
    surplus = counts.tp / sizes[0] - counts.fp / sizes[1]
    best = int(np.argmax(np.abs(surplus) if two_sided else surplus))
    shares = [float(counts.tp[best]) / sizes[0], float(counts.fp[best]) / sizes[1]]
    if squares is not None:
        both = float(squares.total_positives), float(squares.total_negatives)
        sizes = [effective_sample_size(*pair) for pair in zip(sizes, both, strict=True)]
    if shares[0] < shares[1]:
        # two-sided: the other class stands out; else no row is better called positive
        shares, sizes = (shares[::-1], sizes[::-1]) if two_sided else ([0.0, 0.0], sizes)
    more, less = (
        proportion_interval(min(share, 1.0) * size, size, level=level)
        for share, size in zip(shares, sizes, strict=True)
    )
    distance = shares[0] - shares[1]
    low = distance - hypot(shares[0] - more.low, less.high - shares[1])
    high = distance + hypot(more.high - shares[0], shares[1] - less.low)
    return Interval(low, high, level, "Newcombe").within((0, 1))
