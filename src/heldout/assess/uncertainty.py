"""Intervals of measures: each by the first method that is valid for it, or the one asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.cases import case_of
from heldout.assess.forms import named_after, why_no_interval
from heldout.assess.parts import fold_partition
from heldout.assess.resampling import MeasureCase, Resampling, unasked
from heldout.assess.results import Of
from heldout.assess.split_cases import SplitCase
from heldout.assess.values import as_counted, losses_of
from heldout.core.codes import count_codes
from heldout.core.notes import Kind, Note
from heldout.measures.spec import range_of
from heldout.tally.confusion import Binary, Confusion
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.case import Source
from heldout.uncertainty.interval import Interval, absent
from heldout.uncertainty.means import ONE_GROUP
from heldout.uncertainty.methods import admissible, chosen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.core.notes import Lack
    from heldout.engines.memory import Tallies
    from heldout.measures.registry import Measure
    from heldout.measures.spec import Request
    from heldout.uncertainty.case import Case
    from heldout.uncertainty.options import IntervalOptions

A_POINT = "this method gives an interval of zero width; use another method"
BEYOND = "resampling shifts both limits beyond the range of the measure: take another method"
#: what folds that are pooled assume beside the method
OF_STABLE = (
    "; folds are pooled, which holds for learners that one row more or less changes little (Bayle "
    "et al. 2020, NeurIPS)"
)
OUTSIDE = Note("the value lies outside because resampling shifts this measure", Kind.OUTSIDE)


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """The intervals of the measures of one set of rows.

    Parameters
    ----------
    together
        Measures of scores whose intervals are made together, from the same replicates.
    is_frugal
        Of one of many slices only what costs little is made unasked.
    known
        Intervals of counts, which slices with equal tables share; None: they share none.
    """

    tallies: Tallies
    options: IntervalOptions
    together: tuple[Request, ...] = ()
    is_frugal: bool = False
    known: dict[Any, Interval] | None = None

    def __post_init__(self) -> None:
        if self.rows.is_drawn_by_moments:
            # the joint moments of such measures are made in the pass for the values
            asked = [r for r in self.together if not self._is_unasked(r)]
            several = [losses_of(r) for r in asked if len(r.measure.losses) > 1]
            self.tallies.prepare((), together=several)

    @cached_property
    def rows(self) -> Resampling:
        """The rows, as they may be resampled."""
        return Resampling(self.tallies, self.options, self.together)

    def of(self, request: Request, value: float, code: int | None = None) -> Interval:
        """The interval of an overall value, or of one class against the rest, by its code."""
        if self.known is None or not request.measure.is_of_counts:
            return self._of(request, value, code)
        key = request.name, request.parameters, request.label, code, self._table
        if key not in self.known:
            self.known[key] = self._of(request, value, code)
        return self.known[key]

    @cached_property
    def _table(self) -> tuple[bytes, bytes]:
        """The confusion counts, to look up."""
        counts = self.tallies.confusion
        return counts.cells.tobytes(), counts.counts.tobytes()

    def _of(self, request: Request, value: float, code: int | None) -> Interval:
        if reason := self._why_not(request, value):
            return absent(reason, level=self.options.level)
        if as_counted(request, self.tallies) is not self.tallies:
            return self._as_counted(request).of(request, value, code)
        if code is not None:
            return self._interval(case_of(request, self.rows, code), value)
        case = self.case(request)
        return self._interval(case, value, is_unasked=self._is_unasked(request))

    def case(self, request: Request) -> MeasureCase:
        """The overall value of a measure, as methods see it."""
        is_of_class = set(request.measure.needs) & {Binary, Confusion, ScoreCounts}
        if request.label is None or not is_of_class:
            return case_of(request, self.rows)
        code = self.tallies.predictions.place_of(request.label)
        if request.measure.needs == (ScoreCounts,) and code == self.tallies.predictions.positive:
            return case_of(replace(request, label=None), self.rows)
        return case_of(request, self.rows, code)

    def _interval(self, case: MeasureCase, value: float, *, is_unasked: bool = False) -> Interval:
        if lack := case.lack:
            return absent(lack, level=self.options.level)
        method = chosen(case)
        if is_unasked and not method.is_quick and case.source is not Source.CELLS:
            reason = unasked("many slices or rows to resample")
            return absent(reason, level=self.options.level)
        # values whose squares are too large for a number: limits say so, or are not given
        with np.errstate(over="ignore"):
            return self._finished(method.limits(case), case.request, value)

    def _is_unasked(self, request: Request) -> bool:
        return self.is_frugal and not request.is_explicit

    def _finished(self, interval: Interval, request: Request, value: float) -> Interval:
        """The interval within the measure's bounds, which says where it misses the value."""
        if interval.is_absent:
            return interval
        if interval.width <= 0:
            return absent(A_POINT, level=interval.level, method=interval.method)
        interval = interval.within(range_of(request, len(self.tallies.predictions.classes)))
        if interval.width <= 0:
            return absent(BEYOND, level=interval.level, method=interval.method)
        if (
            not interval.is_absent
            and not interval.contains(value)
            and not interval.has(Kind.OUTSIDE)
        ):
            interval = interval.noted(OUTSIDE)
        return named_after(interval, request, self.tallies)

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
            return "it is made from rows, and only a confusion matrix was given"
        if lack := why_no_interval(request, self.tallies):
            return lack
        groups = self.rows.groups
        if groups is not None:
            return ONE_GROUP if count_codes(groups) < 2 else ""
        return ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an interval is made as it is.

    ``names`` of the measures it is of; their form; the method with its reference and what it
    assumes; other methods that are valid, as they are asked for.
    """

    names: tuple[str, ...]
    form: str
    title: str
    reference: str
    assumes: str
    others: tuple[str, ...]


def explanations(
    tallies: Tallies, options: IntervalOptions, values: Sequence[tuple[Request, Of]]
) -> list[Explanation]:
    """Why the intervals of values are made as they are, measures of one answer together.

    ``values`` are measures over all classes that have one, and what each of their values is of:
    all rows pooled, or the mean of folds.
    """
    uncertainty = Uncertainty(tallies, options)
    answers: dict[Explanation, list[str]] = {}
    for request, of in values:
        if of is Of.POOLED and tallies.design.repeats == 1:
            case: Case = uncertainty.case(request)
            assumes = "" if tallies.design.folds == 1 else OF_STABLE
        else:
            is_of_splits = of is Of.MEAN_OF_FOLDS or fold_partition(tallies) is None
            case = SplitCase(request, "", tallies, options, of, nan, np.zeros(0), is_of_splits)
            assumes = ""
        answers.setdefault(_explanation(case, assumes), []).append(request.name)
    return [replace(answer, names=tuple(dict.fromkeys(names))) for answer, names in answers.items()]


def _explanation(case: Case, assumes: str) -> Explanation:
    """Why a case has the interval that it has, and what else that assumes."""
    method = chosen(case)
    names = dict.fromkeys(m.name.replace("_", "-") for m in admissible(case) if m is not method)
    others = tuple(name for name in names if name[0] != "(")
    assumes = method.assumes.format(units=case.unit.value) + assumes
    return Explanation((), case.form.value, method.title, method.reference, assumes, others)


def why_never(measure: Measure) -> str:
    """Why a measure has no interval whatever the rows are."""
    if measure.is_count:
        return "a count of these rows"
    return "a result of a test" if measure.is_test else "no method is known to cover at its level"
