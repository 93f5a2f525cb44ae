"""Intervals of means over repeats, as wide as the rows or groups of one repeat make them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.class_statistics import of_share_right
from heldout.assess.fold_areas import fold_area, is_plain_area, repeated_area_interval
from heldout.assess.label_losses import of_share_wrong
from heldout.assess.rows_once import RowsOnce
from heldout.assess.splits import ACROSS, named_after
from heldout.assess.values import losses_of
from heldout.intervals.cluster_bootstrap import GroupSums
from heldout.intervals.group_values import group_value_interval
from heldout.intervals.interval import Interval, absent
from heldout.measures.kinds import Mean
from heldout.measures.profit import cells_of
from heldout.tally.confusion import Confusion
from heldout.tally.moments import Moments

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.assess.options import IntervalOptions
    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request

__all__ = ["OneRepeat"]

SAID = ", as in one repeat"


@dataclass(frozen=True, eq=False)
class OneRepeat:
    """How far a value over repeats may be off, were every row and group judged but once.

    All repeats are looked at, in whatever order; but a row or group that several of them
    judge is one, so that limits are as far apart as one repeat of all rows would put them.
    """

    tallies: Tallies
    options: IntervalOptions

    def of_rows(self, request: Request, value: float) -> Interval:
        """The interval of a mean over all rows: weights and groups of rows are heeded."""
        made = named_after(self._of_mean(request), request, self.tallies)
        return self._moved(made, value, value, request)

    def of_folds(self, request: Request, class_: str, value: float) -> Interval:
        """The interval of a mean of folds that is not taken from the spread of the folds.

        Groups that lie across folds make all folds err alike, which their spread cannot show.
        Means over rows are known by their rows, and areas fold by fold; other measures that
        rank rows are not known.
        """
        if is_plain_area(request) and self.tallies.predictions.weight is None:
            often = self._rows.often
            made = repeated_area_interval(request, class_, self.tallies, self.options, often)
            return self._moved(made, fold_area(request, class_, self.tallies), value, request)
        if request.measure.by_fold:
            return absent(ACROSS, level=self.options.level)
        return self.of_rows(request, value)

    def _of_mean(self, request: Request) -> Interval:
        """The interval of a mean over rows by formula."""
        p, measure = self.tallies.predictions, request.measure
        if function := self._of_labels(request):
            assert p.predicted is not None
            return self._rows.share(p.truth == p.predicted).through(function)
        if "matrix" in request.values:
            return self._of_values(cells_of(request.values["matrix"], classes=len(p.classes)))
        ((loss, given),) = losses_of(request)
        is_regression = p.task == "regression"
        rows: Any = self.tallies.value_rows if is_regression else self.tallies.probability_rows
        with np.errstate(all="ignore"):
            losses = np.asarray(loss(rows, **given), float)
        if isinstance(measure.kind, Mean) and measure.kind.is_share:
            return self._rows.share(losses)
        return self._rows.mean(losses, bounds=measure.bounds)

    def _of_labels(self, request: Request) -> Callable[[float], float] | None:
        """The value as a function of the share of rows that are right; None where it is none."""
        measure = request.measure
        if request.average:
            return of_share_right(request, len(self.tallies.predictions.classes))
        if measure.needs == (Moments,):
            of_wrong = of_share_wrong(request, self.tallies)
            return None if of_wrong is None else lambda right: of_wrong(1 - right)
        return None if measure.share is None else measure.share.of_right

    def _of_values(self, values: NDArray[Any]) -> Interval:
        """What rows earn or cost in the mean, a value for each confusion cell."""
        p, rows = self.tallies.predictions, self._rows
        assert p.predicted is not None
        if p.design.group is None:
            return rows.mean(values[p.truth, p.predicted])
        counts = Confusion.of(
            p.truth, p.predicted, rows.mass, classes=len(p.classes), positive=p.positive
        )
        total = float(counts.total)
        return group_value_interval(
            counts,
            GroupSums.of_cells(p.design.group.codes, p.truth, p.predicted, counts, rows.mass),
            values,
            squares=replace(counts, counts=counts.counts * (total / rows.worth)),
            level=self.options.level,
            replicates=self.options.of_counts,
            seed=self.options.seed,
        )

    def _moved(self, made: Interval, own: float, value: float, request: Request) -> Interval:
        """The interval around the mean over repeats, or of folds."""
        if made.is_absent:
            return made
        low, high = made.low + (value - own), made.high + (value - own)
        made = replace(made, low=low, high=high, method=f"{made.method}{SAID}")
        return made.within(request.measure.bounds)

    @cached_property
    def _rows(self) -> RowsOnce:
        return RowsOnce(self.tallies, self.options)
