"""The rows of the long table: each measure on each part of a model's rows, and means of folds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from heldout.assess.fold_means import fold_mean
from heldout.assess.parts import parts_of, slice_parts
from heldout.assess.repeats import Repeats
from heldout.assess.requests import CLASSES_SHOWN, averages_for
from heldout.assess.results import Of
from heldout.assess.slice_work import is_little_work
from heldout.assess.uncertainty import Uncertainty
from heldout.assess.values import by_class, is_split, lacking, losses_of, overall
from heldout.engines.memory import Tallies
from heldout.intervals.interval import absent
from heldout.predictions.split_design import REPEATED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heldout.assess.options import IntervalOptions
    from heldout.assess.parts import Part
    from heldout.assess.results import Result
    from heldout.intervals.interval import Interval
    from heldout.measures.spec import Request

__all__ = ["Rows"]


@dataclass(frozen=True, slots=True)
class Rows:
    """What makes rows of the long table from the tallies of one model.

    ``per_class`` None: values of single classes where there are up to 50; ``per_fold``: a
    row for each fold too, not only their mean; ``models``: how many share the time that may
    be spent on slices unasked.
    """

    intervals: IntervalOptions | None
    per_class: bool | None = None
    per_fold: bool = False
    models: int = 1

    def of(self, tallies: Tallies, requests: Sequence[Request]) -> Iterator[Result]:
        """The results on all rows, on each fold and slice, and the means of the folds."""
        possible = [r for r in requests if not lacking(r, tallies)]
        if tallies.design.repeats > 1:
            yield from self._repeats(tallies, possible).rows(per_fold=self.per_fold)
            yield from self._slices_of_repeats(tallies, possible)
            return
        yield from self._of_parts(tallies, possible, parts_of(tallies, per_fold=True))

    def whole(self, tallies: Tallies, requests: Sequence[Request]) -> Iterator[Result]:
        """The same without slices."""
        p = tallies.predictions
        bare = Tallies(replace(p, slices=())) if p.slices else tallies
        return self.of(bare, requests)

    def _of_parts(
        self, tallies: Tallies, possible: Sequence[Request], parts: Iterator[Part]
    ) -> Iterator[Result]:
        """Each part's results, those of folds only as means unless asked for."""
        folds: dict[Any, list[Result]] = {}
        options = self.intervals
        is_little = options is None or is_little_work(
            tallies, possible, options, models=self.models
        )
        for part in parts:
            part.tallies.prepare([pair for request in possible for pair in losses_of(request)])
            uncertainty = self._uncertainty(part, possible, is_little=is_little)
            for request in possible:
                for result in self._results(part, request, uncertainty):
                    if part.of is Of.FOLD:
                        folds.setdefault((result.measure, result.class_), []).append(result)
                    if part.of is not Of.FOLD or self.per_fold:
                        yield result
        for results in folds.values():
            yield fold_mean(results, tallies, self.intervals)

    def _slices_of_repeats(self, tallies: Tallies, requests: Sequence[Request]) -> Iterator[Result]:
        """The results on each slice, where all rows have means over repeats: means, too."""
        for part in slice_parts(tallies):
            if part.tallies.design.repeats == 1:
                found = [r for q in requests for r in self._results(part, q, None)]
            else:
                rows = Rows(None, self.per_class)._repeats(part.tallies, requests)
                found = [r for r in rows.rows(per_fold=False) if r.of is Of.POOLED]
            for result in found:
                of_slice = replace(result, slice=part.slice)
                if self.intervals is not None:
                    of_slice = of_slice.bounded(absent(REPEATED, level=self.intervals.level))
                yield of_slice

    def one(self, tallies: Tallies, request: Request) -> Result:
        """The one value of a request over all rows."""
        if tallies.design.repeats > 1:
            return next(self._repeats(tallies, [request]).rows(per_fold=False))
        part = next(parts_of(tallies, per_fold=False))
        return _result(part, request, self._uncertainty(part, [request]))

    def _repeats(self, tallies: Tallies, requests: Sequence[Request]) -> Repeats:
        def bare(part: Part, request: Request) -> Iterator[Result]:
            return self._results(part, request, None)

        return Repeats(tallies, self.intervals, bare, tuple(requests))

    def _uncertainty(
        self, part: Part, requests: Sequence[Request], *, is_little: bool = True
    ) -> Uncertainty | None:
        """What makes the intervals of a part; a single fold has none.

        ``is_little``: slices are few and small enough to be resampled unasked.
        """
        if self.intervals is None or part.of is Of.FOLD:
            return None
        is_frugal = bool(part.slice) and not is_little
        return Uncertainty(part.tallies, self.intervals, tuple(requests), is_frugal)

    def _results(
        self, part: Part, request: Request, uncertainty: Uncertainty | None
    ) -> Iterator[Result]:
        predictions = part.tallies.predictions
        if not is_split(request, predictions.task):
            yield _result(part, request, uncertainty)
            return
        for averaged in averages_for(request):
            yield _result(part, averaged, uncertainty)
        count = len(predictions.classes)
        shown = count <= CLASSES_SHOWN if self.per_class is None else self.per_class
        if shown or (request.is_explicit and not request.measure.averaged):
            values = by_class(request, part.tallies)
            intervals: Sequence[Interval | None] = [None] * count
            if uncertainty is not None and count <= CLASSES_SHOWN:
                intervals = uncertainty.of_classes(request, [v.value for v in values])
            rows = zip(predictions.classes, values, intervals, strict=True)
            for label, value, interval in rows:
                yield part.result(request.name, value, class_=str(label), interval=interval)


def _result(part: Part, request: Request, uncertainty: Uncertainty | None) -> Result:
    value = overall(request, part.tallies)
    interval = None if uncertainty is None else uncertainty.of(request, value.value)
    class_ = request.label or ""
    return part.result(request.name, value, class_=class_, interval=interval)
