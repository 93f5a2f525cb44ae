"""The rows of the long table: each measure on each part of a model's rows, and means of folds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from heldout.assess.forms import has_formula
from heldout.assess.out_of_bag import out_of_bag_results
from heldout.assess.part_values import values_by_part, values_of_rows
from heldout.assess.parts import Part, fold_partition, mean_of_folds, slice_parts, slice_places
from heldout.assess.repeats import Repeats
from heldout.assess.results import Of
from heldout.assess.split_cases import SplitCase
from heldout.assess.uncertainty import Uncertainty
from heldout.assess.values import (
    CLASSES_SHOWN,
    averages_for,
    is_split,
    lacking,
    losses_of,
)
from heldout.engines.memory import Tallies
from heldout.engines.protocol import slice_by
from heldout.predictions.split_design import REPEATED
from heldout.tally.confusion import Binary, Confusion
from heldout.tally.moments import Moments
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.interval import absent
from heldout.uncertainty.methods import interval_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from heldout.assess.part_values import PartValues, ValueOf, Wanted
    from heldout.assess.results import Result
    from heldout.engines.parts import Partition
    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions
    from heldout.uncertainty.interval import Interval
    from heldout.uncertainty.options import IntervalOptions

#: rows that take as long to resample as a slice takes whatever its size
ROWS_OF_A_SLICE = 5_000
#: a measure that shares the draws of another costs about half as much
SHARED = 0.5
#: slices of usual size, one measure each, that are resampled unasked: some seconds
MOST_WORK = 80
#: draws that the work of a slice is counted in
DRAWS = 400


def is_little_work(
    tallies: Tallies,
    requests: Sequence[Request],
    options: IntervalOptions,
    *,
    models: int = 1,
    names: Collection[str] | None = None,
) -> bool:
    """Whether the slices of so many models are few and small enough to be resampled unasked.

    ``names``: those that are made; None: all of them.

    Examples
    --------
    >>> import heldout
    >>> card = heldout.score([1, 0] * 50, y_score=[0.1] * 100, slices={"site": ["a", "b"] * 50})
    >>> is_little_work(card.tallies[0], card.requests(["average_precision"]), card.intervals)
    True
    """
    p = tallies.predictions
    unasked = [r for r in requests if not r.is_explicit]
    is_plain = p.weight is None and p.design.group is None
    resampled = sum(not _is_quick(r, options, is_plain=is_plain) for r in unasked)
    if not resampled:
        return True
    slices = sum(len(tallies.parts(slice_by(column.name))) for column in p.slices)
    work = (slices + len(p.slices) * len(p) / ROWS_OF_A_SLICE) * _columns(tallies, unasked)
    share = options.of_rows / DRAWS
    if names is not None:
        share *= min(len(names) / slices, 1.0)
    return models * work * share * (1 + SHARED * (resampled - 1)) <= MOST_WORK


def _is_quick(request: Request, options: IntervalOptions, *, is_plain: bool) -> bool:
    """Whether a slice has this interval by counts, by moments or, of plain rows, a formula."""
    measure = request.measure
    if not measure.has_interval or set(measure.needs) & {Binary, Confusion}:
        return True
    if measure.needs == (Moments,) and options.uses_t:
        return True
    by_formula = is_plain and not measure.is_of_gaps and has_formula(request, options)
    return by_formula and measure.needs == (ScoreCounts,)


def _columns(tallies: Tallies, requests: Sequence[Request]) -> int:
    """How many columns of scores are ranked: one, or that of each class."""
    p = tallies.predictions
    return len(p.classes) if p.task == "multiclass" and tallies.has_scores and requests else 1


def fold_mean(line: PartValues, tallies: Tallies, options: IntervalOptions | None) -> Result:
    """The mean of the folds' values; that of the area under the ROC curve has an interval."""
    mean, request = mean_of_folds(line), line.request
    if options is None or not mean.is_defined:
        return mean
    case = SplitCase(request, line.class_, tallies, options, mean.of, mean.value, line.values)
    return mean.bounded(interval_of(case))


