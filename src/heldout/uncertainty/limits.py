"""From replicates of a value to its limits: percentile, basic, BCa, Bayesian, normal, of maxima.

Whatever was resampled, this is the one place that turns replicates into an interval, or says why
they give none; and the one that widens limits where units are few.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, hypot, inf, isfinite, isinf, isnan, log, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.nearest import no_such
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

    from heldout.uncertainty.worth import GroupSizes

Bounds = tuple[float, float]
INSTEAD = Note(
    "most draws agree, which would give an interval of zero width: a "
    "Bayesian bootstrap is used instead",
    Kind.OTHER_METHOD,
)
BAYESIAN = "Bayesian bootstrap with a pseudo-row"
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

    def of(self, column: int) -> Jackknife:
        """That of one of several statistics."""
        return replace(self, values=self.values[:, column] if self.values.ndim > 1 else self.values)

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
    bounds: Bounds = (-inf, inf),
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
        raise no_such("bootstrap interval", kind, KINDS)
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
    interval = Interval(low, high, level, method).within(bounds)
    if interval.width <= 0:  # most replicates agree, and the few others lie beyond the tails
        return absent(POINT, level=level, method=method)
    if lost:
        interval = interval.noted(f"{lost:,} of {len(replicates):,} replicates undefined")
    if not interval.contains(estimate):
        interval = interval.noted(OUTSIDE)
    return interval


def bayesian_limits(
    replicates: NDArray[Any],
    estimate: float,
    *,
    level: float = 0.95,
    bounds: Bounds = (-inf, inf),
    draws: str = "",
    name: str = BAYESIAN,
) -> Interval:
    """The interval from draws of a Bayesian bootstrap with a pseudo-row, or of a posterior.

    The pseudo-row pulls a little towards the middle. So a value on its bound would lie
    outside: it is then its own limit, as in Brown, Cai and DasGupta's Jeffreys interval
    (2001, Stat. Sci. 16:101).

    Examples
    --------
    >>> interval = bayesian_limits(1 - np.arange(1.0, 102.0) / 1000, 1.0, level=0.9)
    >>> interval.low, interval.high
    (0.904, 1.0)
    """
    method = name + (f", {draws}" if draws else "")
    interval = replace(limits(replicates, estimate, level=level, bounds=bounds), method=method)
    if interval.is_absent or interval.contains(estimate):
        return interval
    interval = interval.without(Kind.OUTSIDE)
    return replace(interval, low=min(interval.low, estimate), high=max(interval.high, estimate))


def all_agree(replicates: NDArray[Any], bounds: Bounds = (-inf, inf)) -> bool:
    """Whether all replicates that are defined have one and the same value, but for rounding.

    Examples
    --------
    >>> all_agree(np.array([1.0, np.nan, 1.0 - 1e-16]))
    True
    """
    known = replicates[~np.isnan(replicates)]
    return bool(len(known)) and _same(float(known.min()), float(known.max()), bounds)


def most_agree(replicates: NDArray[Any], bounds: Bounds = (-inf, inf)) -> bool:
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


def _same(low: float, high: float, bounds: Bounds) -> bool:
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
    rank = (len(values) - 1) * probability
    below = min(int(rank), len(values) - 1)
    above = min(below + 1, len(values) - 1)
    low, high = float(values[below]), float(values[above])
    if rank == below or low == high or isinf(low):
        return low
    return low + (rank - below) * (high - low)


def lack_of(
    defined: NDArray[Any], lost: int, estimate: float, level: float, bounds: Bounds
) -> Lack | None:
    """Why these replicates give no interval; None where they do."""
    total = len(defined) + lost
    if isnan(estimate):
        return Lack("the value itself is undefined")
    if lost > UNDEFINED_ALLOWED * total:
        return Lack(f"undefined in {lost:,} of {total:,} replicates")
    if len(defined) * (1 - level) / 2 < 1:
        need = int(np.ceil(2 / (1 - level) - 1e-9))
        return Lack(f"{total:,} replicates are too few for this level: use at least {need:,}")
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
    interval: Interval, value: float, count: int, what: str, *, worth: float | None = None
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
    >>> made = stretched(Interval(0.7, 0.9, 0.95, "bootstrap"), 0.8, 5, "groups")
    >>> made.low, made.high, made.method
    (0.6416, 0.9584, 'bootstrap, stretched for 5 groups')
    """
    if interval.is_absent or count < 2:
        return interval
    like = count if worth is None else worth
    stretch = stretch_for(count, interval.level, like)
    low, high = value - (value - interval.low) * stretch, value + (interval.high - value) * stretch
    words = f"{count:,} {what}" if like == count else f"{count:,} {what} worth {like:.3g}"
    method = f"{interval.method}, stretched for {words}" if stretch > 1.01 else interval.method
    return replace(
        interval, low=min(low, interval.low), high=max(high, interval.high), method=method
    )


