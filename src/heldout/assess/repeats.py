"""Rows judged in several repeats: values pooled within a repeat, their mean, and its interval."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import isnan, nan
from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.parts import (
    Part,
    fold_partition,
    incomplete_repeats,
    is_of_unlike_classes,
    mean_of_folds,
    mean_of_repeats,
    of_unlike_classes,
    parts_of,
    weights_of_repeats,
)
from heldout.assess.results import Of
from heldout.assess.split_cases import SplitCase
from heldout.assess.uncertainty import Uncertainty
from heldout.core.memo import once
from heldout.core.notes import as_notes
from heldout.measures.kinds import SAME
from heldout.measures.parts import areas_of_parts
from heldout.uncertainty.case import Form
from heldout.uncertainty.methods import interval_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from heldout.assess.part_values import PartValues
    from heldout.assess.results import Result
    from heldout.engines.memory import Tallies
    from heldout.engines.parts import Partition
    from heldout.measures.spec import Request
    from heldout.uncertainty.interval import Interval
    from heldout.uncertainty.options import IntervalOptions

    #: the values of all parts, a line for each measure, average and class
    LinesOf = Callable[[Partition, Sequence[Request]], list[PartValues]]

NO_MEAN_OF_TESTS = "a p-value or test statistic is not averaged over repeats"


def pooled_splits(
    tallies: Tallies,
    requests: Sequence[Request],
    results_of: Callable[[Part, Sequence[Request]], Iterator[Result]],
) -> Iterator[tuple[Request, Result]]:
    """The value of each measure, all splits pooled: every row is tested equally often.

    A split tests a handful of rows, on which few measures say anything. The area under the
    curve does: there the mean of the splits is the share of pairs that one model, which was
    trained on neither, puts in order (Airola et al. 2011, leave-pair-out).
    """
    whole, splits = Part(tallies), tallies.parts("repeat")
    for request in requests:
        for result in results_of(whole, [request]):
            if result.class_ or not _has_areas(request, tallies):
                yield request, result.noted(f"all {len(splits):,} splits pooled")
                continue
            areas = areas_of_parts(splits.scores)
            known = areas[~np.isnan(areas)]
            if len(known):
                of = f"mean of {len(known):,} of {len(splits):,} splits"
                notes = as_notes(f"{of}: the others test rows of one class only")
                result = replace(result, value=float(known.mean()), notes=notes)
            yield request, result


def _has_areas(request: Request, tallies: Tallies) -> bool:
    """Whether it is the area under the ROC curve of rows that weigh the same."""
    p = tallies.predictions
    is_plain = request.measure.area is SAME and not request.average and request.label is None
    return is_plain and p.task == "binary" and p.weight is None and p.scores is not None


@dataclass(frozen=True, eq=False)
class Repeats:
    """The rows of the long table of a model that was judged in several repeats."""

    tallies: Tallies
    options: IntervalOptions | None
    requests: tuple[Request, ...]

    def rows(
        self,
        lines_of: LinesOf,
        results_of: Callable[[Part, Sequence[Request]], Iterator[Result]],
        *,
        per_fold: bool,
    ) -> Iterator[Result]:
        """Means over repeats of pooled values, single repeats and folds, means of folds."""
        is_pooled = self.tallies.design.plan.is_leave_some_out
        if is_pooled:
            for request, result in pooled_splits(self.tallies, self.requests, results_of):
                yield self._bounded(result, request)
            if not per_fold:
                return
        folds = fold_partition(self.tallies)
        of_repeats = lines_of(self.tallies.parts("repeat"), self.requests)
        of_folds = [] if folds is None else lines_of(folds, self.requests)
        if not is_pooled:
            yield from self._means_of_repeats(of_repeats, of_folds)
        if per_fold:
            # where a repeat is a single split there are no folds, and repeats stand for them
            for line in (*of_repeats, *of_folds):
                yield from _single(line)
        for line in of_folds:
            yield self._bounded(mean_of_folds(line), line.request, line)

    def _means_of_repeats(
        self, of_repeats: Sequence[PartValues], of_folds: Sequence[PartValues]
    ) -> Iterator[Result]:
        splits = {(line.request.name, line.class_): line for line in of_folds}
        lost, weights = incomplete_repeats(self.tallies), weights_of_repeats(self.tallies)
        for line in of_repeats:
            mean = mean_of_repeats(line, weights=weights, lost=lost)
            if line.request.measure.is_test:
                mean = replace(mean, value=nan, notes=as_notes(NO_MEAN_OF_TESTS))
            single = splits.get((line.request.name, line.class_), line)
            yield self._bounded(mean, line.request, single, line, is_of_splits=not of_folds)

    def _bounded(
        self,
        result: Result,
        request: Request,
        splits: PartValues | None = None,
        repeats: PartValues | None = None,
        *,
        is_of_splits: bool = True,
    ) -> Result:
        """The result with its interval, or with the reason why it has none."""
        if self.options is None or not result.is_defined or not request.measure.has_interval:
            return result
        case = SplitCase(
            request,
            result.class_,
            self.tallies,
            self.options,
            result.of,
            result.value,
            np.zeros(0) if splits is None else splits.values,
            is_of_splits,
            partial(self._limits, repeats),
        )
        is_by_split = case.form is Form.SPLITS and result.of is Of.MEAN_OF_FOLDS
        is_valid = not self.tallies.design.interval_lack and is_by_split
        if is_valid and splits is not None and is_of_unlike_classes(splits, self._lacking):
            return of_unlike_classes(result, splits)
        return result.bounded(interval_of(case))

    @cached_property
    def _lacking(self) -> int:
        """How many classes no row is of."""
        has_classes = bool(self.tallies.predictions.classes)
        return int(np.count_nonzero(self.tallies.class_weights == 0)) if has_classes else 0

    def _limits(self, line: PartValues | None) -> list[tuple[Interval, float]]:
        """The interval of each repeat with a value, as if it were the only one; what it weighs."""
        assert line is not None
        weights = weights_of_repeats(self.tallies)
        pairs = zip(line.parts.keys, line.values.tolist(), strict=True)
        return [
            (
                self._uncertainty(number).of(line.request, value, line.code),
                weights.get(repeat, 1.0),
            )
            for number, ((repeat,), value) in enumerate(pairs)
            if not isnan(value)
        ]

    def _uncertainty(self, number: int) -> Uncertainty:
        """What makes the intervals of one repeat."""
        options = self.options
        assert options is not None
        rows = self.tallies.parts("repeat").at(number)
        return once(self, ("repeat", number), lambda _: Uncertainty(rows, options, self.requests))


def _single(line: PartValues) -> Iterator[Result]:
    """The result of each repeat, or of each fold of one."""
    for number, part in enumerate(parts_of(line.parts)):
        yield part.result(line.request.name, line.value(number), class_=line.class_)
