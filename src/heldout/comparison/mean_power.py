"""The power of t tests of means: what so many rows show, and how many are needed."""

from __future__ import annotations

from math import sqrt

from heldout.comparison.goal import Goal, checked_number, least_count
from heldout.core.errors import InputError

__all__ = ["mean_detectable", "mean_rows"]


def mean_detectable(rows: float, spread: float, goal: Goal | None = None) -> float:
    """The least difference of mean losses that so many rows show by a paired t test.

    ``spread`` is the standard deviation of the rows' differences.

    Examples
    --------
    >>> mean_detectable(787, 1.0)
    0.1
    """
    checked_number(rows, "a number of rows", least=2, closed=True)
    checked_number(spread, "a spread (a standard deviation)")
    wanted = Goal() if goal is None else goal
    return wanted.reach(rows - 1) * spread / sqrt(rows)


def mean_rows(difference: float, spread: float, goal: Goal | None = None) -> int:
    """Rows that show a difference of mean losses by a paired t test.

    Examples
    --------
    >>> mean_rows(0.1, 1.0)
    787
    """
    checked_number(difference, "a wanted difference")
    checked_number(spread, "a spread (a standard deviation)")
    found = least_count(lambda rows: mean_detectable(rows, spread, goal) <= difference, start=2)
    if found is None:
        raise InputError(f"no number of rows that anybody has shows {difference:g}")
    return found
