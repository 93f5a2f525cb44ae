"""Intervals of measures, chosen by the tallies a measure needs and the design of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.assess.count_intervals import CountIntervals
from karat.assess.loss_intervals import LossIntervals
from karat.assess.row_intervals import RowIntervals
from karat.assess.splits import named_after, why_no_interval
from karat.assess.values import arguments_of
from karat.intervals.cluster_bootstrap import few_groups
from karat.intervals.delong import delong_interval
from karat.intervals.interval import Interval, absent
from karat.intervals.quantiles import two_sided_normal
from karat.tally.class_scores import ClassScores
from karat.tally.confusion import Binary, Confusion
from karat.tally.moments import Moments
from karat.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.assess.options import IntervalOptions
    from karat.engines.memory import Tallies
    from karat.intervals.cell_intervals import ConfusionBootstrap
    from karat.measures.spec import Request

__all__ = ["Uncertainty"]


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """The intervals of the measures of one set of rows."""

    tallies: Tallies
    options: IntervalOptions
    #: measures of scores whose intervals are made together, from the same replicates
    together: tuple[Request, ...] = ()
    #: of a slice only what costs little is made unasked
    is_slice: bool = False

    def __post_init__(self) -> None:
        self.losses.prepare([r for r in self.together if not self._is_unasked(r)])

    def of(self, request: Request, value: float) -> Interval:
        """The interval of one overall value."""
        reason = self._why_not(request, value)
        if reason:
            return absent(reason, level=self.options.level)
        made = self._made(request)
        if not made.is_absent and isnan(made.low + made.high):
            return absent("the replicates give no limits", level=self.options.level)
        made = made.within(request.measure.bounds)
        if not made.is_absent and not made.contains(value) and "outside" not in made.note:
            made = made.noted("the value lies outside: resampling shifts this measure")
        return named_after(made, request, self.tallies)

    def of_classes(self, request: Request, values: Sequence[float]) -> list[Interval]:
        """The interval of each class against the rest."""
        measure = request.measure
        reasons = [self._why_not(request, value) for value in values]
        if all(reasons):
            return [absent(reason, level=self.options.level) for reason in reasons]
        if set(measure.needs) & {Binary, Confusion}:
            made = self.counts.of_classes(request)
        else:
            made = self.rows.of_classes(request)
        return [
            absent(reason, level=self.options.level)
            if reason
            else named_after(one.within(measure.bounds), request, self.tallies)
            for reason, one in zip(reasons, made, strict=True)
        ]

    def _why_not(self, request: Request, value: float) -> str:
        """Why a measure has no interval here; empty if it may have one."""
        measure = request.measure
        if isnan(value):
            return "the value is undefined"
        if measure.interval == "none":
            return "a count of these rows" if measure.is_count else "a result of a test"
        if self.tallies.is_counted and len(measure.needs) > 1:
            return "it takes rows, and only counts are given"
        if reason := why_no_interval(request, self.tallies):
            return reason
        if self.groups is not None:
            return few_groups(self.group_count) if self.group_count < 2 else ""
        return ""

    @property
    def groups(self) -> Any:
        """The group of each row, where rows depend on each other."""
        group = self.tallies.predictions.design.group
        return None if group is None else group.codes

    @cached_property
    def group_count(self) -> int:
        """How many groups there are."""
        return len(np.unique(self.groups))

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
        return self.is_slice and not request.is_explicit

    def _made(self, request: Request) -> Interval:
        measure, options = request.measure, self.options
        single = not request.average and request.label is None
        if set(measure.needs) & {Binary, Confusion}:
            return self.counts.of(request)
        unasked = self._is_unasked(request)
        if not single or measure.needs == (ClassScores,):
            return self._resampled_slice if unasked else self.rows.of_matrix(request)
        if measure.needs == (ScoreCounts,) and measure.name in ("auc", "gini") and options.area:
            return self._area(request)
        if measure.needs == (Moments,) and options.uses_t:
            grouped = self.groups is not None
            return (self.losses.of_grouped_mean if grouped else self.losses.of_mean)(request)
        if measure.standard_error is not None and options.uses_t and self._is_plain:
            return self._wald(request)
        if unasked:
            return self._resampled_slice
        if Moments in measure.needs:
            return self.losses.of_means(request, self.rows.sampler)
        return self.rows.of(request)

    @property
    def _is_plain(self) -> bool:
        return self.groups is None and self.tallies.predictions.weight is None

    def _wald(self, request: Request) -> Interval:
        """The interval of a maximum likelihood estimate from its own standard error."""
        (tally,) = arguments_of(request, self.tallies)
        measure = request.measure
        assert measure.standard_error is not None
        value = float(measure(tally, **request.values))
        reach = two_sided_normal(self.options.level) * measure.standard_error(
            tally, **request.values
        )
        return Interval(
            value - reach, value + reach, self.options.level, "Wald, maximum likelihood"
        )

    @property
    def _resampled_slice(self) -> Interval:
        reason = "slices are resampled if asked for by name (--measure)"
        return absent(reason, level=self.options.level)

    def _area(self, request: Request) -> Interval:
        if self.groups is not None:
            return self.rows.of(request)
        p = self.tallies.predictions
        squares = None
        if p.weight is not None:
            squares = ScoreCounts.of(p.truth == p.positive, p.scores, p.weight**2)  # type: ignore[arg-type]
        scale: Any = self.options.area
        memory, key = self.tallies.memory, ("area", self.options)
        if key not in memory:
            memory[key] = delong_interval(
                self.tallies.scores, level=self.options.level, scale=scale, squares=squares
            )
        made: Interval = memory[key]
        return made if request.measure.name == "auc" else made.through(lambda area: 2 * area - 1)
