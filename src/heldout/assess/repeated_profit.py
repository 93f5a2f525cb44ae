"""Intervals of what decisions earn where the rows are judged in several repeats."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.repeats import NO_SHARE
from heldout.assess.rows import Rows
from heldout.assess.rows_once import RowsOnce
from heldout.engines.memory import Tallies
from heldout.intervals.cross_validation import corrected_t_interval
from heldout.intervals.interval import Interval, absent
from heldout.predictions.split_design import places_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.assess.options import IntervalOptions
    from heldout.measures.spec import Request

__all__ = ["RepeatedProfit"]


@dataclass(frozen=True, slots=True, eq=False)
class RepeatedProfit:
    """What decisions earn, and how much more one has than another, over the splits of repeats.

    Both are means over rows, and have the corrected t interval that such measures have, no
    narrower than the rows of one repeat make it.
    """

    tallies: Tallies
    options: IntervalOptions
    request: Request

    def of_decision(self, choice: NDArray[Any], value: float) -> Interval:
        """The interval that the measure has where these are the predicted classes."""
        p, level = self.tallies.predictions, self.options.level
        result = Rows(self.options).one(Tallies(replace(p, predicted=choice)), self.request)
        if result.low is None or result.high is None:
            return absent(result.lack, level=level)
        # rows of a large repeat count as much as others here: by a last digit another centre
        moved = value - result.value
        return Interval(result.low + moved, result.high + moved, level, result.method)

    def of_difference(self, gained: NDArray[Any]) -> Interval:
        """The interval of the mean of what each row gains by another decision."""
        level, share = self.options.level, self.tallies.design.test_share
        if share is None:
            return absent(NO_SHARE, level=level)
        p = self.tallies.predictions
        mass = np.ones(len(p)) if p.weight is None else p.weight
        _, place = np.unique(places_of(p), return_inverse=True)
        total = np.bincount(place, mass)
        means = np.bincount(place, gained * mass)[total > 0] / total[total > 0]
        centre = float(np.average(gained, weights=mass))
        made = corrected_t_interval(means, share, level=level, centre=centre)
        rows = self._of_one_repeat(gained)
        if rows.is_absent and self.tallies.design.cuts_groups:
            return rows  # groups make all splits err alike, which their spread cannot show
        if rows.is_absent or (not made.is_absent and made.width >= rows.width):
            return made
        said = "" if made.is_absent else f", wider than the {made.method}"
        return replace(rows, method=f"{rows.method}, as in one repeat{said}")

    def _of_one_repeat(self, gained: NDArray[Any]) -> Interval:
        """As wide as the rows make it, each row and group counted once."""
        return RowsOnce(self.tallies, self.options, is_by_rows=True).mean(gained, has_tails=True)
