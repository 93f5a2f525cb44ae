"""The line that recalibrates: truth regressed on the logit of its probability."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.sums import sum_of_products
from heldout.core.threads import blocks
from heldout.measures.calibration_bins import least_and_most, remembered
from heldout.measures.calibration_passes import logit, pass_of, pass_over_all, shift_over_all
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.measures.calibration_passes import Pass

__all__ = [
    "FEW",
    "Line",
    "TINY_STEP",
    "best_line",
    "best_shift",
    "climb",
    "line_influence",
    "obstacle",
    "separation",
    "within",
]

#: up to this many scores the line is fitted to all at once; more are first gathered in groups,
#: of about this many neighbours each and at most so many
FEW, NEIGHBOURS, GROUPS = 4_000, 20, 50_000
#: Newton's error after a step is about its square, so for many rows this spares a pass
MANY, SMALL_STEP = 500_000, 3e-6
TINY_STEP = 1e-9


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

    def made() -> ScoreCounts:
        score, positives, negatives = scores.score, scores.positives, scores.negatives
        if not least_and_most(scores)[0]:  # rows of weight 0 leave no trace
            kept = positives + negatives > 0
            score, positives, negatives = score[kept], positives[kept], negatives[kept]
        if clip and len(score):
            score = np.clip(score, clip, 1 - clip)
            first = np.flatnonzero(np.concatenate([[True], score[1:] != score[:-1]]))
            score = score[first]
            positives, negatives = (np.add.reduceat(c, first) for c in (positives, negatives))
        return ScoreCounts(score, positives, negatives, scores.rows)

    if not clip and least_and_most(scores)[0]:
        return scores
    return remembered(scores, ("within", clip), made)


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
        return (
            f"{sure:,.10g} {'row has' if sure == 1 else 'rows have'} probability exactly 0 or 1,"
            " whose logit is infinite (R's val.prob leaves such rows out; clip=1e-6 moves them)"
        )
    return ""


def separation(scores: ScoreCounts) -> str:
    """That no slope is steep enough for classes apart, or none better than others; else empty."""
    last = len(scores.score) - 1
    if not last:
        return "all probabilities are the same, so that no slope fits better than another"
    first_of = [_first(counts) for counts in (scores.positives, scores.negatives)]
    last_of = [last - _first(counts[::-1]) for counts in (scores.positives, scores.negatives)]
    if last_of[0] <= first_of[1] or last_of[1] <= first_of[0]:
        return "the probabilities separate the classes, so the slope has no finite value"
    return ""


def _first(counts: NDArray[Any]) -> int:
    """Where the first count above zero stands."""
    for block in blocks(len(counts)):
        found = np.flatnonzero(counts[block])
        if len(found):
            return block.start + int(found[0])
    return len(counts)


def best_line(scores: ScoreCounts) -> Line | None:
    """The line of greatest likelihood; None where there is an obstacle."""

    def fitted() -> Line | None:
        if obstacle(scores) or separation(scores):
            return None
        share = scores.total_positives / scores.total
        return _fitted(scores, (log(share / (1 - share)), 0.0), free=2)

    return remembered(scores, "best line", fitted)


def best_shift(scores: ScoreCounts) -> Line | None:
    """The line of greatest likelihood among those with slope 1; None where there is an obstacle."""

    def fitted() -> Line | None:
        return None if obstacle(scores) else _fitted(scores, (0.0, 1.0), free=1)

    return remembered(scores, "best shift", fitted)


def _fitted(scores: ScoreCounts, start: tuple[float, float], *, free: int) -> Line | None:
    """Newton's method: on groups of neighbouring scores first, then on all of them."""
    x, positives, weight, centre = _gathered(scores)

    def over_all(line: NDArray[np.float64]) -> Pass:
        if free == 1:
            return shift_over_all(scores, line[0] - centre)
        return pass_over_all(scores, centre, line)

    line = np.array([start[0] + start[1] * centre, start[1]])
    try:
        line, top = climb(lambda at: pass_of(x, positives, weight, at), line, free)
        if len(x) < len(scores.score):
            small = SMALL_STEP if len(scores.score) > MANY else TINY_STEP
            line, top = climb(over_all, line, free, small=small)
    except np.linalg.LinAlgError:
        return None
    return Line(float(line[0] - line[1] * centre), float(line[1]), top.likelihood)


def _gathered(
    scores: ScoreCounts,
) -> tuple[NDArray[np.float64], NDArray[Any], NDArray[Any], float]:
    """Logits of groups of neighbours around a centre, their positives, their weight, the centre."""
    starts, ends = _groups(len(scores.score))
    x = logit(scores.score[(starts + ends) // 2])
    positives, negatives = (np.diff(c[ends], prepend=0) for c in (scores.tp, scores.fp))
    weight = positives + negatives
    centre = sum_of_products(weight, x) / scores.total  # around it the coefficients hardly depend
    x -= centre
    return x, positives, weight, centre


def _groups(count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
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
) -> Callable[[NDArray[Any]], tuple[NDArray[np.float64], ...]]:
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
    x, positives, weight, centre = _gathered(inside)
    at = np.array([line.intercept + line.slope * centre, line.slope])
    information = pass_of(x, positives, weight, at).information
    if coefficient == "shift":
        step = np.array([1 / information[0, 0], 0.0])
    else:
        inverse = np.linalg.inv(information)
        step = inverse[1] if coefficient == "slope" else inverse[0] - centre * inverse[1]

    def of_rows(score: NDArray[Any]) -> tuple[NDArray[np.float64], ...]:
        x = logit(np.clip(score, clip, 1 - clip)) - centre
        along = step[0] + step[1] * x
        odds = np.exp(at[0] + at[1] * x)
        one, other = along / (1 + odds), -along / (1 + 1 / odds)
        return one, other, -one * other * (coefficient != "shift")

    return of_rows


def climb(
    at: Callable[[NDArray[np.float64]], Pass],
    line: NDArray[np.float64],
    free: int,
    *,
    small: float | None = None,
) -> tuple[NDArray[np.float64], Pass]:
    """The top of a concave log likelihood, by Newton's steps in the free coefficients.

    Steps are halved until they climb; near the top, where it is said which step is small enough
    to be the last, that is not needed.
    """
    guarded, small = small is None, small or TINY_STEP
    here = at(line)
    for _ in range(100):
        step = np.zeros(2)
        step[:free] = np.linalg.solve(here.information[:free, :free], here.gradient[:free])
        if np.abs(step).max() <= small * (1.0 + np.abs(line).max()):
            higher = here.likelihood + float(here.gradient[:free] @ step[:free]) / 2.0
            return line + step, replace(here, likelihood=higher)
        there = at(line + step)
        while guarded and not there.likelihood >= here.likelihood - 1e-12 * abs(here.likelihood):
            step /= 2.0
            there = at(line + step)
        line, here = line + step, there
    raise np.linalg.LinAlgError
