"""Calibration by a smooth curve: how far probabilities lie from a local regression of the truth."""

from __future__ import annotations

from functools import partial
from math import floor, inf, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.memo import kept
from heldout.core.sums import sum_of_products
from heldout.core.threads import blocks
from heldout.measures.calibration_fit import within
from heldout.measures.kinds import NoInterval
from heldout.measures.registry import measure
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from heldout.core.arrays import Array, Floats

AUSTIN = "Austin and Steyerberg (2019), Stat. Med. 38:4051"
#: fits are made this share of the range apart, and joined by lines (R's default)
STEP = 0.01


def smooth_calibration(scores: ScoreCounts, span: float) -> tuple[Any, Any, Any]:
    """Rising distinct probabilities, how often they come true by local regression, and weight.

    Cleveland's lowess without robustness steps, as R's ``lowess(p, y, f=span, iter=0)``.
    """
    if not 0 < span <= 1:
        raise InputError(f"span is a share of the rows above 0 and up to 1, not {span:g}")
    return _smooth(within(scores, 0.0), span)


@kept
def _smooth(inside: ScoreCounts, span: float) -> tuple[Any, Any, Any]:
    x = inside.score[::-1]
    positives = inside.positives[::-1]
    weight = positives + inside.negatives[::-1]
    return x, _lowess(x, positives, weight, span), weight


def _lowess(x: Floats, positives: Array, weight: Array, span: float) -> Floats:
    """Local linear fits a small step apart, joined by straight lines."""
    through = np.cumsum(weight, dtype=float)
    rows = float(through[-1])
    near = max(2.0, min(rows, floor(span * rows + 1e-7)))
    step = STEP * (x[-1] - x[0])
    places, heights, left, here = [], [], 1.0, 0
    while True:
        left = _window(x, through, left, near, here)
        low, high = _at(through, left), _at(through, left + near - 1)
        reach = max(x[here] - x[low], x[high] - x[here])
        places.append(here)
        heights.append(_local(x, positives, weight, here, low, reach))
        if here == len(x) - 1:
            return np.interp(x, x[places], heights)
        # the last score within a step, but at least the next one
        here = max(int(np.searchsorted(x, x[here] + step, "right")) - 1, here + 1)


def _at(through: Floats, rank: float) -> int:
    """The place of the row of this rank among distinct scores."""
    # ranks are whole unless weights are not: a hair's breadth guards against their rounding
    return min(int(np.searchsorted(through, rank - 1e-9)), len(through) - 1)


def _window(x: Floats, through: Floats, left: float, near: float, here: int) -> float:
    """The rank where the window of nearest rows starts: it moves on while the next is nearer."""

    def may_move(start: float) -> bool:
        if start + near > through[-1] + 1e-9:
            return False
        behind = x[here] - x[_at(through, start)]
        return bool(behind > x[_at(through, start + near)] - x[here])

    low, high = 0, int(through[-1] - near) + 1  # moves made: the condition, once false, stays so
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if may_move(left + middle) else (low, middle)
    return left + low


def _local(x: Floats, positives: Array, weight: Array, here: int, low: int, reach: float) -> float:
    """The height at one score of the line fitted to its neighbours, nearer ones weighing more."""
    end = max(int(np.searchsorted(x, x[here] + 0.999 * reach, "right")), here + 1)
    sums = np.zeros(5)
    for block in blocks(end - low):
        part = slice(low + block.start, low + block.stop)
        away = x[part] - x[here]
        near = _closeness(np.abs(away), reach)
        mass, hits = weight[part] * near, positives[part] * near
        moved = mass * away
        sums += (
            mass.sum(),
            moved.sum(),
            sum_of_products(moved, away),
            hits.sum(),
            sum_of_products(hits, away),
        )
    total, first, second, height, tilt = sums
    centre = first / total
    spread = second / total - centre * centre
    if spread > (0.001 * (x[-1] - x[0])) ** 2:
        height -= centre / spread * (tilt - centre * height)
    return float(height / total)


