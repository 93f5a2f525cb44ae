"""Shares and means of rows that several repeats judge, with every row counted once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.parts import incomplete_repeats
from heldout.core.codes import dense_codes
from heldout.intervals.cluster_bootstrap import GroupSums
from heldout.intervals.grouped import group_mean_interval, group_share_interval
from heldout.intervals.interval import Interval, absent
from heldout.intervals.means import mean_interval, mean_lack, standard_error
from heldout.intervals.proportions import effective_sample_size, weighted_share_interval
from heldout.tally.moments import Moments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.assess.options import IntervalOptions
    from heldout.engines.memory import Tallies

__all__ = ["RowsOnce", "distinct_rows"]

INFINITE = "a row's loss is infinite or undefined"


@dataclass(frozen=True, eq=False)
class RowsOnce:
    """What all repeats together say of a mean over rows, which they judge again and again.

    A row, and a group of rows, is one unit however often it is judged: its values over all
    repeats are one value of it, so that neither more repeats nor their order matter.

    Parameters
    ----------
    is_by_rows
        Whether repeats weigh as much as their rows; else all alike, as in a mean over repeats.
    """

    tallies: Tallies
    options: IntervalOptions
    is_by_rows: bool = False

    def share(self, hits: NDArray[Any]) -> Interval:
        """The interval of the share of rows that are hits (0 or 1)."""
        level, method = self.options.level, self.options.proportion or "wilson"
        x = np.asarray(hits, float)
        if self._groups is not None:
            sums = GroupSums.of_values(self._groups, x * self.mass, self.mass)
            return group_share_interval(sums, level=level, method=method, rows=self.worth)
        total = float(self.mass.sum())
        squared = self.mass**2
        squares = total**2 / self.worth
        found = float(x @ squared) * squares / float(squared.sum())
        share = float(x @ self.mass) / total
        return weighted_share_interval(
            share, total, squares, hits=found, level=level, method=method
        )

    def mean(
        self,
        values: NDArray[Any],
        *,
        bounds: tuple[float, float] = (-np.inf, np.inf),
        has_tails: bool = False,
    ) -> Interval:
        """The interval of the mean of a value that each row has whenever it is judged."""
        level = self.options.level
        moments = Moments.of(np.asarray(values, float), self.mass)
        moments = replace(moments, weight_squares=moments.weight**2 / self.worth)
        if not np.isfinite(moments.mean):
            return absent(INFINITE, level=level)
        if self._groups is None:
            return mean_interval(moments, level=level, bounds=bounds)
        return group_mean_interval(
            GroupSums.of_values(self._groups, values * self.mass, self.mass),
            level=level,
            bounds=bounds,
            least_error=0.0 if mean_lack(moments) else standard_error(moments),
            has_tails=has_tails,
        )

    @property
    def _groups(self) -> Any:
        group = self.tallies.predictions.design.group
        return None if group is None else group.codes

    @cached_property
    def mass(self) -> NDArray[np.float64]:
        """What each judgement weighs: all together as many as there are different rows."""
        p, rows = self.tallies.predictions, distinct_rows(self.tallies)
        weight = np.ones(len(p)) if p.weight is None else p.weight
        repeat = p.design.repeat
        if repeat is None or self.is_by_rows or incomplete_repeats(self.tallies):
            return np.asarray(weight * (rows / weight.sum()))
        count, codes = dense_codes(repeat.codes)
        totals = np.bincount(codes, weight, minlength=count)
        totals[totals == 0] = np.inf  # a repeat of rows that weigh nothing has no say
        return np.asarray(weight / totals[codes] * (rows / np.isfinite(totals).sum()))

    @cached_property
    def worth(self) -> float:
        """How many different rows that weigh alike they are worth."""
        p, mass = self.tallies.predictions, self.mass
        if p.identifier is not None:
            _, row = np.unique(p.identifier, return_inverse=True)
            sums = np.bincount(row, mass)
            return effective_sample_size(float(sums.sum()), float(sums @ sums))
        return effective_sample_size(float(mass.sum()), float(mass @ mass)) / self.often

    @property
    def often(self) -> float:
        """How often a row is judged, in the mean."""
        return len(self.tallies.predictions) / distinct_rows(self.tallies)

    def stretched(self, made: Interval, value: float) -> Interval:
        """Limits of judgements as far from the value as those of their rows, were each one."""
        if made.is_absent:
            return made
        low, high = (value + sqrt(self.often) * (end - value) for end in (made.low, made.high))
        return replace(made, low=low, high=high)


def distinct_rows(tallies: Tallies) -> int:
    """How many different rows were judged: by their identifiers, else those of a mean repeat."""
    p = tallies.predictions
    if p.identifier is not None:
        return len(np.unique(p.identifier))
    return round(len(p) / tallies.design.repeats)
