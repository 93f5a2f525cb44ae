"""Intervals of means over repeats, as wide as the rows or groups of one repeat make them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.assess.class_statistics import of_share_right
from karat.assess.common_prior import with_common_prior
from karat.assess.fold_areas import fold_area, is_plain_area, repeated_area_interval
from karat.assess.label_losses import of_share_wrong
from karat.assess.rows_once import RowsOnce
from karat.assess.splits import ACROSS, is_mean_of_rows, is_smooth_in_rows, named_after
from karat.assess.uncertainty import Uncertainty
from karat.assess.values import by_class, is_split, losses_of, overall
from karat.engines.memory import Tallies
from karat.intervals.cluster_bootstrap import GroupSums
from karat.intervals.group_values import group_value_interval
from karat.intervals.grouped import ALIKE
from karat.intervals.interval import Interval, absent
from karat.measures.cell_values import cells_of
from karat.tally.confusion import Confusion
from karat.tally.moments import Moments

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from karat.assess.options import IntervalOptions
    from karat.measures.spec import Request
    from karat.predictions.table import Predictions

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
    _of_classes: dict[str, list[tuple[Interval, float]]] = field(default_factory=dict)

    def of_rows(self, request: Request, value: float) -> Interval:
        """The interval of a mean over all rows: weights and groups of rows are heeded."""
        made = self._of_mean(request)
        if made is None:
            return self._of_pooled(request, value)
        return self._moved(named_after(made, request, self.tallies), value, value, request)

    def of_folds(self, request: Request | None, class_: str, value: float) -> Interval:
        """The interval of a mean of folds that is not taken from the spread of the folds.

        Groups that lie across folds make all folds err alike, which their spread cannot show.
        A smooth function of means over rows varies as it does where folds are pooled; other
        measures rank the rows of several models, and only areas are known fold by fold.
        """
        if request is None or not self.has_folds(request):
            return absent(ACROSS, level=self.options.level)
        task = self.tallies.predictions.task
        if is_plain_area(request):
            often = self._rows.often
            made = repeated_area_interval(request, class_, self.tallies, self.options, often)
            return self._moved(made, fold_area(request, class_, self.tallies), value, request)
        if is_split(request, task) and class_:
            return self._moved(*self._class(request, class_), value, request)
        if not is_split(request, task) and is_mean_of_rows(request, self.tallies):
            return self.of_rows(request, value)
        return self._of_pooled(request, value)

    def has_folds(self, request: Request) -> bool:
        """Whether the mean of folds of a measure has an interval that heeds groups across them."""
        is_area = is_plain_area(request) and self.tallies.predictions.weight is None
        return is_area or is_smooth_in_rows(request)

    def _of_mean(self, request: Request) -> Interval | None:
        """The interval of a mean over rows by formula; None where it is of another kind."""
        p, measure = self.tallies.predictions, request.measure
        if function := self._of_labels(request):
            assert p.predicted is not None
            return self._rows.share(p.truth == p.predicted).through(function)
        if "matrix" in request.values:
            return self._of_values(cells_of(request.values["matrix"], classes=len(p.classes)))
        if measure.needs != (Moments,):
            return None
        ((loss, given),) = losses_of(request)
        is_regression = p.task == "regression"
        rows: Any = self.tallies.value_rows if is_regression else self.tallies.probability_rows
        with np.errstate(all="ignore"):
            losses = np.asarray(loss(rows, **given), float)
        if measure.is_share:
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
        share = measure.proportion
        if share is None or measure.needs != (Confusion,):
            return None
        first, second = (float(share(Confusion.from_matrix(m))[0]) for m in ONE_RIGHT_ONE_WRONG)
        if first == second:
            return None
        return (lambda right: right) if first else (lambda right: 1 - right)

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

    def _of_pooled(self, request: Request, value: float) -> Interval:
        """The interval of a function of counts or means, of all repeats pooled, by groups."""
        own = float(overall(request, self._pooled).value)
        made = self._uncertainty.of(request, own)
        if request.measure.proportion is not None and not request.average:
            made = self._no_narrower(made, self._alone.of(request, own), own)
        return self._moved(named_after(made, request, self.tallies), own, value, request)

    def _class(self, request: Request, class_: str) -> tuple[Interval, float]:
        """The interval and the value of a class against the rest, all classes made at once."""
        if request.name not in self._of_classes:
            values = [float(v) for v in by_class(request, self._pooled)[0]]
            made = self._uncertainty.of_classes(request, values)
            if request.measure.proportion is not None:
                alone = self._alone.of_classes(request, values)
                made = [self._no_narrower(*each) for each in zip(made, alone, values, strict=True)]
            made = [named_after(one, request, self.tallies) for one in made]
            self._of_classes[request.name] = list(zip(made, values, strict=True))
        classes = self.tallies.predictions.classes
        return self._of_classes[request.name][[str(c) for c in classes].index(class_)]

    def _no_narrower(self, made: Interval, alone: Interval, value: float) -> Interval:
        """Groups that differ less than single rows would are worth no more than their rows."""
        rows = self._rows.stretched(alone, value)
        if made.is_absent or rows.is_absent or rows.width <= made.width:
            return made
        low, high = min(made.low, rows.low), max(made.high, rows.high)
        return replace(made, low=low, high=high).noted(ALIKE)

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

    @cached_property
    def _pooled(self) -> Tallies:
        """All judgements as if of one run, in an order that does not depend on the repeats'."""
        p = with_common_prior(self.tallies)
        if p.weight is not None:  # sums of which depend, by rounding, on their order
            p = p.take(_sorted(p))
        design = replace(p.design, procedure="", fold=None, repeat=None)
        return Tallies(replace(p, design=design))

    @cached_property
    def _uncertainty(self) -> Uncertainty:
        return Uncertainty(self._pooled, self.options)

    @cached_property
    def _alone(self) -> Uncertainty:
        """The same of rows that stand alone."""
        p = self._pooled.predictions
        return Uncertainty(Tallies(replace(p, design=replace(p.design, group=None))), self.options)


#: a single row that is right, and one that is wrong
ONE_RIGHT_ONE_WRONG = ([[1, 0], [0, 0]], [[0, 1], [0, 0]])


def _sorted(p: Predictions) -> NDArray[Any]:
    """Positions of the rows by group, truth, prediction and weight."""
    keys = [
        p.weight,
        p.predicted,
        p.truth,
        None if p.design.group is None else p.design.group.codes,
    ]
    return np.lexsort([key for key in keys if key is not None])
