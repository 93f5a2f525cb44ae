"""Intervals of means over repeats, as wide as the rows or groups of one repeat make them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.assess.fold_areas import fold_area, fold_area_interval, is_plain_area
from karat.assess.parts import repeat_parts
from karat.assess.splits import ACROSS, is_smooth_in_rows, shape_of
from karat.assess.uncertainty import Uncertainty
from karat.assess.values import by_class, is_split, overall
from karat.intervals.interval import Interval, absent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.assess.options import IntervalOptions
    from karat.engines.memory import Tallies
    from karat.measures.spec import Request

__all__ = ["OneRepeat", "distinct_rows", "groups_seen"]


@dataclass(frozen=True, eq=False)
class OneRepeat:
    """What one of several repeats says of how far a value may be off.

    A repeat of folds judges every row once; one of holdouts judges a part of them.
    """

    tallies: Tallies
    options: IntervalOptions
    _of_classes: dict[str, list[tuple[Interval, float]]] = field(default_factory=dict)

    def of_rows(self, request: Request, value: float) -> Interval:
        """The interval of a value over all rows: weights and groups of rows are heeded."""
        own = float(overall(request, self._one).value)
        return self._moved(self._uncertainty.of(request, own), own, value, request)

    def of_folds(self, request: Request | None, class_: str, value: float) -> Interval:
        """The interval of a mean of folds that is not taken from the spread of the folds.

        Groups that lie across folds make all folds err alike, which their spread cannot show.
        A smooth function of means over rows varies as it does where folds are pooled; other
        measures rank the rows of several models, and only areas are known fold by fold.
        """
        if request is None or not self.has_folds(request):
            return absent(ACROSS, level=self.options.level)
        if is_plain_area(request):
            made = fold_area_interval(request, class_, self._one, self.options)
            own = fold_area(request, class_, self._one)
        elif is_split(request, self.tallies.predictions.task) and class_:
            made, own = self._class(request, class_)
        else:
            return self.of_rows(request, value)
        return self._moved(made, own, value, request)

    def has_folds(self, request: Request) -> bool:
        """Whether the mean of folds of a measure has an interval that heeds groups across them."""
        is_area = is_plain_area(request) and self.tallies.predictions.weight is None
        return is_area or is_smooth_in_rows(request)

    def _class(self, request: Request, class_: str) -> tuple[Interval, float]:
        """The interval and the value of a class against the rest, all classes made at once."""
        if request.name not in self._of_classes:
            values = [float(v) for v in by_class(request, self._one)[0]]
            made = self._uncertainty.of_classes(request, values)
            self._of_classes[request.name] = list(zip(made, values, strict=True))
        classes = self.tallies.predictions.classes
        return self._of_classes[request.name][[str(c) for c in classes].index(class_)]

    def _moved(self, made: Interval, own: float, value: float, request: Request) -> Interval:
        """The interval around the mean over repeats, all rows seen."""
        if made.is_absent:
            return made
        low, high = (value + self._shrunk * (limit - own) for limit in (made.low, made.high))
        method = f"{made.method}, as in one repeat"
        return replace(made, low=low, high=high, method=method).within(request.measure.bounds)

    @cached_property
    def _one(self) -> Tallies:
        return next(repeat_parts(self.tallies)).tallies

    @cached_property
    def _uncertainty(self) -> Uncertainty:
        return Uncertainty(self._one, self.options)

    @cached_property
    def _shrunk(self) -> float:
        """How much narrower all rows make it; more rows of the same groups say no more of them."""
        all_of, one = self.tallies.predictions, self._one.predictions
        if all_of.design.group is not None and one.design.group is not None:
            return sqrt(groups_seen(one.design.group.codes, all_of.design.group.codes))
        return sqrt(min(len(one) / distinct_rows(self.tallies), 1.0))


def groups_seen(some: NDArray[Any], every: NDArray[Any]) -> float:
    """The share of all groups of rows that some of the rows come from."""
    return len(np.unique(some)) / len(np.unique(every))


def distinct_rows(tallies: Tallies) -> int:
    """How many different rows were judged: by their identifiers, else those of a mean repeat."""
    p = tallies.predictions
    if p.identifier is not None:
        return len(np.unique(p.identifier))
    return round(len(p) / shape_of(tallies).repeats)