@dataclass(frozen=True, slots=True)
class Rows:
    """What makes rows of the long table from the tallies of one model.

    ``per_class`` None: values of single classes where there are up to 50; ``per_fold``: a
    row for each fold too, not only their mean; ``models``: how many share the time that may
    be spent on slices unasked; ``slices`` None: all of them, else those of these names.
    """

    intervals: IntervalOptions | None
    per_class: bool | None = None
    per_fold: bool = False
    models: int = 1
    slices: frozenset[str] | None = None

    def of(self, tallies: Tallies, requests: Sequence[Request]) -> Iterator[Result]:
        """The results on all rows, on folds and slices, means of folds, and a bootstrap's own."""
        possible = [r for r in requests if not lacking(r, tallies)]
        if tallies.design.repeats > 1:
            yield from self._of_repeats(tallies, possible, per_fold=self.per_fold)
            yield from self._slices_of_repeats(tallies, possible)
        else:
            yield from self._of_one_repeat(tallies, possible)
        yield from out_of_bag_results(tallies, possible)

    def _of_one_repeat(self, tallies: Tallies, possible: Sequence[Request]) -> Iterator[Result]:
        yield from self._of_part(Part(tallies), possible)
        folds = fold_partition(tallies)
        lines = [] if folds is None else self._lines(folds, possible)
        if folds is not None and self.per_fold:
            for number in range(len(folds)):
                part = Part.at(folds, number)
                yield from _results(part, _at(lines, number, part.tallies))
        yield from self._slices(tallies, possible)
        for line in lines:
            yield fold_mean(line, tallies, self.intervals)

    def whole(self, tallies: Tallies, requests: Sequence[Request]) -> Iterator[Result]:
        """The same without slices."""
        p = tallies.predictions
        bare = Tallies(replace(p, slices=())) if p.slices else tallies
        return self.of(bare, requests)

    def one(self, tallies: Tallies, request: Request) -> Result:
        """The one value of a request over all rows."""
        if tallies.design.repeats > 1:
            return next(self._of_repeats(tallies, [request]))
        values = values_of_rows(tallies, [(request, False)])
        return next(_results(Part(tallies), values, self._uncertainty(tallies, [request])))

    def _of_part(self, part: Part, requests: Sequence[Request]) -> Iterator[Result]:
        """The results of one part."""
        tallies = part.tallies
        tallies.prepare([pair for request in requests for pair in losses_of(request)])
        values = values_of_rows(tallies, self._wanted(requests, tallies.predictions))
        return _results(part, values, self._uncertainty(tallies, requests))

    def _lines(self, parts: Partition, requests: Sequence[Request]) -> list[PartValues]:
        """The values of all parts, a line for each measure, average and class."""
        wanted = self._wanted(requests, parts.ordered)
        return [line for lines in values_by_part(parts, wanted) for line in lines]

    def _wanted(self, requests: Sequence[Request], p: Predictions) -> list[Wanted]:
        """The requests; of one that has no value overall its averages and that of each class."""
        wanted: list[Wanted] = []
        for request in requests:
            if is_split(request, p.task):
                wanted += [(averaged, False) for averaged in averages_for(request)]
                wanted += [(request, True)] if self._shows_classes(request, p) else []
            else:
                wanted.append((request, False))
        return wanted

    def _slices(self, tallies: Tallies, requests: Sequence[Request]) -> Iterator[Result]:
        options, p = self.intervals, tallies.predictions
        is_plain = p.weight is None and not (p.design.group or p.design.fold or p.design.repeat)
        known: dict[Any, Interval] | None = {} if is_plain else None
        is_frugal = options is not None and not is_little_work(
            tallies, requests, options, models=self.models, names=self.slices
        )
        wanted = self._wanted(requests, p)
        for column in p.slices:
            parts = tallies.parts(slice_by(column.name))
            lines = None if self.slices is not None else self._lines(parts, requests)
            for number in slice_places(parts, self.slices):
                part, uncertainty = Part.at(parts, number), None
                rows = part.tallies
                if options is not None:
                    uncertainty = Uncertainty(rows, options, tuple(requests), is_frugal, known)
                values = values_of_rows(rows, wanted) if lines is None else _at(lines, number, rows)
                yield from _results(part, values, uncertainty)

    def _slices_of_repeats(self, tallies: Tallies, requests: Sequence[Request]) -> Iterator[Result]:
        """The results on each slice, where all rows have means over repeats: means, too."""
        bare = Rows(None, self.per_class)
        for part in slice_parts(tallies, self.slices):
            if part.tallies.design.repeats == 1:
                results = [*bare._of_part(part, requests)]
            else:
                of_repeats = bare._of_repeats(part.tallies, requests)
                results = [r for r in of_repeats if r.of is Of.POOLED]
            for result in results:
                of_slice = replace(result, slice=part.slice)
                if self.intervals is not None:
                    of_slice = of_slice.bounded(absent(REPEATED, level=self.intervals.level))
                yield of_slice

    def _of_repeats(
        self, tallies: Tallies, requests: Sequence[Request], *, per_fold: bool = False
    ) -> Iterator[Result]:
        repeats = Repeats(tallies, self.intervals, tuple(requests))
        bare = Rows(None, self.per_class)
        return repeats.rows(self._lines, bare._of_part, per_fold=per_fold)

    def _uncertainty(self, tallies: Tallies, requests: Sequence[Request]) -> Uncertainty | None:
        """What makes the intervals of all rows."""
        options = self.intervals
        return None if options is None else Uncertainty(tallies, options, tuple(requests))

    def _shows_classes(self, request: Request, predictions: Predictions) -> bool:
        """Whether values of single classes are given."""
        is_few = len(predictions.classes) <= CLASSES_SHOWN
        shown = is_few if self.per_class is None else self.per_class
        return shown or (request.is_explicit and not request.measure.averaged)


def _at(lines: Iterable[PartValues], number: int, rows: Tallies) -> Iterator[ValueOf]:
    """The values of one part, and its rows."""
    return ((line.request, line.code, line.value(number, rows)) for line in lines)


def _results(
    part: Part, values: Iterable[ValueOf], uncertainty: Uncertainty | None = None
) -> Iterator[Result]:
    """Values of a part as results, with their intervals where these are made."""
    classes = part.tallies.predictions.classes
    for request, code, value in values:
        interval = None
        if uncertainty is not None and (code is None or len(classes) <= CLASSES_SHOWN):
            interval = uncertainty.of(request, value.value, code)
        class_ = request.label or "" if code is None else str(classes[code])
        yield part.result(request.name, value, class_=class_, interval=interval)
