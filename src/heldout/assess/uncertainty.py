"""Intervals of measures, chosen by the tallies a measure needs and the design of the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.count_intervals import CountIntervals
from heldout.assess.forms import named_after, of_share_wrong, why_no_interval
from heldout.assess.loss_intervals import LossIntervals
from heldout.assess.resampling import unasked
from heldout.assess.row_intervals import RowIntervals
from heldout.assess.score_formulas import area_interval, has_formula, is_area, squared_weights
from heldout.assess.values import as_counted
from heldout.core.codes import count_codes
from heldout.core.notes import Kind, Note
from heldout.measures.spec import parse_request, range_of
from heldout.tally.class_scores import ClassScores
from heldout.tally.confusion import Binary, Confusion
from heldout.tally.moments import Moments
from heldout.tally.scores import ScoreCounts, TopLabel
from heldout.uncertainty.interval import Interval, absent
from heldout.uncertainty.means import ALIKE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.assess.options import IntervalOptions
    from heldout.core.notes import Lack
    from heldout.engines.memory import Tallies
    from heldout.measures.registry import Measure
    from heldout.measures.spec import Request
    from heldout.uncertainty.cell_intervals import ConfusionBootstrap

__all__ = ["Uncertainty"]

A_POINT = "this method gives a point, as if the value were certain: take another"
BEYOND = "resampling takes it wholly beyond the range of the measure"
OUTSIDE = Note("the value lies outside: resampling shifts this measure", Kind.OUTSIDE)


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """The intervals of the measures of one set of rows."""

    tallies: Tallies
    options: IntervalOptions
    #: measures of scores whose intervals are made together, from the same replicates
    together: tuple[Request, ...] = ()
    #: of one of many slices only what costs little is made unasked
    is_frugal: bool = False

    def __post_init__(self) -> None:
        self.losses.prepare([r for r in self.together if not self._is_unasked(r)])

    def of(self, request: Request, value: float) -> Interval:
        """The interval of one overall value."""
        reason = self._why_not(request, value)
        if reason:
            return absent(reason, level=self.options.level)
        if as_counted(request, self.tallies) is not self.tallies:
            return self._as_counted(request).of(request, value)
        # values whose squares are too large for a number: limits say so, or are not given
        with np.errstate(over="ignore"):
            return self._finished(self._made(request), request, value)

    def _finished(self, made: Interval, request: Request, value: float) -> Interval:
        """The interval within the measure's bounds, which says where it misses the value."""
        if made.width <= 0:
            return absent(A_POINT, level=made.level, method=made.method)
        made = made.within(range_of(request, len(self.tallies.predictions.classes)))
        if made.width <= 0:
            return absent(BEYOND, level=made.level, method=made.method)
        if not made.is_absent and not made.contains(value) and not made.has(Kind.OUTSIDE):
            made = made.noted(OUTSIDE)
        return named_after(made, request, self.tallies)

    def of_classes(self, request: Request, values: Sequence[float]) -> list[Interval]:
        """The interval of each class against the rest."""
        measure = request.measure
        reasons = [self._why_not(request, value) for value in values]
        if all(reasons):
            return [absent(reason, level=self.options.level) for reason in reasons]
        if as_counted(request, self.tallies) is not self.tallies:
            return self._as_counted(request).of_classes(request, values)
        if set(measure.needs) & {Binary, Confusion}:
            made = self.counts.of_classes(request)
        else:
            made = self.rows.of_classes(request)
        return [
            absent(reason, level=self.options.level)
            if reason
            else self._finished(one, request, float(value))
            for reason, one, value in zip(reasons, made, values, strict=True)
        ]

    def _as_counted(self, request: Request) -> Uncertainty:
        """The same of rows without the weight that they share, for what counts rows."""
        return replace(self, tallies=as_counted(request, self.tallies), together=(request,))

    def _why_not(self, request: Request, value: float) -> str | Lack:
        """Why a measure has no interval here; empty if it may have one."""
        measure = request.measure
        if isnan(value):
            return "the value is undefined"
        if not measure.has_interval:
            return why_never(measure)
        if self.tallies.is_counted and len(measure.needs) > 1:
            return "it takes rows, and only counts are given"
        if lack := why_no_interval(request, self.tallies):
            return lack
        if self.groups is not None:
            return "one group says nothing of the spread" if self.group_count < 2 else ""
        return ""

    @property
    def groups(self) -> Any:
        """The group of each row, where rows depend on each other."""
        return self.tallies.predictions.design.groups

    @cached_property
    def group_count(self) -> int:
        """How many groups there are."""
        return count_codes(self.groups)

    @cached_property
    def rows(self) -> RowIntervals:
        """Intervals that need scores or rows to be resampled."""
        return RowIntervals(self.tallies, self.options, self.groups, self.together)

    @cached_property
    def losses(self) -> LossIntervals:
        """Intervals of means of losses."""
        return LossIntervals(self.tallies, self.options, self.groups)

    @cached_property
    def counts(self) -> CountIntervals:
        """Intervals of measures of confusion counts."""
        return CountIntervals(self.tallies, self.options, self.groups)

    @property
    def cells(self) -> ConfusionBootstrap:
        """Replicates of the confusion counts, drawn once for all measures."""
        return self.counts.cells

    def _is_unasked(self, request: Request) -> bool:
        return self.is_frugal and not request.is_explicit

    def _made(self, request: Request) -> Interval:
        measure, options = request.measure, self.options
        if set(measure.needs) & {Binary, Confusion}:
            return self.counts.of(request)
        is_left_out = self._is_unasked(request)
        if request.label is not None and measure.needs == (ScoreCounts,):
            p = self.tallies.predictions
            place = p.place_of(request.label)
            if place != p.positive:
                return self.rows.of_class(request, place)
            request = replace(request, label=None)
        if request.average or measure.needs == (ClassScores,):
            return self._resampled_slice if is_left_out else self.rows.of_matrix(request)
        if measure.needs == (ScoreCounts,) and is_area(request) and options.area:
            return self._area(request)
        if measure.needs == (Moments,) and options.uses_t:
            return self._mean(request)
        by_formula = set(measure.needs) <= {ScoreCounts, TopLabel} and has_formula(request, options)
        if is_left_out and not (by_formula and not measure.is_of_gaps):
            return self._resampled_slice
        if Moments in measure.needs:
            return self.losses.of_means(request, self.rows.sampler)
        return self.rows.of(request)

    def _mean(self, request: Request) -> Interval:
        """A function of one mean loss; of labels alone often one of the share of wrong rows."""
        function = of_share_wrong(request, self.tallies)
        if function is None:
            return self.losses.of_one(request)
        return self.counts.of(parse_request("error_rate")).through(function)

    @property
    def _resampled_slice(self) -> Interval:
        return absent(unasked("many slices or rows to resample"), level=self.options.level)

    def _area(self, request: Request) -> Interval:
        squares = squared_weights(self.tallies.predictions)
        of_rows = area_interval(request, self.tallies.scores, self.options, squares)
        if self.groups is None:
            return of_rows
        made = self.rows.of(request)
        if made.is_absent or of_rows.is_absent or made.width >= of_rows.width:
            return made
        return of_rows.noted(ALIKE)


def why_never(measure: Measure) -> str:
    """Why a measure has no interval whatever the rows are."""
    if measure.is_count:
        return "a count of these rows"
    return "a result of a test" if measure.is_test else "none is known to cover"
