"""How a chosen threshold varies, and how much better it looks on the rows that chose it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import hypot, inf, isnan, nan
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from heldout.core.arrays import Array, Integers
from heldout.core.notes import Lack, Reason
from heldout.core.random import stream
from heldout.core.threads import in_threads
from heldout.curves.cuts import Cuts, evaluated, of_sides
from heldout.decisions.joined import LEVELS, ends_of, joined, joined_at
from heldout.decisions.rules import first_best
from heldout.uncertainty.limits import for_few_groups, limits
from heldout.uncertainty.rankings import ScoreSampler
from heldout.uncertainty.worth import NO_GROUPS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.random import Generator

    from heldout.decisions.rules import Goal, Rule
    from heldout.tally.scores import ScoreCounts
    from heldout.uncertainty.interval import Interval
    from heldout.uncertainty.rankings import ScoreRows
    from heldout.uncertainty.worth import GroupSizes

T = TypeVar("T")
#: thresholds times replicates that are judged in one go: their tables stay in the cache
GO_CELLS = 50_000
#: how many samples choose one threshold, where replicates do not vary
OFTEN = {Reason.SAME_VALUE: "every replicate", Reason.A_POINT: "nearly every replicate"}


@dataclass(frozen=True, eq=False)
class Replicated:
    """A rule applied to bootstrap samples of the rows.

    Parameters
    ----------
    threshold
        The threshold that each sample chooses; NaN where the rule finds none there.
    here, there
        For each of the rule's goals, an element a sample: its value on the sample that
        chose, and the value that the same threshold has on the rows themselves.
    halved
        For each goal what the choice loses on new rows, from what choices on half of the rows
        lose on the other half; None where the loss from sample to rows tells it.
    draws
        What was drawn, in words.
    groups
        The groups that were drawn from, by number and size.
    """

    threshold: Array
    here: tuple[Array, ...]
    there: tuple[Array, ...]
    halved: tuple[float, ...] | None
    draws: str
    groups: GroupSizes = NO_GROUPS

    def optimism(self, goal: int) -> float:
        """How much better a goal looks on the rows that chose than on others.

        A free best choice is no smooth function of the rows: a sample shares its luck with
        the rows it was drawn from, and loses less to them than they lose to the population.
        So its optimism is taken from halves of the rows, which share none. That of a choice
        held by a condition is what the samples lose.
        """
        if self.halved is not None:
            return self.halved[goal]
        lost = self._lost(goal)
        return float(lost.mean()) if len(lost) else nan

    def interval_of_threshold(self, threshold: float, level: float) -> Interval:
        """Where the chosen threshold lies from sample to sample: percentiles."""
        interval = limits(self.threshold, threshold, level=level, draws=self.draws)
        often = None if interval.lack is None else OFTEN.get(interval.lack.reason)
        lack = Lack(f"{often} chooses this threshold")
        return replace(interval, lack=lack) if often else interval

    def interval(self, goal: Goal, number: int, value: float, level: float) -> Interval:
        """What the chosen threshold earns on other rows: the value less what it loses.

        From a sample to the rows a threshold loses what it loses, in distribution, from the
        rows to the population they came from. The optimism that is taken off is itself an
        estimate, by simulation about as uncertain as it is large: the spread is widened by it.
        """
        all_lost = self.here[number] - self.there[number]
        lost, optimism = self._lost(number), self.optimism(number)
        spread = float(lost.std()) if len(lost) else nan
        wider = hypot(1.0, optimism / spread) if spread > 0 else 1.0
        centre = value - optimism
        moved = centre - wider * (all_lost - (lost.mean() if len(lost) else nan))
        interval = limits(moved, centre, level=level, bounds=goal.bounds)
        way = "of the optimism" if self.halved is None else "about the optimism of halved rows"
        interval = replace(interval, method=f"bootstrap {way}, {self.draws}")
        return for_few_groups(interval, centre, self.groups).within(goal.bounds)

    def _lost(self, goal: int) -> Array:
        lost = self.here[goal] - self.there[goal]
        return lost[~np.isnan(lost)]


def replicate_thresholds(
    scores: ScoreCounts,
    rules: Sequence[Rule],
    cuts: Sequence[int],
    *,
    positive: int = 1,
    replicates: int = 1000,
    seed: int = 1,
    stratified: bool = False,
    rows: ScoreRows | None = None,
    levels: int = LEVELS,
) -> list[Replicated]:
    """Each rule applied to the same bootstrap samples.

    Parameters
    ----------
    cuts
        The cut that each rule chose on all rows.
    rows
        The rows themselves where they carry weights or come in groups.
    levels
        Of more distinct scores than this, neighbours are joined, for the samples only.
    """
    near = sorted({cut - 1 for cut in cuts if cut > 0})
    base = joined(scores, ends_of(scores, levels, near=near))
    within, groups = " within true classes" * stratified, NO_GROUPS
    words = f"{len(base.score):,} {'scores' if base is scores else 'score bins'}{within}"
    if rows is None:
        sampler = ScoreSampler(base, stratified=stratified)

        def draw(rng: Generator) -> Array:
            return sampler.sides(sampler.draw_kinds(rng))
    else:

        def draw(rng: Generator) -> Array:
            return _sides(rows.draw(rng), base)

        groups = rows.sizes if rows.sampler.units < rows.size else NO_GROUPS
        words = f"{rows.sampler.units:,} {'groups' if groups.count else f'rows{within}'}"
    original = [
        tuple(evaluated(base, goal.value, positive=positive) for goal in rule.goals)
        for rule in rules
    ]

    def work(own: Generator, count: int) -> list[tuple[Any, ...]]:
        drawn = [draw(own) for _ in range(count)]
        sample = _cuts(np.stack(drawn, axis=1), positive)
        parts = []
        for rule, values in zip(rules, original, strict=True):
            own_values = _values(rule, sample)
            on_rows = tuple(np.broadcast_to(v, own_values[0].shape) for v in values)
            parts.append(_judged(rule, own_values, on_rows, np.isnan(values[0])))
        return parts

    free = [number for number, rule in enumerate(rules) if rule.condition is None]
    lost = lost_to_new_rows(
        base,
        [rules[number] for number in free],
        levels=len(scores.score),
        positive=positive,
        seed=seed,
        stratified=stratified,
        rows=rows,
    )
    halved = dict(zip(free, lost, strict=True))
    parts = _in_goes(work, base, replicates, stream(seed, "thresholds"))
    thresholds = np.append(base.above_all, base.score)
    words = f"{replicates} draws of {words}, seed {seed}"
    replicated = []
    for number in range(len(rules)):
        cut, here, there = (
            np.concatenate([part[number][k] for part in parts], axis=-1) for k in range(3)
        )
        chosen = np.where(cut < 0, nan, thresholds[np.maximum(cut, 0)])
        more = (halved.get(number), words, groups)
        replicated.append(Replicated(chosen, tuple(here), tuple(there), *more))
    return replicated


def _in_goes(
    work: Callable[[Generator, int], T], scores: ScoreCounts, count: int, rng: Generator
) -> list[T]:
    """What is made of so many samples, in goes that are small enough, each with its own draws."""
    size = max(1, GO_CELLS // (len(scores.score) + 1))
    sizes = [min(size, count - start) for start in range(0, count, size)]
    jobs = zip(rng.spawn(len(sizes)), sizes, strict=True)
    return in_threads(lambda job: work(*job), jobs)


def _sides(drawn: ScoreCounts, base: ScoreCounts) -> Array:
    """Positives and negatives of some rows at each of the scores."""
    at = joined_at(drawn, base.score)
    return np.stack([at.positives, at.negatives])


def _cuts(sides: Any, positive: int) -> Cuts:
    """The confusion counts of samples (first axis) at each cut (second)."""
    tp, fp = of_sides(*sides)
    return Cuts.of_called(tp, fp, tp[:, -1:], fp[:, -1:], positive=positive)


#: for each goal its value at every cut (last axis) of every sample
Values = tuple[Array, ...]


def _values(rule: Rule, sample: Cuts) -> Values:
    shape = sample.counts.shape[:-1]
    return tuple(np.broadcast_to(goal.value(sample), shape) for goal in rule.goals)


def _judged(
    rule: Rule, choosing: Values, judging: Values, unreachable: Any
) -> tuple[Array, Array, Array]:
    """The cut each sample chooses (-1: none); its values there; those on the rows that judge.

    ``unreachable`` are the cuts that no threshold makes on the rows themselves: none makes them
    on a sample either.
    """
    merit = rule.merit(choosing)
    merit[:, unreachable] = -inf
    cut, is_known = first_best(merit)
    here, there = (
        np.stack([np.take_along_axis(v, cut[:, None], 1)[:, 0] for v in values])
        for values in (choosing, judging)
    )
    here, there = np.where(is_known, here, nan), np.where(is_known, there, nan)
    return np.where(is_known, cut, -1), here, there


#: Of rows twice as many a free choice loses so much less: what it loses falls as n^(-2/3)
#: where scores are smooth (Kim and Pollard 1990, Ann. Stat. 18:191).
HALVED = 2 ** (-2 / 3)
#: rows a distinct score from which scores are not smooth
ROWS_PER_SCORE = 5
#: partings of the rows; either half chooses
PARTINGS = 200
#: more rows than numpy can part without replacement
MOST_ROWS = 900_000_000


def lost_to_new_rows(
    scores: ScoreCounts,
    rules: Sequence[Rule],
    *,
    levels: int,
    positive: int = 1,
    seed: int = 1,
    stratified: bool = False,
    rows: ScoreRows | None = None,
) -> list[tuple[float, ...]]:
    """For each rule and each of its goals what a choice on all rows loses on new ones.

    A choice on twice as many rows loses less than one on half of them: 2^(-2/3) as much where
    scores are smooth. Of a few distinct scores one becomes the best for certain as rows grow,
    and the loss falls faster: by as much as it falls from a quarter of the rows to a half, if
    that is more.

    Parameters
    ----------
    levels
        How many distinct scores there are before neighbours were joined.
    """
    given: Any = {"positive": positive, "seed": seed, "stratified": stratified}
    halves = lost_to_the_other_half(scores, rules, rows=rows, **given)
    if rows is not None or scores.rows < ROWS_PER_SCORE * levels:
        return [tuple(HALVED * lost for lost in of_rule) for of_rule in halves]
    quarters = lost_to_the_other_half(scores, rules, is_quarter=True, **given)
    return [
        tuple(
            lost * (min(max(lost / more, 0.0), HALVED) if more else HALVED)
            for lost, more in zip(*both, strict=True)
        )
        for both in zip(halves, quarters, strict=True)
    ]


def lost_to_the_other_half(
    scores: ScoreCounts,
    rules: Sequence[Rule],
    *,
    positive: int = 1,
    seed: int = 1,
    stratified: bool = False,
    rows: ScoreRows | None = None,
    is_quarter: bool = False,
) -> list[tuple[float, ...]]:
    """For each rule and each of its goals the mean loss from the half that chose to the other.

    Either half chooses a threshold, which is judged on that half and on the other one; the
    mean is over 200 partings of the rows. Rows of the other half had no part in the choice:
    it is what a choice on half of the rows loses on new rows, whatever the scores are like.
    With ``is_quarter`` half of the rows are left out first, anew for each parting.

    Examples
    --------
    >>> from heldout.decisions.rules import parse_rule
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth = np.arange(40) % 2 == 0
    >>> scores = ScoreCounts.of(truth, truth * 1.0)
    >>> lost_to_the_other_half(scores, [parse_rule("accuracy")])
    [(0.0,)]
    """
    # beside an infinite score no threshold calls no row positive
    first = int(isnan(scores.above_all))

    def parted(rng: Generator) -> Array:
        if rows is not None:
            return _of_rows(scores, rows, rng)
        whole = np.stack([scores.positives, scores.negatives]).astype(np.int64)
        if is_quarter:
            whole = _of_counts(whole, rng, stratified=stratified)[0]
        return _of_counts(whole, rng, stratified=stratified)

    def work(own: Generator, count: int) -> list[Array]:
        # halves, sides (positives, negatives), partings, scores
        both = np.stack([parted(own) for _ in range(count)], axis=2)
        halves = [_cuts(sides, positive) for sides in both]
        return [_lost(rule, halves[0], halves[1], first) for rule in rules]

    parts = _in_goes(work, scores, PARTINGS, stream(seed, "halves"))
    return [
        tuple(map(_mean, np.concatenate([part[number] for part in parts], axis=1)))
        for number in range(len(rules))
    ]


def _mean(lost: Array) -> float:
    known = lost[~np.isnan(lost)]
    return float(known.mean()) if len(known) else float("nan")


def _lost(rule: Rule, half: Cuts, other: Cuts, first: int) -> Array:
    """For each goal (a line) what either half loses to the other; NaN without a threshold.

    ``first``: the first cut that a threshold makes.
    """
    values = _values(rule, half), _values(rule, other)
    both = [_judged(rule, *pair, slice(first)) for pair in (values, values[::-1])]
    return np.concatenate([here - there for _, here, there in both], axis=1)


def _of_counts(whole: Integers, rng: Generator, *, stratified: bool) -> Integers:
    """Positives and negatives at each score in one half of the rows, and in the other."""
    if stratified:
        first = np.stack([_half(side, rng) for side in whole])
    else:
        first = _half(whole.ravel(), rng).reshape(whole.shape)
    return np.stack([first, whole - first])


def _half(counts: Integers, rng: Generator) -> Integers:
    total = int(counts.sum())
    if total >= MOST_ROWS:
        return rng.binomial(counts, 0.5)
    # of an odd number of rows either half may have one more
    size = (total + int(rng.integers(2))) // 2
    return rng.multivariate_hypergeometric(counts, size, method="marginals")


def _of_rows(scores: ScoreCounts, rows: ScoreRows, rng: Generator) -> Array:
    """The same of rows with weights or in groups, which stay whole."""
    halves = [_sides(rows.part(kept), scores) for kept in rows.sampler.parts(2, rng)]
    if len(halves) < 2:  # a single group has no halves
        halves.append(np.zeros_like(halves[0]))
    return np.stack(halves)
