"""From replicates to intervals, a column each; small samples and maxima stretched."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import exp, hypot, inf, log
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.uncertainty.bootstrap import (
    OUTSIDE,
    POINT,
    Jackknife,
    all_agree,
    bayesian_limits,
    lack_of,
    limits,
    most_agree,
    stretched,
)
from heldout.uncertainty.cluster_bootstrap import for_few_groups
from heldout.uncertainty.interval import Interval, absent, checked_level
from heldout.uncertainty.quantiles import two_sided_student

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.uncertainty.influence import GroupSizes

__all__ = [
    "BIASES",
    "Bounds",
    "INSTEAD",
    "Least",
    "ReplicatedTally",
    "Replicates",
    "Statistic",
    "finished_maximum",
    "maximum_limits",
]

#: A sample is raised over the truth by so many times what a resample is raised over it: 2 to
#: 2.5 in simulations of the H-measure, Kolmogorov-Smirnov distance and largest F, accuracy and
#: Matthews correlation. A resample shares its luck with the sample, as in ``decisions.optimism``.
BIASES = 2.0
#: the logit is taken no nearer to 0 or 1
EDGE = 0.01
#: rows of the smaller class up to which the limits do not keep their level, and what they
#: cover in docs/coverage.md: least the H-measure of classes far apart
FEW_ROWS = 15
COVERED = "89 to 100 %"
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
    method = "bootstrap with its bias taken off twice" + (f", {draws}" if draws else "")
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
    made = Interval(low, centre + reach, level, method)
    if lost:
        made = made.noted(f"{lost:,} of {len(replicates):,} replicates undefined")
    return made if made.contains(estimate) else made.noted(OUTSIDE)


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
    made: Interval,
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
    made = for_few_rows(made, estimate, fewest)
    if made.is_absent or least is None:
        return made
    bias = max(float(np.nanmean(replicates)) - estimate, 0.0)
    low = max(least.interval.low - bias, 0.0)
    high = least.interval.high - (0.0 if least.is_tied else bias)
    if low >= made.low and high <= made.high:
        return made
    low, high = min(low, made.low), max(high, made.high)
    return replace(made, low=low, high=high, method=f"{made.method}, {NO_NARROWER}")


def for_few_rows(made: Interval, value: float, rows: int) -> Interval:
    """The limits of a maximum, as far from the value as so few rows of a class ask for.

    Simulations of normal, exponential, beta, mixed and tied scores are in docs/coverage.md.

    Examples
    --------
    >>> made = for_few_rows(Interval(0.5, 0.8, 0.95, "bootstrap"), 0.7, 10)
    >>> made.low, made.high, made.note
    (0.4567, 0.8217, 'only 10 rows of a class: such limits cover 89 to 100 %, not 95 %')
    """
    made = stretched(made, value, rows, "rows of a class")
    if made.is_absent or not 0 < rows <= FEW_ROWS or made.level != 0.95:
        return made
    return made.noted(f"only {rows} rows of a class: such limits cover {COVERED}, not 95 %")


INSTEAD = "most draws agree, which would give a point: a Bayesian bootstrap instead"

Bounds = tuple[float, float]
#: a measure of a tally (a number), or several at once (on the last axis)
Statistic = Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class Replicates:
    """The replicates of several numbers, made when first needed.

    Parameters
    ----------
    estimates
        The numbers themselves.
    drawn, weighed
        Make their replicates, a column each: with rows drawn, with rows weighted at random.
    left_out
        Makes the numbers without one row of each kind (on the last axis), for BCa.
    draws
        What was drawn, for the name of the method.
    groups
        The groups that were drawn from, by number and size; 0: rows stand alone.
    fewest
        Rows of the smaller class of a ranking, by which limits of maxima are stretched.
    """

    estimates: NDArray[Any]
    drawn: Callable[[], NDArray[Any]]
    weighed: Callable[[], NDArray[Any]]
    left_out: Callable[[], Jackknife]
    draws: str
    groups: int | GroupSizes = 0
    fewest: int = 0

    def intervals(
        self,
        kind: str,
        *,
        level: float = 0.95,
        bounds: Bounds = (-inf, inf),
        least: Sequence[Least | None] = (),
    ) -> list[Interval]:
        """The interval of each number.

        Parameters
        ----------
        kind
            ``bayesian`` (rows weighted at random, with a pseudo-row), or, with rows drawn:
            ``percentile``, ``basic``, ``bca``, ``maximum`` (see ``maximum_limits``). Where most
            draws agree, because (almost) nothing went wrong or everything did, these would be
            a point at some levels: ``bayesian`` takes their place at all, and the method says
            so.
        least
            For maxima: what each is no narrower than (see ``finished_maximum``).
        """
        known = kind.strip().lower()
        given: dict[str, Any] = {"level": level, "bounds": bounds, "draws": self.draws}
        smooth = self.weighed() if known == "bayesian" else None
        table = self.drawn() if smooth is None else smooth
        without = self.left_out() if known == "bca" else None
        made = []
        for column, estimate in enumerate(self.estimates.tolist()):
            one = None
            if known == "maximum" and not all_agree(table[:, column], (0, 1)):
                one = maximum_limits(table[:, column], estimate, level=level, draws=self.draws)
            elif known != "bayesian" and not most_agree(table[:, column], bounds):
                left = without and replace(without, values=without.values[:, column])
                one = limits(table[:, column], estimate, kind=known, jackknife=left, **given)
            if one is None or one.lack is POINT:
                smooth = self.weighed() if smooth is None else smooth
                one = bayesian_limits(smooth[:, column], estimate, **given)
                one = one if known == "bayesian" or one.is_absent else one.noted(INSTEAD)
            if known == "maximum":
                own = least[column] if least else None
                one = finished_maximum(one, table[:, column], estimate, self.fewest, least=own)
            made.append(for_few_groups(one, estimate, self.groups).within(bounds))
        return made


class ReplicatedTally(ABC):
    """A tally that can be resampled: any measure of it has its interval by bootstrap."""

    @abstractmethod
    def replicated(self, statistic: Statistic) -> Replicates:
        """The replicates of several numbers, which lie on the statistic's last axis."""

    def interval(
        self,
        statistic: Statistic,
        *,
        level: float = 0.95,
        kind: str = "bayesian",
        bounds: Bounds = (-inf, inf),
    ) -> Interval:
        """The interval of one number (of stacked tallies: one for each leading element).

        Parameters
        ----------
        kind
            ``bayesian`` (the default, because it covers at its level where the others do
            not, see docs/coverage.md; of a ranking it is right for areas and averages),
            ``maximum`` (of a maximum over a ranking, which every sample raises),
            ``percentile``, ``basic`` or ``bca``: see ``Replicates``.
        """

        def alone(tally: Any) -> Any:
            return np.asarray(statistic(tally), float)[..., None]

        return self.replicated(alone).intervals(kind, level=level, bounds=bounds)[0]
