"""The least difference a design can show, and the size that a wanted difference needs."""

from __future__ import annotations

from math import ceil, isnan, sqrt
from typing import TYPE_CHECKING

from karat.core.errors import InputError
from karat.intervals.quantiles import normal_quantile, two_sided_normal

if TYPE_CHECKING:
    from karat.comparison.difference import Difference

__all__ = ["detectable_difference", "rows_needed", "splits_limit"]

POWER = 0.8


def detectable_difference(difference: Difference, *, power: float = POWER) -> float | None:
    """The true difference that this design would find with the given power.

    From the width of the interval: a difference is found with probability 0.8 where it is
    (z of the level + z of the power) standard errors away from none. None where there is no
    interval.

    Examples
    --------
    A half width of 1.96 standard errors stands for 2.80 of them at a power of 0.8.
    """
    interval = difference.interval
    if interval.is_absent or not interval.width > 0:
        return None
    z = two_sided_normal(interval.level)
    error = interval.width / (2 * z)
    return error * (z + normal_quantile(power))


def rows_needed(difference: Difference, wanted: float, *, power: float = POWER) -> int | None:
    """How many rows (of the same kind) would show a wanted difference.

    The standard error falls with the root of the number of rows.
    """
    if isnan(wanted) or wanted <= 0:
        raise InputError(f"a wanted difference is a size above 0, not {wanted!r}")
    least = detectable_difference(difference, power=power)
    if least is None or difference.unit != "rows":
        return None
    return ceil(difference.n * (least / wanted) ** 2)


def splits_limit(spread: float, test_share: float, *, level: float = 0.95) -> float:
    """The least difference that any number of repeats can show on the same data.

    Repeats average the noise of splitting away, and never that of the data: the variance of
    the mean stays above test_share times the variance of a split.
    """
    z = two_sided_normal(level)
    return (z + normal_quantile(POWER)) * spread * sqrt(test_share)
