"""What a threshold chosen on half of the rows loses on the other half."""

from __future__ import annotations

from math import inf, isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.random import stream
from heldout.core.threads import in_threads
from heldout.decisions.cuts import Cuts, of_sides
from heldout.decisions.joined import joined_at
from heldout.decisions.rules import first_best

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.decisions.rules import Rule
    from heldout.intervals.score_rows import ScoreRows
    from heldout.tally.scores import ScoreCounts

__all__ = ["HALVED", "lost_to_new_rows", "lost_to_the_other_half"]

#: Of rows twice as many a free choice loses so much less: what it loses falls as n^(-2/3)
#: where scores are smooth (Kim and Pollard 1990, Ann. Stat. 18:191).
HALVED = 2 ** (-2 / 3)
#: rows a distinct score from which scores are not smooth
ROWS_PER_SCORE = 5
#: partings of the rows; either half chooses
PARTINGS = 200
#: thresholds times partings that are judged in one go
GO_CELLS = 50_000
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
    size = max(1, GO_CELLS // (len(scores.score) + 1))
    sizes = [min(size, PARTINGS - start) for start in range(0, PARTINGS, size)]

    def parted(rng: Generator) -> NDArray[Any]:
        if rows is not None:
            return _of_rows(scores, rows, rng)
        whole = np.stack([scores.positives, scores.negatives]).astype(np.int64)
        if is_quarter:
            whole = _of_counts(whole, rng, stratified=stratified)[0]
        return _of_counts(whole, rng, stratified=stratified)

    def work(job: tuple[Generator, int]) -> list[list[NDArray[Any]]]:
        own, count = job
        # halves, sides (positives, negatives), partings, scores
        both = np.stack([parted(own) for _ in range(count)], axis=2)
        halves = []
        for sides in both:
            tp, fp = of_sides(*sides)
            halves.append(Cuts.of_called(tp, fp, tp[:, -1:], fp[:, -1:], positive=positive))
        return [_lost(rule, halves[0], halves[1], first) for rule in rules]

    rng = stream(seed, "halves")
    made = in_threads(work, zip(rng.spawn(len(sizes)), sizes, strict=True))
    found = []
    for place, rule in enumerate(rules):
        columns = [
            np.concatenate([part[place][goal] for part in made]) for goal in range(len(rule.goals))
        ]
        found.append(tuple(_mean(column) for column in columns))
    return found


def _mean(lost: NDArray[Any]) -> float:
    known = lost[~np.isnan(lost)]
    return float(known.mean()) if len(known) else float("nan")


def _lost(rule: Rule, one: Cuts, other: Cuts, first: int) -> list[NDArray[Any]]:
    """For each goal what each half loses to the other; NaN where it finds no threshold.

    ``first``: the first cut that a threshold makes.
    """
    shape = one.counts.shape[:-1]
    values = [
        tuple(np.broadcast_to(goal.value(half), shape) for goal in rule.goals)
        for half in (one, other)
    ]
    lost: list[list[NDArray[Any]]] = [[] for _ in rule.goals]
    for here, there in (values, values[::-1]):
        merit = rule.merit(here)
        merit[:, :first] = -inf
        cut, found = first_best(merit)
        for goal, (own, new) in enumerate(zip(here, there, strict=True)):
            at = cut[:, None]
            more = np.take_along_axis(own, at, 1)[:, 0] - np.take_along_axis(new, at, 1)[:, 0]
            lost[goal].append(np.where(found, more, np.nan))
    return [np.concatenate(parts) for parts in lost]


def _of_counts(whole: NDArray[np.int64], rng: Generator, *, stratified: bool) -> NDArray[np.int64]:
    """Positives and negatives at each score in one half of the rows, and in the other."""
    if stratified:
        first = np.stack([_half(side, rng) for side in whole])
    else:
        first = _half(whole.ravel(), rng).reshape(whole.shape)
    return np.stack([first, whole - first])


def _half(counts: NDArray[np.int64], rng: Generator) -> NDArray[np.int64]:
    total = int(counts.sum())
    if total >= MOST_ROWS:
        return rng.binomial(counts, 0.5)
    # of an odd number of rows either half may have one more
    size = (total + int(rng.integers(2))) // 2
    return rng.multivariate_hypergeometric(counts, size, method="marginals")


def _of_rows(scores: ScoreCounts, rows: ScoreRows, rng: Generator) -> NDArray[Any]:
    """The same of rows with weights or in groups, which stay whole."""
    halves = []
    for kept in rows.sampler.parts(2, rng):
        often = np.zeros(rows.sampler.rows, np.int64)
        often[kept] = 1
        counts = joined_at(rows.counts(often), scores.score)
        halves.append(np.stack([counts.positives, counts.negatives]))
    if len(halves) < 2:  # a single group has no halves
        halves.append(np.zeros_like(halves[0]))
    return np.stack(halves)
