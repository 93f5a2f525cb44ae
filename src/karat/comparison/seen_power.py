"""What a comparison that was made could have shown, and what a wanted difference would need."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, nan, sqrt
from typing import TYPE_CHECKING

from karat.comparison.power import POWER, normal_points
from karat.comparison.split_power import least_repeats, split_points
from karat.intervals.quantiles import two_sided_normal, two_sided_student

if TYPE_CHECKING:
    from karat.comparison.comparison import Comparison
    from karat.comparison.difference import Difference

__all__ = ["SeenPower", "seen_power"]


@dataclass(frozen=True, slots=True)
class SeenPower:
    """Of one pair and measure: the least difference that shows, and what a wanted one needs."""

    measure: str
    first: str
    second: str
    n: int
    unit: str
    #: the standard error of the difference
    error: float
    detectable: float
    #: the least difference with any number of repeats on the same rows; 0 for rows
    limit: float
    wanted: float | None
    #: rows, or repeats of the cross-validation; None: no number, or nothing was wanted
    needed: int | None
    needed_unit: str
    note: str = ""


def seen_power(
    comparison: Comparison,
    wanted: float | None = None,
    *,
    power: float = POWER,
    one_sided: bool = False,
) -> tuple[SeenPower, ...]:
    """The power of the present design, from the intervals of its differences.

    The standard error is that seen, so the answer holds for models that differ row by row as
    these do. It falls with the root of the rows; after cross-validation more repeats help
    only down to a limit.
    """
    return tuple(
        _seen(d, comparison, wanted, power=power, one_sided=one_sided)
        for d in comparison.differences
    )


def _seen(
    d: Difference,
    comparison: Comparison,
    wanted: float | None,
    *,
    power: float,
    one_sided: bool,
) -> SeenPower:
    level = d.interval.level
    of_splits = d.unit == "splits"
    unit = "repeats" if of_splits else d.unit
    said = (d.measure, d.first, d.second, d.n, d.unit)
    if d.interval.is_absent or not d.interval.width > 0:
        note = d.interval.note or "the interval has no width: nothing is known of the noise"
        return SeenPower(*said, nan, nan, 0.0, wanted, None, unit, note)
    if not of_splits:
        alpha, beta = normal_points(level, power, one_sided=one_sided)
        error = d.interval.width / (2 * two_sided_normal(level))
        detectable = (alpha + beta) * error
        needed = None if wanted is None else ceil(d.n * (detectable / wanted) ** 2 - 1e-9)
        return SeenPower(*said, error, detectable, 0.0, wanted, needed, unit)
    error = d.interval.width / (2 * two_sided_student(level, d.n - 1))
    share, folds = comparison.design.test_share, comparison.design.folds
    spread = error / sqrt(1 / d.n + share)

    def shown(repeats: float) -> float:
        """The least difference that so many repeats show."""
        if repeats * folds < 2:
            return inf
        points = split_points(repeats * folds, level, power, one_sided=one_sided)
        return sum(points) * spread * sqrt(1 / (repeats * folds) + share)

    needed, note = None, ""
    if wanted is not None:
        needed = least_repeats(lambda repeats: shown(repeats) <= wanted)
        if needed is None:
            note = (
                f"no number of repeats shows {wanted:g}: these rows show {shown(inf):.3g} at best"
            )
    present, limit = shown(d.n / folds), shown(inf)
    return SeenPower(*said, error, present, limit, wanted, needed, unit, note)
