"""Differences of calibration errors: noise raises both errors, unequally."""

from __future__ import annotations

from math import isnan, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.score_formulas import THIN, UNEVEN, gap_statistic, gaps_of
from heldout.core.significance import Test
from heldout.measures.calibration import thin_bins
from heldout.measures.kinds import BinGaps
from heldout.tally.scores import ScoreCounts, TopLabel
from heldout.uncertainty.gap_differences import DRAWS as BIN_DRAWS
from heldout.uncertainty.gap_differences import gap_difference_p_value, refined_steps
from heldout.uncertainty.gap_intervals import GapDraws, too_many_bins
from heldout.uncertainty.interval import Interval, absent
from heldout.uncertainty.quantiles import normal_quantile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from heldout.comparison.pair import Pair
    from heldout.comparison.testing import Finding
    from heldout.core.significance import Alternative
    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request
    from heldout.uncertainty.gap_intervals import Gaps

#: draws of bins under each stretch of the gaps
DRAWS = 1000
#: factors by which the gaps are stretched at first, a few at once until one is far too large
LADDERS = [[0.0], *np.geomspace(0.05, 16.0, 32).reshape(-1, 4).tolist()]
#: more are put between two whose confidences differ by more than this, in normal deviates
FINE = 0.25
#: a step of a gap in which the measure's slope is taken
STEP = 1e-6
METHOD = f"inverted tests of gaps, {DRAWS:,} draws of bins"
LARGEST = "no interval of a difference of largest gaps is known to cover"
AVERAGE = "no interval of a difference of average calibration errors is known to cover"
OUTSIDE = "the difference lies outside: noise in the bins has raised one error more"
#: the level at which docs/false_alarms.md has the coverage, and what it says
MEASURED = 0.95
NO_VALUES = "the errors do not vary"
ONE_AT_END = "one of the errors may be 0; where it is, such intervals cover about 90 %"


def gap_lack(pair: Pair) -> str:
    """Why the difference of two calibration errors has no interval; empty where it has."""
    request, measure = pair.request, pair.request.measure
    if isinstance(measure.kind, BinGaps) and measure.kind.is_largest:
        return LARGEST
    if request.average or request.label is not None:
        return AVERAGE
    if pair.predictions[0].task != "binary" and measure.needs == (ScoreCounts,):
        return AVERAGE
    if not pair.has_alike_rows:
        return UNEVEN
    for side in pair.sides:
        counts = gap_counts(request, side.tallies)
        if thin_bins(counts, bins=request.values["bins"]):
            return THIN
        if reason := too_many_bins(len(gaps_of(counts, request.values).rows)):
            return reason
    return ""


class ErrorCurve:
    """How sure it is that a calibration error is at most so large.

    As in ``gap_interval`` the gaps that were seen are stretched by a factor and taken to be
    the true ones; the share of draws above the value that was seen says how far such errors
    are contradicted. An error cannot be below 0. The more rows there are, the smaller the
    stretch in which confidence rises, so factors are added there.
    """

    def __init__(self, gaps: Gaps, statistic: Callable[[Any, Any], Any], seed: int) -> None:
        from scipy.optimize import isotonic_regression

        drawn = GapDraws(gaps, statistic, DRAWS, seed)
        seen = float(statistic(gaps.rows, gaps.gap))
        sure: dict[float, float] = {}

        def heights(factors: Sequence[float]) -> list[float]:
            new = [factor for factor in factors if factor not in sure]
            if new:
                values = drawn.at(new)
                shares = np.mean(values > seen, axis=-1) + np.mean(values == seen, axis=-1) / 2
                sure.update(zip(new, shares.tolist(), strict=True))
            least = 0.5 / DRAWS
            return [normal_quantile(min(max(sure[f], least), 1 - least)) for f in factors]

        for factors in LADDERS:
            heights(factors)
            if sure[factors[-1]] >= 1 - 0.5 / DRAWS:
                break
        factors = refined_steps(sorted(sure), heights, step=FINE)
        errors = np.asarray(statistic(gaps.rows, drawn.stretched(factors)), float)
        # chance in the draws is evened out, not followed upwards
        self._sure = isotonic_regression([sure[factor] for factor in factors]).x
        self._error = np.maximum.accumulate(errors)

    def at(self, share: float) -> float:
        """The error that is not exceeded with this confidence; 0.5 is the median estimate."""
        if share <= self._sure[0]:
            return 0.0
        return float(np.interp(share, self._sure, self._error))

    def reaches(self, tail: float) -> tuple[float, float, float]:
        """The median estimate, and how far the limits lie below and above it.

        A limit of 0 is where errors end, not how far noise reaches: then it reaches as far
        down as up.
        """
        low, middle, high = self.at(tail), self.at(0.5), self.at(1 - tail)
        above = high - middle
        return middle, middle - low if low > 0 else max(middle, above), above


