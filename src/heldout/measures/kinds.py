"""What sort of statistic a measure is: from it follows how sure of a value one can be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.core.ratio import ratio

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Transform:
    """A function of a mean, of numbers and arrays alike, and its derivative."""

    function: Callable[[Any], Any]
    slope: Callable[[Any], Any]
    is_line: bool = False

    def __call__(self, mean: Any) -> Any:
        """The value that belongs to a mean."""
        return self.function(mean)


def line(first: float, rise: float) -> Transform:
    """``first + rise * mean``.

    Examples
    --------
    >>> line(-1, 2)(0.75), line(-1, 2).slope(0.75)
    (0.5, 2.0)
    """
    return Transform(partial(_height, first, rise), partial(_slope, rise), is_line=True)


# functions with names of their own, since transforms are copied to other processes
def _height(first: float, rise: float, mean: Any) -> Any:
    return first + rise * mean


def _slope(rise: float, mean: Any) -> Any:
    return rise + 0.0 * mean


def _same(mean: Any) -> Any:
    return mean


def _slope_of_root(mean: Any) -> Any:
    return 0.5 / np.sqrt(mean)


SAME = Transform(_same, partial(_slope, 1.0), is_line=True)
COMPLEMENT = line(1, -1)
ROOT = Transform(np.sqrt, _slope_of_root)


@dataclass(frozen=True, slots=True)
class Count:
    """A count of rows: shown without decimals, summed and not averaged; it has no interval.

    ``rows`` is what the tally calls them.
    """

    rows: str

    def value(self, tally: Any) -> Any:
        """So many rows."""
        return getattr(tally, self.rows)


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum over rows, which grows with their number, ``times`` a number.

    ``mean`` is the measure of the same per row.
    """

    mean: str = ""
    times: float = 1

    def value(self, losses: Any, **_: Any) -> Any:
        """The sum of the losses of rows."""
        return self.times * losses.sum


#: when there is no share of these rows
UNDEFINED = {
    "positives": "no row is positive",
    "negatives": "no row is negative",
    "predicted_positives": "no row is predicted positive",
    "predicted_negatives": "no row is predicted negative",
    "total": "there are no rows",
}


@dataclass(frozen=True, slots=True)
class Share:
    """A share of rows: ``part`` and ``whole`` are what the tally calls them.

    Its interval is one of a binomial proportion.
    """

    part: str
    whole: str

    def of(self, tally: Any) -> tuple[Any, Any]:
        """The rows that count, and all rows they are of."""
        return getattr(tally, self.part), getattr(tally, self.whole)

    def value(self, tally: Any) -> Any:
        """The share."""
        share = ratio(*self.of(tally))
        # weights summed in another order may exceed their total by a rounding
        return np.minimum(share, 1.0) if isinstance(share, np.ndarray) else min(share, 1.0)

    @property
    def undefined(self) -> str:
        """When there is no such share."""
        return UNDEFINED[self.whole]

    @property
    def of_right(self) -> Transform | None:
        """How it follows from the share of right answers among its rows; None where it does not.

        Of one class's rows weighted by those rows it is a share of all rows.
        """
        return {
            ("correct", "total"): SAME,
            ("wrong", "total"): COMPLEMENT,
            ("tp", "positives"): SAME,
            ("fn", "positives"): COMPLEMENT,
        }.get((self.part, self.whole))


@dataclass(frozen=True, slots=True)
class Mean:
    """A function of the mean of a number that each row has: its loss, or what it earns.

    ``is_share``: that number is 0 or 1, so that the mean has the interval of a share.
    ``moments`` gives the moments of the rows' numbers where the tally is not ``Moments``
    itself; the interval is then Student's.
    """

    of: Transform = SAME
    is_share: bool = False
    moments: Callable[[Any], Any] | None = None

    def value(self, losses: Any, **_: Any) -> Any:
        """The function of the mean of the losses of rows."""
        value = self.of(losses.mean)
        return value if isinstance(value, np.ndarray) else float(value)


@dataclass(frozen=True, slots=True)
class Quotient:
    """A function of the mean of one loss over that of another: errors beside those of the mean."""

    of: Transform = SAME

    def value(self, losses: Any, others: Any, **_: Any) -> Any:
        """The function of the quotient of the means; undefined where the other loss is 0."""
        value = self.of(ratio(losses.mean, others.mean))
        return value if isinstance(value, np.ndarray) else float(value)


@dataclass(frozen=True, slots=True)
class Area:
    """A mean over pairs of rows of two classes, of those ranked rightly.

    After cross-validation the mean of the folds' values stands for it: its expected value does
    not depend on the number of rows, and it ranks rows, which scores of different models do
    not share. Of all others the value of the pooled folds stands, since the mean over small
    folds estimates something else (Forman and Scholz 2010). ``of``: how the value follows from
    the area under the ROC curve of two classes; None where it is the mean over all pairs of
    several classes, each pair weighing as its rows do where ``is_by_rows``.
    """

    of: Transform | None = SAME
    is_by_rows: bool = False


@dataclass(frozen=True, slots=True)
class Point:
    """What one point of a curve says, which rows move in jumps."""


@dataclass(frozen=True, slots=True)
class Maximum:
    """The largest of several values, which resampling shifts up.

    ``of``: the errors of rows, of which there is no valid bootstrap; the values that thresholds
    give; the distances of two shares at thresholds, whose limits are known besides; or what the
    best threshold saves, the mean over costs.
    """

    of: Literal["errors", "thresholds", "distances", "costs"]


@dataclass(frozen=True, slots=True)
class BinGaps:
    """A function of the gaps of calibration bins (observed share less mean score).

    ``value`` takes the bins' weights and gaps, both on the last axis, and those of the
    measure's parameters that it names. Its interval is one of bins, as resampling adds noise
    to gaps that the sample has already. ``is_largest``: the largest gap.
    """

    value: Callable[..., Any]
    is_largest: bool = False


@dataclass(frozen=True, slots=True)
class Fit:
    """An estimate by maximum likelihood, with the sandwich error.

    ``influence``, a function of the same tally, gives how far a positive and a negative row of
    some scores move it, and the least variance of that. ``together`` fits many small tallies in
    the same passes and has each remember its fit, so that the measure finds it there.
    """

    influence: Callable[..., Callable[[Any], tuple[Any, ...]]]
    together: Callable[..., None]


@dataclass(frozen=True, slots=True)
class TestStatistic:
    """A p-value or test statistic: no interval, and no mean over folds."""

    __test__ = False  # no test for pytest to collect


@dataclass(frozen=True, slots=True)
class NoInterval:
    """An estimate of which no interval is known to cover."""


Kind = (
    Count
    | Sum
    | Share
    | Mean
    | Quotient
    | Area
    | Point
    | Maximum
    | BinGaps
    | Fit
    | TestStatistic
    | NoInterval
)
