"""The best threshold by a rule, what it earns, and what it would earn on other rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING

from heldout.curves.cuts import (
    CALLED_NONE,
    NO_ROW,
    at_cut,
    below_cut,
    evaluated,
    threshold_of,
)
from heldout.decisions.joined import LEVELS
from heldout.decisions.optimism import replicate_thresholds
from heldout.decisions.records import Recorded, interval_record, limits_of
from heldout.decisions.rules import first_best, parse_rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.core.arrays import Array
    from heldout.decisions.optimism import Replicated
    from heldout.decisions.records import Record
    from heldout.decisions.rules import Rule
    from heldout.tally.confusion import Confusion
    from heldout.tally.scores import ScoreCounts
    from heldout.uncertainty.interval import Interval
    from heldout.uncertainty.rankings import ScoreRows


@dataclass(frozen=True, slots=True)
class Earned:
    """What a chosen threshold has of one measure, on the rows that chose it and on others.

    Parameters
    ----------
    value
        On the rows that chose the threshold: it looks better than it is.
    optimism
        By how much, in the units of the measure (below 0 where small is good); NaN without
        a bootstrap.
    interval
        Of what the threshold earns on other rows like these; None without a bootstrap.
    """

    measure: str
    value: float
    optimism: float = nan
    interval: Interval | None = None

    @property
    def corrected(self) -> float:
        """The value less the optimism."""
        return self.value - self.optimism


@dataclass(frozen=True, slots=True, eq=False)
class Threshold(Recorded):
    """A threshold, the rule that chose it, and what it earns.

    Parameters
    ----------
    rule
        The rule in words.
    threshold
        ``score >= threshold`` is positive. Infinite: no row is called positive; NaN: no
        threshold does what is asked, and ``note`` says why.
    below
        The next lower score: every threshold above it, up to ``threshold``, decides these
        rows alike.
    confusion
        The counts at the threshold.
    earned
        The measure that was made best, then the rate that was to be kept, if any.
    interval
        Of the threshold; None without a bootstrap.
    """

    rule: str
    threshold: float
    below: float
    confusion: Confusion | None
    earned: tuple[Earned, ...]
    interval: Interval | None = None
    replicates: int = 0
    seed: int | None = None
    note: str = ""

    @property
    def value(self) -> float:
        """The best value of the measure, on the rows that chose."""
        return self.earned[0].value

    def rows(self) -> list[Record]:
        """A record for each measure the threshold was chosen by."""
        lack = ""
        if self.interval is not None and self.interval.is_absent:
            lack = f"no interval of the threshold: {self.interval.note}"
        note = "; ".join(filter(None, (self.note, lack)))
        return [
            {
                "rule": self.rule,
                "threshold": self.threshold,
                **limits_of(self.interval, "threshold_"),
                "measure": earned.measure,
                "value": earned.value,
                "optimism": earned.optimism,
                "corrected": earned.corrected,
                **interval_record(earned.interval, note),
            }
            for earned in self.earned
        ]


def best_thresholds(
    scores: ScoreCounts,
    rules: Sequence[Rule | str],
    *,
    positive: int = 1,
    replicates: int = 1000,
    seed: int = 1,
    level: float = 0.95,
    stratified: bool = False,
    rows: ScoreRows | None = None,
    levels: int = LEVELS,
) -> list[Threshold]:
    """The threshold that each rule chooses, exactly, over all distinct scores.

    Parameters
    ----------
    scores
        Positives and negatives at each distinct score.
    rules
        Rules, or texts that ``parse_rule`` reads.
    positive
        Which of the two classes is positive: 0 or 1, as the rows of a profit matrix stand.
    replicates, seed
        Bootstrap samples of the rows, drawn once for all rules; 0: no intervals.
    stratified
        Positives and negatives keep their numbers in the samples.
    rows
        The rows themselves where they carry weights or come in groups: those are drawn.
    levels
        With more distinct scores than this the samples have neighbouring scores joined.

    Notes
    -----
    Of equally good thresholds the highest is taken. Calling no row positive is one of the
    thresholds (infinite).

    A threshold chosen on the rows it is judged on looks better than it is. Where the choice
    is free, thresholds are chosen on random halves of the rows and judged on the other half;
    the optimism is the mean loss, times 2^(-2/3) as the whole has twice the rows. Where a rate
    is to be kept, each bootstrap sample chooses its own threshold, which is judged on the
    sample and on all rows, and the optimism is the mean difference (Efron 1983, JASA 78:316;
    Harrell et al. 1996, Stat. Med. 15:361).
    The interval, from the spread of that difference, is that of what the chosen threshold
    earns on other rows. The interval of the threshold itself is made of percentiles: it
    settles slowly (n^(-1/3)). What both cover, and how honest corrected values are, is in
    docs/coverage.md.

    One pass over the distinct scores a rule; the samples cost no more for more rows.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth = np.array([True, True, False, True, False, False])
    >>> scores = ScoreCounts.of(truth, np.array([0.9, 0.8, 0.7, 0.6, 0.2, 0.1]))
    >>> (best,) = best_thresholds(scores, ["youden"], replicates=0)
    >>> best.threshold, best.below, best.value
    (0.8, 0.7, 0.6667)
    """
    asked = [parse_rule(rule) if isinstance(rule, str) else rule for rule in rules]
    chosen = [_chosen(scores, rule, positive) for rule in asked]
    able = bool(replicates) and bool(scores.total)
    drawn: Sequence[Replicated | None] = [None] * len(asked)
    if able and asked:
        drawn = replicate_thresholds(
            scores,
            asked,
            [max(cut, CALLED_NONE) for cut, _ in chosen],
            positive=positive,
            replicates=replicates,
            seed=seed,
            stratified=stratified,
            rows=rows,
            levels=levels,
        )
    return [
        _result(scores, rule, cut, values, replicated, positive=positive, level=level, seed=seed)
        for rule, (cut, values), replicated in zip(asked, chosen, drawn, strict=True)
    ]


def _chosen(scores: ScoreCounts, rule: Rule, positive: int) -> tuple[int, tuple[float, ...]]:
    """The cut that a rule chooses on all rows (-1: none), and the values of its goals there."""
    values: tuple[Array, ...] = tuple(
        evaluated(scores, goal.value, positive=positive) for goal in rule.goals
    )
    cut, is_known = first_best(rule.merit(values))
    if not is_known:
        return -1, (nan,) * len(values)
    return int(cut), tuple(float(v[cut]) for v in values)


def _result(
    scores: ScoreCounts,
    rule: Rule,
    cut: int,
    values: tuple[float, ...],
    drawn: Replicated | None,
    *,
    positive: int,
    level: float,
    seed: int,
) -> Threshold:
    if cut < 0:
        earned = tuple(Earned(goal.name, nan) for goal in rule.goals)
        note = f"undefined: {rule.undefined}"
        return Threshold(rule.name, nan, nan, None, earned, note=note)
    threshold = threshold_of(scores, cut)
    earned = tuple(
        Earned(goal.name, value)
        if drawn is None
        else Earned(goal.name, value, drawn.optimism(g), drawn.interval(goal, g, value, level))
        for g, (goal, value) in enumerate(zip(rule.goals, values, strict=True))
    )
    return Threshold(
        rule.name,
        threshold,
        below_cut(scores, cut),
        at_cut(scores, cut, positive=positive),
        earned,
        None if drawn is None else drawn.interval_of_threshold(threshold, level),
        0 if drawn is None else len(drawn.threshold),
        None if drawn is None else seed,
        NO_ROW if cut == CALLED_NONE else "",
    )
