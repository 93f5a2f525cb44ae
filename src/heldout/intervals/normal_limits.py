"""Limits from the spread of a few bootstrap replicates, where these look normal."""

from __future__ import annotations

from math import hypot, inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.intervals.interval import Interval, checked_level
from heldout.intervals.quantiles import two_sided_student

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["looks_normal", "normal_limits"]

#: standard errors that skewness and bias may be away from those of a normal sample
LEEWAY = 3.0
#: the same for kurtosis, whose distribution in small samples has a long tail
LEEWAY_OF_KURTOSIS = 4.0
#: standard deviations that the value must keep from the ends of the measure's range
ROOM = 5.0
#: standard deviations that the replicates may be shifted by
LARGEST_BIAS = 1.0
METHOD = "normal limits of a bootstrap"


def normal_limits(
    replicates: NDArray[Any],
    estimate: float,
    *,
    level: float = 0.95,
    unbiased: bool = False,
    biases: float = 1.0,
    bounds: tuple[float, float] = (-inf, inf),
    draws: str = "",
) -> Interval | None:
    """The interval from the standard deviation of replicates; None unless they look normal.

    Student's quantile allows for the standard deviation being that of few replicates.

    Parameters
    ----------
    unbiased
        Take off the replicates' bias, as the basic bootstrap does, in any case: else only one
        that is larger than chance (a hull, a gap: what resampling shifts, the sample has
        shifted before). A bias above one standard deviation makes the replicates unfit.
    biases
        How many times the bias is taken off, where it is; the spread is widened by what is
        taken off beyond once (see ``maximum_limits``).
    bounds
        Range of the measure: too near to its ends nothing is normal.

    Examples
    --------
    >>> made = normal_limits(np.random.default_rng(1).normal(0.5, 0.01, 100), 0.5, bounds=(0, 1))
    >>> round(made.low, 2), round(made.high, 2), made.method
    (0.48, 0.52, 'normal limits of a bootstrap')
    """
    level = checked_level(level)
    if not isfinite(estimate) or not looks_normal(replicates):
        return None
    count = len(replicates)
    mean, spread = float(replicates.mean()), float(replicates.std(ddof=1))
    bias = mean - estimate
    if abs(bias) > LARGEST_BIAS * spread:
        return None
    unbiased = unbiased or abs(bias) > LEEWAY * spread / count**0.5
    if unbiased:
        estimate -= biases * bias
        spread = hypot(spread, (biases - 1) * bias)
    if not bounds[0] + ROOM * spread < estimate < bounds[1] - ROOM * spread:
        return None
    reach = two_sided_student(level, count - 1) * spread
    name = f"{METHOD} without bias" if unbiased else METHOD
    method = f"{name}, {draws}" if draws else name
    return Interval(estimate - reach, estimate + reach, level, method)


def looks_normal(values: NDArray[Any]) -> bool:
    """Whether the skewness and kurtosis of values could be those of a normal sample.

    Examples
    --------
    >>> looks_normal(np.arange(100.0)), looks_normal(np.arange(100.0) ** 4)
    (True, False)
    """
    if not np.isfinite(values).all():
        return False
    lean = values - values.mean()
    variance = float(np.mean(lean**2))
    if variance <= (1e-12 * float(np.abs(values).max())) ** 2:
        return False
    skewness = float(np.mean(lean**3)) / variance**1.5
    excess = float(np.mean(lean**4)) / variance**2 - 3
    error = (6 / len(values)) ** 0.5  # of the skewness; that of the kurtosis is twice as large
    return abs(skewness) < LEEWAY * error and abs(excess) < LEEWAY_OF_KURTOSIS * 2 * error
