"""Calibration lines fitted by maximum likelihood: passes over the scores, and Newton's steps."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import exp, inf, log, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.memo import kept, once
from heldout.core.sums import sum_of_products
from heldout.core.threads import blocks, in_threads, workers
from heldout.measures.calibration import least_and_most
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.core.arrays import Array, Booleans, Floats, Integers


#: so many numbers from 1 to 2 have a product that is still far from the largest double
FACTORS = 512


@dataclass(frozen=True, slots=True, eq=False)
class Pass:
    """What one pass over the scores gives for the line of each tally, an element a tally.

    Parameters
    ----------
    rest, rest_along
        The gradient: positives less those expected, and the same along the logit.
    level, cross, along
        The information of the intercept, of both, of the slope.
    likelihood
        The logarithm of the likelihood.
    """

    rest: Any
    rest_along: Any
    level: Any
    cross: Any
    along: Any
    likelihood: Any

    def __add__(self, other: Pass) -> Pass:
        return Pass(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def covariance(self, free: int) -> tuple[Any, Any, Any]:
        """Of the intercept, of both, of the slope; not finite where nothing is known of them."""
        with np.errstate(divide="ignore", invalid="ignore"):
            if free == 1:
                none = np.zeros_like(self.level)
                return 1.0 / self.level, none, none
            determinant = self.level * self.along - self.cross**2
            return self.along / determinant, -self.cross / determinant, self.level / determinant

    def step(self, free: int) -> Floats:
        """Newton's step of each line."""
        own, both, slope = self.covariance(free)
        with np.errstate(invalid="ignore"):
            steps = own * self.rest + both * self.rest_along, both * self.rest
            return np.stack([steps[0], steps[1] + slope * self.rest_along])


def logit(probability: Floats) -> Floats:
    """The logarithm of the odds."""
    return np.log(probability / (1.0 - probability))


def terms_of(eta: Floats, positives: Array, negatives: Array) -> tuple[Floats, ...]:
    """Of each score what its line leaves of the positives, its information, and what it loses.

    All are made of terms that near certainty are small themselves: as differences from 1 they
    would lose their digits. What is lost lacks the logarithm of 1 + the last term.
    """
    small = np.exp(-np.abs(eta))
    surely, hardly = 1.0 / (1.0 + small), small / (1.0 + small)
    is_up = eta >= 0
    rest = positives * np.where(is_up, hardly, surely)
    rest -= negatives * np.where(is_up, surely, hardly)
    surely *= hardly
    lost = negatives * np.maximum(eta, 0.0) - positives * np.minimum(eta, 0.0)
    return rest, (positives + negatives) * surely, lost, small


def pass_of(
    x: Floats, positives: Array, negatives: Array, line: Floats, *, is_single: bool = False
) -> Pass:
    """The pass over some logits of one tally at the line ``line[0] + line[1] * x``."""
    rest, level, lost, small = terms_of(line[1] * x + line[0], positives, negatives)
    logarithms = (
        _log_product(1.0 + small)
        if is_single
        else sum_of_products(positives + negatives, np.log1p(small))
    )
    around = level * x
    along = sum_of_products(rest, x), level.sum(), around.sum(), sum_of_products(around, x)
    return Pass(*np.array([rest.sum(), *along, -lost.sum() - logarithms])[:, None])


def _log_product(values: Floats, factors: int = FACTORS) -> float:
    """The sum of logarithms, taken of products: multiplying is many times as fast."""
    whole = len(values) // factors * factors
    products = values[:whole].reshape(factors, -1).prod(axis=0)
    return float(np.log(products).sum() + np.log(values[whole:]).sum())


def pass_over_all(scores: ScoreCounts, centre: float, line: Floats) -> Pass:
    """The pass over all scores, with their logits taken around a centre."""
    is_single = least_and_most(scores) == (1.0, 1.0)

    def of(block: slice) -> Pass:
        score, positives, negatives = scores.cells(block)
        x = logit(score) - centre
        return pass_of(x, positives, negatives, line, is_single=is_single)

    first, *rest = _by_block(len(scores.score), of)
    return sum(rest, start=first)