def stretch_for(count: int, level: float, worth: float | None = None) -> float:
    """How much farther limits of draws of so many rows or groups must lie: see ``stretched``."""
    like = count if worth is None else worth
    freedom = min(count - 1, max(like - 1, LEAST_FREEDOM))
    student = two_sided_student(level, freedom) / two_sided_normal(level)
    return student * sqrt(like / max(like - 1, LEAST_REST))


def for_few_groups(interval: Interval, value: float, sizes: GroupSizes) -> Interval:
    """Limits from draws of whole groups, as far from the value as few groups ask for.

    Groups of unequal size count as those of one size that they are worth.

    Examples
    --------
    >>> from heldout.uncertainty.worth import GroupSizes
    >>> sizes = GroupSizes.equal(5)
    >>> for_few_groups(Interval(0.7, 0.9, 0.95, "bootstrap"), 0.8, sizes).note
    'only 5 groups: the variation between groups is poorly estimated'
    """
    if interval.is_absent or sizes.count < 2:
        return interval
    worth = sizes.worth if sizes.is_unequal else None
    interval = stretched(interval, value, sizes.count, "groups", worth=worth)
    return interval.noted(sizes.remark)


#: A sample is raised over the truth by so many times what a resample is raised over it: 2 to
#: 2.5 in simulations of the H-measure, Kolmogorov-Smirnov distance and largest F, accuracy and
#: Matthews correlation. A resample shares its luck with the sample, as in ``decisions.optimism``.
BIASES = 2.0
#: the logit is taken no nearer to 0 or 1
EDGE = 0.01
#: rows of the smaller class up to which the limits do not keep their level, and what they
#: cover in docs/coverage.md: least the H-measure of classes far apart
FEW_ROWS = 15
COVERED = "89 to 100%"
NO_NARROWER = "no narrower than Newcombe's at the best threshold"


def maximum_limits(
    replicates: NDArray[Any],
    estimate: float,
    *,
    level: float = 0.95,
    draws: str = "",
) -> Interval:
    """The interval of a measure between 0 and 1 that is a maximum over thresholds.

    The replicates' bias is taken off twice; the spread is that of the replicates, widened by
    the bias, which is not known better than that. The lower limit is the lower one of the
    limits on the plain and on the logit scale: near 1 a value has more room downwards.

    Parameters
    ----------
    replicates
        The measure of each resampled data set; NaN where it is undefined there.
    draws
        What was drawn, for the name of the method.

    Examples
    --------
    >>> made = maximum_limits(0.6 + np.linspace(-0.1, 0.1, 101), 0.58)
    >>> made.low, made.high
    (0.4172, 0.6628)
    """
    level = checked_level(level)
    method = "bootstrap with its bias taken off twice (heldout's own)"
    method += f", {draws}" if draws else ""
    defined = np.sort(replicates[~np.isnan(replicates)])
    lost = len(replicates) - len(defined)
    reason = lack_of(defined, lost, estimate, level, (0, 1))
    if reason:
        return absent(reason, level=level, method=method)
    bias, spread = float(defined.mean()) - estimate, float(defined.std(ddof=1))
    centre = estimate - BIASES * bias
    quantile = two_sided_student(level, len(defined) - 1)
    reach = quantile * hypot(spread, BIASES / 2 * bias)
    inner = min(max(centre, EDGE), 1 - EDGE)
    odds = log(inner / (1 - inner)) - reach / (inner * (1 - inner))
    low = min(centre - reach, 1 / (1 + exp(min(-odds, 700.0))))
    interval = Interval(low, centre + reach, level, method)
    if lost:
        interval = interval.noted(f"{lost:,} of {len(replicates):,} replicates undefined")
    return interval if interval.contains(estimate) else interval.noted(OUTSIDE)


@dataclass(frozen=True, slots=True)
class Least:
    """What the limits of a maximum are no narrower than.

    Parameters
    ----------
    interval
        That of the value at its best threshold, were that not chosen.
    is_tied
        There are few distinct scores, so that a sample is raised less than is taken off.
    """

    interval: Interval
    is_tied: bool = False


