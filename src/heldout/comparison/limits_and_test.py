"""Interval and test of a difference, where one method gives both."""

from __future__ import annotations

from dataclasses import replace
from math import copysign, inf, isfinite, isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.notes import Kind
from heldout.core.significance import Test
from heldout.core.wording import plural
from heldout.uncertainty.interval import Interval, absent
from heldout.uncertainty.limits import lack_of
from heldout.uncertainty.quantiles import two_sided_student

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.core.notes import Lack
    from heldout.core.significance import Alternative

OPEN = "one-sided: the other limit is the end of the range"
UNDEFINED = "the measure is undefined, or infinite, for a model or for rows like these"

#: an interval, and the test that goes with it
Finding = tuple[Interval, Test]


def tail(statistic: float, alternative: Alternative, survival: Callable[[float], float]) -> float:
    """The p-value of a statistic whose distribution is symmetric about 0.

    ``survival`` gives the probability above a value.
    """
    if alternative == "greater":
        return float(survival(statistic))
    if alternative == "less":
        return float(survival(-statistic))
    return float(min(1.0, 2 * survival(abs(statistic))))


def student_test(
    method: str,
    value: float,
    error: float,
    freedom: float = inf,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    bounds: tuple[float, float] = (-inf, inf),
    note: str = "",
) -> Finding:
    """Interval and test of a difference with a standard error: both say the same.

    Without degrees of freedom the distribution is normal.

    Examples
    --------
    >>> interval, found = student_test("t", 0.2, 0.1, 20)
    >>> interval.low, found.p_value
    (-0.0086, 0.0593)
    """
    from heldout.core.special import stdtr

    if not isfinite(value) or isnan(error):
        return no_test(method, UNDEFINED, level=level, alternative=alternative)
    reach = two_sided_student(level, freedom) * error
    statistic = value / error if error > 0 else copysign(inf, value) if value else 0.0
    p_value = tail(statistic, alternative, lambda x: float(stdtr(freedom, -x)))
    interval = Interval(value - reach, value + reach, level, method).noted(note).within(bounds)
    degrees = () if freedom == inf else (freedom,)
    evidence = Test(method, statistic, p_value, alternative, degrees, error=error)
    return interval, evidence.noted(note)


def no_test(
    method: str, reason: str | Lack, *, level: float = 0.95, alternative: Alternative = "two-sided"
) -> Finding:
    """Neither an interval nor a p-value, and why."""
    evidence = Test(method, nan, nan, alternative)
    return absent(reason, level=level, method=method), evidence.noted(str(reason))


def drawn_test(
    method: str, drawn: NDArray[Any], value: float, freedom: float = inf, **how: Any
) -> Finding:
    """The same with the standard error of resampled differences; none where they tell nothing."""
    defined = drawn[~np.isnan(drawn)]
    level = how["level"]
    reason = lack_of(np.sort(defined), len(drawn) - len(defined), value, level, how["bounds"])
    if reason:
        return no_test(method, reason, level=level, alternative=how["alternative"])
    return student_test(method, value, float(np.std(defined, ddof=1)), freedom, **how)


def permutation_p_value(
    swapped: NDArray[Any], observed: float, method: str, alternative: Alternative = "two-sided"
) -> Test:
    """How often exchanging gives a difference at least as large; the data count as one draw.

    Phipson and Smyth (2010), Stat. Appl. Genet. Mol. Biol. 9:39: the p-value is never 0.

    Examples
    --------
    >>> permutation_p_value(np.array([0.1, -0.2, 0.0]), 0.2, "permutation").p_value
    0.5
    """
    known = swapped[~np.isnan(swapped)]
    lost = len(swapped) - len(known)
    if np.isnan(observed) or not len(known):
        return Test(method, nan, nan, alternative).noted("the measure is undefined")
    # rounding must not make an equal difference a smaller one
    slack = 1e-12 * max(1.0, abs(observed))
    if alternative == "greater":
        extreme = known >= observed - slack
    elif alternative == "less":
        extreme = known <= observed + slack
    else:
        extreme = np.abs(known) >= abs(observed) - slack
    p_value = (1 + int(extreme.sum())) / (1 + len(known))
    note = f"undefined in {plural(lost, 'exchange')}" if lost else ""
    return Test(method, observed, p_value, alternative).noted(note)


def two_sided_level(level: float, alternative: Alternative) -> float:
    """The level of a two-sided interval, either limit of which holds alone at the level.

    Examples
    --------
    >>> round(two_sided_level(0.95, "greater"), 10), two_sided_level(0.95, "two-sided")
    (0.9, 0.95)
    """
    if alternative == "two-sided":
        return level
    if level <= 0.5:
        raise InputError(f"the level of a one-sided test is above 0.5, not {level!r}")
    return 2 * level - 1


def one_sided(
    interval: Interval, alternative: Alternative, level: float, bounds: tuple[float, float]
) -> Interval:
    """The limit that the alternative asks about, at the level; the other is the range's end.

    Parameters
    ----------
    interval
        Two-sided, at ``two_sided_level``. It comes back as it is where the alternative is.
    alternative
        ``greater``: the difference is at least the lower limit. ``less``: at most the upper.
    bounds
        The range of the difference.

    Examples
    --------
    >>> made = one_sided(Interval(0.01, 0.05, 0.9, "Wald"), "greater", 0.95, (-1, 1))
    >>> made.low, made.high, made.level
    (0.01, 1.0, 0.95)
    """
    if alternative == "two-sided":
        return interval
    if interval.is_absent:
        return replace(interval, level=level)
    gone = Kind.HIGH_CUT if alternative == "greater" else Kind.LOW_CUT
    low, high = interval.low, interval.high
    low, high = (low, float(bounds[1])) if alternative == "greater" else (float(bounds[0]), high)
    method = f"{interval.method}, {OPEN}"
    return replace(interval.without(gone), low=low, high=high, level=level, method=method)
