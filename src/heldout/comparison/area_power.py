"""The power of tests of areas under the ROC curve, from a guess at the areas' errors."""

from __future__ import annotations

from math import inf, sqrt

from heldout.comparison.goal import Goal, checked_number, least_count
from heldout.core.errors import InputError

__all__ = ["area_detectable", "area_rows"]


def area_rows(
    difference: float,
    area: float,
    prevalence: float,
    goal: Goal | None = None,
    *,
    correlation: float = 0.5,
) -> int:
    """Rows that show a difference of two areas under the ROC curve of the same rows.

    Parameters
    ----------
    area
        The area of the poorer model.
    prevalence
        Share of positive rows.
    correlation
        Of the two areas' errors; models that rank rows alike have more of it.

    Notes
    -----
    DeLong's test divides by the errors as they are. These are guessed after Hanley and McNeil
    (1982), Radiology 143:29, who assume exponential scores.

    Examples
    --------
    >>> area_rows(0.05, 0.8, 0.3)
    782
    """
    checked_number(difference, "a wanted difference")
    if area + difference > 1:
        raise InputError(f"an area of {area:g} cannot be better by {difference:g}: 1 is the most")
    wanted = Goal() if goal is None else goal
    found = least_count(
        lambda rows: (
            wanted.reach() * _error(rows, area, difference, prevalence, correlation) <= difference
        ),
        start=2,
    )
    if found is None:
        raise InputError(f"no number of rows that anybody has shows {difference:g}")
    return found


def area_detectable(
    rows: float,
    area: float,
    prevalence: float,
    goal: Goal | None = None,
    *,
    correlation: float = 0.5,
) -> float:
    """The least difference of two areas that so many rows show; infinite where none can.

    Examples
    --------
    >>> area_detectable(782, 0.8, 0.3)
    0.05
    """
    checked_number(rows, "a number of rows", least=1, closed=True)
    wanted = Goal() if goal is None else goal

    def shows(difference: float) -> bool:
        error = _error(rows, area, difference, prevalence, correlation)
        return wanted.reach() * error <= difference

    low, high = 0.0, 1 - area
    if not shows(high):
        return inf
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if shows(middle) else (middle, high)
    return high


def _error(
    rows: float, area: float, difference: float, prevalence: float, correlation: float
) -> float:
    """The standard error of the difference."""
    checked_number(area, "an area", most=1)
    checked_number(prevalence, "the prevalence", most=1)
    checked_number(correlation, "a correlation", least=-1, most=1)
    ones, zeros = rows * prevalence, rows * (1 - prevalence)
    one, two = (sqrt(_hanley(value, ones, zeros)) for value in (area, min(area + difference, 1.0)))
    return sqrt(max(one * one + two * two - 2 * correlation * one * two, 0.0))


def _hanley(area: float, ones: float, zeros: float) -> float:
    """The variance of an area."""
    first, second = area / (2 - area), 2 * area * area / (1 + area)
    spread = area * (1 - area) + (ones - 1) * (first - area * area)
    spread += (zeros - 1) * (second - area * area)
    return max(spread, 0.0) / (ones * zeros)