def finished_maximum(
    interval: Interval,
    replicates: NDArray[Any],
    estimate: float,
    fewest: int,
    *,
    least: Least | None = None,
) -> Interval:
    """The limits of a maximum, as wide as few rows of a class and its best threshold ask for.

    Parameters
    ----------
    fewest
        Rows of the smaller class; 0 where there are no classes.
    least
        Where all positives of a sample stand above a threshold, resampling never shows one
        below: the limits are no narrower than these, less the replicates' bias (which is not
        taken off the upper one of few distinct scores).

    Examples
    --------
    >>> made, least = (Interval(*ends, 0.95, "bootstrap") for ends in ((0.5, 0.8), (0.45, 0.75)))
    >>> made = finished_maximum(made, np.array([0.7, 0.72]), 0.7, 10_000, least=Least(least))
    >>> made.low, made.high
    (0.44, 0.8)
    """
    interval = for_few_rows(interval, estimate, fewest)
    if interval.is_absent or least is None:
        return interval
    bias = max(float(np.nanmean(replicates)) - estimate, 0.0)
    low = max(least.interval.low - bias, 0.0)
    high = least.interval.high - (0.0 if least.is_tied else bias)
    if low >= interval.low and high <= interval.high:
        return interval
    low, high = min(low, interval.low), max(high, interval.high)
    return replace(interval, low=low, high=high, method=f"{interval.method}, {NO_NARROWER}")


def for_few_rows(interval: Interval, value: float, rows: int) -> Interval:
    """The limits of a maximum, as far from the value as so few rows of a class ask for.

    Simulations of normal, exponential, beta, mixed and tied scores are in docs/coverage.md.

    Examples
    --------
    >>> made = for_few_rows(Interval(0.5, 0.8, 0.95, "bootstrap"), 0.7, 10)
    >>> made.low, made.high, made.note
    (0.4567, 0.8217, 'only 10 rows of a class: such limits cover 89 to 100%, not 95%')
    """
    interval = stretched(interval, value, rows, "rows of a class")
    if interval.is_absent or not 0 < rows <= FEW_ROWS or interval.level != 0.95:
        return interval
    return interval.noted(f"only {rows} rows of a class: such limits cover {COVERED}, not 95%")


#: standard errors that skewness and bias may be away from those of a normal sample
LEEWAY = 3.0
#: the same for kurtosis, whose distribution in small samples has a long tail
LEEWAY_OF_KURTOSIS = 4.0
#: standard deviations that the value must keep from the ends of the measure's range
ROOM = 5.0
#: standard deviations that the replicates may be shifted by
LARGEST_BIAS = 1.0
METHOD = "normal limits of a bootstrap"


def normal_limits(
    replicates: NDArray[Any],
    estimate: float,
    *,
    level: float = 0.95,
    unbiased: bool = False,
    biases: float = 1.0,
    bounds: Bounds = (-inf, inf),
    draws: str = "",
) -> Interval | None:
    """The interval from the standard deviation of replicates; None unless they look normal.

    Student's quantile allows for the standard deviation being that of few replicates.

    Parameters
    ----------
    unbiased
        Take off the replicates' bias, as the basic bootstrap does, in any case: else only one
        that is larger than chance (a hull, a gap: what resampling shifts, the sample has
        shifted before). A bias above one standard deviation makes the replicates unfit.
    biases
        How many times the bias is taken off, where it is; the spread is widened by what is
        taken off beyond once (see ``maximum_limits``).
    bounds
        Range of the measure: too near to its ends nothing is normal.

    Examples
    --------
    >>> made = normal_limits(np.random.default_rng(1).normal(0.5, 0.01, 100), 0.5, bounds=(0, 1))
    >>> round(made.low, 2), round(made.high, 2), made.method
    (0.48, 0.52, 'normal limits of a bootstrap')
    """
    level = checked_level(level)
    if not isfinite(estimate) or not looks_normal(replicates):
        return None
    count = len(replicates)
    mean, spread = float(replicates.mean()), float(replicates.std(ddof=1))
    bias = mean - estimate
    if abs(bias) > LARGEST_BIAS * spread:
        return None
    unbiased = unbiased or abs(bias) > LEEWAY * spread / count**0.5
    if unbiased:
        estimate -= biases * bias
        spread = hypot(spread, (biases - 1) * bias)
    if not bounds[0] + ROOM * spread < estimate < bounds[1] - ROOM * spread:
        return None
    reach = two_sided_student(level, count - 1) * spread
    name = f"{METHOD} without bias" if unbiased else METHOD
    method = f"{name}, {draws}" if draws else name
    return Interval(estimate - reach, estimate + reach, level, method)


def looks_normal(values: NDArray[Any]) -> bool:
    """Whether the skewness and kurtosis of values could be those of a normal sample.

    Examples
    --------
    >>> looks_normal(np.arange(100.0)), looks_normal(np.arange(100.0) ** 4)
    (True, False)
    """
    if not np.isfinite(values).all():
        return False
    lean = values - values.mean()
    variance = float(np.mean(lean**2))
    if variance <= (1e-12 * float(np.abs(values).max())) ** 2:
        return False
    skewness = float(np.mean(lean**3)) / variance**1.5
    excess = float(np.mean(lean**4)) / variance**2 - 3
    error = (6 / len(values)) ** 0.5  # of the skewness; that of the kurtosis is twice as large
    return abs(skewness) < LEEWAY * error and abs(excess) < LEEWAY_OF_KURTOSIS * 2 * error
