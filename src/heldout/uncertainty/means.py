"""Intervals of a mean of losses or of an estimate, of rows alone or in groups, by formula."""

from __future__ import annotations

from dataclasses import replace
from math import atanh, inf, isfinite, log, log1p, sqrt, tanh
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from heldout.core.notes import Lack, Reason
from heldout.tally.moments import Moments
from heldout.uncertainty.influence import freedom_by_tails
from heldout.uncertainty.interval import Interval, absent, checked_level
from heldout.uncertainty.quantiles import two_sided_student
from heldout.uncertainty.sample import Sample
from heldout.uncertainty.worth import effective_sample_size

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.uncertainty.influence import Influence

METHOD = "Student's t"
SKEWED = "Student's t without skewness (Hall 1992)"
SAME_LOSS = Lack("all rows have the same loss", Reason.SAME_LOSS)
ONE_GROUP = "all rows are of one group, which cannot show how groups differ"
#: why groups do not narrow an interval
ALIKE = "groups vary less than single rows would, so they count for no more than their rows"
#: groups with fewer than this share of their degrees of freedom are said to be of unequal size
UNEQUAL = 0.95
#: degrees of freedom below which few groups make up the spread
FEW_FREEDOM = 5
FEW_MAKE = (
    "a few groups account for most of the variance, so coverage may be below the stated level"
)
#: degrees of freedom below which few rows make up the spread
FEW_ROWS = 10
FEW_ROWS_MAKE = (
    "a few rows account for most of the variance, so coverage may be below the stated level"
)
#: where limits are so wide that no floating-point number holds them
BEYOND = "too few rows or groups: the limits would be infinite"
#: a smaller skewness changes no digit
LEAST_LEAN = 1e-9
#: weighted rows worth fewer than this are hardly more than one, and t has no degree of freedom
FEWEST = 1.5


def mean_interval(
    moments: Moments,
    function: Callable[[Moments], Any] | None = None,
    *,
    level: float = 0.95,
    bounds: tuple[float, float] = (-inf, inf),
    sums: Sample | None = None,
    has_tails: bool = False,
) -> Interval:
    """The t interval of the mean of a loss, or of a monotone function of that mean.

    Parameters
    ----------
    moments
        Count, weight, mean and squared deviations of the loss of each row.
    function
        A measure of the moments that rises or falls with the mean and needs nothing else
        that varies: the root (RMSE), the sum over these rows, another base of logarithms.
        It is taken at the limits of the mean. None: the mean itself.
    bounds
        Range of the *mean*; limits beyond it are cut, and the note says so.
    sums, has_tails
        Where rows come in groups: see ``group_mean_interval``. None: rows stand alone.

    Notes
    -----
    Weighted rows count as Kish's effective sample size. The interval leans on the central
    limit theorem: few rows of a skewed loss (a log score with rare large values) are
    covered less often than the level says, see docs/coverage.md.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.tally.moments import Moments
    >>> interval = mean_interval(Moments.of(np.array([1.0, 2.0, 3.0])))
    >>> interval.low, interval.high
    (-0.4841, 4.4841)
    """
    level = checked_level(level)
    reason, size = mean_lack(moments), effective_rows(moments)
    if sums is not None:
        least = 0.0 if reason else standard_error(moments)
        interval = group_mean_interval(
            sums, level=level, bounds=bounds, least_error=least, rows=size, has_tails=has_tails
        )
    elif reason:
        return absent(reason, level=level, method=METHOD)
    else:
        reach = two_sided_student(level, size - 1) * standard_error(moments)
        low, high = moments.mean - reach, moments.mean + reach
        interval = Interval(low, high, level, METHOD).within(bounds)
    if function is None:
        return interval
    return interval.through(lambda mean: function(replace(moments, finite_mean=mean)))


def skewed_mean_interval(
    moments: Moments,
    losses: NDArray[Any],
    function: Callable[[Moments], Any] | None = None,
    *,
    level: float = 0.95,
    bounds: tuple[float, float] = (-inf, inf),
) -> Interval:
    """The t interval of a mean with the skewness of its losses removed, for rows that weigh alike.

    Parameters
    ----------
    losses
        The loss of each row.
    moments, function, bounds
        See ``mean_interval``.

    Notes
    -----
    Hall (1992), J. R. Stat. Soc. B 54:221: a cubic function of Student's t is nearly normal where
    t is skewed; limits are those of its inverse. Where few rows make up most of the spread a note
    says so: nothing is known of rows like them that were not seen.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.tally.moments import Moments
    >>> losses = np.array([1.0, 1.0, 2.0, 2.0, 3.0, 9.0])
    >>> made = skewed_mean_interval(Moments.of(losses), losses)
    >>> made.low, made.high  # Student's t: -0.2 to 6.2
    (0.8416, 14.0471)
    """
    plain = mean_interval(moments, level=level)
    if plain.is_absent:
        return plain
    count = len(losses)
    apart = losses - moments.mean
    apart = apart / float(np.abs(apart).max())  # cubes of large losses stay numbers
    squares = float(apart @ apart)
    skewness = float((apart**3).sum()) / count / (squares / count) ** 1.5
    lean = skewness / sqrt(count)
    quantile, error = two_sided_student(level, count - 1), standard_error(moments)

    def straightened(deviation: float) -> float:
        """The t whose transform is that deviation."""
        if abs(lean) < LEAST_LEAN:
            return deviation
        return 3 / lean * (float(np.cbrt(1 + lean * (deviation - lean / 6))) - 1)

    low, high = (moments.mean - error * straightened(side * quantile) for side in (1, -1))
    interval = Interval(low, high, level, SKEWED).within(bounds)
    if freedom_by_tails(squares, float((apart**4).sum()), count) < FEW_ROWS:
        interval = interval.noted(FEW_ROWS_MAKE)
    if function is None:
        return interval
    return interval.through(lambda mean: function(replace(moments, finite_mean=mean)))