def shift_over_all(scores: ScoreCounts, intercept: float) -> Pass:
    """The pass at a line of slope 1, which needs neither logarithms nor exponentials.

    Its likelihood is left out (NaN).
    """
    odds = exp(-intercept)

    def of(block: slice) -> tuple[float, float]:
        p, positives, negatives = scores.cells(block)
        against = (1.0 - p) * odds
        whole = p + against
        expected = p / whole
        against /= whole
        rest = sum_of_products(positives, against) - sum_of_products(negatives, expected)
        return rest, sum_of_products((positives + negatives) * expected, against)

    sums = np.array(_by_block(len(scores.score), of)).sum(axis=0)
    return Pass(*np.array([sums[0], 0.0, sums[1], 0.0, 0.0, nan])[:, None])


def log_likelihood(scores: ScoreCounts) -> float:
    """Log likelihood of the truth under the probabilities; infinite if one truth has 0."""
    first = int(len(scores.score) > 0 and scores.score[0] == 1.0)
    last = len(scores.score) - int(len(scores.score) > first and scores.score[-1] == 0.0)
    if scores.negatives[:first].any() or scores.positives[last:].any():
        return -inf
    if last <= first:
        return 0.0
    # whole counts: weights of both classes may add up to 1 in one score
    is_single = scores.positives.dtype.kind == "i" and least_and_most(scores) == (1.0, 1.0)
    least = min(scores.score[last - 1], 1.0 - scores.score[first])
    factors = max(1, min(FACTORS, int(600 / -log(least))))

    def of(block: slice) -> float:
        part = slice(first + block.start, first + block.stop)
        p, positives = scores.score[part], scores.positives[part]
        if is_single:
            return _log_product(np.where(positives, p, 1.0 - p), factors)
        gain = sum_of_products(positives, np.log(p))
        return gain + sum_of_products(scores.negatives[part], np.log1p(-p))

    return float(sum(_by_block(last - first, of)))


