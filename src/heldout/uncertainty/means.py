"""The interval of a mean of losses, from moments alone."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite, sqrt
from typing import TYPE_CHECKING, Any

from heldout.core.notes import Lack, Reason
from heldout.uncertainty.interval import Interval, absent, checked_level
from heldout.uncertainty.proportions import effective_sample_size
from heldout.uncertainty.quantiles import two_sided_student

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.tally.moments import Moments

__all__ = ["SAME_LOSS", "mean_interval", "mean_lack", "standard_error"]

METHOD = "Student's t"
SAME_LOSS = Lack("all rows have the same loss", Reason.SAME_LOSS)
#: weighted rows worth fewer than this are hardly more than one, and t has no degree of freedom
FEWEST = 1.5


def mean_interval(
    moments: Moments,
    function: Callable[[Moments], Any] | None = None,
    *,
    level: float = 0.95,
    bounds: tuple[float, float] = (-inf, inf),
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
    reason = mean_lack(moments)
    if reason:
        return absent(reason, level=level, method=METHOD)
    size = effective_sample_size(moments.weight, moments.weight_squares)
    reach = two_sided_student(level, size - 1) * standard_error(moments)
    made = Interval(moments.mean - reach, moments.mean + reach, level, METHOD).within(bounds)
    if function is None:
        return made
    return made.through(lambda mean: function(replace(moments, finite_mean=mean)))


def standard_error(moments: Moments) -> float:
    """The standard error of the mean.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.tally.moments import Moments
    >>> standard_error(Moments.of(np.array([1.0, 2.0, 3.0, 6.0])))
    1.0801
    """
    size = effective_sample_size(moments.weight, moments.weight_squares)
    return sqrt(moments.deviations / moments.weight / (size - 1))


def mean_lack(moments: Moments) -> Lack | None:
    """Why the mean has no t interval; None where it has one."""
    if not moments.weight:
        return Lack("no rows to take a mean of")
    if not isfinite(moments.mean):
        rows = moments.infinite + moments.negative_infinite or moments.undefined
        kind = "undefined" if moments.undefined else "infinite"
        return Lack(f"the loss of {rows:,} row{'s' if rows > 1 else ''} is {kind}")
    if moments.rows < 2:
        return Lack("a single row says nothing of the spread: at least two are needed")
    size = effective_sample_size(moments.weight, moments.weight_squares)
    if size < FEWEST:
        return Lack(f"by their weights the rows are worth {size:.3g}: at least two are needed")
    if not isfinite(moments.deviations):
        return Lack("squares of such losses are too large")
    # not in squares, which large losses take beyond the largest number
    if sqrt(moments.deviations / moments.weight) <= 1e-14 * abs(moments.mean):
        return SAME_LOSS
    return None