def standard_error(moments: Moments) -> float:
    """The standard error of the mean.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.tally.moments import Moments
    >>> standard_error(Moments.of(np.array([1.0, 2.0, 3.0, 6.0])))
    1.0801
    """
    size = effective_rows(moments)
    return sqrt(moments.deviations / moments.weight / (size - 1))


def effective_rows(moments: Moments) -> float:
    """As how many rows of one weight those of some moments are worth: Kish's number."""
    return effective_sample_size(moments.weight, moments.weight_squares)


def mean_lack(moments: Moments) -> Lack | None:
    """Why the mean has no t interval; None where it has one."""
    if not moments.weight:
        return Lack("no rows to take a mean of")
    if not isfinite(moments.mean):
        rows = moments.infinite + moments.negative_infinite or moments.undefined
        kind = "undefined" if moments.undefined else "infinite"
        return Lack(f"the loss of {rows:,} row{'s' if rows > 1 else ''} is {kind}")
    if moments.rows < 2:
        return Lack("the spread cannot be estimated from one row: at least two are needed")
    size = effective_rows(moments)
    if size < FEWEST:
        return Lack(f"by their weights the rows are worth {size:.3g}: at least two are needed")
    if not isfinite(moments.deviations):
        return Lack("squares of such losses are too large")
    # not in squares, which large losses take beyond the largest number
    if sqrt(moments.deviations / moments.weight) <= 1e-14 * abs(moments.mean):
        return SAME_LOSS
    return None


def group_mean_interval(
    sums: Sample,
    *,
    level: float = 0.95,
    bounds: tuple[float, float] = (-inf, inf),
    least_error: float = 0.0,
    rows: float | None = None,
    has_tails: bool = False,
) -> Interval:
    """The t interval of a mean of losses of rows that come in groups.

    Degrees of freedom are one less than groups, fewer where groups are of unequal size (see
    ``Influence.spread``): a few large groups know little of the spread.

    Parameters
    ----------
    sums
        ``Sample.of_values(codes, losses * weight, weight)``; without weights the second
        column counts rows.
    least_error
        The standard error that single rows would give: groups that differ less by chance do
        not narrow the interval below it.
    rows
        How many rows there are (of weighted ones, as many as they are worth); None: the second
        sum counts them.
    has_tails
        Most rows have the same value and a few a far one (what a decision gains over another):
        few groups that make up the spread know it as badly as few groups do, and a note says so.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.uncertainty.sample import Sample
    >>> sums = Sample(np.array([[1.0, 2.0], [2.0, 2.0]]), np.array([2, 2]))
    >>> made = group_mean_interval(sums)
    >>> made.low, made.high
    (0.2906, 1.2094)
    """
    level = checked_level(level)
    mean = sums.ratio
    sizes = mean.sizes
    method = f"Student's t of {sizes.count:,} groups"
    if sizes.count < 2:
        return absent(ONE_GROUP, level=level, method=method)
    most = sums.rows if rows is None else rows
    most = most if least_error > 0 else inf
    spread = mean.spread(row_error=least_error, rows=most, has_tails=has_tails)
    if spread.error <= 1e-14 * abs(mean.value):
        return absent("all groups have the same mean loss", level=level, method=method)
    if spread.freedom < UNEQUAL * (sizes.count - 1):
        method += " of unequal size"
    reach = spread.reach(level)
    interval = Interval(mean.value - reach, mean.value + reach, level, method).within(bounds)
    # groups that are few are in the name of the method; not what one of them makes up
    if sizes.is_unequal:
        interval = interval.noted(sizes.remark)
    if has_tails and spread.freedom < min(FEW_FREEDOM, sizes.count - 1) and not sizes.remark:
        interval = interval.noted(FEW_MAKE)
    return interval.noted(ALIKE) if least_error > spread.of_units else interval