def _by_block(count: int, of: Callable[[slice], Any]) -> list[Any]:
    """A value of each block of scores, in order, a share of the blocks to each thread."""
    todo = list(blocks(count))
    share = -(-len(todo) // workers())
    parts = [todo[i : i + share] for i in range(0, len(todo), share)]
    return [value for part in in_threads(lambda p: [of(b) for b in p], parts) for value in part]


#: up to this many scores the line is fitted to all at once; more are first gathered in groups,
#: of about this many neighbours each and at most so many
FEW, NEIGHBOURS, GROUPS = 4_000, 20, 50_000
#: Newton's error after a step is about its square, so for many rows this spares a pass
MANY, SMALL_STEP = 500_000, 3e-6
TINY_STEP = 1e-9
#: steps after which there is no top, and halvings of one step
STEPS, HALVINGS = 100, 60
#: under which names tallies keep their fits
BEST_LINE, BEST_SHIFT = "best line", "best shift"


@dataclass(frozen=True, slots=True)
class Line:
    """Logit of the truth = intercept + slope * logit of the probability.

    ``likelihood`` is the logarithm of the likelihood of the truth under the line.
    """

    intercept: float
    slope: float
    likelihood: float


def within(scores: ScoreCounts, clip: float) -> ScoreCounts:
    """The scores with those below ``clip`` raised to it and those above 1 - clip lowered."""
    if not 0 <= clip < 0.5:
        raise InputError(f"clip is a probability from 0 to below 0.5, not {clip:g}")
    return _within(scores, clip) if clip or not least_and_most(scores)[0] else scores


@kept
def _within(scores: ScoreCounts, clip: float) -> ScoreCounts:
    score, positives, negatives = scores.score, scores.positives, scores.negatives
    if not least_and_most(scores)[0]:  # rows of weight 0 leave no trace
        present = positives + negatives > 0
        score, positives, negatives = score[present], positives[present], negatives[present]
    if clip and len(score):
        score = np.clip(score, clip, 1 - clip)
        first = np.flatnonzero(np.concatenate([[True], score[1:] != score[:-1]]))
        score = score[first]
        positives, negatives = (np.add.reduceat(c, first) for c in (positives, negatives))
    return ScoreCounts(score, positives, negatives, scores.rows)


def obstacle(scores: ScoreCounts) -> str:
    """Why no line can be fitted; empty where one can."""
    if not scores.has_both:
        return "all rows are of one class"
    if scores.total in (scores.total_positives, scores.total_negatives):
        return "the weight of one class is lost in rounding beside that of the other"
    ends = {0, len(scores.score) - 1}
    sure = sum(
        scores.positives[i].item() + scores.negatives[i].item()
        for i in ends
        if scores.score[i] in (0.0, 1.0)
    )
    if sure:
        which = f"{sure:,} {'row has' if sure == 1 else 'rows have'}"
        if scores.positives.dtype.kind == "f":  # weights are no counts of rows
            which = f"rows with {100 * sure / float(scores.total):.3g} % of the weight have"
        return (
            f"{which} probability exactly 0 or 1,"
            " whose logit is infinite (R's val.prob leaves such rows out; clip=1e-6 moves them)"
        )
    return ""


def separation(scores: ScoreCounts) -> str:
    """That no slope is steep enough for classes apart, or none better than others; else empty."""
    last = len(scores.score) - 1
    if not last:
        return "all probabilities are the same, so that no slope fits better than another"
    first_of = [_first(counts) for counts in (scores.positives, scores.negatives)]
    last_of = [_last(counts) for counts in (scores.positives, scores.negatives)]
    if last_of[0] <= first_of[1] or last_of[1] <= first_of[0]:
        return "the probabilities separate the classes, so the slope has no finite value"
    return ""


def _first(counts: Array) -> int:
    """Where the first count above zero stands."""
    for block in blocks(len(counts)):
        present = np.flatnonzero(counts[block])
        if len(present):
            return block.start + int(present[0])
    return len(counts)


def _last(counts: Array) -> int:
    """Where the last count above zero stands; -1 where there is none."""
    for block in blocks(len(counts)):
        stop = len(counts) - block.start
        present = np.flatnonzero(counts[len(counts) - block.stop : stop])
        if len(present):
            return len(counts) - block.stop + int(present[-1])
    return -1


def best_line(scores: ScoreCounts) -> Line | None:
    """The line of greatest likelihood; None where there is an obstacle."""
    return once(scores, BEST_LINE, _best_line)


def _best_line(scores: ScoreCounts) -> Line | None:
    if obstacle(scores) or separation(scores):
        return None
    share = scores.total_positives / scores.total
    return _fit(scores, (log(share / (1 - share)), 0.0), free=2)


def best_shift(scores: ScoreCounts) -> Line | None:
    """The line of greatest likelihood among those with slope 1; None where there is an obstacle."""
    return once(scores, BEST_SHIFT, _best_shift)


def _best_shift(scores: ScoreCounts) -> Line | None:
    return None if obstacle(scores) else _fit(scores, (0.0, 1.0), free=1)


def _fit(scores: ScoreCounts, start: tuple[float, float], *, free: int) -> Line | None:
    """Newton's method: on groups of neighbouring scores first, then on all of them."""
    x, positives, negatives, centre = _logits_and_counts(scores)

    def over_all(line: Floats) -> Pass:
        if free == 1:
            return shift_over_all(scores, line[0] - centre)
        return pass_over_all(scores, centre, line)

    line = np.array([[start[0] + start[1] * centre], [start[1]]])
    top = climb(lambda at: pass_of(x, positives, negatives, at[:, 0]), line, free)
    if len(x) < len(scores.score) and top.is_done.all():
        small = SMALL_STEP if len(scores.score) > MANY else TINY_STEP
        top = climb(lambda at: over_all(at[:, 0]), top.line, free, small=small)
    return top.lines(np.array([centre]))[0]


def _logits_and_counts(scores: ScoreCounts) -> tuple[Floats, Array, Array, float]:
    """Logits of groups of neighbours around a centre, their positives and negatives, the centre."""
    starts, ends = _groups(len(scores.score))
    x = logit(scores.score[(starts + ends) // 2])
    positives, negatives = (np.diff(c[ends], prepend=0) for c in (scores.tp, scores.fp))
    # around it the coefficients hardly depend
    centre = sum_of_products(positives + negatives, x) / scores.total
    return x - centre, positives, negatives, centre


def _groups(count: int) -> tuple[Integers, Integers]:
    """First and last place of groups of neighbours; singles at both ends, where logits spread."""
    if count <= FEW:
        return np.arange(count), np.arange(count)
    groups = min(max(count // NEIGHBOURS, FEW // 2), GROUPS)
    single = groups // 10
    middle = np.arange(single, count - single, -(-count // groups))
    starts = np.concatenate([np.arange(single), middle, np.arange(count - single, count)])
    return starts, np.append(starts[1:], count) - 1


def line_influence(
    coefficient: str, scores: ScoreCounts, *, clip: float = 0.0
) -> Callable[[Array], tuple[Floats, ...]]:
    """How far a row of some score moves a coefficient of the line: a positive one, a negative one.

    It is Newton's step for that row alone; ``shift`` is the intercept of the line of slope 1. The
    third is the least variance of that: the model's, as few positives show too little of it; of
    a shift none, as its model is wrong wherever the slope is not 1.

    Examples
    --------
    >>> scores = ScoreCounts.of(np.array([True, True, True, False]), np.full(4, 0.5))
    >>> line_influence("shift", scores)(np.array([0.5]))  # 1/4 and -3/4, over 4 * 1/4 * 3/4
    (array([0.3333]), array([-1.]), array([0.]))
    """
    inside = within(scores, clip)
    line = (best_shift if coefficient == "shift" else best_line)(inside)
    assert line is not None  # what has a value has a line
    x, positives, negatives, centre = _logits_and_counts(inside)
    at = np.array([line.intercept + line.slope * centre, line.slope])
    free = 1 if coefficient == "shift" else 2
    covariance = pass_of(x, positives, negatives, at).covariance(free)
    own, both, slope = (float(part[0]) for part in covariance)
    step = (both, slope) if coefficient == "slope" else (own - centre * both, both - centre * slope)
    if free == 1:
        step = own, 0.0

    def of_rows(score: Array) -> tuple[Floats, ...]:
        x = logit(np.clip(score, clip, 1 - clip)) - centre
        along = step[0] + step[1] * x
        odds = np.exp(at[0] + at[1] * x)
        positive_shift, negative_shift = along / (1 + odds), -along / (1 + 1 / odds)
        return (
            positive_shift,
            negative_shift,
            -positive_shift * negative_shift * (coefficient != "shift"),
        )

    return of_rows


@dataclass(frozen=True, slots=True, eq=False)
class Climbed:
    """The lines of tallies after the last step, and which of them are at the top."""

    line: Floats
    likelihood: Floats
    is_done: Booleans

    def lines(self, centre: Floats) -> list[Line | None]:
        """The lines in logits that are not taken around a centre; None where there is no top."""
        intercept, slope = self.line
        columns = (intercept - slope * centre, slope, self.likelihood)
        values = zip(*(part.tolist() for part in columns), strict=True)
        return [Line(*v) if done else None for v, done in zip(values, self.is_done, strict=True)]


def climb(
    at: Callable[[Floats], Pass],
    line: Floats,
    free: int,
    *,
    small: float | None = None,
    most: int = STEPS,
) -> Climbed:
    """The top of concave log likelihoods, by Newton's steps in the free coefficients.

    ``line`` has a column per tally. Steps are halved until they climb; near the top, where it is
    said which step is small enough to be the last, that is not needed.
    """
    guarded, small = small is None, small or TINY_STEP
    here, number = at(line), 0
    while True:
        step = here.step(free)
        size = np.abs(step).max(axis=0)
        is_done = size <= small * (1.0 + np.abs(line).max(axis=0))
        if is_done.all() or not np.isfinite(size).any() or number == most:
            break
        there = at(line + step)
        slack = 1e-12 * np.abs(here.likelihood)
        for _ in range(HALVINGS * guarded):
            falls = ~(is_done | (there.likelihood >= here.likelihood - slack))
            if not falls.any():
                break
            step[:, falls] /= 2.0
            there = at(line + step)
        line, here, number = line + step, there, number + 1
    higher = (here.rest * step[0] + here.rest_along * step[1]) / 2.0
    return Climbed(line + step, here.likelihood + higher, is_done)
