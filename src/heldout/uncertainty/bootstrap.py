"""Limits from bootstrap replicates: percentile, basic, and bias-corrected and accelerated (BCa)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isfinite, isinf, isnan, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.core.notes import Kind, Lack, Note, Reason
from heldout.uncertainty.interval import Interval, absent, checked_level
from heldout.uncertainty.quantiles import (
    normal_cumulative,
    normal_quantile,
    two_sided_normal,
    two_sided_student,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Jackknife",
    "KINDS",
    "OUTSIDE",
    "POINT",
    "UNDEFINED_ALLOWED",
    "all_agree",
    "bayesian_limits",
    "lack_of",
    "limits",
    "most_agree",
    "sorted_quantile",
    "stretched",
]

KINDS = {"percentile": "percentile", "basic": "basic", "bca": "BCa"}
#: with a larger share of undefined replicates there is no interval
UNDEFINED_ALLOWED = 0.05
#: why limits that would be a point are not given
SAME = Lack("every replicate has the same value", Reason.SAME_VALUE)
POINT = Lack("nearly every replicate has the same value", Reason.A_POINT)
OUTSIDE = Note("the estimate lies outside, because resampling shifts this measure", Kind.OUTSIDE)


@dataclass(frozen=True, slots=True, eq=False)
class Jackknife:
    """The statistic without one row, for each kind of row, and how many rows are of that kind.

    Rows of the same cell of a confusion matrix (or with the same score and truth) leave the
    same statistic behind, so there are as many values as cells: exact, at a cost free of n.
    """

    values: NDArray[Any]
    multiplicity: NDArray[Any] | None = None

    @property
    def acceleration(self) -> float:
        """How fast the standard error changes with the value; 0 where nothing varies.

        NaN where the statistic is undefined or infinite without some row.

        Examples
        --------
        >>> Jackknife(np.array([1.0, 2.0, 6.0])).acceleration
        -0.0573
        """
        count = np.ones(len(self.values)) if self.multiplicity is None else self.multiplicity
        known = count > 0
        values, count = self.values[known], count[known]
        if not np.isfinite(values).all():
            return nan
        # in units of the largest, whose cube would be too large for a number
        largest = float(np.abs(values).max(initial=0.0))
        values = values / largest if largest else values
        lean = np.average(values, weights=count) - values
        squares = float(np.sum(count * lean**2))
        return float(np.sum(count * lean**3)) / (6 * squares**1.5) if squares else 0.0


def limits(
    replicates: NDArray[Any],
    estimate: float,
    *,
    level: float = 0.95,
    kind: str = "percentile",
    jackknife: Jackknife | None = None,
    bounds: tuple[float, float] = (-inf, inf),
    draws: str = "",
) -> Interval:
    """The interval of an estimate from its bootstrap replicates.

    Parameters
    ----------
    replicates
        The statistic of each resampled data set; NaN where it is undefined there.
    kind
        ``percentile``: quantiles of the replicates. ``basic``: mirrored at the estimate,
        which undoes bias. ``bca``: quantiles moved for bias and skewness; needs ``jackknife``.
    bounds
        Range of the measure.
    draws
        What was drawn, for the name of the method ("2000 draws of cells, seed 1").

    Notes
    -----
    Undefined replicates are left out and counted in the note; more than 5 % of them, and
    there is no interval: what is left would be a bootstrap of other data. There is none
    either where all replicates agree (the data cannot say how the value varies), or where
    the replicates are too few to reach the tails.
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 13 and 14.

    Examples
    --------
    >>> interval = limits(np.arange(101.0), 40.0, level=0.9)
    >>> interval.low, interval.high
    (5.0, 95.0)
    """
    level = checked_level(level)
    known = kind.strip().lower()
    if known not in KINDS:
        hint = did_you_mean(known, KINDS) or f"; there are {', '.join(KINDS)}"
        raise InputError(f"no bootstrap interval is called {kind!r}{hint}")
    method = f"bootstrap {KINDS[known]}" + (f", {draws}" if draws else "")
    defined = np.sort(replicates[~np.isnan(replicates)])
    lost = len(replicates) - len(defined)
    reason = lack_of(defined, lost, estimate, level, bounds)
    if reason:
        return absent(reason, level=level, method=method)
    low_tail = (1 - level) / 2
    tails = (low_tail, 1 - low_tail)
    if known == "bca":
        moved = _moved_tails(defined, estimate, tails, jackknife)
        if isinstance(moved, str):
            return absent(moved, level=level, method=method)
        tails = moved
    low, high = (sorted_quantile(defined, tail) for tail in tails)
    if known == "basic":
        if not isfinite(estimate):
            return absent("an infinite value cannot be mirrored at", level=level, method=method)
        low, high = 2 * estimate - high, 2 * estimate - low
    made = Interval(low, high, level, method).within(bounds)
    if made.width <= 0:  # most replicates agree, and the few others lie beyond the tails
        return absent(POINT, level=level, method=method)
    if lost:
        made = made.noted(f"{lost:,} of {len(replicates):,} replicates undefined")
    if not made.contains(estimate):
        made = made.noted(OUTSIDE)
    return made


def bayesian_limits(
    replicates: NDArray[Any],
    estimate: float,
    *,
    level: float = 0.95,
    bounds: tuple[float, float] = (-inf, inf),
    draws: str = "",
) -> Interval:
    """The interval from draws of a Bayesian bootstrap with a pseudo-row.

    The pseudo-row pulls a little towards the middle. So a value on its bound would lie
    outside: it is then its own limit, as in Brown, Cai and DasGupta's Jeffreys interval
    (2001, Stat. Sci. 16:101).

    Examples
    --------
    >>> interval = bayesian_limits(1 - np.arange(1.0, 102.0) / 1000, 1.0, level=0.9)
    >>> interval.low, interval.high
    (0.904, 1.0)
    """
    method = "Bayesian bootstrap with a pseudo-row" + (f", {draws}" if draws else "")
    made = replace(limits(replicates, estimate, level=level, bounds=bounds), method=method)
    if made.is_absent or made.contains(estimate):
        return made
    made = made.without(Kind.OUTSIDE)
    return replace(made, low=min(made.low, estimate), high=max(made.high, estimate))


def all_agree(replicates: NDArray[Any], bounds: tuple[float, float] = (-inf, inf)) -> bool:
    """Whether all replicates that are defined have one and the same value, but for rounding.

    Examples
    --------
    >>> all_agree(np.array([1.0, np.nan, 1.0 - 1e-16]))
    True
    """
    known = replicates[~np.isnan(replicates)]
    return bool(len(known)) and _same(float(known.min()), float(known.max()), bounds)


def most_agree(replicates: NDArray[Any], bounds: tuple[float, float] = (-inf, inf)) -> bool:
    """Whether the middle half of the replicates that are defined agree.

    Examples
    --------
    >>> most_agree(np.array([1.0, 1.0, 1.0, 1.0, 0.9])), most_agree(np.array([1.0, 0.9, 0.8]))
    (True, False)
    """
    known = np.sort(replicates[~np.isnan(replicates)])
    if not len(known):
        return False
    low, high = (float(known[round((len(known) - 1) * part)]) for part in (0.25, 0.75))
    return _same(low, high, bounds)


def _same(low: float, high: float, bounds: tuple[float, float]) -> bool:
    """Whether two values differ by rounding only; a bounded measure is of the order of one."""
    scale = max(abs(low), abs(high), 1.0 if isfinite(bounds[0]) and isfinite(bounds[1]) else 0.0)
    return low == high or high - low <= 1e-12 * scale < inf


def sorted_quantile(values: NDArray[Any], probability: float) -> float:
    """The quantile of sorted values, with straight lines between them; values may be infinite.

    Examples
    --------
    >>> sorted_quantile(np.array([0.0, 1.0, np.inf]), 0.25)
    0.5
    """
    place = (len(values) - 1) * probability
    below = min(int(place), len(values) - 1)
    above = min(below + 1, len(values) - 1)
    low, high = float(values[below]), float(values[above])
    if place == below or low == high or isinf(low):
        return low
    return low + (place - below) * (high - low)


def lack_of(
    defined: NDArray[Any], lost: int, estimate: float, level: float, bounds: tuple[float, float]
) -> Lack | None:
    """Why these replicates give no interval; None where they do."""
    total = len(defined) + lost
    if isnan(estimate):
        return Lack("the value itself is undefined")
    if lost > UNDEFINED_ALLOWED * total:
        return Lack(f"undefined in {lost:,} of {total:,} replicates")
    if len(defined) * (1 - level) / 2 < 1:
        need = int(np.ceil(2 / (1 - level) - 1e-9))
        return Lack(f"{total:,} replicates are too few for this level: take at least {need:,}")
    if _same(float(defined[0]), float(defined[-1]), bounds):
        return SAME
    return None


def _moved_tails(
    defined: NDArray[Any],
    estimate: float,
    tails: tuple[float, float],
    jackknife: Jackknife | None,
) -> tuple[float, float] | str:
    """The tails moved for bias and acceleration, or why they cannot be."""
    if jackknife is None:
        raise InputError("a BCa interval needs the jackknife values of the statistic")
    acceleration = jackknife.acceleration
    if isnan(acceleration):
        return "BCa needs the value without each row, and without some it is undefined"
    rounding = 1e-12 * abs(estimate)  # the order of a sum is no reason to lie on either side
    below = np.searchsorted(defined, estimate - rounding, side="left")
    upto = np.searchsorted(defined, estimate + rounding, side="right")
    bias = normal_quantile(float(below + upto) / (2 * len(defined)))
    if not isfinite(bias):
        return "BCa cannot correct the bias: all replicates lie on one side of the estimate"

    def moved(tail: float) -> float:
        shifted = bias + normal_quantile(tail)
        stretch = 1 - acceleration * shifted
        if stretch <= 0:  # the correction has run past the end of the distribution
            return 1.0 if shifted > 0 else 0.0
        return normal_cumulative(bias + shifted / stretch)

    return moved(tails[0]), moved(tails[1])


#: a group with all rows but a thousandth leaves nothing to compare it with
LEAST_REST = 1e-3
#: groups of very unequal size spread as if they were few, but their spread is known no worse
#: than by so many degrees of freedom: rows within the largest tell of it too
LEAST_FREEDOM = 5.0


def stretched(
    made: Interval, value: float, count: int, what: str, *, worth: float | None = None
) -> Interval:
    """The limits as far from the value as a sample of so many rows or groups asks for.

    Draws from G of them spread by the square root of (G - 1) / G of what they should, and know
    as little of the spread as G - 1 numbers do: the limits are stretched by Student's t over
    the normal quantile, and by that root.

    Parameters
    ----------
    worth
        How many of one size they are worth (``GroupSizes``), where they are of unequal size:
        the root is that of as many, and so are the degrees of freedom, down to five. By
        simulation (docs/coverage.md) fewer would make limits too wide.

    Examples
    --------
    >>> from heldout.uncertainty.interval import Interval
    >>> made = stretched(Interval(0.7, 0.9, 0.95, "bootstrap"), 0.8, 5, "groups")
    >>> made.low, made.high, made.method
    (0.6416, 0.9584, 'bootstrap, stretched for 5 groups')
    """
    if made.is_absent or count < 2:
        return made
    like = count if worth is None else worth
    freedom = min(count - 1, max(like - 1, LEAST_FREEDOM))
    student = two_sided_student(made.level, freedom) / two_sided_normal(made.level)
    stretch = student * sqrt(like / max(like - 1, LEAST_REST))
    low, high = value - (value - made.low) * stretch, value + (made.high - value) * stretch
    words = f"{count:,} {what}" if like == count else f"{count:,} {what} worth {like:.3g}"
    method = f"{made.method}, stretched for {words}" if stretch > 1.01 else made.method
    return replace(made, low=min(low, made.low), high=max(high, made.high), method=method)