def row_mean_interval(
    values: NDArray[Any],
    weight: NDArray[Any] | None,
    groups: NDArray[Any] | None,
    *,
    level: float = 0.95,
    bounds: tuple[float, float] = (-inf, inf),
    worth: float | None = None,
    has_tails: bool = False,
) -> Interval:
    """The t interval of the (weighted) mean of a number that each row has, of groups by these.

    Parameters
    ----------
    groups
        A code for each row: rows of one group depend on each other. None: rows stand alone.
    worth
        How many rows of one weight they are worth, where that is not Kish's number: a row that is
        judged several times is one.
    has_tails
        Of rows in groups, see ``group_mean_interval``.
    """
    moments = Moments.of(np.asarray(values, float), weight)
    if worth is not None:
        moments = replace(moments, weight_squares=moments.weight**2 / worth)
    mass = np.ones(len(values)) if weight is None else weight
    sums = None if groups is None else Sample.of_values(groups, values * mass, mass)
    return mean_interval(moments, level=level, bounds=bounds, sums=sums, has_tails=has_tails)


class Scale(NamedTuple):
    """A scale without ends for values between bounds: what it is called, there, back, its slope."""

    name: str
    to: Callable[[float], float]
    back: Callable[[float], float]
    slope: Callable[[float], float]


#: by the bounds of a measure; on other ranges the value is taken as it is
SCALES = {
    (-inf, 1.0): Scale(
        "log(1 - value)", lambda v: -log1p(-v), lambda x: -np.expm1(-x), lambda v: 1 / (1 - v)
    ),
    (-1.0, 1.0): Scale("Fisher's z", atanh, tanh, lambda v: 1 / (1 - v * v)),
    (0.0, 1.0): Scale(
        "logit",
        lambda v: log(v) - log1p(-v),
        lambda x: (1 + tanh(x / 2)) / 2,
        lambda v: 1 / (v * (1 - v)),
    ),
    (0.0, inf): Scale("log", log, np.exp, lambda v: 1 / v),
}
PLAIN = Scale("", float, float, lambda _: 1.0)


def influence_interval(
    estimate: Influence,
    *,
    level: float = 0.95,
    bounds: tuple[float, float] = (-inf, inf),
    least_error: float = 0.0,
    is_grouped: bool = False,
    has_tails: bool = True,
) -> Interval:
    """The t interval of a smooth value, by how far each row or group moves it.

    Linearisation: Deville (1999), Surv. Methodol. 25:193. It is symmetric on a scale without
    ends (of a correlation Fisher's z, 1921, Metron 1:3; of an area the log odds). Where few rows or
    groups make up most of the spread the degrees of freedom are few, and a note says so: nothing
    is known of units like them that were not seen.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.uncertainty.influence import Influence
    >>> made = influence_interval(Influence.of_mean(np.array([1.0, 2.0, 3.0])))
    >>> made.low, made.high, made.method
    (-0.4841, 4.4841, "Student's t of influences")
    """
    spread = estimate.spread(row_error=least_error, has_tails=has_tails)
    value = estimate.value
    scale = SCALES.get(bounds, PLAIN)
    centre, reach = scale.to(value), spread.reach(checked_level(level)) * scale.slope(value)
    method = "Student's t of influences" + (f" of {spread.units:,} groups" if is_grouped else "")
    method += f" on the scale of {scale.name}" if scale.name else ""
    with np.errstate(over="ignore"):
        low, high = float(scale.back(centre - reach)), float(scale.back(centre + reach))
    if not (isfinite(low) and isfinite(high)):
        return absent(BEYOND, level=level)
    interval = Interval(low, high, level, method)
    is_few, few = has_tails and spread.freedom < FEW_ROWS, FEW_ROWS_MAKE
    if is_grouped:
        interval = interval.noted(estimate.sizes.remark)
        interval = interval.noted(ALIKE) if least_error > spread.of_units else interval
        is_few, few = spread.freedom < min(FEW_FREEDOM, spread.units - 1), FEW_MAKE
    return interval.noted(few) if is_few else interval


def estimate_interval(
    estimate: Influence, least_error: float = 0.0, *, level: float = 0.95, is_grouped: bool = False
) -> Interval:
    """The t interval of an estimate, by how far each row or group moves it: a sandwich error.

    It holds where the fitted model is wrong, as that of maximum likelihood does not: White
    (1982, Econometrica 50:1); of groups Liang and Zeger (1986, Biometrika 73:13). The mass of a
    unit is the variance of its shift under the model, by which it pulls the estimate towards
    itself; no error is below ``least_error``, as that of single rows, where there are groups.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.uncertainty.influence import Influence
    >>> shift, mass = np.array([0.1, -0.1]), np.array([0.01, 0.01])
    >>> rows = Influence(2.0, shift, mass, np.array([50, 50]))
    >>> round(estimate_interval(rows).low, 2)  # 2 - 1.98 * sqrt(100 / 99)
    0.01
    """
    spread = estimate.spread(row_error=least_error)
    reach, method = spread.reach(checked_level(level)), "Wald, sandwich error"
    low, high = estimate.value - reach, estimate.value + reach
    if not is_grouped:
        return Interval(low, high, level, method)
    method += f" of {spread.units:,} groups"
    interval = Interval(low, high, level, method).noted(estimate.sizes.remark)
    return interval.noted(ALIKE) if least_error > spread.of_units else interval
