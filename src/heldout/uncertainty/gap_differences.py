"""Whether two sets of rows differ in a calibration error, which noise raises in both."""

from __future__ import annotations

from itertools import pairwise
from math import nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.uncertainty.gap_intervals import DOUBLINGS, GapDraws
from heldout.uncertainty.quantiles import normal_cumulative

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from heldout.uncertainty.gap_intervals import Gaps

#: halvings of one step; a thousandth of a thousandth of the first step is fine enough
ROUNDS = 24
#: places that are added at most: noise in the function must not be followed for ever
MOST = 120


def refined_steps(
    places: Sequence[float],
    heights: Callable[[Sequence[float]], Sequence[float]],
    *,
    step: float,
) -> list[float]:
    """The places, and such between them that neighbours' heights differ by at most ``step``.

    With many rows a test's confidence changes from none to full within a small stretch, whose
    size nobody knows beforehand: a fixed grid would be wider than the stretch. The heights of
    several places are asked for at once, which is faster where they are drawn.

    Examples
    --------
    >>> from math import tanh
    >>> def rising(places):
    ...     return [tanh(1000 * (x - 0.3)) for x in places]
    >>> made = refined_steps([0.0, 1.0], rising, step=0.5)
    >>> len([x for x in made if abs(x - 0.3) < 0.01]) >= 4
    True
    """
    known = dict(zip(places, heights(places), strict=True))
    added = 0
    for _ in range(ROUNDS):
        order = sorted(known)
        wide = [
            (low + high) / 2
            for low, high in pairwise(order)
            if abs(known[high] - known[low]) > step
        ]
        wide = [middle for middle in wide if middle not in known][: MOST - added]
        if not wide:
            break
        known |= zip(wide, heights(wide), strict=True)
        added += len(wide)
    return sorted(known)


#: draws of bins under each stretch of the gaps
DRAWS = 200
#: stretches that are tried then, a few at once, until one is far too large
LADDERS = [[0.25, 0.5, 0.75, 1.0, 1.5], *([2.0**k, 1.5 * 2**k] for k in range(1, DOUBLINGS))]
#: stretches that are tried first, in standard deviations from the gaps that were seen
NEAR = np.linspace(-7.2, 7.2, 17)
#: errors beyond which nothing that was seen speaks for them, in standard deviations
FAR = 6.0
#: deviations of neighbouring errors differ by no more than this
FINE = 1.0
#: places at which the two sides are compared
PLACES = 200


def gap_difference_p_value(
    own: Gaps, other: Gaps, statistic: Callable[[Any, Any], Any], *, seed: int = 1
) -> float:
    """The two-sided p-value that two separate sets of rows have the same calibration error.

    Parameters
    ----------
    own, other
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
    >>> from heldout.uncertainty.gap_intervals import Gaps
    >>> fair = Gaps(np.array([200, 200]), np.array([41, 158]), np.array([0.2, 0.8]))
    >>> poor = Gaps(np.array([200, 200]), np.array([80, 120]), np.array([0.2, 0.8]))
    >>> def error(weight, gap):
    ...     return (weight * abs(gap)).sum(-1) / weight.sum(-1)
    >>> [round(gap_difference_p_value(fair, bins, error), 3) for bins in (fair, poor)]
    [1.0, 0.0]
    """
    sides = [_Side(gaps, statistic, seed) for gaps in (own, other)]
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
        base, own = drawn.at([0.0, 1.0])
        # nothing lies below a calibrated model
        seen = max(seen, float(base.mean()))
        known = {0.0: float(_deviations(seen, base))}

        def heights(factors: Sequence[float]) -> list[float]:
            new = [factor for factor in factors if factor not in known]
            if new:
                known.update(zip(new, _deviations(seen, drawn.at(new)).tolist(), strict=True))
            return [min(max(known[factor], -FAR), FAR) for factor in factors]

        # where the gaps that were seen are far more than noise, all happens close to them
        spread = float(own.std(ddof=1)) / float(statistic(gaps.rows, drawn.shape))
        near = (1 + NEAR * spread).tolist()
        heights([factor for factor in near if 0 < factor < LADDERS[-1][-1]])
        for ladder in LADDERS:
            if known[max(known)] <= -FAR:
                break
            heights(ladder)
        factors = refined_steps(sorted(known), heights, step=FINE)
        errors = np.asarray(statistic(gaps.rows, drawn.stretched(factors)), float)
        deviations = [known[factor] for factor in factors]
        self.error: NDArray[np.float64] = np.maximum.accumulate(errors)
        self.deviation: NDArray[np.float64] = np.minimum.accumulate(np.asarray(deviations, float))

    @property
    def middle(self) -> float:
        """The error that would show what was seen; 0 where a calibrated model does."""
        return float(np.interp(0.0, -self.deviation, self.error))

    def at(self, errors: NDArray[np.float64]) -> NDArray[np.float64]:
        # an error that no stretch of the gaps reaches is far from what was seen
        return np.interp(errors, self.error, self.deviation, right=-FAR)


def _deviations(seen: float, drawn: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far the value lies above draws, in their standard deviations; 0 where they are alike."""
    spread = drawn.std(axis=-1, ddof=1) * sqrt(1 + 1 / drawn.shape[-1])
    above = seen - drawn.mean(axis=-1)
    return np.divide(above, spread, out=np.zeros_like(above), where=spread > 0)
