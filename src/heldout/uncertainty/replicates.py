"""Replicates of several values, and their intervals: those of any tally that can be resampled."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.uncertainty.limits import (
    BAYESIAN,
    INSTEAD,
    POINT,
    Jackknife,
    all_agree,
    bayesian_limits,
    finished_maximum,
    for_few_groups,
    limits,
    maximum_limits,
    most_agree,
)
from heldout.uncertainty.worth import NO_GROUPS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.uncertainty.interval import Interval
    from heldout.uncertainty.limits import Bounds, Least
    from heldout.uncertainty.worth import GroupSizes

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
        Make their replicates, a column each: with rows drawn, with rows weighted at random
        (None: there is no such thing).
    left_out
        Makes the numbers without one row of each kind (on the last axis, of several), for BCa.
    draws
        What was drawn, for the name of the method.
    groups
        The groups that were drawn from, by number and size.
    fewest
        Rows of the smaller class of a ranking, by which limits of maxima are stretched.
    weighing
        What random weights are, for the name of the method.
    """

    estimates: NDArray[Any]
    drawn: Callable[[], NDArray[Any]]
    weighed: Callable[[], NDArray[Any]] | None
    left_out: Callable[[], Jackknife]
    draws: str
    groups: GroupSizes = NO_GROUPS
    fewest: int = 0
    weighing: str = BAYESIAN

    def only(self, column: int) -> Replicates:
        """Those of one of the numbers."""
        own, weighed = slice(column, column + 1), self.weighed
        return replace(
            self,
            estimates=self.estimates[own],
            drawn=lambda: self.drawn()[:, own],
            weighed=None if weighed is None else lambda: weighed()[:, own],
            left_out=lambda: self.left_out().of(column),
        )

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
        weighed = self.weighed
        smooth = weighed() if known == "bayesian" and weighed is not None else None
        table = self.drawn() if smooth is None else smooth
        agree = all_agree if known == "maximum" else most_agree
        without = self.left_out() if known == "bca" else None
        intervals = []
        for column, estimate in enumerate(self.estimates.tolist()):
            drawn, interval = table[:, column], None
            is_smooth = known == "bayesian" or (weighed is not None and agree(drawn, bounds))
            if known == "maximum" and not is_smooth:
                interval = maximum_limits(drawn, estimate, level=level, draws=self.draws)
            elif not is_smooth:
                own = without and without.of(column)
                interval = limits(drawn, estimate, kind=known, jackknife=own, **given)
            if weighed is not None and (interval is None or interval.lack is POINT):
                smooth = weighed() if smooth is None else smooth
                interval = bayesian_limits(smooth[:, column], estimate, name=self.weighing, **given)
                if known != "bayesian" and not interval.is_absent:
                    interval = interval.noted(INSTEAD)
            assert interval is not None  # what is Bayesian has random weights
            if known == "maximum":
                at_least = least[column] if least else None
                interval = finished_maximum(interval, drawn, estimate, self.fewest, least=at_least)
            intervals.append(for_few_groups(interval, estimate, self.groups).within(bounds))
        return intervals


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
