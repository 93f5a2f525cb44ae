"""Intervals of measures of confusion counts: shares by formula, the rest by bootstrap."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import count_statistic, of_share_right
from heldout.assess.resampling import unasked
from heldout.assess.values import table_of
from heldout.core.memo import once
from heldout.measures.profit import cells_of
from heldout.measures.spec import parse_request
from heldout.tally.confusion import Confusion
from heldout.uncertainty.cell_intervals import ConfusionBootstrap, WeightedCells
from heldout.uncertainty.cluster_bootstrap import GroupSums
from heldout.uncertainty.group_values import group_value_interval
from heldout.uncertainty.interval import Interval, absent
from heldout.uncertainty.proportions import (
    group_share_interval,
    proportion_interval,
    weighted_share_interval,
)

if TYPE_CHECKING:
    from heldout.assess.options import IntervalOptions
    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request

__all__ = ["CELL_WORK", "CountIntervals"]

#: cells times replicates above which a bootstrap of counts is not made unasked
CELL_WORK = 50_000_000
#: classes above which the cells of all pairs of classes no longer fit in memory
MOST_CLASSES = 2_000


@dataclass(frozen=True, eq=False)
class CountIntervals:
    """Intervals of the confusion measures of one set of rows."""

    tallies: Tallies
    options: IntervalOptions
    groups: Any

    def of(self, request: Request) -> Interval:
        """The interval of an overall value, of an average, or of one class."""
        if request.average and self.options.proportion:
            made = self._average_of_shares(request)
            if made is not None:
                return made
        is_share = request.measure.share is not None and self.options.proportion
        place = self.tallies.confusion.positive
        if request.label is not None:
            place = self.tallies.predictions.place_of(request.label)
            return self._of(request, place)
        if is_share and not request.average:
            return self._proportion(request)
        if place is not None and not request.average and "matrix" not in request.values:
            return self._of(request, place)
        return self._resampled(request)

    def of_classes(self, request: Request) -> list[Interval]:
        """The interval of each class against the rest."""
        return [self._of(request, place) for place in range(self.tallies.confusion.classes)]

    def _of(self, request: Request, place: int) -> Interval:
        """The interval of one class against the rest, which is a table of two classes."""
        measure, counts = request.measure, self.tallies.confusion
        if measure.share is not None and self.options.proportion:
            return self._proportion(request, place)
        # of two classes both are read from the same draws
        first = place if counts.classes > 2 or counts.positive is None else counts.positive
        return self.cells_of(first).interval(
            lambda drawn: measure(
                table_of(request, drawn.against_rest(int(place != first))), **request.values
            ),
            level=self.options.level,
            kind=self.kind,
            bounds=measure.bounds,
        )

    def _average_of_shares(self, request: Request) -> Interval | None:
        """An average over classes that follows from the share of rows that are right.

        Where each row has one class and one answer, what is pooled over classes depends on
        that share alone, and the recall weighted by rows is that share.
        """
        function = of_share_right(request, self.tallies.confusion.classes)
        if function is None:
            return None
        return self.of(parse_request("accuracy")).through(function)

    def _proportion(self, request: Request, place: int | None = None) -> Interval:
        """The interval of a share of rows: of all classes (None), or of one against the rest."""

        def parts(counts: Confusion) -> Any:
            assert request.measure.share is not None
            own = counts if place is None else counts.against_rest(place)
            return request.measure.share.of(table_of(request, own))

        if self.groups is not None:
            return self._of_groups(*parts(self._confusions_of_groups))
        # for weighted rows: successes and trials counted by the squares of the weights
        squared = None if self.squares is None else parts(self.squares)
        successes, trials = parts(self.tallies.confusion)
        return self._share(successes, trials, squared)

    def _share(self, successes: Any, trials: Any, squared: Any) -> Interval:
        asked: dict[str, Any] = {"level": self.options.level, "method": self.options.proportion}
        if not trials:
            return absent("no rows", level=self.options.level)
        if squared is not None:
            share = float(successes) / float(trials)
            hits, squares = map(float, squared)
            return weighted_share_interval(share, float(trials), squares, hits=hits, **asked)
        made = proportion_interval(float(successes), float(trials), **asked)
        if trials == self.tallies.rows:
            return made
        return replace(made, method=f"{made.method} on {trials:,.10g} rows")

    def _of_groups(self, successes: Any, trials: Any) -> Interval:
        """A share of rows that come in groups: what counts and all it is of, by group."""
        table = np.column_stack([np.asarray(part) for part in (successes, trials)])
        kept = table[:, 1] > 0  # a group without a row of the kind has no say
        sums = GroupSums(table[kept], self._group_cells.groups[kept])
        return group_share_interval(sums, level=self.options.level, method=self.options.proportion)

    @cached_property
    def _group_cells(self) -> GroupSums:
        p = self.tallies.predictions
        assert p.predicted is not None
        return GroupSums.of_cells(
            self.groups, p.truth, p.predicted, self.tallies.confusion, p.weight
        )

    @cached_property
    def _confusions_of_groups(self) -> Confusion:
        return replace(self.tallies.confusion, counts=self._group_cells.table)

    @cached_property
    def squares(self) -> Confusion | None:
        """Counts of the squares of the weights; None where all rows weigh the same."""
        p = self.tallies.predictions
        if p.weight is None or self.tallies.is_counted or p.predicted is None:
            return None
        return Confusion.of(
            p.truth, p.predicted, p.weight**2, classes=len(p.classes), positive=p.positive
        )

    def _resampled(self, request: Request) -> Interval:
        classes = self.tallies.confusion.classes
        if classes > MOST_CLASSES:
            return absent("too many classes to resample", level=self.options.level)
        if classes**2 * self.options.of_counts > CELL_WORK and not request.is_explicit:
            return absent(unasked("many classes"), level=self.options.level)
        if self.groups is not None and self.options.uses_t and "matrix" in request.values:
            return self._value_of_groups(request)
        return self.cells.interval(
            count_statistic(request, self.tallies),
            level=self.options.level,
            kind=self.kind,
            bounds=request.measure.bounds,
        )

    def _value_of_groups(self, request: Request) -> Interval:
        """What rows in groups earn or cost, by the values of cells: a mean, or that of all rows."""
        counts, options = self.tallies.confusion, self.options
        made = group_value_interval(
            counts,
            self._group_cells,
            cells_of(request.values["matrix"], classes=counts.classes),
            squares=self.squares,
            level=options.level,
            replicates=options.of_counts,
            seed=options.seed,
        )
        if request.measure.weight_scale:
            return made.through(lambda mean: mean * float(counts.total))
        return made

    @property
    def kind(self) -> str:
        """The kind of bootstrap: of groups whole ones are drawn, as a pseudo-row would be one."""
        if self.groups is not None and self.options.uses_t:
            return "percentile"
        return self.options.bootstrap

    @property
    def cells(self) -> ConfusionBootstrap:
        """Replicates of the confusion counts, drawn once for all measures."""
        return self.cells_of(None)

    def cells_of(self, place: int | None) -> ConfusionBootstrap:
        """Replicates of the counts of all classes (None), or of one against the rest."""
        return once(self.tallies, ("cells", self.options, place), lambda _: self._cells(place))

    def _cells(self, place: int | None) -> ConfusionBootstrap:
        p, options, whole = self.tallies.predictions, self.options, self.tallies.confusion
        counts = whole if place is None else whole.against_rest(place)
        given: dict[str, Any] = {"replicates": options.of_counts, "seed": options.seed}
        if self.groups is not None:
            sums = self._group_cells
            if place is not None:
                sums = GroupSums.of_table(
                    self._confusions_of_groups.against_rest(place).counts, sums.groups
                )
            return ConfusionBootstrap.of_groups(counts, sums, **given)
        given["stratified"] = options.stratified
        if p.weight is not None and not self.tallies.is_counted:
            cells = self._weighted_cells
            cells = cells if place is None else cells.against_rest(place)
            return ConfusionBootstrap.of_weighted(cells, **given)
        return ConfusionBootstrap.of(counts, **given)

    @cached_property
    def _weighted_cells(self) -> WeightedCells:
        p = self.tallies.predictions
        assert p.predicted is not None
        assert p.weight is not None
        return WeightedCells.of(
            p.truth, p.predicted, p.weight, classes=len(p.classes), positive=p.positive
        )
