"""How a chosen threshold varies, and how much better it looks on the rows that chose it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.random import stream
from karat.core.threads import in_threads
from karat.decisions.cuts import Cuts, evaluated
from karat.decisions.joined import LEVELS, ends_of, joined
from karat.decisions.rules import first_best
from karat.intervals.bootstrap import limits
from karat.intervals.score_bootstrap import ScoreSampler

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from karat.decisions.rules import Goal, Rule
    from karat.intervals.interval import Interval
    from karat.intervals.score_rows import ScoreRows
    from karat.tally.scores import ScoreCounts

__all__ = ["Replicated", "replicate_thresholds"]

#: thresholds times replicates that are judged in one go: their tables stay in the cache
GO_CELLS = 50_000


@dataclass(frozen=True, eq=False)
class Replicated:
    """A rule applied to bootstrap samples of the rows.

    Parameters
    ----------
    threshold
        The threshold that each sample chooses; NaN where the rule finds none there.
    here, there
        For each of the rule's goals, a row a sample: its value on the sample that chose,
        and the value that the same threshold has on the rows themselves.
    draws
        What was drawn, in words.
    """

    threshold: NDArray[Any]
    here: tuple[NDArray[Any], ...]
    there: tuple[NDArray[Any], ...]
    draws: str

    def optimism(self, place: int) -> float:
        """The mean of what a goal's value loses from the sample that chose to the rows."""
        lost = self.here[place] - self.there[place]
        known = lost[~np.isnan(lost)]
        return float(known.mean()) if len(known) and np.isfinite(known).all() else nan

    def interval_of_threshold(self, threshold: float, level: float) -> Interval:
        """Where the chosen threshold lies from sample to sample: percentiles."""
        made = limits(self.threshold, threshold, level=level, draws=self.draws)
        if made.is_absent and made.note.startswith("every replicate"):
            return replace(made, note="every replicate chooses this threshold")
        return made

    def interval(self, goal: Goal, place: int, value: float, level: float) -> Interval:
        """What the chosen threshold will earn: the value less the optimism, sample by sample.

        From the sample to the rows a threshold loses what it will lose, in distribution,
        from the rows to the population they came from.
        """
        lost = self.here[place] - self.there[place]
        corrected = value - self.optimism(place)
        made = limits(value - lost, corrected, level=level, bounds=goal.bounds)
        return replace(made, method=f"bootstrap of the optimism, {self.draws}")


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
    chosen = [cut - 1 for cut in cuts if cut > 0]
    ends = ends_of(scores, levels, near=chosen[0] if chosen else None)
    base = joined(scores, np.union1d(ends, np.array(chosen, np.int64)))
    draw, what = _drawing(base, rows, stratified)
    original = [
        tuple(evaluated(base, goal.value, positive=positive) for goal in rule.goals)
        for rule in rules
    ]
    size = max(1, GO_CELLS // (len(base.score) + 1))
    sizes = [min(size, replicates - start) for start in range(0, replicates, size)]
    rng = stream(seed, "thresholds")

    def work(job: tuple[Generator, int]) -> list[tuple[Any, ...]]:
        own, count = job
        sample = _sample([draw(own) for _ in range(count)], positive, scores.rows)
        return [
            _judged(rule, sample, values) for rule, values in zip(rules, original, strict=True)
        ]

    parts = in_threads(work, zip(rng.spawn(len(sizes)), sizes, strict=True))
    thresholds = np.append(np.inf, base.score)
    words = f"{replicates} draws of {what}, seed {seed}"
    made = []
    for place, rule in enumerate(rules):
        cut, here, there = (
            np.concatenate([part[place][k] for part in parts], axis=-1) for k in range(3)
        )
        found = np.where(cut < 0, nan, thresholds[np.maximum(cut, 0)])
        goals = range(len(rule.goals))
        made.append(
            Replicated(found, tuple(here[g] for g in goals), tuple(there[g] for g in goals), words)
        )
    return made


def _drawing(
    base: ScoreCounts, rows: ScoreRows | None, stratified: bool
) -> tuple[Callable[[Generator], tuple[NDArray[Any], NDArray[Any]]], str]:
    """A function that draws positives and negatives at each score, and what it draws."""
    if rows is None:
        sampler = ScoreSampler(base, stratified=stratified)
        levels = len(base.score)

        def draw(rng: Generator) -> tuple[NDArray[Any], NDArray[Any]]:
            both = np.zeros(2 * levels, np.int64)
            both[sampler.kinds] = sampler.draw_kinds(rng)
            return both[::2], both[1::2]

        inside = " within true classes" if stratified else ""
        return draw, f"{levels:,} scores{inside}"

    def draw_rows(rng: Generator) -> tuple[NDArray[Any], NDArray[Any]]:
        from karat.decisions.joined import joined_at

        drawn = joined_at(rows.counts(rows.sampler.multiplicities(rng)), base.score)
        return drawn.positives, drawn.negatives

    units = rows.sampler.units
    return draw_rows, f"{units:,} {'rows' if units == rows.sampler.rows else 'groups'}"


def _sample(drawn: list[tuple[NDArray[Any], NDArray[Any]]], positive: int, rows: int) -> Cuts:
    """The confusion counts of samples (first axis) at each cut (second)."""
    tp, fp = (np.cumsum(np.stack([pair[side] for pair in drawn]), axis=1) for side in (0, 1))
    start = np.zeros((len(drawn), 1), tp.dtype)
    return Cuts.of_called(
        np.concatenate([start, tp], axis=1),
        np.concatenate([start, fp], axis=1),
        tp[:, -1:],
        fp[:, -1:],
        positive=positive,
        rows=rows,
    )


def _judged(
    rule: Rule, sample: Cuts, original: tuple[NDArray[Any], ...]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The cut each sample chooses (-1: none); its values on the sample; those on the rows."""
    shape = sample.counts.shape[:-1]
    values = tuple(np.broadcast_to(goal.value(sample), shape) for goal in rule.goals)
    cut, found = first_best(rule.merit(values))
    here = np.stack([np.take_along_axis(v, cut[:, None], 1)[:, 0] for v in values])
    there = np.stack([v[cut] for v in original])
    here, there = np.where(found, here, nan), np.where(found, there, nan)
    return np.where(found, cut, -1), here, there
