"""Whether two sets of rows differ in a calibration error, which noise raises in both."""

from __future__ import annotations

from math import nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.intervals.gap_intervals import DOUBLINGS, GapDraws
from karat.intervals.quantiles import normal_cumulative
from karat.intervals.refined_steps import refined_steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from karat.intervals.gap_intervals import Gaps

__all__ = ["DRAWS", "gap_difference_p_value"]

#: draws of bins under each stretch of the gaps
DRAWS = 200
#: a stretch goes up in steps of this factor
STEP = 1.5
#: errors beyond which nothing that was seen speaks for them, in standard deviations
FAR = 6.0
#: deviations of neighbouring errors differ by no more than this
FINE = 0.5
#: places at which the two sides are compared
PLACES = 200


def gap_difference_p_value(
    one: Gaps, other: Gaps, statistic: Callable[[Any, Any], Any], *, seed: int = 1
) -> float:
    """The two-sided p-value that two separate sets of rows have the same calibration error.

    Parameters
    ----------
    one, other
        The bins of either set, of rows that all weigh the same.
    statistic
        The measure as a function of the bins' weights and gaps, on the last axis.

    Notes
    -----
    As in ``gap_interval`` the gaps of either set are stretched by a factor, and bins are
    drawn as if these were the true ones: that tells how many standard deviations the value
    that was seen lies above what an error of a given size would show. For every common size
    the two deviations are squared and added; the least sum is taken, as of the sizes the
    likeliest. For normal values it is the square of the usual z (Newcombe's combination of
    two intervals). An error cannot be less than 0, so that a value below what a calibrated
    model shows counts as what such a model shows.

    Examples
    --------
    >>> from karat.intervals.gap_intervals import Gaps
    >>> fair = Gaps(np.array([200, 200]), np.array([41, 158]), np.array([0.2, 0.8]))
    >>> poor = Gaps(np.array([200, 200]), np.array([80, 120]), np.array([0.2, 0.8]))
    >>> def error(weight, gap):
    ...     return (weight * abs(gap)).sum(-1) / weight.sum(-1)
    >>> [round(gap_difference_p_value(fair, bins, error), 3) for bins in (fair, poor)]
    [1.0, 0.0]
    """
    sides = [_Side(gaps, statistic, seed) for gaps in (one, other)]
    if not max(float(side.error[-1]) for side in sides):
        return nan
    sums = []
    # which is the larger: one side lies above the common error and the other below it
    for above, below in (sides, sides[::-1]):
        # the likeliest common error lies between what either side shows itself
        low, high = below.middle, above.middle
        if high <= low:
            sums.append(0.0)
            continue
        errors = np.linspace(low, high, PLACES)
        apart = np.maximum(above.at(errors), 0) ** 2 + np.minimum(below.at(errors), 0) ** 2
        sums.append(float(apart.min()))
    return min(2 * normal_cumulative(-sqrt(max(sums))), 1.0)


class _Side:
    """By how much the value that was seen lies above what each error would show."""

    def __init__(self, gaps: Gaps, statistic: Callable[[Any, Any], Any], seed: int) -> None:
        drawn = GapDraws(gaps, statistic, DRAWS, seed)
        seen = float(statistic(gaps.rows, gaps.gap))
        base = drawn.at(0.0)
        # nothing lies below a calibrated model
        seen = max(seen, float(base.mean()))
        found = {0.0: _deviation(seen, base)}

        def height(factor: float) -> float:
            if factor not in found:
                found[factor] = _deviation(seen, drawn.at(factor))
            return min(max(found[factor], -FAR), FAR)

        factor = 0.25
        while factor <= 2**DOUBLINGS:
            if height(factor) <= -FAR:
                break
            factor *= STEP
        factors = refined_steps(list(found), height, step=FINE)
        errors = [float(statistic(gaps.rows, drawn.stretched(factor))) for factor in factors]
        deviations = [found[factor] for factor in factors]
        self.error: NDArray[np.float64] = np.maximum.accumulate(np.asarray(errors, float))
        self.deviation: NDArray[np.float64] = np.minimum.accumulate(np.asarray(deviations, float))

    @property
    def middle(self) -> float:
        """The error that would show what was seen; 0 where a calibrated model does."""
        return float(np.interp(0.0, -self.deviation, self.error))

    def at(self, errors: NDArray[np.float64]) -> NDArray[np.float64]:
        # an error that no stretch of the gaps reaches is far from what was seen
        return np.interp(errors, self.error, self.deviation, right=-FAR)


def _deviation(seen: float, drawn: NDArray[np.float64]) -> float:
    spread = float(drawn.std(ddof=1))
    if not spread:
        return 0.0
    return (seen - float(drawn.mean())) / (spread * sqrt(1 + 1 / len(drawn)))