def gap_difference(
    pair: Pair, alternative: Alternative | None = None, *, is_paired: bool = True
) -> Finding:
    """The interval of first minus second calibration error, and whether they differ.

    Each error has limits by an inverted test; these are squared and added as in Newcombe's
    intervals (Zou and Donner 2008, Stat. Med. 27:1693), about the difference of the median
    estimates, with the correlation of the two errors where that is negative: models that are
    off in opposite directions are moved apart by the same rows. The test asks at which level
    the interval leaves 0 out. Errors of different rows are not correlated.
    """
    level, seed, side = pair.level, pair.options.seed, alternative or pair.options.alternative
    sides = one, two = pair.first.gap_side, pair.second.gap_side
    shared = min(_correlation(one.slope, two.slope), 0.0) if is_paired else 0.0
    seen = one.value - two.value

    def limits(tail: float) -> tuple[float, float]:
        (middle, below, above), (other, under, over) = (s.curve.reaches(tail) for s in sides)
        gap = middle - other
        return gap - _added(below, over, shared), gap + _added(above, under, shared)

    method = f"{METHOD}, seed {seed}"
    least = 1 / DRAWS
    tail = (1 - level) / 2
    if tail < least:
        interval = absent(f"{DRAWS:,} draws are too few for this level", level=level, method=method)
    else:
        interval = Interval(*limits(tail), level, method).within((-1, 1))
        interval = interval if interval.contains(seen) else interval.noted(OUTSIDE)
        if sum(s.curve.at(tail) == 0 for s in sides) == 1 and level == MEASURED:
            interval = interval.noted(ONE_AT_END)
    greater = _p_greater(limits, least)
    p_value = {"greater": greater, "less": 1 - greater}.get(
        side, min(1.0, 2 * min(greater, 1 - greater))
    )
    return interval, Test(method, seen, p_value, side)


def unpaired_gap_difference(pair: Pair) -> Finding:
    """The interval of calibration errors of different rows, and the test that slices have.

    The interval is that of the same rows without the correlation of the errors. Where there is
    none there is no test either: a bootstrap adds the noise that raises both errors once more.
    """
    options, side = pair.options, pair.options.alternative
    lack = gap_lack(pair)
    if lack:
        interval = absent(lack, level=pair.level)
        return interval, Test("no test", nan, nan, side).noted(lack)
    interval, greater = gap_difference(pair, "greater", is_paired=False)
    one, two = pair.first.gap_side.gaps, pair.second.gap_side.gaps
    p_value = gap_difference_p_value(one, two, gap_statistic(pair.request), seed=options.seed)
    if side != "two-sided" and not isnan(p_value):
        is_towards = (greater.p_value < 0.5) == (side == "greater")
        p_value = p_value / 2 if is_towards else 1 - p_value / 2
    draws = f"{BIN_DRAWS} draws of bins, seed {options.seed}"
    method = f"inverted tests of gaps, different rows, {draws}"
    note = NO_VALUES if isnan(p_value) else ""
    return interval, Test(method, greater.statistic, p_value, side).noted(note)


class GapSide:
    """One model's error: its value, its confidence curve and what each row adds to it."""

    def __init__(self, request: Request, tallies: Tallies, seed: int) -> None:
        self.gaps = gaps_of(gap_counts(request, tallies), request.values)
        statistic = gap_statistic(request)
        self.value = float(statistic(self.gaps.rows, self.gaps.gap))
        self.curve = ErrorCurve(self.gaps, statistic, seed)
        self.slope = _slopes(request, tallies, self.gaps, statistic)


def gap_counts(request: Request, tallies: Tallies) -> ScoreCounts:
    """The scores whose bins a calibration error is of: of a class, or of the chosen class."""
    return tallies.top_label if request.measure.needs == (TopLabel,) else tallies.scores


def _slopes(
    request: Request, tallies: Tallies, gaps: Gaps, statistic: Callable[[Any, Any], Any]
) -> NDArray[np.float64]:
    """By how much each row moves the error: the slope of its bin times its own gap."""
    p = tallies.predictions
    scores = np.asarray(p.scores, float)
    if request.measure.needs == (TopLabel,):
        came = scores.argmax(axis=1) == p.truth
        scores = scores.max(axis=1)
    else:
        came = p.truth == p.positive
    # bins lie from high to low scores and part no equal ones
    bins = np.empty(len(scores), np.int64)
    sizes = gaps.rows.astype(np.int64)
    bins[np.argsort(-scores, kind="stable")] = np.repeat(np.arange(len(sizes)), sizes)
    moved = gaps.gap + STEP * np.eye(len(sizes))
    slope = (np.asarray(statistic(gaps.rows, moved)) - statistic(gaps.rows, gaps.gap)) / STEP
    return np.asarray((slope / gaps.rows)[bins] * (came - scores))


def _correlation(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    spread = float(first.std() * second.std())
    if not spread > 0:
        return 0.0
    return float(np.mean((first - first.mean()) * (second - second.mean()))) / spread


def _added(mine: float, other: float, correlation: float) -> float:
    return sqrt(max(mine * mine + other * other - 2 * correlation * mine * other, 0.0))


def _p_greater(limits: Callable[[float], tuple[float, float]], least: float) -> float:
    """The one-sided p-value that the first error is greater: where the lower limit is 0."""
    low, high = limits(0.5)
    if low == high == 0 or isnan(low):
        return 0.5 if low == 0 else nan
    which = 0 if low > 0 else 1
    sign = 1 if low > 0 else -1

    def leaves_out(tail: float) -> bool:
        return sign * limits(tail)[which] > 0

    inside, outside = least, 0.5
    if leaves_out(least):
        tail = least
    else:
        for _ in range(30):
            middle = (inside + outside) / 2
            inside, outside = (inside, middle) if leaves_out(middle) else (middle, outside)
        tail = outside
    return tail if sign > 0 else 1 - tail
