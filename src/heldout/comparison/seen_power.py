"""What a comparison that was made could have shown, and what a wanted difference would need."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING

from heldout.comparison.achieved_power import achieved_power
from heldout.comparison.goal import POWER, Goal

if TYPE_CHECKING:
    from heldout.comparison.comparison import Comparison
    from heldout.comparison.difference import Difference
    from heldout.comparison.noise import Study

__all__ = ["SeenPower", "detectable", "seen_power"]

UNKNOWN = "nothing is known of the noise"


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
    #: the chance that the present design shows the wanted difference
    achieved: float | None
    #: rows, or repeats of the cross-validation; None: no number, or nothing was wanted
    needed: int | None
    needed_unit: str
    note: str = ""


def seen_power(
    comparison: Comparison, wanted: float | None = None, goal: Goal | None = None
) -> tuple[SeenPower, ...]:
    """The power of the present design, with the noise that its differences have.

    The answer holds for models that differ row by row as these do. More repeats of a
    cross-validation help only down to a limit. ``goal``: None is a power of 0.8 at the level
    and the sides of the comparison.
    """
    options = comparison.options
    if goal is None:
        goal = Goal(options.level, one_sided=options.alternative != "two-sided")
    return tuple(_seen(d, goal, wanted) for d in comparison.differences)


def detectable(difference: Difference, *, power: float = POWER) -> Study | None:
    """What true difference the test that was made would find; None where nothing is known.

    As ``heldout power`` has it: at the level and the sides of the test.
    """
    d = difference
    if d.noise is None:
        return None
    return d.noise.study(Goal(d.interval.level, power, d.evidence.alternative != "two-sided"))


def _seen(d: Difference, goal: Goal, wanted: float | None) -> SeenPower:
    unit = "repeats" if d.unit == "splits" else d.unit
    said = (d.measure, d.first, d.second, d.n, d.unit)
    if d.noise is None:
        note = d.interval.note or d.evidence.note or UNKNOWN
        return SeenPower(*said, nan, nan, 0.0, wanted, None, None, unit, note)
    noise, found = d.noise, d.noise.study(goal, wanted)
    achieved = None
    if wanted is not None:
        achieved = achieved_power(lambda asked: noise.study(asked).detectable, wanted, goal)
    return SeenPower(
        *said,
        noise.error,
        found.detectable,
        found.limit,
        wanted,
        achieved,
        found.needed,
        unit,
        found.note,
    )
