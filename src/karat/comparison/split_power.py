"""How large a difference repeated cross-validation can show, and how many repeats one needs."""

from __future__ import annotations

from math import inf, sqrt
from typing import TYPE_CHECKING, Any

from karat.comparison.power import (
    POWER,
    checked_count,
    checked_difference,
    checked_spread,
    normal_points,
)
from karat.core.errors import InputError
from karat.intervals.interval import checked_level
from karat.intervals.quantiles import two_sided_student

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["least_repeats", "repeats_needed", "split_points", "splits_detectable"]

#: more repeats than anybody runs count as none
MOST_REPEATS = 2**40


def splits_detectable(
    repeats: float,
    folds: int,
    spread: float,
    *,
    level: float = 0.95,
    power: float = POWER,
    one_sided: bool = False,
) -> float:
    """The least difference that repeated cross-validation shows; infinite repeats are allowed.

    ``spread`` is the standard deviation of the folds' differences. Repeats average the noise
    of splitting away, never that of the data: at infinite repeats a limit is left.

    Examples
    --------
    >>> splits_detectable(1, 10, 0.03), splits_detectable(float("inf"), 10, 0.03)
    (0.0434, 0.0280)
    """
    if folds < 2:
        raise InputError(f"cross-validation has at least 2 folds, not {folds!r}")
    checked_count(repeats, "repeats")
    checked_spread(spread)
    splits = repeats * folds
    alpha, beta = split_points(splits, level, power, one_sided=one_sided)
    return (alpha + beta) * spread * sqrt(1 / splits + 1 / (folds - 1))


def repeats_needed(
    difference: float,
    folds: int,
    spread: float,
    *,
    level: float = 0.95,
    power: float = POWER,
    one_sided: bool = False,
) -> int | None:
    """Repeats of cross-validation that show a wanted difference; None where no number does.

    Examples
    --------
    >>> repeats_needed(0.03, 10, 0.03), repeats_needed(0.02, 10, 0.03)
    (8, None)
    """
    checked_difference(difference)
    given: dict[str, Any] = {"level": level, "power": power, "one_sided": one_sided}
    return least_repeats(
        lambda repeats: splits_detectable(repeats, folds, spread, **given) <= difference
    )


def least_repeats(shows: Callable[[float], bool]) -> int | None:
    """The least number of repeats that shows what is wanted; None where infinitely many do not.

    Examples
    --------
    >>> least_repeats(lambda repeats: repeats >= 37)
    37
    """
    if not shows(inf):
        return None
    low, high = 0, 1
    while not shows(high):
        low, high = high, 2 * high
        if high > MOST_REPEATS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shows(middle) else (middle, high)
    return high


def split_points(
    splits: float, level: float, power: float, *, one_sided: bool = False
) -> tuple[float, float]:
    """Standard errors for the level and the power by Student's distribution.

    Its freedom is the number of splits less one.

    Examples
    --------
    >>> split_points(5, 0.95, 0.8)
    (2.78, 0.94)
    """
    if splits == inf:
        return normal_points(level, power, one_sided=one_sided)
    share = 1 - checked_level(level)
    inside = 1 - 2 * share if one_sided else level
    if not 0.5 < power < 1 or not inside > 0:
        raise InputError(f"the power lies between 0.5 and 1 (0.8), unlike {power!r}")
    if splits < 2:
        raise InputError(f"a t test needs at least two splits, not {splits:g}")
    freedom = splits - 1
    return two_sided_student(inside, freedom), two_sided_student(2 * power - 1, freedom)