def _closeness(away: Floats, reach: float) -> Floats:
    """Tricube weight of distances: 1 for the nearest, 0 at the reach."""
    if reach <= 0:
        return np.ones(len(away))
    share = away / reach
    near = 1.0 - share * share * share
    near *= near * near
    near[share <= 0.001] = 1.0
    near[share > 0.999] = 0.0
    return near


def distances(scores: ScoreCounts, span: float | None) -> tuple[Any, Any] | None:
    """Distance of each distinct probability from the curve, and its weight; None without rows."""
    if span is None:
        raise InputError("a smooth calibration error needs a span, such as span=0.75")
    if not len(within(scores, 0.0).score):
        return None
    x, height, weight = smooth_calibration(scores, span)
    return np.abs(x - height), weight


#: distances from a smooth curve, whose span depends on all rows
smooth_error = partial(
    measure,
    kind=NoInterval(),
    direction="down",
    bounds=(0, inf),
    reference=AUSTIN,
    needs_probability=True,
    averaged=False,
    weight_scale=True,
)


@smooth_error(
    aliases=("ici", "eavg", "mean_smooth_calibration_error"),
    formula=r"\frac{1}{n} \sum_i |p_i - \hat c(p_i)|",
)
def integrated_calibration_index(scores: ScoreCounts, *, span: float | None = None) -> float:
    """Mean distance of the probabilities from a local regression of the truth on them.

    ``span`` is the share of the rows that each local fit sees: 2/3 in R's ``val.prob``.
    Some seconds for millions of rows.

    Examples
    --------
    >>> truth = np.array([1, 0, 0, 0, 1, 1, 1, 0]) == 1  # 1 of 4 at 0.1, 3 of 4 at 0.9
    >>> scores = ScoreCounts.of(truth, np.repeat([0.1, 0.9], 4))
    >>> integrated_calibration_index(scores, span=0.5)
    0.15
    """
    gaps = distances(scores, span)
    return nan if gaps is None else float(np.average(gaps[0], weights=gaps[1]))


@smooth_error(
    aliases=("emax",),
    formula=r"\max_i |p_i - \hat c(p_i)|",
)
def maximum_smooth_calibration_error(scores: ScoreCounts, *, span: float | None = None) -> float:
    """Largest distance of a probability from a local regression of the truth.

    Examples
    --------
    >>> truth = np.array([1, 0, 0, 0, 1, 1, 1, 1]) == 1  # 1 of 4 at 0.1, 4 of 4 at 0.9
    >>> scores = ScoreCounts.of(truth, np.repeat([0.1, 0.9], 4))
    >>> maximum_smooth_calibration_error(scores, span=0.5)
    0.15
    """
    gaps = distances(scores, span)
    return nan if gaps is None else float(gaps[0].max())


@smooth_error(
    title="90th percentile of the smooth calibration error",
    aliases=("e90",),
    formula=r"Q_{0.9}(|p_i - \hat c(p_i)|)",
)
def ninetieth_smooth_calibration_error(scores: ScoreCounts, *, span: float | None = None) -> float:
    """Distance from a local regression that nine rows in ten stay within.

    Examples
    --------
    >>> truth = np.array([1, 0, 0, 0, 1, 1, 1, 1]) == 1  # 1 of 4 at 0.1, 4 of 4 at 0.9
    >>> scores = ScoreCounts.of(truth, np.repeat([0.1, 0.9], 4))
    >>> ninetieth_smooth_calibration_error(scores, span=0.5)
    0.15
    """
    gaps = distances(scores, span)
    if gaps is None:
        return nan
    order = np.argsort(gaps[0], kind="stable")
    through = np.cumsum(gaps[1][order], dtype=float)
    exact = 1 + (through[-1] - 1) * 0.9  # quantile of type 7, R's default
    low, high = (gaps[0][order][_at(through, rank)] for rank in (floor(exact), floor(exact) + 1))
    return float(low + (exact - floor(exact)) * (high - low))
