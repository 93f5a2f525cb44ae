"""What a study of power asks for: a level, a chance to show a difference, one side or two."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import inf, sqrt
from typing import TYPE_CHECKING

from heldout.core.errors import InputError
from heldout.intervals.interval import checked_level
from heldout.intervals.quantiles import normal_quantile, two_sided_student

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Goal", "MOST", "POWER", "checked_number", "least_count"]

POWER = 0.8
#: more rows or repeats than anybody has count as none
MOST = 2**50


@dataclass(frozen=True, slots=True)
class Goal:
    """The level of a test, the chance that it shows a difference, and its sides.

    A difference is shown where the test rejects in its favour.

    Examples
    --------
    >>> Goal().reach(), Goal(one_sided=True).reach(), Goal().reach(9)
    (2.80, 2.49, 3.15)
    """

    level: float = 0.95
    power: float = POWER
    one_sided: bool = False

    def __post_init__(self) -> None:
        checked_level(self.level)
        if self.one_sided and self.level <= 0.5:
            raise InputError(f"the level of a one-sided test is above 0.5, not {self.level!r}")
        if not self.tail < self.power < 1:
            raise InputError(
                f"the power lies between {self.tail:.3g} (what chance shows) and 1, "
                f"unlike {self.power!r}"
            )

    @property
    def tail(self) -> float:
        """How often chance alone may show the better model as better."""
        return (1 - self.level) / (1 if self.one_sided else 2)

    def reach(self, freedom: float = inf) -> float:
        """How many standard errors a difference must have to be shown with this power.

        By a z test; by a t test where the standard error has finitely many degrees of freedom,
        whose statistic has the noncentral t distribution.
        """
        return _reach(self.tail, self.power, freedom)


@lru_cache(maxsize=4096)
def _reach(tail: float, power: float, freedom: float) -> float:
    if freedom == inf:
        return normal_quantile(power) - normal_quantile(tail)
    from scipy.optimize import brentq
    from scipy.special import nctdtr

    bound = two_sided_student(1 - 2 * tail, freedom)
    most = 4 * bound + 10 * sqrt(1 + bound * bound / freedom)
    return float(brentq(lambda shift: 1 - nctdtr(freedom, shift, bound) - power, 0.0, most))


def checked_number(
    value: float, name: str, *, least: float = 0.0, most: float = inf, closed: bool = False
) -> float:
    """A number strictly between two others (``closed``: or one of them), or an error.

    Examples
    --------
    >>> checked_number(0.2, "the prevalence", most=1)
    0.2
    """
    inside = least <= value <= most if closed else least < value < most
    if not inside:
        text = f"above {least:g}" if most == inf else f"between {least:g} and {most:g}"
        if closed:
            text = f"at least {least:g}" if most == inf else f"from {least:g} to {most:g}"
        raise InputError(f"{name} is {text}, unlike {value!r}")
    return value


def least_count(shows: Callable[[int], bool], *, start: int = 1) -> int | None:
    """The least count from ``start`` that shows what is wanted, if more always show more.

    None where no count that anybody has does.

    Examples
    --------
    >>> least_count(lambda rows: rows >= 37)
    37
    """
    if shows(start):
        return start
    low, high = start, 2 * start
    while not shows(high):
        low, high = high, 2 * high
        if high > MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shows(middle) else (middle, high)
    return high
