"""Intervals of measures, chosen by the tallies a measure needs and the design of the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.assess.class_statistics import class_statistic, count_statistic
from karat.assess.row_intervals import RowIntervals
from karat.assess.values import arguments_of
from karat.intervals.cell_intervals import ConfusionBootstrap
from karat.intervals.cluster_bootstrap import GroupSums, few_groups
from karat.intervals.delong import delong_interval
from karat.intervals.grouped import group_mean_interval, group_share_interval
from karat.intervals.interval import Interval, absent
from karat.intervals.means import mean_interval
from karat.intervals.proportions import effective_sample_size, proportion_interval
from karat.intervals.quantiles import two_sided_normal
from karat.intervals.weighted_cells import WeightedCells
from karat.tally.class_scores import ClassScores
from karat.tally.confusion import Binary, Confusion
from karat.tally.moments import Moments
from karat.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.assess.options import IntervalOptions
    from karat.engines.memory import Tallies
    from karat.measures.spec import Request

__all__ = ["Uncertainty"]

#: cells times replicates above which a bootstrap of counts is not made unasked
CELL_WORK = 50_000_000
#: classes above which the cells of all pairs of classes no longer fit in memory
MOST_CLASSES = 2_000


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """The intervals of the measures of one set of rows."""

    tallies: Tallies
    options: IntervalOptions
    #: measures of scores whose intervals are made together, from the same replicates
    together: tuple[Request, ...] = ()
    #: of a slice only what costs little is made unasked
    is_slice: bool = False

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
        return made

    def of_classes(self, request: Request, values: Sequence[float]) -> list[Interval]:
        """The interval of each class against the rest."""
        measure = request.measure
        reasons = [self._why_not(request, value) for value in values]
        if all(reasons):
            return [absent(reason, level=self.options.level) for reason in reasons]
        if set(measure.needs) & {Binary, Confusion}:
            made = self._of_counted_classes(request)
        else:
            made = self.rows.of_classes(request)
        return [
            absent(reason, level=self.options.level) if reason else one.within(measure.bounds)
            for reason, one in zip(reasons, made, strict=True)
        ]

    def _why_not(self, request: Request, value: float) -> str:
        """Why a measure has no interval here; empty if it may have one."""
        measure, design = request.measure, self.tallies.predictions.design
        if isnan(value):
            return "the value is undefined"
        if measure.interval == "none":
            return "a count of these rows" if measure.is_count else "a result of a test"
        if self.tallies.is_counted and len(measure.needs) > 1:
            return "it takes rows, and only counts are given"
        repeats = design.repeat
        if repeats is not None and len(np.unique(repeats.codes)) > 1:
            return "rows are judged in several repeats, which are not separate rows"
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

    def _made(self, request: Request) -> Interval:
        measure, options = request.measure, self.options
        single = not request.average and request.label is None
        if set(measure.needs) & {Binary, Confusion}:
            return self._of_counts(request, single=single)
        unasked = self.is_slice and not request.is_explicit
        if not single or measure.needs == (ClassScores,):
            return self._resampled_slice if unasked else self.rows.of_matrix(request)
        if measure.needs == (ScoreCounts,) and measure.name in ("auc", "gini") and options.area:
            return self._area(request)
        if measure.needs == (Moments,) and options.uses_t:
            return self._mean(request) if self.groups is None else self._grouped_mean(request)
        if measure.standard_error is not None and options.uses_t and self._is_plain:
            return self._wald(request)
        return self._resampled_slice if unasked else self.rows.of(request)

    def _of_counts(self, request: Request, *, single: bool) -> Interval:
        if request.measure.proportion is not None and self.options.proportion:
            if single:
                grouped = self.groups is not None
                return self._grouped_share(request) if grouped else self._proportion(request)
            if request.label is not None:
                names = [str(c) for c in self.tallies.predictions.classes]
                return self._of_counted_classes(request)[names.index(request.label)]
        return self._counted(request)

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

    @property
    def _has_proportion(self) -> bool:
        return self.groups is None and bool(self.options.proportion)

    def _proportion(self, request: Request) -> Interval:
        kind = request.measure.needs[0]
        counts = self.tallies.confusion
        share = request.measure.proportion
        assert share is not None
        successes, trials = share(counts.binary if kind is Binary else counts)
        return self._share(request, successes, trials, self._squared_trials(request))

    def _grouped_share(self, request: Request) -> Interval:
        """A share of rows that come in groups: what counts and all it is of, by group."""
        measure, counts, p = request.measure, self.tallies.confusion, self.tallies.predictions
        assert measure.proportion is not None
        cells = GroupSums.of_cells(self.groups, p.truth, p.predicted, counts, p.weight)  # type: ignore[arg-type]
        each = replace(counts, counts=cells.table)
        share = measure.proportion(each.binary if measure.needs == (Binary,) else each)
        table = np.column_stack([np.asarray(part) for part in share])
        kept = table[:, 1] > 0  # a group without a row of the kind has no say
        sums = GroupSums(table[kept], cells.groups[kept])
        return group_share_interval(sums, level=self.options.level, method=self.options.proportion)

    def _grouped_mean(self, request: Request) -> Interval:
        (moments,) = arguments_of(request, self.tallies)
        if moments.infinite or moments.negative_infinite or moments.undefined:
            return absent("a row's loss is infinite or undefined", level=self.options.level)
        p, measure = self.tallies.predictions, request.measure
        loss = self.rows.losses(request)[:, 0]
        weight = np.ones(len(p)) if p.weight is None else p.weight
        sums = GroupSums.of_values(self.groups, loss * weight, weight)
        return group_mean_interval(
            sums,
            lambda mean: float(measure(replace(moments, finite_mean=mean), **request.values)),
            level=self.options.level,
            bounds=(0.0 if measure.bounds[0] == 0 else -np.inf, np.inf),
        )

    def _squared_trials(self, request: Request) -> Any:
        """For weighted rows: the trials counted by the squares of the weights."""
        if self.squares is None:
            return None
        kind, share = request.measure.needs[0], request.measure.proportion
        assert share is not None
        return share(self.squares.binary if kind is Binary else self.squares)[1]

    def _share(self, request: Request, successes: Any, trials: Any, squared: Any) -> Interval:
        options = self.options
        if squared is not None:
            size = effective_sample_size(float(trials), float(squared))
            successes, trials = float(successes) / float(trials) * size, size
        made = proportion_interval(
            float(successes), float(trials), level=options.level, method=options.proportion
        )
        if squared is None:
            return made
        return replace(made, method=f"{made.method} on {trials:.4g} effective rows")

    @cached_property
    def squares(self) -> Confusion | None:
        """Counts of the squares of the weights; None where all rows weigh the same."""
        p = self.tallies.predictions
        if p.weight is None or self.tallies.is_counted or p.predicted is None:
            return None
        return Confusion.of(
            p.truth, p.predicted, p.weight**2, classes=len(p.classes), positive=p.positive
        )

    def _counted(self, request: Request) -> Interval:
        classes = self.tallies.confusion.classes
        if classes > MOST_CLASSES:
            return absent("too many classes to resample", level=self.options.level)
        if classes**2 * self.options.of_counts > CELL_WORK and not request.is_explicit:
            reason = "many classes: made if asked for by name (--measure)"
            return absent(reason, level=self.options.level)
        statistic = count_statistic(request, self.tallies)
        return self.cells.interval(
            statistic,
            level=self.options.level,
            kind=self._kind_of_cells,
            bounds=request.measure.bounds,
        )

    @property
    def _kind_of_cells(self) -> str:
        """A pseudo-row among groups would be a pseudo-group: whole groups are drawn instead."""
        if self.groups is not None and not self.options.method:
            return "percentile"
        return self.options.bootstrap

    def _of_counted_classes(self, request: Request) -> list[Interval]:
        measure, counts, options = request.measure, self.tallies.confusion, self.options
        if measure.proportion is not None and self._has_proportion:
            one = counts.one_vs_rest if measure.needs == (Binary,) else counts.versus_rest
            successes, trials = measure.proportion(one)
            squared = [None] * counts.classes
            if self.squares is not None:
                other = self.squares
                two = other.one_vs_rest if measure.needs == (Binary,) else other.versus_rest
                squared = list(np.broadcast_to(measure.proportion(two)[1], counts.classes))
            trials = np.broadcast_to(trials, counts.classes)
            return [
                self._share(request, s, t, q) if t else absent("no rows", level=options.level)
                for s, t, q in zip(successes, trials, squared, strict=True)
            ]
        return self.cells.intervals(
            class_statistic(request),
            level=options.level,
            kind=self._kind_of_cells,
            bounds=measure.bounds,
        )

    @property
    def cells(self) -> ConfusionBootstrap:
        """Replicates of the confusion counts, drawn once for all measures."""
        memory = self.tallies.memory
        key = ("cells", self.options)
        if key not in memory:
            memory[key] = self._cells()
        made: ConfusionBootstrap = memory[key]
        return made

    def _cells(self) -> ConfusionBootstrap:
        p, options, counts = self.tallies.predictions, self.options, self.tallies.confusion
        given: dict[str, Any] = {"replicates": options.of_counts, "seed": options.seed}
        if self.groups is not None:
            sums = GroupSums.of_cells(self.groups, p.truth, p.predicted, counts, p.weight)  # type: ignore[arg-type]
            return ConfusionBootstrap.of_groups(counts, sums, **given)
        given["stratified"] = options.stratified
        if p.weight is not None and not self.tallies.is_counted:
            cells = WeightedCells.of(
                p.truth,
                p.predicted,  # type: ignore[arg-type]
                p.weight,
                classes=len(p.classes),
                positive=p.positive,
            )
            return ConfusionBootstrap.of_weighted(cells, **given)
        return ConfusionBootstrap.of(counts, **given)

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

    def _mean(self, request: Request) -> Interval:
        (moments,) = arguments_of(request, self.tallies)
        measure = request.measure
        plain = measure(moments, **request.values) == moments.mean
        least = 0.0 if measure.bounds[0] == 0 else -np.inf
        bounds = measure.bounds if plain else (least, np.inf)
        return mean_interval(
            moments,
            None if plain else lambda m: measure(m, **request.values),
            level=self.options.level,
            bounds=bounds,
        )
