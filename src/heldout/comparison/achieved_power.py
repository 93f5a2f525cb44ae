"""The chance that a design shows a difference of a given size."""

from __future__ import annotations

from dataclasses import replace
from math import isnan, nan
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.comparison.goal import Goal

__all__ = ["achieved_power"]

#: halvings of the range of powers: about nine digits
STEPS = 30


def achieved_power(detectable: Callable[[Goal], float], difference: float, goal: Goal) -> float:
    """The power with which a difference is the least that shows; NaN where nothing is known.

    Parameters
    ----------
    detectable
        The least difference that is shown with the power of a goal; more power, larger.
    goal
        Its level and its sides are kept.

    Examples
    --------
    >>> from heldout.comparison.goal import Goal
    >>> from heldout.comparison.mean_power import mean_detectable
    >>> least = mean_detectable(1000, 0.4, Goal())
    >>> achieved_power(lambda goal: mean_detectable(1000, 0.4, goal), least, Goal())
    0.8
    """
    if isnan(detectable(goal)):
        return nan
    low, high = goal.tail, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        shown = detectable(replace(goal, power=middle)) <= difference
        low, high = (middle, high) if shown else (low, middle)
    return (low + high) / 2
